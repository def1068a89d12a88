import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { type EnvDefinition, type Simulator, SimulatorEnv } from "@praxis/env";
import { bootstrap, quantile } from "@praxis/eval";
import { selectKernels } from "@praxis/nn/node";
import { Ppo, type PpoSettingsInput } from "@praxis/train";
import { z } from "zod";
import type { Measurement } from "./figures.ts";
import { type PeerAnswer, startPeer } from "./stable-baselines.ts";

// As bench/peers/ppo/recurrent_ppo.py has them.
const [INPUTS, VARIABLE, ENVS, STEPS] = [5490, 90, 8, 128];
/** Iterations of each side; the shipped peer takes about a minute for one. */
const ROUNDS = 3;
const PAUSE_MS = 500;

interface Row {
  readonly row: Float32Array;
  readonly length: number;
}

/** Most columns are drawn once an episode, the first ones at every step; episodes have 6 to 8 steps. */
const shortEpisodes: Simulator<Row, Float32Array, Float32Array> = {
  begin(_scenario, streams) {
    const rng = streams.stream("episode");
    const row = Float32Array.from({ length: INPUTS }, () => rng.uniform());
    return { state: { row, length: rng.integer(6, 8) }, observation: row };
  },
  transition({ row, length }, action, streams, stepCount) {
    const rng = streams.stream("steps");
    const next = row.slice();
    for (let j = 0; j < VARIABLE; j++) next[j] = rng.uniform();
    const outcome = { reward: action[0]!, terminated: stepCount + 1 >= length, truncated: false, info: {} };
    return { state: { row, length }, observation: next, ...outcome };
  },
};

const definition: EnvDefinition = {
  id: "BenchShortEpisodes-v0",
  name: "bench-short-episodes",
  description: "",
  version: "0",
  rewardRange: [-1, 1],
  observationSpace: { kind: "box", shape: [INPUTS], low: 0, high: 1 },
  actionSpace: { kind: "box", shape: [12], low: -1, high: 1 },
  schemas: {
    action: z.unknown(),
    observation: z.unknown(),
    state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int() }),
    reset: z.object({}),
  },
  sampleAction: () => new Float32Array(12),
  makeEnv: ({ seed } = {}) => new SimulatorEnv("BenchShortEpisodes-v0", shortEpisodes, seed),
};

/** One iteration of ours with each answer, in the peers' form. */
function makeOurs(
  kernels: Awaited<ReturnType<typeof selectKernels>>["kernels"],
  constantColumns: [number, number][] | null,
) {
  const settings: PpoSettingsInput = {
    ...{ numEnvs: ENVS, numSteps: STEPS, minibatchSize: 128, epochs: 10 },
    ...{ policy: "lstm", lstmHidden: 256, hiddenSizes: [64, 64], constantColumns },
  };
  const ppo = new Ppo({ definition, kernels, seed: 1, settings });
  return async (): Promise<PeerAnswer> => {
    const [begun, before] = [performance.now(), process.cpuUsage()];
    await ppo.iterate();
    const { user, system } = process.cpuUsage(before);
    return { steps: ENVS * STEPS, wall: (performance.now() - begun) / 1000, cpu: (user + system) / 1e6 };
  };
}

/** Recurrent PPO end to end beside sb3-contrib's, as shipped and tuned; all take turns. */
export async function measureRecurrent(report: (measurement: Measurement) => void): Promise<void> {
  const threads = availableParallelism();
  const { kernels: native } = await selectKernels("native", { threads });
  const { kernels: wasm } = await selectKernels("wasm", { memoryMiB: 2048 });
  const layout: [number, number][] = [[VARIABLE, INPUTS]];
  const shipped = await startPeer("recurrent_ppo.py", ["shipped", String(threads)]);
  const tuned = await startPeer("recurrent_ppo.py", ["tuned", String(threads)]);
  const sides = {
    dense: makeOurs(native, null),
    layout: makeOurs(native, layout),
    wasm: makeOurs(wasm, layout),
    tuned: () => tuned.ask("iterate"),
    shipped: () => shipped.ask("iterate"),
  };
  type Side = keyof typeof sides;
  const answers: Record<Side, PeerAnswer[]> = { dense: [], layout: [], wasm: [], tuned: [], shipped: [] };
  try {
    // Compilers and memory of ours are warm after one iteration; Python has no more than imports to warm.
    for (const side of ["dense", "layout", "wasm"] as const) await sides[side]();
    for (let round = 0; round < ROUNDS; round++)
      for (const [side, iterate] of Object.entries(sides)) {
        // Threads of the peer wait in a loop for a while after their work.
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        answers[side as Side].push(await iterate());
      }
  } finally {
    shipped.stop();
    tuned.stop();
  }
  const rate = (side: Side): number =>
    1 /
    quantile(
      answers[side].map(({ wall }) => wall),
      0.5,
    );
  const perSecond = (side: Side): string => (ENVS * STEPS * rate(side)).toFixed(0);
  const compare = (ours: "dense" | "layout" | "wasm", peer: "shipped" | "tuned", goal: string | null): void => {
    const ratios = (of: (answer: PeerAnswer) => number): number[] =>
      answers[ours].map((answer, i) => of(answers[peer][i]!) / of(answer));
    const wall = ratios(({ wall }) => wall);
    const { low, high } = bootstrap(wall);
    const cpu = quantile(
      ratios(({ cpu }) => cpu),
      0.5,
    );
    const description =
      ours === "wasm"
        ? `${wasm.description}, declared layout`
        : `${native.description}, ${ours === "dense" ? "dense input" : "declared layout"}`;
    report({
      id: `ppo.recurrent.${ours}${peer === "tuned" ? ".tuned" : ""}`,
      value: quantile(wall, 0.5),
      unit: "times",
      goal,
      peer: `sb3-contrib RecurrentPPO ${shipped.versions}, ${peer === "tuned" ? "mkldnn off" : "as shipped"}, ${threads} threads: ${perSecond(peer)} steps/s`,
      n: ROUNDS,
      interval: [low, high],
      note: `ours ${perSecond(ours)} steps/s (${description}); median of rounds in turns, rollout and update; ${cpu.toFixed(1)} times by processor time`,
    });
  };
  compare("dense", "shipped", ">= 8");
  compare("dense", "tuned", ">= 1.5");
  compare("layout", "shipped", ">= 15");
  compare("layout", "tuned", ">= 3");
  compare("wasm", "shipped", ">= 3");
  compare("wasm", "tuned", null);
}
