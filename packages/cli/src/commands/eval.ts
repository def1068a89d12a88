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
  TEAM_VARIANTS,
  teamVariant,
} from "@praxis/polyguard";
import type { Command } from "commander";
import { type EvaluationSettings, runEvaluation, TEAM } from "../evaluation/run-evaluation.ts";
import { readTrainingSeries } from "../evaluation/training-series.ts";
import { composeReport, writeReport } from "../evaluation/write-report.ts";
import { LEARNED_POLICIES, learnedAmong } from "../learning/learned-places.ts";
import { runSpindleEvaluation } from "../spindleflow/run-evaluation.ts";
import { makeProgress, type Terminal } from "../terminal.ts";

/** Adds `praxis eval ENV`: policies on the same scenarios, with intervals, comparisons and a report. */
export function registerEval(program: Command, terminal: Terminal): void {
  program
    .command("eval")
    .description(
      "Play named policies on the same scenarios and report what they reach, with intervals.\n\n  praxis eval polyguard --policies rule_based,random_legal,keep_always --split val --difficulty medium --n 400\n  praxis eval spindleflow --policies all --split train,heldout --n 500 --frontier",
    )
    .argument("<env>", "polyguard or spindleflow")
    .option(
      "--policies <names>",
      "policies, separated by commas; default rule_based, for spindleflow all. There also folders of training runs",
    )
    .option("--sub-environments <names>", "sub-environments, separated by commas, or all", "all")
    .option("--split <names>", "splits, separated by commas; default val, for spindleflow train,heldout")
    .option("--difficulty <names>", "easy, medium, hard, several separated by commas, or all", "medium")
    .option("--n <count>", "scenarios of each sub-environment, split and tier, or shifts of each split", "400")
    .option("--perturbations <names>", "also play with a disturbed record: names separated by commas, or all", "")
    .option(
      "--ablations [names]",
      `also play ${TEAM} in other modes and without its parts: names separated by commas; all without names`,
    )
    .option("--run <folders...>", "run folders of trainings whose progress the report shows")
    .option("--workers <count>", "worker threads; results do not depend on it", String(availableParallelism()))
    .option("--out <folder>", "run folder; default one in runs/ named for the settings and the time")
    .option("--oracle-cache <folder>", "where what is worked out about scenarios is kept", join("runs", "oracle-cache"))
    .option(
      "--learned <folder>",
      "pipeline whose policies base, sft and grpo play; default those that ship with PolyGuard",
    )
    .option("--resume", "go on with the run in --out")
    .option("--frontier", "spindleflow: also sweep the weight of a cost unit")
    .option("--preset <name>", "spindleflow: preset of the reward", "balanced")
    .option("--sector <name>", "spindleflow: sector of the company", "software_engineering")
    .option("--seed <number>", "spindleflow: which shifts", Number, 0)
    .option("--json", "the report as one JSON document on stdout instead of Markdown")
    .action(async (name: string, given: EvalFlags) => {
      if (name === "spindleflow" || name === "SpindleFlow-v0") {
        const { policies = "all", split = "train,heldout", preset, sector, seed } = given;
        await runSpindleEvaluation(
          {
            ...{ policies, split, preset, sector, seed, frontier: given.frontier === true, json: given.json === true },
            ...{ n: countOf("--n", given.n), workers: countOf("--workers", given.workers) },
            out:
              given.out ??
              join("runs", `spindleflow__eval__${split.replaceAll(",", "-")}_n${given.n}__${timeName(new Date())}`),
          },
          terminal,
        );
        return;
      }
      const options: EvalOptions = { ...given, policies: given.policies ?? "rule_based", split: given.split ?? "val" };
      if (name !== "polyguard" && name !== "PolyGuard-v0")
        throw new PraxisError(
          "UNKNOWN_NAME",
          `'${name}' has no evaluation; use polyguard or spindleflow.${didYouMean(name, ["polyguard", "spindleflow"])}`,
        );
      if (options.resume === true && options.out === undefined)
        throw new PraxisError("VALIDATION_ERROR", "--resume needs --out with the folder of the run.");
      const settings = settingsOf(options);
      const training = readTrainingSeries(options.run ?? []);
      const out = options.out ?? join("runs", folderName(settings, new Date()));
      const progress = makeProgress(terminal, "scenarios");
      const begun = performance.now();
      const run = await runEvaluation(settings, {
        out,
        cache: options.oracleCache,
        workers: countOf("--workers", options.workers),
        isResumed: options.resume === true,
        onProgress: progress.step,
        onNote: terminal.err,
      }).finally(progress.end);
      const played = performance.now();
      const report = composeReport(settings, run, training);
      writeReport(out, report);
      terminal.out((options.json === true ? report.json : report.markdown).trimEnd());
      terminal.err(
        `Played in ${seconds(played - begun)}, reported in ${seconds(performance.now() - played)}. Best courses planned: ${run.planned === 0 ? "none, as all needed were at hand" : `${run.planned} in ${seconds(run.oracleMs)} of worker time`}. Report: ${join(out, "report.html")}`,
      );
    });
}

/** Flags as they are given; what depends on the environment may be left out. */
interface EvalFlags extends Omit<EvalOptions, "policies" | "split"> {
  readonly policies?: string;
  readonly split?: string;
  readonly frontier?: boolean;
  readonly preset: string;
  readonly sector: string;
  readonly seed: number;
}

interface EvalOptions {
  readonly policies: string;
  readonly subEnvironments: string;
  readonly split: string;
  readonly difficulty: string;
  readonly n: string;
  readonly perturbations: string;
  readonly ablations?: string | true;
  readonly run?: readonly string[];
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
  const variants = variantsOf(options.ablations);
  return {
    policies: variants.length === 0 || policies.includes(TEAM) ? policies : [...policies, TEAM],
    ...(learned.length === 0 ? {} : { learned }),
    subEnvironments: allOr("sub-environment", options.subEnvironments, SUB_ENVIRONMENTS),
    splits: listed(options.split).map((each) => named("split", each, SPLITS)),
    difficulties: allOr("difficulty", options.difficulty, DIFFICULTIES),
    n: countOf("--n", options.n),
    perturbations: listed(options.perturbations).flatMap((each) =>
      each === "all" ? PERTURBATIONS : [checkPerturbation(each)],
    ),
    variants,
  };
}

/** Ways of playing by name; a part alone, `critic` say, is one without it. */
function variantsOf(names: string | true | undefined): readonly string[] {
  if (names === undefined) return [];
  if (names === true || names === "all") return TEAM_VARIANTS;
  return listed(names).map((name) => {
    const whole = TEAM_VARIANTS.find((each) => each.endsWith(`:${name}`)) ?? name;
    teamVariant(whole);
    return whole;
  });
}

function allOr<Name extends string>(what: string, names: string, known: readonly Name[]): readonly Name[] {
  return names === "all" ? known : listed(names).map((each) => named(what, each, known));
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

function folderName({ splits, difficulties, n }: EvaluationSettings, now: Date): string {
  return `polyguard__eval__${splits.join("-")}_${difficulties.join("-")}_n${n}__${timeName(now)}`;
}

function timeName(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
