import { didYouMean, PraxisError } from "@praxis/env";
import { showEstimate } from "@praxis/eval";
import { selectKernels } from "@praxis/nn/node";
import { SECTORS } from "@praxis/spindleflow";
import type { Command } from "commander";
import { type TransferResult, transfer } from "../spindleflow/transfer.ts";
import type { Terminal } from "../terminal.ts";

/** Adds `praxis transfer spindleflow`: what an orchestrator is worth at another company, before and after a little practice. */
export function registerTransfer(program: Command, terminal: Terminal): void {
  program
    .command("transfer")
    .description(
      "Take an orchestrator to another company: as it is, after some shifts of practice, and beside training from nothing.\n\n  praxis transfer spindleflow --sector legal_review",
    )
    .argument("<env>", "spindleflow")
    .option("--from <name>", "orchestrator that ships, or the folder of a training run", "set")
    .option("--sector <names>", "sectors of the new companies, separated by commas", SECTORS.slice(1).join(","))
    .option("--episodes <count>", "shifts of practice", Number, 50)
    .option("--long-episodes <count>", "shifts of a longer training from nothing", Number, 600)
    .option("--n <count>", "shifts of the evaluation, the same for all", Number, 500)
    .option("--seed <number>", "seed of practice and evaluation", Number, 0)
    .option("--json", "one JSON document on stdout")
    .action(async (name: string, options: TransferOptions) => {
      if (name !== "spindleflow" && name !== "SpindleFlow-v0")
        throw new PraxisError(
          "UNKNOWN_NAME",
          `'${name}' has no transfer; use spindleflow.${didYouMean(name, ["spindleflow"])}`,
        );
      const sectors = options.sector.split(",").map((each) => each.trim());
      const unknown = sectors.find((each) => !(SECTORS as readonly string[]).includes(each));
      if (unknown !== undefined)
        throw new PraxisError("UNKNOWN_NAME", `Unknown sector '${unknown}'.${didYouMean(unknown, SECTORS)}`);
      const { kernels, line } = await selectKernels("auto");
      terminal.err(line);
      const results: TransferResult[] = [];
      for (const sector of sectors)
        results.push(await transfer({ ...options, sector }, kernels, (text) => terminal.err(text)));
      terminal.out(options.json === true ? JSON.stringify(results) : table(results, options));
    });
}

interface TransferOptions {
  readonly from: string;
  readonly sector: string;
  readonly episodes: number;
  readonly longEpisodes: number;
  readonly n: number;
  readonly seed: number;
  readonly json?: boolean;
}

function table(results: readonly TransferResult[], { episodes, longEpisodes, n }: TransferOptions): string {
  const columns: readonly [string, (result: TransferResult) => string][] = [
    ["sector", ({ sector }) => sector],
    ["as it is", ({ before }) => showEstimate(before)],
    [`after ${episodes}`, ({ after }) => showEstimate(after)],
    [`scratch ${episodes}`, ({ scratch }) => showEstimate(scratch)],
    [`scratch ${longEpisodes}`, ({ scratchLong }) => showEstimate(scratchLong)],
    ["after − as it is", ({ afterMinusBefore }) => showEstimate(afterMinusBefore)],
    [`after − scratch ${episodes}`, ({ afterMinusScratch }) => showEstimate(afterMinusScratch)],
  ];
  const rows = [
    columns.map(([name]) => name),
    columns.map(() => "---"),
    ...results.map((each) => columns.map(([, of]) => of(each))),
  ];
  return [`R per task, 95 % intervals over ${n} shifts:`, "", ...rows.map((row) => `| ${row.join(" | ")} |`)].join(
    "\n",
  );
}
