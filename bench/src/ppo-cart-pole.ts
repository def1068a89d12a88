import { performance } from "node:perf_hooks";
import { bootstrap, quantile } from "@praxis/eval";
import type { Kernels } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { cartPole, evaluatePolicy, maskedCartPole, Ppo, type PpoSettingsInput } from "@praxis/train";
import type { Measurement } from "./figures.ts";
import { type PeerAnswer, startPeer } from "./stable-baselines.ts";

/** Seeds differ by a factor of two in steps, so that medians of five would be decided by chance. */
const SEEDS = [1, 2, 3, 4, 5];
const [EPISODES, SOLVED] = [100, 475];

/** CartPole's hyper-parameters in RL Baselines3 Zoo. */
const PUBLISHED = {
  ...{ totalSteps: 100_000, numEnvs: 8, numSteps: 32, minibatchSize: 256, epochs: 20, gamma: 0.98, gaeLambda: 0.8 },
  ...{ learningRate: 1e-3, learningRateSchedule: "linear", clipRangeSchedule: "linear" },
} as const satisfies PpoSettingsInput;

/** For CartPole without its velocities; the same for both policies, but for the memory. */
const MASKED = {
  ...{ totalSteps: 150_000, numEnvs: 8, numSteps: 128, minibatchSize: 256, sequenceLength: 32, epochs: 10 },
  ...{ learningRate: 1e-3, learningRateSchedule: "linear", hiddenSizes: [64], lstmHidden: 64 },
  ...{ normalizeObservations: true, normalizeRewards: true },
} as const satisfies PpoSettingsInput;

interface Training {
  readonly definition: typeof cartPole;
  readonly kernels: Kernels;
  readonly seed: number;
  readonly settings: PpoSettingsInput;
  /** Iterations between two looks. */
  readonly between: number;
  /** Mean return of recent training episodes above which an evaluation is worth while. */
  readonly worthALook: number;
}

/** Trains until an evaluation reaches the goal or the budget is spent; time without the evaluations. */
async function train(training: Training): Promise<PeerAnswer & { readonly best: number }> {
  const { definition, kernels, seed, settings, between, worthALook } = training;
  const ppo = new Ppo({ definition, kernels, seed, settings });
  const spent = { wall: 0, cpu: 0 };
  let best = 0;
  while (!ppo.isDone) {
    const [begun, before] = [performance.now(), process.cpuUsage()];
    const metrics = await ppo.iterate();
    const { user, system } = process.cpuUsage(before);
    spent.wall += (performance.now() - begun) / 1000;
    spent.cpu += (user + system) / 1e6;
    const isDue = ppo.iteration % between === 0 && (metrics["charts/recent_return"] ?? 0) > worthALook;
    if (!isDue && !ppo.isDone) continue;
    const { policy, observationNormalizer: normalizer } = ppo;
    const { returns } = evaluatePolicy({
      definition,
      kernels,
      policy,
      normalizer,
      episodes: EPISODES,
      seed: seed + 1000,
    });
    const mean = returns.reduce((sum, x) => sum + x, 0) / returns.length;
    best = Math.max(best, mean);
    if (mean >= SOLVED) return { ...spent, steps: ppo.steps, best };
  }
  return { ...spent, steps: null, best };
}

const median = (values: readonly number[]): number => quantile(values, 0.5);

/** CartPole to a mean return of 475 with published hyper-parameters, seed by seed in turn with Stable-Baselines3's PPO. */
export async function measureCartPole(report: (measurement: Measurement) => void): Promise<void> {
  const { kernels } = await selectKernels("native");
  const peer = await startPeer("cart_pole.py", []);
  const pairs: { readonly ours: PeerAnswer; readonly peer: PeerAnswer }[] = [];
  try {
    const training = { definition: cartPole, kernels, settings: PUBLISHED, between: 8, worthALook: 150 };
    for (const seed of SEEDS)
      pairs.push({ ours: await train({ ...training, seed }), peer: await peer.ask(String(seed)) });
  } finally {
    peer.stop();
  }
  // A seed that did not get there counts as the whole budget.
  const stepsOf = ({ steps }: PeerAnswer): number => steps ?? PUBLISHED.totalSteps;
  const unsolved = (side: "ours" | "peer"): number => pairs.filter((pair) => pair[side].steps === null).length;
  const name = `stable-baselines3 PPO ${peer.versions}`;
  const compare = (id: string, goal: string, of: (answer: PeerAnswer) => number, unit: string, note: string): void => {
    const [ours, theirs] = [pairs.map((pair) => of(pair.ours)), pairs.map((pair) => of(pair.peer))];
    const indices = pairs.map((_, i) => i);
    const statistic = (chosen: readonly number[]): number =>
      median(chosen.map((i) => ours[i]!)) / median(chosen.map((i) => theirs[i]!));
    const { low, high } = bootstrap(indices, { statistic });
    const shown = (value: number): string => `${value.toFixed(unit === "s" ? 2 : 0)} ${unit}`;
    report({
      id,
      value: statistic(indices),
      unit: "of the peer's",
      goal,
      peer: `${name}: ${shown(median(theirs))}`,
      n: SEEDS.length,
      interval: [low, high],
      note: `ours ${shown(median(ours))}, ${kernels.description}; ${note}`,
    });
  };
  const unsolvedNote = `median of ${SEEDS.length} seeds, same rule for evaluations; unsolved: ours ${unsolved("ours")}, peer ${unsolved("peer")}`;
  compare("ppo.cartpole", "<= 1", stepsOf, "steps", `environment steps to a mean return of ${SOLVED}; ${unsolvedNote}`);
  compare("ppo.cartpole.wall", "<= 0.333", ({ wall }) => wall, "s", "wall time of the training, evaluations left out");
}

/** CartPole without its velocities: an LSTM solves it, a feed-forward policy does not. */
export async function measureMemory(report: (measurement: Measurement) => void): Promise<void> {
  const { kernels } = await selectKernels("native");
  const training = { definition: maskedCartPole, kernels, seed: 1, between: 5, worthALook: 100 };
  const outcome = async (policy: "lstm" | "mlp") => {
    const { sequenceLength, ...rest } = MASKED;
    const settings = policy === "lstm" ? { ...MASKED, policy } : { ...rest, policy };
    return train({ ...training, settings });
  };
  const shared = { unit: "mean return", peer: null, n: EPISODES, interval: null };
  const lstm = await outcome("lstm");
  const at = lstm.steps === null ? `not solved in ${MASKED.totalSteps}` : `solved after ${lstm.steps}`;
  report({
    ...{ id: "ppo.memory", value: lstm.best, goal: `>= ${SOLVED}`, ...shared },
    note: `LSTM 64 on CartPole without velocities, ${at} steps, ${lstm.wall.toFixed(0)} s`,
  });
  const mlp = await outcome("mlp");
  report({
    ...{ id: "ppo.memory.feedforward", value: mlp.best, goal: `< ${SOLVED}`, ...shared },
    note: `the same settings without memory, best evaluation in ${MASKED.totalSteps} steps`,
  });
}
