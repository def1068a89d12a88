import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { performance } from "node:perf_hooks";
import { PraxisError } from "@praxis/env";
import { bootstrap, type Estimate, showEstimate } from "@praxis/eval";
import type { Measurement } from "./figures.ts";
import { praxis } from "./praxis-command.ts";
import { SHARE, scaled } from "./share.ts";

const SHIFTS = scaled(500, 5);

/** The orchestrators that ship. */
const [SHIPPED, FRUGAL] = ["set", "frugal"] as const;
/** Training seeds that the learned figures are the mean of. */
const SEEDS = [1, 2, 3, 4, 5].slice(0, scaled(5));
/** Where trained orchestrators are kept, so that a bench that was stopped goes on; without it a folder that is thrown away. */
const KEPT = process.env.PRAXIS_BENCH_FOLDER;
const ORACLES = ["truthStep", "reference"];
const PLANNERS = ["textPlan", "taskPlan", "beliefPlan"];

type Report = (measurement: Measurement) => void;

/** What the bench reads of `report.json` of an evaluation. */
interface Evaluation {
  readonly evaluation: { readonly players: readonly { readonly name: string; readonly player: object }[] };
  readonly policies: readonly {
    readonly split: string;
    readonly policy: string;
    readonly reward: Estimate;
    readonly normalizedScore: Estimate | null;
    readonly metrics: Readonly<Record<string, Estimate>>;
    readonly usd: { readonly judgePer1000Episodes: number };
  }[];
  readonly differences: readonly {
    readonly split: string;
    readonly policy: string;
    readonly minus: string;
    readonly reward: Estimate;
    readonly laterTasks: Estimate | null;
  }[];
  readonly unbounded: readonly string[];
}

/** Estimate over seeds of a number that each training seed has: mean, interval by resampling the seeds. */
function overSeeds(values: readonly number[]): Pick<Measurement, "value" | "interval" | "n"> {
  const { mean, low, high } = bootstrap(values);
  return { value: mean, interval: values.length > 1 ? [low, high] : null, n: values.length };
}

const showAll = (values: readonly number[]): string => values.map((value) => value.toFixed(2)).join(", ");

function measureScores(report: Report, { policies, unbounded }: Evaluation, seeds: readonly string[]): void {
  const scores = (split: string): number[] =>
    seeds.map((seed) => policies.find((each) => each.split === split && each.policy === seed)!.normalizedScore!.mean);
  const bounds =
    unbounded.length === 0
      ? "the reference bounds every script"
      : `the reference does not bound ${unbounded.join(", ")}`;
  for (const [split, goal] of [
    ["train", ">= 0.6"],
    ["heldout", ">= 0.51"],
  ] as const) {
    const of = (name: string) => policies.find((each) => each.split === split && each.policy === name)!;
    report({
      id: `spindle.ns_${split}`,
      ...overSeeds(scores(split)),
      ...{ unit: "NS", goal, peer: `beliefPlan: ${of("beliefPlan").normalizedScore!.mean.toFixed(2)}` },
      note: `training seeds ${showAll(scores(split))}, ${SHIFTS} shifts each; the one that ships: ${showEstimate(of(SHIPPED).normalizedScore!)}; ${bounds}`,
    });
  }
  const heldout = scores("heldout");
  const ratios = scores("train").map((score, i) => heldout[i]! / score);
  report({
    ...{ id: "spindle.zero_shot", ...overSeeds(ratios), unit: "NS held-out / training", goal: ">= 0.85", peer: null },
    note: `training seeds ${showAll(ratios)}; specialists and tasks that training never showed; that slots permute exactly is a test of the policies`,
  });
}

/** Of all rules and training seeds, the least lower bound of the difference; the rule it belongs to. */
function measureRules(report: Report, { differences, evaluation }: Evaluation, seeds: readonly string[]): void {
  const scripts = evaluation.players.flatMap(({ name, player }) => ("script" in player ? [name] : []));
  for (const split of ["train", "heldout"]) {
    const own = differences.filter((each) => each.split === split && seeds.includes(each.policy));
    const rules = own.filter(({ minus }) => scripts.includes(minus) && ![...ORACLES, ...PLANNERS].includes(minus));
    const closest = rules.reduce((a, b) => (b.reward.low < a.reward.low ? b : a));
    const texts = own.filter(({ minus }) => minus === "textPlan").map(({ reward }) => showEstimate(reward));
    report({
      id: `spindle.vs_scripts_${split}`,
      ...{ value: closest.reward.low, unit: "R per task, least lower bound", goal: split === "train" ? "> 0" : ">= 0" },
      ...{ peer: `closest rule: ${closest.minus}`, n: closest.reward.n },
      interval: [closest.reward.low, closest.reward.high],
      note: `paired, ${rules.length / seeds.length} rules and ${seeds.length} training seeds, the least of all; minus textPlan ${texts.join(", ")}`,
    });
  }
}

function measureMemory(
  report: Report,
  { differences }: Evaluation,
  seeds: Readonly<Record<"set" | "memoryless", readonly string[]>>,
): void {
  const later = (policy: string, minus: string): Estimate =>
    differences.find((each) => each.split === "train" && each.policy === policy && each.minus === minus)!.laterTasks!;
  const unit = "R per task, tasks 2 to 5";
  const worth = seeds.set.map((seed, i) => later(seed, seeds.memoryless[i]!));
  report({
    ...{ id: "spindle.memory", ...overSeeds(worth.map(({ mean }) => mean)), unit, goal: ">= 0.02", peer: null },
    note: `set minus memoryless of the same training seed, paired, training specialists: ${worth.map((each) => showEstimate(each)).join(", ")}`,
  });
  const { mean, low, high, n } = later("beliefPlan", "taskPlan");
  report({
    ...{ id: "spindle.memory_in_scripts", value: mean, unit, goal: ">= 0.03", peer: null, n, interval: [low, high] },
    note: "beliefPlan minus taskPlan, paired, training specialists",
  });
}

function measureFrontier(report: Report, { policies }: Evaluation): void {
  const of = (policy: string) => policies.find((each) => each.split === "train" && each.policy === policy);
  const [balanced, frugal] = [of(SHIPPED), of(FRUGAL)];
  if (balanced === undefined || frugal === undefined) return;
  const [before, after] = [balanced.metrics.costUnits!, frugal.metrics.costUnits!];
  const lost = balanced.metrics.trueQuality!.mean - frugal.metrics.trueQuality!.mean;
  const saved = 100 * (1 - after.mean / before.mean);
  report({
    // Fewer units at a quality that is lost are no saving.
    ...{ id: "spindle.frontier", value: lost <= 0.03 ? saved : Math.min(0, saved), unit: "% fewer cost units" },
    ...{ goal: ">= 15", peer: null, n: after.n, interval: null },
    note: `frugal ${after.mean.toFixed(2)}, balanced ${before.mean.toFixed(2)} units a task; true Q ${(-lost).toFixed(3)}; judging 1,000 shifts USD ${balanced.usd.judgePer1000Episodes.toFixed(2)} (founding claim 8)`,
  });
}

function measureDemo(report: Report, folder: string): void {
  const sizes =
    SHARE >= 1 ? [] : ["--timesteps", String(scaled(50_000, 1500)), "--warm-start.shifts", String(scaled(1000, 20))];
  const begun = performance.now();
  const { err } = praxis("train", "spindleflow", "--demo", "--threads", "2", "--runs", join(folder, "demo"), ...sizes);
  const minutes = (performance.now() - begun) / 60_000;
  const line = err.split("\n").find((each) => each.startsWith("On ")) ?? "";
  const told = /^On (\d+) new shifts.*difference (\S+) \(95 % interval (\S+) to ([^)\s]+)\)/u.exec(line);
  if (told === null) throw new PraxisError("ENVIRONMENT_ERROR", "praxis train spindleflow --demo told no difference.");
  const [n, gain, low, high] = told.slice(1).map(Number) as [number, number, number, number];
  report({
    ...{ id: "spindle.demo_minutes", value: minutes, unit: "minutes", goal: "< 3", peer: null, n: 1, interval: null },
    note: `${scaled(50_000, 1500)} steps, evaluation included`,
  });
  report({
    ...{ id: "spindle.demo_gain", value: low, unit: "R, lower bound", goal: "> 0", peer: null, n },
    ...{ interval: [low, high], note: `trained minus the greedy rule in its phase, mean ${gain}. ${line}` },
  });
}

function measureTransfer(report: Report): void {
  const sizes = SHARE >= 1 ? [] : ["--episodes", "8", "--long-episodes", "10", "--sector", "legal_review"];
  const { out } = praxis("transfer", "spindleflow", "--n", String(SHIFTS), ...sizes, "--json");
  const results = JSON.parse(out) as readonly {
    readonly sector: string;
    readonly afterMinusBefore: Estimate;
    readonly afterMinusScratch: Estimate;
  }[];
  const holds = results.filter(
    ({ afterMinusScratch, afterMinusBefore }) => afterMinusScratch.low > 0 && afterMinusBefore.high >= 0,
  );
  report({
    ...{ id: "spindle.transfer", value: holds.length, unit: "sectors", goal: `>= ${results.length}`, peer: null },
    ...{ n: SHIFTS, interval: null },
    note: `sectors in which 50 shifts beat 50 from scratch, interval above 0, and do not lose against none, interval not below 0; ${results
      .map(
        ({ sector, afterMinusScratch, afterMinusBefore }) =>
          `${sector}: minus scratch ${showEstimate(afterMinusScratch)}, minus zero-shot ${showEstimate(afterMinusBefore)}`,
      )
      .join("; ")}`,
  });
}

/** Folder of the run that a configuration and a seed make; trained unless it is there. */
function trained(folder: string, config: string, seed: number): string {
  const runs = join(folder, `${config}-${seed}`);
  const done = join(runs, "done");
  if (!existsSync(done)) {
    rmSync(runs, { recursive: true, force: true });
    const sizes = ["--ppo.total-steps", String(scaled(150_000, 1500)), "--warm-start.shifts", String(scaled(4000, 20))];
    praxis(
      ...["train", "spindleflow", "--config", config, "--seed", String(seed), "--runs", runs],
      ...["--warm-start.demonstrations", join(folder, "demonstrations.jsonl"), ...(SHARE >= 1 ? [] : sizes)],
    );
    writeFileSync(done, "");
  }
  const run = readdirSync(runs).find((name) => name !== "done")!;
  return join(runs, run);
}

/**
 * What orchestrators reach, what training takes. Five trainings of two configurations come first; `PRAXIS_BENCH_FOLDER`
 * keeps them. `PRAXIS_BENCH_SHARE=0.01` does a hundredth of everything.
 */
export async function measureSpindle(report: Report): Promise<void> {
  const folder = KEPT ?? mkdtempSync(join(tmpdir(), "praxis-bench-spindle-"));
  mkdirSync(folder, { recursive: true });
  try {
    const seedsOf = (config: string): string[] => SEEDS.map((seed) => trained(folder, config, seed));
    const runs = { set: seedsOf("set"), memoryless: seedsOf("memoryless") };
    praxis(
      ...["eval", "spindleflow", "--policies", ["all", ...runs.set, ...runs.memoryless].join(",")],
      ...["--split", "train,heldout", "--n", String(SHIFTS), "--out", join(folder, "evaluation"), "--json"],
    );
    const evaluation = JSON.parse(readFileSync(join(folder, "evaluation", "report.json"), "utf8")) as Evaluation;
    // Runs go by the name of their folder, or by its path where two have one name.
    const named = (each: readonly string[]): string[] =>
      each.map((run) => evaluation.evaluation.players.find(({ name }) => name === run || name === basename(run))!.name);
    const seeds = { set: named(runs.set), memoryless: named(runs.memoryless) };
    measureScores(report, evaluation, seeds.set);
    measureRules(report, evaluation, seeds.set);
    measureMemory(report, evaluation, seeds);
    measureFrontier(report, evaluation);
    measureDemo(report, folder);
    measureTransfer(report);
  } finally {
    if (KEPT === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
