import { availableParallelism } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { didYouMean, PraxisError } from "@praxis/env";
import {
  checkPerturbation,
  DIFFICULTIES,
  PERTURBATIONS,
  POLYGUARD_POLICIES,
  SPLITS,
  SUB_ENVIRONMENTS,
} from "@praxis/polyguard";
import type { Command } from "commander";
import { type EvaluationSettings, runEvaluation } from "../evaluation/run-evaluation.ts";
import { composeReport, writeReport } from "../evaluation/write-report.ts";
import { LEARNED_POLICIES, learnedAmong } from "../learning/learned-places.ts";
import { makeProgress, type Terminal } from "../terminal.ts";

/** Adds `praxis eval ENV`: policies on the same scenarios, with intervals, comparisons and a report. */
export function registerEval(program: Command, terminal: Terminal): void {
  program
    .command("eval")
    .description(
      "Play named policies on the same scenarios and report what they reach, with intervals.\n\n  praxis eval polyguard --policies rule_based,random_legal,keep_always --split val --difficulty medium --n 400",
    )
    .argument("<env>", "polyguard")
    .option("--policies <names>", "policies, separated by commas; the others are compared with the first", "rule_based")
    .option("--sub-environments <names>", "sub-environments, separated by commas, or all", "all")
    .option("--split <name>", "split of the scenarios", "val")
    .option("--difficulty <name>", "easy, medium or hard", "medium")
    .option("--n <count>", "scenarios of each sub-environment", "400")
    .option("--perturbations <names>", "also play with a disturbed view: names separated by commas, or all", "")
    .option("--workers <count>", "worker threads; results do not depend on it", String(availableParallelism()))
    .option("--out <folder>", "run folder; default one in runs/ named for the settings and the time")
    .option("--oracle-cache <folder>", "where values of best courses are kept", join("runs", "oracle-cache"))
    .option(
      "--learned <folder>",
      "pipeline whose policies base, sft and grpo play; default those that ship with PolyGuard",
    )
    .option("--resume", "go on with the run in --out")
    .option("--json", "the report as one JSON document on stdout instead of Markdown")
    .action(async (name: string, options: EvalOptions) => {
      if (name !== "polyguard" && name !== "PolyGuard-v0")
        throw new PraxisError(
          "UNKNOWN_NAME",
          `'${name}' has no evaluation; use polyguard.${didYouMean(name, ["polyguard"])}`,
        );
      if (options.resume === true && options.out === undefined)
        throw new PraxisError("VALIDATION_ERROR", "--resume needs --out with the folder of the run.");
      const settings = settingsOf(options);
      const out = options.out ?? join("runs", folderName(settings, new Date()));
      const progress = makeProgress(terminal, "scenarios");
      const begun = performance.now();
      const run = await runEvaluation(settings, {
        out,
        cache: options.oracleCache,
        workers: countOf("--workers", options.workers),
        isResumed: options.resume === true,
        onProgress: progress.step,
      }).finally(progress.end);
      const played = performance.now();
      const report = composeReport(settings, run);
      writeReport(out, report);
      terminal.out((options.json === true ? report.json : report.markdown).trimEnd());
      terminal.err(
        `Played in ${seconds(played - begun)}, reported in ${seconds(performance.now() - played)}. Best courses planned: ${run.planned === 0 ? "none, as all needed were at hand" : `${run.planned} in ${seconds(run.oracleMs)} of worker time`}. Report: ${join(out, "report.html")}`,
      );
    });
}

interface EvalOptions {
  readonly policies: string;
  readonly subEnvironments: string;
  readonly split: string;
  readonly difficulty: string;
  readonly n: string;
  readonly perturbations: string;
  readonly workers: string;
  readonly out?: string;
  readonly oracleCache: string;
  readonly learned?: string;
  readonly resume?: boolean;
  readonly json?: boolean;
}

function settingsOf(options: EvalOptions): EvaluationSettings {
  const policies = listed(options.policies).map((policy) =>
    named("policy", policy, [...POLYGUARD_POLICIES, ...LEARNED_POLICIES]),
  );
  const learned = learnedAmong(policies, options.learned);
  return {
    policies,
    ...(learned.length === 0 ? {} : { learned }),
    subEnvironments:
      options.subEnvironments === "all"
        ? SUB_ENVIRONMENTS
        : listed(options.subEnvironments).map((sub) => named("sub-environment", sub, SUB_ENVIRONMENTS)),
    split: named("split", options.split, SPLITS),
    difficulty: named("difficulty", options.difficulty, DIFFICULTIES),
    n: countOf("--n", options.n),
    perturbations: listed(options.perturbations).flatMap((each) =>
      each === "all" ? PERTURBATIONS : [checkPerturbation(each)],
    ),
  };
}

function listed(text: string): readonly string[] {
  return [...new Set(text.split(",").map((each) => each.trim()))].filter((each) => each !== "");
}

function named<Name extends string>(what: string, name: string, known: readonly Name[]): Name {
  const found = known.find((each) => each === name);
  if (found !== undefined) return found;
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown ${what} '${name}'.${didYouMean(name, known)} Known: ${known.join(", ")}.`,
  );
}

function countOf(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new PraxisError("VALIDATION_ERROR", `${option} is '${text}'; use a whole number from 1.`);
  return count;
}

function folderName({ split, difficulty, n }: EvaluationSettings, now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `polyguard__eval__${split}_${difficulty}_n${n}__${time}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
