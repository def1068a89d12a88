import { Rng } from "@praxis/env";
import { bootstrap } from "@praxis/eval";
import type { Kernels } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import {
  type Difficulty,
  drawInstance,
  LinearMiner,
  loadBundledKnowledgeBase,
  type Miner,
  type MiningInstance,
  type MiningPoint,
  type MiningProblem,
  miningProblem,
  NeuralMiner,
  PairsMiner,
  populationOf,
  runMiner,
  StructuredMiner,
} from "@praxis/polyguard";
import type { Measurement } from "./figures.ts";
import { RiskMlp } from "./risk-network.ts";

/** Instances of split val for the shipped policy, and for the learned ones, which take longer. */
const INSTANCES = 100;
const INSTANCES_LEARNED = 20;
const FIRST_SEED = 100_000;
/** Points of the shipped policy's curve, as shares of the budget. */
const SHARES = [0.1, 0.2, 0.3, 0.5, 0.7];
/** Budgets of the learned ones' curves: they set their last probes aside, so each point is a run of its own. */
const LEARNED_BUDGETS = [150, 300, 600];

type MakeMiner = (problem: MiningProblem, rng: Rng) => Miner;

function otherMiners(kernels: Kernels): readonly (readonly [name: string, make: MakeMiner])[] {
  return [
    ["pairs_then_growth", (problem, rng) => new PairsMiner(problem, rng)],
    ["uniform", (problem, rng) => new LinearMiner(problem, { kind: "uniform" }, rng)],
    ["epsilon_greedy", (problem, rng) => new LinearMiner(problem, { kind: "epsilon_greedy", epsilon: 0.2 }, rng)],
    ["linucb", (problem, rng) => new LinearMiner(problem, { kind: "linucb", alpha: 1 }, rng)],
    ["linear_thompson", (problem, rng) => new LinearMiner(problem, { kind: "thompson" }, rng)],
    [
      "neural_thompson",
      (problem, rng) => new NeuralMiner(problem, (inputs, seeded) => new RiskMlp(kernels, inputs, seeded), rng),
    ],
  ];
}

interface MiningTask {
  readonly instance: MiningInstance;
  readonly problem: MiningProblem;
  readonly seed: number;
}

/** The first `count` tasks of split val in a tier. */
function tasksOf(difficulty: Difficulty, count: number, showsPopulation: boolean): readonly MiningTask[] {
  const kb = loadBundledKnowledgeBase();
  return Array.from({ length: count }, (_, i) => {
    const seed = FIRST_SEED + i;
    const instance = drawInstance(kb, difficulty, "val", Rng.fromSeed(seed, `bench/bandit/${difficulty}`));
    const population = showsPopulation ? populationOf(instance).combinations : null;
    return { instance, seed, problem: miningProblem(kb, { drugIds: instance.drugIds, difficulty, population }) };
  });
}

/** One run with the whole budget, looked at on the way. */
function mine({ instance, problem, seed }: MiningTask, make: MakeMiner): readonly MiningPoint[] {
  const checkpoints = SHARES.map((share) => Math.round(share * problem.probes));
  const miner = make(problem, Rng.fromSeed(seed, "bench/miner"));
  return runMiner(instance, miner, { rng: Rng.fromSeed(seed, "bench/probes"), checkpoints });
}

/** One run for each budget. */
function mineByBudget({ instance, problem, seed }: MiningTask, make: MakeMiner): readonly MiningPoint[] {
  return LEARNED_BUDGETS.map((probes) => {
    const miner = make({ ...problem, probes }, Rng.fromSeed(seed, "bench/miner"));
    const short = { ...instance, tier: { ...instance.tier, probes } };
    return runMiner(short, miner, { rng: Rng.fromSeed(seed, "bench/probes") }).at(-1)!;
  });
}

function meanOf(curves: readonly (readonly MiningPoint[])[], point: number, key: "precision" | "recall"): number {
  let sum = 0;
  for (const curve of curves) sum += curve[point]![key];
  return sum / curves.length;
}

/** `60: .12 at .97` … : recall at precision by probes. */
function curveText(curves: readonly (readonly MiningPoint[])[]): string {
  const points = curves[0]!.map(({ probes }, point) => {
    const recall = meanOf(curves, point, "recall").toFixed(2);
    return `${probes}: ${recall} at ${meanOf(curves, point, "precision").toFixed(2)}`;
  });
  return `recall at precision by probes — ${points.join("; ")}`;
}

/** Recall and precision of mining: the shipped policy, which reasons by structure, and learned ones beside it. */
export async function measureBandit(report: (measurement: Measurement) => void): Promise<void> {
  const goals = { medium: [">= 0.85", ">= 0.95"], hard: [">= 0.75", ">= 0.95"] } as const;
  for (const difficulty of ["medium", "hard"] as const) {
    const tasks = tasksOf(difficulty, INSTANCES, false);
    const curves = tasks.map((task) => mine(task, (problem, rng) => new StructuredMiner(problem, rng)));
    for (const [i, key] of (["recall", "precision"] as const).entries()) {
      const { mean, low, high } = bootstrap(curves.map((curve) => curve.at(-1)![key]));
      report({
        id: `polyguard.bandit.${difficulty}_${key}`,
        value: mean,
        unit: key,
        goal: goals[difficulty][i]!,
        peer: null,
        n: INSTANCES,
        interval: [low, high],
        note: `structured group testing; ${curveText(curves)}`,
      });
    }
  }
  const kernels = (await selectKernels()).kernels;
  const tasks = tasksOf("medium", INSTANCES_LEARNED, true);
  for (const [name, make] of otherMiners(kernels)) {
    const curves = tasks.map((task) => mineByBudget(task, make));
    const { mean, low, high } = bootstrap(curves.map((curve) => curve.at(-1)!.recall));
    report({
      id: `polyguard.bandit.medium_recall_${name}`,
      value: mean,
      unit: "recall",
      goal: null,
      peer: null,
      n: INSTANCES_LEARNED,
      interval: [low, high],
      note: `population shown; ${curveText(curves)}`,
    });
  }
}
