import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { type EnvDefinition, PraxisError, Rng, type SyncEnv } from "@praxis/env";
import { makeWorkerVectorEnv } from "@praxis/env/worker";
import { type Estimate, quantile } from "@praxis/eval";
import { loadSpindleFlow } from "@praxis/spindleflow";
import type { Measurement } from "./figures.ts";

const CLI = fileURLToPath(new URL("../../packages/cli/bin/praxis.js", import.meta.url));
const SPINDLEFLOW = new URL("../../packages/spindleflow/dist/index.js", import.meta.url).href;
/** Of the full numbers; a hundredth, say, shows that the bench runs. */
const SHARE = Number(process.env.PRAXIS_BENCH_SHARE ?? "1");
const scaled = (n: number, least: number): number => Math.max(least, Math.round(n * SHARE));
const SHIFTS = scaled(500, 5);
const STEPS = scaled(20_000, 500);
const ROUNDS = 3;
const ENVS = 64;

/** The orchestrator that ships, and those it is compared with. */
const [TRAINED, FRUGAL, MEMORYLESS] = ["set", "frugal", "memoryless"] as const;
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

/** Runs `praxis` as a user would; data and talk. */
function praxis(...args: readonly string[]): { readonly out: string; readonly err: string } {
  const done = spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8", maxBuffer: 1e9 });
  if (done.status !== 0) throw new PraxisError("ENVIRONMENT_ERROR", `praxis ${args.join(" ")}: ${done.stderr}`);
  return { out: done.stdout, err: done.stderr };
}

function measureScores(report: Report, { policies, unbounded }: Evaluation): void {
  for (const [split, goal] of [
    ["train", ">= 0.6"],
    ["heldout", ">= 0.51"],
  ] as const) {
    const own = policies.find((each) => each.split === split && each.policy === TRAINED)!;
    const score = own.normalizedScore!;
    const planner = policies.find((each) => each.split === split && each.policy === "beliefPlan")!.normalizedScore!;
    report({
      id: `spindle.ns_${split}`,
      ...{ value: score.mean, unit: "NS", goal, n: score.n, interval: [score.low, score.high] },
      peer: `beliefPlan: ${planner.mean.toFixed(2)}`,
      note: `R ${own.reward.mean.toFixed(3)} a task, true Q ${own.metrics.trueQuality!.mean.toFixed(2)}, one training seed; ${unbounded.length === 0 ? "the reference bounds every script" : `the reference does not bound ${unbounded.join(", ")}`}`,
    });
  }
  const of = (split: string): number =>
    policies.find((each) => each.split === split && each.policy === TRAINED)!.normalizedScore!.mean;
  report({
    ...{ id: "spindle.zero_shot", value: of("heldout") / of("train"), unit: "NS held-out / training", goal: ">= 0.85" },
    ...{ peer: null, n: SHIFTS, interval: null },
    note: "specialists and tasks that training never showed; that slots permute exactly is a test of the policies",
  });
}

/** The least lower bound of the differences to all rules; the rule it belongs to. */
function measureRules(report: Report, { differences, evaluation }: Evaluation): void {
  const scripts = evaluation.players.flatMap(({ name, player }) => ("script" in player ? [name] : []));
  for (const split of ["train", "heldout"]) {
    const own = differences.filter((each) => each.split === split && each.policy === TRAINED);
    const rules = own.filter(({ minus }) => scripts.includes(minus) && ![...ORACLES, ...PLANNERS].includes(minus));
    const closest = rules.reduce((a, b) => (b.reward.low < a.reward.low ? b : a));
    const text = own.find(({ minus }) => minus === "textPlan")!.reward;
    report({
      id: `spindle.vs_scripts_${split}`,
      ...{ value: closest.reward.low, unit: "R per task, least lower bound", goal: split === "train" ? "> 0" : ">= 0" },
      ...{ peer: `closest rule: ${closest.minus}`, n: closest.reward.n },
      interval: [closest.reward.low, closest.reward.high],
      note: `paired, ${rules.length} rules; minus textPlan ${text.mean.toFixed(3)} [${text.low.toFixed(3)}, ${text.high.toFixed(3)}]`,
    });
  }
}

function measureMemory(report: Report, { differences }: Evaluation): void {
  const later = (policy: string, minus: string): Estimate | null =>
    differences.find((each) => each.split === "train" && each.policy === policy && each.minus === minus)?.laterTasks ??
    null;
  for (const [id, policy, minus, goal] of [
    ["spindle.memory", TRAINED, MEMORYLESS, ">= 0.02"],
    ["spindle.memory_in_scripts", "beliefPlan", "taskPlan", ">= 0.03"],
  ] as const) {
    const worth = later(policy, minus);
    // An orchestrator that does not ship has no figure.
    if (worth === null) continue;
    const { mean, low, high, n } = worth;
    report({
      ...{ id, value: mean, unit: "R per task, tasks 2 to 5", goal, peer: null, n, interval: [low, high] },
      note: `${policy} minus ${minus}, paired, training specialists`,
    });
  }
}

function measureFrontier(report: Report, { policies }: Evaluation): void {
  const of = (policy: string) => policies.find((each) => each.split === "train" && each.policy === policy);
  const [balanced, frugal] = [of(TRAINED), of(FRUGAL)];
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
  report({
    ...{ id: "spindle.demo_minutes", value: minutes, unit: "minutes", goal: "< 3", peer: null, n: 1, interval: null },
    note: `${scaled(50_000, 1500)} steps, evaluation included. ${line}`,
  });
}

/** Steps a second of environments alone: actions are drawn beside the clock. */
function environmentRates(definition: EnvDefinition): number[] {
  const env = definition.makeEnv() as SyncEnv;
  const rng = Rng.fromSeed(1, "bench-spindle");
  const round = (steps: number): number => {
    let ms = 0;
    let last: Parameters<EnvDefinition["sampleAction"]>[1] | null = null;
    for (let i = 0; i < steps; i++) {
      const action: unknown = last === null ? null : definition.sampleAction(rng, last);
      const begun = performance.now();
      last = action === null ? env.reset({ seed: rng.uint32() }) : env.step(action);
      ms += performance.now() - begun;
      if ("terminated" in last && last.terminated) last = null;
    }
    return (1000 * steps) / ms;
  };
  round(STEPS / 4);
  return Array.from({ length: ROUNDS }, () => round(STEPS));
}

/** Steps a second of a vector environment on worker threads. Stopping is always legal on these settings, and ends a task. */
async function vectorRate(numWorkers: number): Promise<number> {
  const envs = await makeWorkerVectorEnv({
    ...{ moduleUrl: SPINDLEFLOW, exportName: "loadSpindleFlow", numEnvs: ENVS, numWorkers, seed: 1 },
  });
  try {
    await envs.reset({ seed: 1 });
    const call = [0, 1, -1, -1, -1, -1, -1, 0, 0.5, 1, 1, 1];
    const stop = [1, ...call.slice(1)];
    const rounds = Math.ceil(STEPS / ENVS);
    const begun = performance.now();
    for (let i = 0; i < rounds; i++) await envs.step(new Array<number[]>(ENVS).fill(i % 2 === 0 ? call : stop));
    return (1000 * rounds * ENVS) / (performance.now() - begun);
  } finally {
    await envs.close();
  }
}

async function measureSteps(report: Report): Promise<void> {
  const rates = environmentRates(loadSpindleFlow() as unknown as EnvDefinition);
  const [one, two] = [await vectorRate(1), await vectorRate(2)];
  report({
    ...{ id: "spindle.env_steps", value: quantile(rates, 0.5), unit: "steps/s", goal: ">= 20000", peer: null },
    ...{ n: ROUNDS, interval: [Math.min(...rates), Math.max(...rates)] },
    note: `one core, random legal actions, resets included; ${ENVS}-way vector environment ${Math.round(one)} on one thread, ${Math.round(two)} on two; range of rounds`,
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
  // Not to lose against zero-shot is judged in the note: an interval that reaches below 0 may still hold it.
  const least = results.reduce((a, b) => (b.afterMinusScratch.low < a.afterMinusScratch.low ? b : a));
  report({
    ...{ id: "spindle.transfer", value: least.afterMinusScratch.low, unit: "R per task, least lower bound" },
    ...{ goal: "> 0", peer: "50 shifts from scratch", n: least.afterMinusScratch.n },
    interval: [least.afterMinusScratch.low, least.afterMinusScratch.high],
    note: results
      .map(
        ({ sector, afterMinusBefore: { mean, low, high } }) =>
          `${sector}: minus zero-shot ${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`,
      )
      .join("; "),
  });
}

/** What the orchestrators that ship reach, what training and environment take. `PRAXIS_BENCH_SHARE=0.01` plays a hundredth. */
export async function measureSpindle(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "praxis-bench-spindle-"));
  try {
    await measureSteps(report);
    measureDemo(report, folder);
    praxis(
      ...["eval", "spindleflow", "--policies", "all", "--split", "train,heldout", "--n", String(SHIFTS)],
      ...["--out", join(folder, "evaluation"), "--json"],
    );
    const evaluation = JSON.parse(readFileSync(join(folder, "evaluation", "report.json"), "utf8")) as Evaluation;
    measureScores(report, evaluation);
    measureRules(report, evaluation);
    measureMemory(report, evaluation);
    measureFrontier(report, evaluation);
    measureTransfer(report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
