import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { didYouMean, PraxisError } from "@praxis/env";
import { KERNEL_CHOICES, selectKernels } from "@praxis/nn/node";
import { type Command, Option } from "commander";
import { writeReport } from "../evaluation/write-report.ts";
import { composeLearningReport } from "../learning/learning-report.ts";
import { shipPolicies } from "../learning/model-card.ts";
import { runPipeline } from "../learning/pipeline.ts";
import { pipelineSettings, SMOKE_SIZES } from "../learning/pipeline-settings.ts";
import { flagNames, parseGiven } from "../schema-flags.ts";
import type { Terminal } from "../terminal.ts";
import { formatDuration, formatTrainingRow } from "../training-view.ts";

interface PipelineOptions {
  readonly out?: string;
  readonly smoke?: boolean;
  readonly ablate?: string;
  readonly workers: number;
  readonly oracleCache: string;
  readonly kernels: (typeof KERNEL_CHOICES)[number];
  readonly ship?: string;
  readonly json?: boolean;
}

/** Adds `praxis pipeline ENV`: from nothing to a learned policy and its report. */
export function registerPipeline(program: Command, terminal: Terminal): void {
  program
    .command("pipeline")
    .description(
      "Teach a small policy PolyGuard: experts play, SFT imitates them, GRPO improves on the environment's reward, held-out scenarios judge. A pipeline that was killed goes on where it was when started again with the same --out.\n\n  praxis pipeline polyguard --out runs/learn\n  praxis pipeline polyguard --smoke",
    )
    .argument("<env>", "id or short name; only polyguard has a pipeline")
    .option(
      "--out <folder>",
      "new folder, or that of a pipeline to go on with; default one in runs/ named for the time",
    )
    .option("--smoke", "the smallest sizes at which every stage works; shows nothing about learning")
    .option("--ablate <name>", "leave one thing out: no_graph, no_memory, sft_only, grpo_from_scratch …")
    .option("--workers <number>", "threads; the numbers do not depend on it", Number, availableParallelism())
    .option("--oracle-cache <folder>", "where what is worked out about scenarios is kept", join("runs", "oracle-cache"))
    .addOption(new Option("--kernels <set>", "numeric kernels").choices(KERNEL_CHOICES).default("auto"))
    .option("--ship <folder>", "also copy the policies there, with a model card")
    .option("--json", "the report as one JSON document on stdout instead of Markdown")
    .allowUnknownOption(true)
    .allowExcessArguments(true)
    .addHelpText("after", `\nSettings are flags too: ${flagNames(pipelineSettings).join(", ")}.`)
    .action(async (name: string, options: PipelineOptions, self: Command) => {
      if (name !== "polyguard" && name !== "PolyGuard-v0")
        throw new PraxisError(
          "UNKNOWN_NAME",
          `'${name}' has no pipeline; use polyguard.${didYouMean(name, ["polyguard"])}`,
        );
      await conduct(options, self.args.slice(1), terminal);
    });
}

async function conduct(options: PipelineOptions, rest: readonly string[], terminal: Terminal): Promise<void> {
  const settings = pipelineSettings.parse({
    ...(options.smoke === true ? SMOKE_SIZES : {}),
    ...(options.ablate === undefined ? {} : { ablation: options.ablate }),
    ...parseGiven(pipelineSettings, rest),
  });
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  const folder = options.out ?? join("runs", `polyguard__pipeline__seed${settings.seed}__${time}`);
  const { kernels, line } = await selectKernels(options.kernels);
  terminal.err(line);
  terminal.err(`${existsSync(join(folder, "settings.json")) ? "Going on with" : "Pipeline"} ${folder}`);
  const stop = new AbortController();
  const onInterrupt = (): void => {
    terminal.err("Stopping; press Ctrl-C again to leave at once.");
    stop.abort();
  };
  process.once("SIGINT", onInterrupt);
  const command =
    `praxis pipeline polyguard ${[...(options.smoke === true ? ["--smoke"] : []), ...(options.ablate === undefined ? [] : ["--ablate", options.ablate]), ...rest].join(" ")}`.trim();
  const begun = Date.now();
  const view = new StageView(terminal, settings.iterations, settings.epochs);
  try {
    const outcome = await runPipeline(settings, {
      ...{ folder, kernels, workers: options.workers, oracleCache: options.oracleCache, signal: stop.signal },
      command,
      now: Date.now,
      onStage: (title) => view.begin(title),
      onProgress: (done, total) => view.progress(done, total),
      onNote: terminal.err,
      onRow: (row) => view.row(row),
    });
    view.end();
    if (outcome === null) {
      terminal.err(`Stopped. Go on with: praxis pipeline polyguard --out ${folder} (and the same settings)`);
      return;
    }
    const report = composeLearningReport(outcome);
    writeReport(folder, report);
    if (options.ship !== undefined) {
      shipPolicies(options.ship, { pipeline: folder, outcome, lines: report.lines, report, command });
      terminal.err(`Policies and model card: ${options.ship}`);
    }
    terminal.out((options.json === true ? report.json : report.markdown).trimEnd());
    terminal.err(`Done in ${formatDuration((Date.now() - begun) / 1000)}. Report: ${join(folder, "report.html")}`);
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}

/** Between two lines of a stage where nobody watches, in milliseconds. */
const LINE_EVERY_MS = 15_000;

/** Stages with what is done of each, and what is left of it by the pace so far. */
class StageView {
  readonly #terminal: Terminal;
  readonly #goals: { readonly iterations: number; readonly epochs: number };
  #title = "";
  #begun = 0;
  #first = 0;
  #printed = 0;

  constructor(terminal: Terminal, iterations: number, epochs: number) {
    this.#terminal = terminal;
    this.#goals = { iterations, epochs };
  }

  begin(title: string): void {
    this.end();
    this.#title = title;
    this.#begun = Date.now();
    this.#first = -1;
    this.#printed = 0;
    this.#terminal.err(`${title} …`);
  }

  progress(done: number, total: number): void {
    this.#show(done, total, `${done}/${total}`);
  }

  row(row: Readonly<Record<string, number>>): void {
    const done = row.iteration ?? 0;
    const total = this.#title.startsWith("SFT") ? this.#goals.epochs : this.#goals.iterations;
    const perS = done / Math.max(0.001, (Date.now() - this.#begun) / 1000);
    this.#show(done, total, formatTrainingRow(row, { perS, leftS: (total - done) / perS }));
  }

  #show(done: number, total: number, text: string): void {
    // What was there before this start says nothing about the pace.
    if (this.#first < 0) this.#first = done;
    const spent = (Date.now() - this.#begun) / 1000;
    const pace = (done - this.#first) / spent;
    const left = text.includes("left") || pace <= 0 ? "" : ` · ${formatDuration((total - done) / pace)} left`;
    if (this.#terminal.isInteractive) process.stderr.write(`\r\u001b[K${this.#title}: ${text}${left}`);
    else if (Date.now() - this.#printed >= LINE_EVERY_MS) {
      this.#printed = Date.now();
      this.#terminal.err(`  ${text}${left}`);
    }
  }

  end(): void {
    if (this.#terminal.isInteractive) process.stderr.write("\r\u001b[K");
  }
}
