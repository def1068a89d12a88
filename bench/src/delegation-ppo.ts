import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { type EnvDefinition, type Info, Rng, type Simulator, SimulatorEnv } from "@praxis/env";
import { quantile } from "@praxis/eval";
import { type Kernels, Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import {
  actionVectorBounds,
  DelegationPolicy,
  type DelegationPolicySettings,
  EpisodePpo,
  makeSlotLayout,
} from "@praxis/train";
import { z } from "zod";
import type { Measurement } from "./figures.ts";

/** As a bank of texts has them: distinct embeddings of specialists and tasks. */
const [SPECIALISTS, TASKS, SLOTS, EMBEDDING, TASKS_PER_SHIFT] = [512, 2900, 6, 384, 5];
const layout = makeSlotLayout(SLOTS);
const ROUNDS = 3;

function unitRows(count: number, rng: Rng): Float32Array[] {
  return Array.from({ length: count }, () => {
    const row = Float32Array.from({ length: EMBEDDING }, () => rng.normal());
    const norm = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
    return row.map((x) => x / norm);
  });
}
const rng = Rng.fromSeed(1, "bench-delegation");
const specialists = unitRows(SPECIALISTS, rng);
const tasks = unitRows(TASKS, rng);

interface Shift {
  readonly observation: Float32Array;
  readonly roster: readonly number[];
  readonly task: number;
  readonly finished: number;
  readonly step: number;
}

/**
 * A shift of the sizes of a real one (6 slots, 384 numbers a text, 5 tasks of 1 to 6 steps, 18 on average) that costs next to
 * nothing to play, so that what is measured is learning.
 */
const shifts: Simulator<Shift, unknown, Float32Array> = {
  begin(_start, streams) {
    const draw = streams.stream("shift");
    const roster = Array.from({ length: SLOTS }, () => draw.integer(0, SPECIALISTS - 1));
    const observation = new Float32Array(layout.inputs);
    roster.forEach((row, i) => {
      observation.set(specialists[row]!, layout.rosterAt + i * EMBEDDING);
    });
    const state = { observation, roster, task: draw.integer(0, TASKS - 1), finished: 0, step: 0 };
    observation.set(tasks[state.task]!, layout.taskAt);
    return { state, observation, info: infoOf(state) };
  },
  transition(before, action, streams) {
    const draw = streams.stream("steps");
    const vector = action as readonly number[];
    const ends = draw.bernoulli(0.28);
    const observation = before.observation.slice();
    const state = {
      ...{ observation, roster: before.roster, step: ends ? 0 : before.step + 1 },
      ...{ task: ends ? draw.integer(0, TASKS - 1) : before.task, finished: before.finished + (ends ? 1 : 0) },
    };
    observation.set(tasks[state.task]!, layout.taskAt);
    for (let i = 0; i < SLOTS; i++) {
      const wasCalled = !ends && (before.observation[layout.calledAt + i] === 1 || vector[1 + i]! > 0);
      observation[layout.calledAt + i] = wasCalled ? 1 : 0;
      observation[layout.adjacencyAt + 1 + i] = wasCalled ? 0.75 : 0;
      if (wasCalled) observation.set(specialists[before.roster[i]!]!, layout.rosterAt + (SLOTS + i) * EMBEDDING);
    }
    for (let j = 0; j < EMBEDDING; j++) observation[layout.scratchpadAt + j] = 0.05 * draw.uniform();
    observation[layout.scalarsAt] = state.step / 10;
    observation[layout.scalarsAt + 4] = state.finished / TASKS_PER_SHIFT;
    observation[layout.scalarsAt + 7] = draw.uniform();
    const terminated = state.finished === TASKS_PER_SHIFT;
    return { state, observation, reward: vector[1]!, terminated, truncated: false, info: infoOf(state) };
  },
};

function infoOf({ task, roster }: Shift) {
  return { embeddingRows: { task, slots: roster } };
}

const makeShift = (seed?: number) => new SimulatorEnv("BenchShifts-v0", shifts, seed);

const { low, high } = actionVectorBounds(SLOTS);
const definition: EnvDefinition = {
  id: "BenchShifts-v0",
  name: "bench-shifts",
  description: "",
  version: "0",
  rewardRange: [-1, 1],
  maxEpisodeSteps: 1000,
  observationSpace: { kind: "box", shape: [layout.inputs], low: -1, high: 3 },
  actionSpace: { kind: "box", shape: [low.length], low, high },
  schemas: {
    action: z.unknown(),
    observation: z.unknown(),
    state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int() }),
    reset: z.object({}),
  },
  sampleAction: () => new Float32Array(low.length),
  makeEnv: ({ seed } = {}) => makeShift(seed),
};

function makeTrainer(kernels: Kernels, settings: Partial<DelegationPolicySettings>): EpisodePpo {
  const policy = new DelegationPolicy({ kernels, rng: Rng.fromSeed(1), inputs: layout.inputs, settings });
  // All four epochs, whatever the divergence.
  return new EpisodePpo({ definition, kernels, policy, seed: 1, settings: { targetKl: null } });
}

/** Environment steps a second of rollout and update together, round by round after one to warm up. */
async function rates(ppo: EpisodePpo): Promise<number[]> {
  await ppo.iterate();
  const found: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [begun, before] = [performance.now(), ppo.steps];
    await ppo.iterate();
    found.push((ppo.steps - before) / ((performance.now() - begun) / 1000));
  }
  await ppo.close();
  return found;
}

/** Milliseconds of one decision for one episode. */
function decide(kernels: Kernels): number[] {
  const policy = new DelegationPolicy({ kernels, rng: Rng.fromSeed(1), inputs: layout.inputs });
  const { observation, info } = makeShift().reset() as { observation: Float32Array; info: Info };
  const { distribution } = policy;
  const recorder = policy.makeRecorder();
  const tape = new Tape(kernels, { recording: false });
  const projections = new Map();
  const masks = new Uint8Array(distribution.maskSize);
  const actions = new Float32Array(distribution.actionSize);
  let memories = policy.initialMemories(1);
  const times: number[] = [];
  for (let i = 0; i < 2200; i++) {
    const begun = performance.now();
    const records = [recorder.record(observation, info)];
    tape.reset();
    const output = policy.forward(tape, { steps: 1, batch: 1, records, starts: [0], memories, projections });
    memories = output.memories;
    distribution.readMask(info, masks, 0);
    distribution.mode({ inputs: output.logits.data, masks, logDeviations: new Float32Array(0), row: 0 }, actions);
    if (i >= 200) times.push(performance.now() - begun);
  }
  return times;
}

/** Whole-episode PPO of an orchestrator's policies on shifts of the real sizes, and the latency of a decision. */
export async function measureDelegation(report: (measurement: Measurement) => void): Promise<void> {
  const { kernels } = await selectKernels("native", { threads: availableParallelism() });
  const kinds = {
    set: {},
    gnn: { encoder: "gnn" },
    flat: { encoder: "flat" },
    memoryless: { memory: "none" },
  } as const;
  for (const [name, settings] of Object.entries(kinds)) {
    const found = await rates(makeTrainer(kernels, settings));
    report({
      ...{ id: `ppo.delegation.${name}`, value: quantile(found, 0.5), unit: "steps/s" },
      ...{ goal: name === "set" ? ">= 600" : null, peer: null, n: ROUNDS },
      interval: [Math.min(...found), Math.max(...found)],
      note: `${kernels.description}; 32 environments, 4,096 steps, 4 epochs, rollout and update; range of rounds`,
    });
  }
  const times = decide(kernels);
  report({
    ...{
      id: "ppo.delegation.latency",
      value: quantile(times, 0.5),
      unit: "ms",
      goal: null,
      peer: null,
      n: times.length,
    },
    interval: null,
    note: `a greedy decision of the set policy, its mask included; p99 ${quantile(times, 0.99).toFixed(2)} ms (${kernels.description})`,
  });
}
