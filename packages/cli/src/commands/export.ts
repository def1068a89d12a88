import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PraxisError } from "@praxis/env";
import { makeReferenceKernels } from "@praxis/nn";
import {
  exportPolicyOnnx,
  findRun,
  latestCheckpoint,
  loadPpoPolicy,
  type PpoSettingsInput,
  readCheckpoint,
  readRunConfig,
  resolvePpoSettings,
} from "@praxis/train";
import type { Command } from "commander";
import { loadRegistry } from "../load-environments.ts";
import type { Terminal } from "../terminal.ts";

interface ExportOptions {
  readonly onnx?: boolean | string;
  readonly runs: string;
  readonly envModule?: string[];
}

/** Adds `praxis export RUN --onnx`: the newest policy of a run as a file for other runtimes. */
export function registerExport(program: Command, terminal: Terminal): void {
  program
    .command("export")
    .description("Write the newest policy of a run as a file.\n\n  praxis export RUN --onnx policy.onnx")
    .argument("<run>", "path or name of a run")
    .option("--onnx [file]", "ONNX; default policy.onnx in the run's folder")
    .option("--runs <folder>", "where run folders are", "runs")
    .option("--env-module <path...>", "modules with further environments")
    .action(async (name: string, options: ExportOptions) => {
      if (options.onnx === undefined)
        throw new PraxisError("VALIDATION_ERROR", "Say what to write: --onnx is the only form there is.");
      const path = findRun(options.runs, name);
      const config = readRunConfig(path);
      const newest = latestCheckpoint(join(path, "checkpoints"));
      if (newest === null) throw new PraxisError("VALIDATION_ERROR", `The run '${path}' has no checkpoint yet.`);
      const registry = await loadRegistry({ extra: options.envModule ?? [] });
      const { policy, normalizer } = loadPpoPolicy({
        ...{
          definition: registry.get(config.env),
          kernels: makeReferenceKernels(),
          checkpoint: readCheckpoint(newest),
        },
        settings: resolvePpoSettings(config.settings as PpoSettingsInput),
      });
      const file = typeof options.onnx === "string" ? options.onnx : join(path, "policy.onnx");
      if (existsSync(file)) throw new PraxisError("VALIDATION_ERROR", `'${file}' exists; name another file.`);
      writeFileSync(file, exportPolicyOnnx(policy, normalizer), { flag: "wx" });
      terminal.out(file);
    });
}
