import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EnvDefinition, PraxisError } from "@praxis/env";
import { makeReferenceKernels } from "@praxis/nn";
import {
  type Checkpoint,
  exportPolicyOnnx,
  findRun,
  latestCheckpoint,
  loadPpoPolicy,
  loadSmallAgent,
  MaskedPolicy,
  type PpoSettingsInput,
  type RunConfig,
  readCheckpoint,
  readRunConfig,
  resolvePpoSettings,
  smallAgentSettings,
} from "@praxis/train";
import type { Command } from "commander";
import { loadRegistry } from "../load-environments.ts";
import { shipOrchestrator } from "../spindleflow/ship.ts";
import type { Terminal } from "../terminal.ts";
import { settingsFor } from "./small-settings.ts";

interface ExportOptions {
  readonly onnx?: boolean | string;
  readonly orchestrator?: string;
  readonly evaluation?: string;
  readonly runs: string;
  readonly envModule?: string[];
}

/** Adds `praxis export RUN --onnx`: the newest policy of a run as a file for other runtimes. */
export function registerExport(program: Command, terminal: Terminal): void {
  program
    .command("export")
    .description(
      "Write the policy of a run for use elsewhere.\n\n  praxis export RUN --onnx policy.onnx\n  praxis export RUN --orchestrator FOLDER --evaluation report.json",
    )
    .argument("<run>", "path or name of a run")
    .option("--onnx [file]", "ONNX; default policy.onnx in the run's folder")
    .option("--orchestrator <folder>", "spindleflow: the best weights with settings and a model card")
    .option("--evaluation <file>", "report.json of praxis eval spindleflow, for the card")
    .option("--runs <folder>", "where run folders are", "runs")
    .option("--env-module <path...>", "modules with further environments")
    .action(async (name: string, options: ExportOptions) => {
      if (options.onnx === undefined && options.orchestrator === undefined)
        throw new PraxisError(
          "VALIDATION_ERROR",
          "Say what to write: --onnx, or --orchestrator for a run of spindleflow.",
        );
      const path = findRun(options.runs, name);
      if (options.orchestrator !== undefined) {
        shipOrchestrator(path, options.orchestrator, options.evaluation ?? null);
        terminal.out(options.orchestrator);
        return;
      }
      const config = readRunConfig(path);
      const newest = latestCheckpoint(join(path, "checkpoints"));
      if (newest === null) throw new PraxisError("VALIDATION_ERROR", `The run '${path}' has no checkpoint yet.`);
      const registry = await loadRegistry({ extra: options.envModule ?? [] });
      const { policy, normalizer } = loadActing(config, registry.get(config.env), readCheckpoint(newest));
      const file = typeof options.onnx === "string" ? options.onnx : join(path, "policy.onnx");
      if (existsSync(file)) throw new PraxisError("VALIDATION_ERROR", `'${file}' exists; name another file.`);
      writeFileSync(file, exportPolicyOnnx(policy, normalizer), { flag: "wx" });
      terminal.out(file);
    });
}

/** The policy that acts in a checkpoint. Throws NOT_SUPPORTED for one that scores candidates. */
function loadActing({ algorithm, settings }: RunConfig, definition: EnvDefinition, checkpoint: Checkpoint) {
  const shared = { definition, kernels: makeReferenceKernels(), checkpoint };
  if (algorithm === "ppo")
    return loadPpoPolicy({ ...shared, settings: resolvePpoSettings(settings as PpoSettingsInput) });
  const { policy } = loadSmallAgent({ ...shared, settings: settingsFor(smallAgentSettings, settings) });
  if (policy instanceof MaskedPolicy) return { policy, normalizer: null };
  throw new PraxisError(
    "NOT_SUPPORTED",
    "A policy that scores candidates can't be exported: what a candidate's numbers mean is in the environment.",
  );
}
