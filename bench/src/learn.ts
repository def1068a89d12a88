import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Rng } from "@praxis/env";
import { bootstrap, expectedCalibrationError, mean, pairedBootstrap, selectiveRisk, shareBetween } from "@praxis/eval";
import { type Kernels, Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { type EvaluationRow, loadPolyGuard, SUB_ENVIRONMENTS } from "@praxis/polyguard";
import { CHOICE, makeSmallAgent, type SmallAgentSettings } from "@praxis/train";
import type { Measurement } from "./figures.ts";
import { praxis } from "./praxis-command.ts";
import { SHARE, scaled } from "./share.ts";

/** Where trainings and evaluations are kept, so that a bench that was stopped goes on; without it a folder that is thrown away. */
const KEPT = process.env.PRAXIS_BENCH_FOLDER;
const SEEDS = [0, 1, 2] as const;
const SCENARIOS = scaled(400);
const REPORTED = scaled(50);
const HELD_OUT = scaled(100);
/** Splits with hazard families and with drugs that training never shows. */
const HELD_OUT_SPLITS = ["test_template", "test_drug"] as const;
const LATENCY_EPISODES = 6;
const NO_WORSE = 0.02;

type Report = (measurement: Measurement) => void;

/**
 * Trains with one seed and tells the minutes, null where a part was done in an earlier run; a share of the bench trains on a share of
 * everything.
 */
function train(folder: string, cache: string, seed: number, reported: number): number | null {
  const timed = join(folder, "minutes.json");
  if (existsSync(timed)) return (JSON.parse(readFileSync(timed, "utf8")) as { minutes: number | null }).minutes;
  const isFresh = !existsSync(folder);
  const sizes =
    SHARE >= 1
      ? []
      : [
          ...["--experts", String(scaled(900, 27)), "--iterations", String(scaled(48, 2))],
          ...["--validation", String(scaled(48, 8)), "--validate-every", String(scaled(8, 1))],
        ];
  const begun = performance.now();
  praxis(
    ...["pipeline", "polyguard", "--seed", String(seed), "--out", folder, "--oracle-cache", cache],
    ...["--scenarios", String(reported), ...sizes, "--json"],
  );
  const minutes = isFresh ? (performance.now() - begun) / 60_000 : null;
  writeFileSync(timed, JSON.stringify({ minutes }));
  return minutes;
}

function evaluate(
  folder: string,
  cache: string,
  wanted: { readonly policies: readonly string[]; readonly split: string; readonly n: number; readonly name: string },
): readonly EvaluationRow[] {
  const out = join(folder, wanted.name);
  praxis(
    ...["eval", "polyguard", "--policies", wanted.policies.join(","), "--learned", folder, "--split", wanted.split],
    ...["--n", String(wanted.n), "--out", out, "--oracle-cache", cache, "--json"],
    ...(existsSync(out) ? ["--resume"] : []),
  );
  return readFileSync(join(out, "episodes.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .flatMap((line) => (JSON.parse(line) as { rows: EvaluationRow[] }).rows);
}

/** Metric by scenario, the mean over seeds where several trained policies of a name played it. */
function byScenario(
  seeds: readonly (readonly EvaluationRow[])[],
  policy: string,
  metric: string,
  sub?: string,
): ReadonlyMap<string, number> {
  const values = new Map<string, number[]>();
  for (const row of seeds.flat()) {
    const value = row.metrics[metric];
    if (row.policy !== policy || value === undefined || (sub !== undefined && row.subEnvironment !== sub)) continue;
    values.set(row.scenarioId, [...(values.get(row.scenarioId) ?? []), value]);
  }
  return new Map([...values].map(([id, list]) => [id, mean(list)]));
}

function aligned(maps: readonly ReadonlyMap<string, number>[]): number[][] {
  const ids = [...maps[0]!.keys()].filter((id) => maps.every((map) => map.has(id))).sort();
  return maps.map((map) => ids.map((id) => map.get(id)!));
}

/** Paired difference of task scores, and what got worse. */
function measureRise(
  report: Report,
  rows: readonly (readonly EvaluationRow[])[],
  [after, before]: readonly [string, string],
): void {
  const difference = (metric: string) => {
    const [a, b] = aligned([byScenario(rows, after, metric), byScenario(rows, before, metric)]);
    return pairedBootstrap(a!, b!);
  };
  const rise = difference("task_score");
  const worse = [
    ...(difference("legality").low <= -NO_WORSE ? ["legality"] : []),
    ...["severe_harm", "timeout"].filter((metric) => difference(metric).high >= NO_WORSE),
  ];
  const score = (policy: string): string => mean([...byScenario(rows, policy, "task_score").values()]).toFixed(3);
  report({
    id: `learn.${after}_vs_${before}`,
    value: worse.length === 0 ? rise.low : Math.min(0, rise.low),
    unit: "task score, lower bound of the rise",
    goal: "> 0",
    peer: `${before}: ${score(before)}`,
    n: rise.n,
    interval: [rise.low, rise.high],
    note: `${after}: ${score(after)}, rise ${rise.mean.toFixed(3)}; test_iid, medium, ${SEEDS.length} training seeds${worse.length === 0 ? "; legality, severe harm and timeouts no worse" : `; may be worse: ${worse.join(", ")}`}`,
  });
}

/** Normalised score (random 0, oracle 1) of a policy, the mean over the sub-environments where the two differ. */
function normalised(rows: readonly (readonly EvaluationRow[])[], policy: string): number | null {
  const shares = SUB_ENVIRONMENTS.flatMap((sub) => {
    const lists = aligned(
      ["random_legal", policy, "oracle_lookahead"].map((name) => byScenario(rows, name, "task_score", sub)),
    );
    const [low, value, high] = lists as [number[], number[], number[]];
    if (value.length === 0) return [];
    const share = shareBetween(value, low, high);
    return share === null ? [] : [share.mean];
  });
  return shares.length === 0 ? null : mean(shares);
}

function measureRules(report: Report, rows: readonly (readonly EvaluationRow[])[]): void {
  const lines = SUB_ENVIRONMENTS.flatMap((sub) => {
    const [a, b] = aligned(["grpo", "rule_based"].map((name) => byScenario(rows, name, "task_score", sub)));
    return a!.length < 2 ? [] : [{ sub, difference: pairedBootstrap(a!, b!) }];
  });
  const won = lines.filter(({ difference }) => difference.low > 0);
  const lost = lines.filter(({ difference }) => difference.high < 0);
  report({
    id: "learn.vs_rules",
    value: lost.length === 0 ? won.length : 0,
    unit: "of 8 sub-environments",
    goal: ">= 5",
    peer: "rule_based",
    n: SCENARIOS,
    interval: null,
    note: `${lines.map(({ sub, difference }) => `${sub} ${difference.mean >= 0 ? "+" : ""}${difference.mean.toFixed(3)}`).join(", ")}${lost.length === 0 ? "" : `; loses in ${lost.map(({ sub }) => sub).join(", ")}, so counted as 0`}`,
  });
  const value = normalised(rows, "grpo");
  report({
    id: "learn.normalised",
    value: value ?? 0,
    unit: "of the way from random to oracle",
    goal: ">= 0.75",
    peer: `rule_based: ${normalised(rows, "rule_based")?.toFixed(3) ?? "-"}`,
    n: SCENARIOS,
    interval: null,
    note: "mean of the sub-environments' normalised task scores, random_legal 0, oracle_lookahead 1",
  });
}

function measureCalibration(report: Report, rows: readonly (readonly EvaluationRow[])[]): void {
  const decisions = rows.flat().flatMap((row) => (row.policy === "grpo" ? row.decisions : []));
  const risks = [0.5, 0.8, 1].map((coverage) => selectiveRisk(decisions, coverage));
  report({
    id: "learn.calibration",
    value: expectedCalibrationError(decisions),
    unit: "expected calibration error",
    goal: "< 0.05",
    peer: null,
    n: decisions.length,
    interval: null,
    note: `held-out decisions of GRPO policies; risk at coverage .5, .8, 1: ${risks.map((risk) => risk.toFixed(3)).join(", ")}`,
  });
}

function measureHeldOut(report: Report, folder: string, cache: string, inside: number): void {
  const policies = ["grpo", "random_legal", "oracle_lookahead"];
  const shares = HELD_OUT_SPLITS.map((split) => {
    const rows = evaluate(folder, cache, { policies, split, n: HELD_OUT, name: `evaluation-${split}` });
    return normalised([rows], "grpo") ?? 0;
  });
  report({
    id: "learn.heldout_families",
    value: mean(shares) / inside,
    unit: "of its in-distribution normalised score",
    goal: ">= 0.9",
    peer: `test_iid: ${inside.toFixed(3)}`,
    n: HELD_OUT,
    interval: null,
    note: HELD_OUT_SPLITS.map((split, i) => `${split} ${shares[i]!.toFixed(3)}`).join(", "),
  });
}

/** Time of one decision from observation to action: reading with what the rules advise, the network, the action's words. */
function measureDecisions(kernels: Kernels) {
  const definition = loadPolyGuard();
  const settings = { decisions: "scenes" } as unknown as SmallAgentSettings;
  const agent = makeSmallAgent(definition, {
    ...{ kernels, rng: Rng.fromSeed(0) },
    settings: { ...LATENCY_AGENT, ...settings },
  });
  const tape = new Tape(kernels, { recording: false });
  const env = definition.makeEnv();
  const whole: number[] = [];
  const network: number[] = [];
  for (const sub of SUB_ENVIRONMENTS)
    for (let seed = 0; seed < LATENCY_EPISODES; seed++) {
      const task = agent.task.episode?.() ?? agent.task;
      let memory = agent.policy.initialMemory();
      let last: Parameters<typeof task.decisionOf>[0] = env.reset({
        ...{ seed, options: { sub_environment: sub, difficulty: "medium", score_task: false } },
      });
      for (let step = 0; step < 12; step++) {
        tape.reset();
        const begun = performance.now();
        const decision = task.decisionOf(last);
        const read = performance.now();
        const [chosen] = agent.policy.choose(tape, [{ decision, memory, rng: Rng.fromSeed(seed, `${step}`) }]);
        const scored = performance.now();
        const action = task.actionOf(chosen!.choice, decision, last) as Parameters<typeof env.step>[0];
        whole.push(performance.now() - begun);
        network.push(scored - read);
        memory = chosen!.memory;
        const result = env.step(action);
        if (chosen!.choice[CHOICE.candidate] === undefined || result.terminated || result.truncated) break;
        last = result;
      }
    }
  env.close();
  // The first episodes warm the machine up.
  const median = (values: number[]): number =>
    values.slice(values.length >> 1).sort((a, b) => a - b)[values.length >> 2]!;
  return { whole: median(whole), network: median(network), n: whole.length >> 1 };
}

const LATENCY_AGENT: SmallAgentSettings = {
  ...{ decisions: "scenes", policy: "mlp", hiddenSizes: [64], lstmHidden: 64, lstmLayers: 1, activation: "tanh" },
  ...{ observationBlocks: null, encoderWidth: 64, encoderLayers: 1, encoderHeads: 4, graphEncoder: "convolution" },
  ...{ itemMemory: null, sceneWidth: 64, sceneHeads: 4, graphLayers: 1, candidateAttention: true },
  ...{ episodeMemory: 64, confidenceCoef: 0.1 },
};

async function measureLatency(report: Report): Promise<void> {
  for (const [name, goal] of [
    ["native", "< 2"],
    ["wasm", "< 10"],
  ] as const) {
    const { kernels, line } = await selectKernels(name);
    const { whole, network, n } = measureDecisions(kernels);
    report({
      id: `learn.latency.${name}`,
      value: whole,
      unit: "ms a decision",
      goal,
      peer: null,
      n,
      interval: null,
      note: `median from observation to action on one core, network alone ${network.toFixed(2)} ms; ${line}`,
    });
  }
}

/**
 * What the learned policies reach, on three training seeds; hours at full numbers. `PRAXIS_BENCH_SHARE=0.05` trains and plays a
 * twentieth; with `PRAXIS_BENCH_FOLDER` set to a folder a bench that was stopped goes on, but for the minutes of a training cut in two.
 */
export async function measureLearn(report: Report): Promise<void> {
  await measureLatency(report);
  const root = KEPT ?? mkdtempSync(join(tmpdir(), "praxis-learn-"));
  const cache = join(root, "oracle-cache");
  mkdirSync(cache, { recursive: true });
  try {
    const rows: (readonly EvaluationRow[])[] = [];
    for (const seed of SEEDS) {
      const folder = join(root, `seed-${seed}`);
      const minutes = train(folder, cache, seed, seed === 0 ? REPORTED : 1);
      if (seed === 0 && minutes !== null)
        report({
          id: "learn.minutes",
          value: minutes,
          unit: "minutes",
          goal: "< 20",
          peer: null,
          n: 1,
          interval: null,
          note: `praxis pipeline polyguard, one seed, ${REPORTED} scenarios a sub-environment, nothing cached${SHARE < 1 ? `; at a share of ${SHARE}` : ""}`,
        });
      const others = seed === 0 ? ["rule_based", "random_legal", "oracle_lookahead"] : [];
      const policies = ["grpo", "sft", "base", ...others];
      rows.push(evaluate(folder, cache, { policies, split: "test_iid", n: SCENARIOS, name: "evaluation-test" }));
    }
    measureRise(report, rows, ["sft", "base"]);
    measureRise(report, rows, ["grpo", "sft"]);
    measureRules(report, rows);
    measureCalibration(report, rows);
    measureHeldOut(report, join(root, "seed-0"), cache, normalised([rows[0]!], "grpo") ?? 1);
    const scores = rows.map((own) => mean([...byScenario([own], "grpo", "task_score").values()]));
    report({
      id: "learn.task_score",
      value: mean(scores),
      unit: "task score",
      goal: null,
      peer: null,
      n: SCENARIOS,
      interval: [bootstrap(scores).low, bootstrap(scores).high],
      note: `mean over the eight sub-environments, medium; by training seed ${scores.map((score) => score.toFixed(3)).join(", ")}`,
    });
  } finally {
    if (KEPT === undefined) rmSync(root, { recursive: true });
  }
}
