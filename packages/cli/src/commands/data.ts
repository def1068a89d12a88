import { availableParallelism } from "node:os";
import { join } from "node:path";
import { didYouMean, PraxisError } from "@praxis/env";
import { DATA_KINDS, type DataKind } from "@praxis/polyguard/data";
import type { Command } from "commander";
import { writeDataSet } from "../data/write-data-set.ts";
import { makeProgress, type Terminal } from "../terminal.ts";

/** Adds `praxis data ENV`: training data as JSON lines and Parquet, with a data card. */
export function registerData(program: Command, terminal: Terminal): void {
  program
    .command("data")
    .description(
      "Write training data of PolyGuard: chats for fine-tuning, groups of scored answers, traces with every candidate's reward. A run that was interrupted goes on when started again.\n\n  praxis data polyguard --rows 2000 --out data/polyguard",
    )
    .argument("<env>", "id or short name; only polyguard makes training data")
    .option("--rows <number>", "rows of each kind", Number, 2000)
    .option("--out <folder>", "new or empty folder, or that of an interrupted run", join("data", "polyguard"))
    .option("--kinds <list>", "kinds, separated by commas", DATA_KINDS.join(","))
    .option("--seed <number>", "another seed gives other scenarios", Number, 0)
    .option("--workers <number>", "threads; the rows do not depend on it", Number, Math.min(8, availableParallelism()))
    .option("--json", "the report as JSON on stdout")
    .action(async (name: string, options: DataOptions) => {
      checkEnvironment(name);
      const kinds = parseKinds(options.kinds);
      const rows = wholeNumber("--rows", options.rows, 1, 1_000_000);
      const progress = makeProgress(terminal, "rows");
      const report = await writeDataSet({
        ...{ rows, kinds, out: options.out },
        dataSeed: wholeNumber("--seed", options.seed, 0, 1_000_000),
        workers: wholeNumber("--workers", options.workers, 1, 256),
        onProgress: (done) => progress.step(done, rows),
      }).finally(() => progress.end());
      for (const shortage of report.shortages) terminal.err(`Short: ${shortage}.`);
      if (options.json === true) return terminal.out(JSON.stringify(report));
      for (const [kind, count] of Object.entries(report.rows)) terminal.out(`${kind}: ${count} rows`);
      terminal.out(`Written to ${report.out} from ${report.units} episodes. The data card is README.md there.`);
    });
}

interface DataOptions {
  readonly rows: number;
  readonly out: string;
  readonly kinds: string;
  readonly seed: number;
  readonly workers: number;
  readonly json?: boolean;
}

const NAMES = ["polyguard", "PolyGuard-v0"];

function checkEnvironment(name: string): void {
  if (NAMES.includes(name)) return;
  throw new PraxisError(
    "UNKNOWN_NAME",
    `'${name}' makes no training data.${didYouMean(name, NAMES)} Use ${NAMES.join(" or ")}.`,
  );
}

function parseKinds(text: string): readonly DataKind[] {
  const names = text.split(",").map((name) => name.trim());
  for (const name of names)
    if (!DATA_KINDS.some((kind) => kind === name))
      throw new PraxisError(
        "UNKNOWN_NAME",
        `--kinds: unknown kind '${name}'.${didYouMean(name, DATA_KINDS)} Use one or more of ${DATA_KINDS.join(",")}.`,
      );
  return DATA_KINDS.filter((kind) => names.includes(kind));
}

function wholeNumber(flag: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new PraxisError("VALIDATION_ERROR", `${flag}: must be a whole number from ${least} to ${most}, not ${value}.`);
}
