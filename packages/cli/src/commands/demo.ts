import { availableParallelism } from "node:os";
import { didYouMean, PraxisError } from "@praxis/env";
import type { Command } from "commander";
import { CheckFailed } from "../outcome.ts";
import { differingShifts, playDemo, readDemo, renderDemo, writeDemo } from "../spindleflow/demo.ts";
import type { Terminal } from "../terminal.ts";

/** Adds `praxis demo spindleflow`: the same shifts before and after training. */
export function registerDemo(program: Command, terminal: Terminal): void {
  program
    .command("demo")
    .description(
      "Show the same ten held-out shifts by the untrained and by the trained orchestrator.\n\n  praxis demo spindleflow\n  praxis demo spindleflow --live",
    )
    .argument("<env>", "spindleflow")
    .option(
      "--policy <name>",
      "orchestrator that ships, or the folder of a training run; with --precompute and --live",
      "set",
    )
    .option("--precompute", "play the shifts and keep them for later demos")
    .option("--live", "play the shifts now and compare with those that were kept; exit 1 when they differ")
    .option("--workers <count>", "worker threads; results do not depend on it", Number, availableParallelism())
    .option("--json", "one JSON document on stdout")
    .action(async (name: string, options: DemoOptions) => {
      if (name !== "spindleflow" && name !== "SpindleFlow-v0")
        throw new PraxisError(
          "UNKNOWN_NAME",
          `'${name}' has no demo; use spindleflow.${didYouMean(name, ["spindleflow"])}`,
        );
      const plays = options.precompute === true || options.live === true;
      const demo = plays ? await playDemo(options.policy, options.workers) : readDemo();
      terminal.out(options.json === true ? JSON.stringify(demo) : renderDemo(demo));
      if (options.live === true) {
        const differing = differingShifts(readDemo(), demo);
        if (differing.length > 0)
          throw new CheckFailed(`Shifts ${differing.join(", ")} differ from those that were kept.`);
        terminal.err(`All ${demo.shifts.length} shifts were played again and are as they were kept.`);
      }
      if (options.precompute === true) terminal.err(`Kept in ${writeDemo(demo)}.`);
    });
}

interface DemoOptions {
  readonly policy: string;
  readonly precompute?: boolean;
  readonly live?: boolean;
  readonly workers: number;
  readonly json?: boolean;
}
