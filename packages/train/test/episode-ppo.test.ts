import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EnvDefinition, LocalVectorEnv, Rng } from "@praxis/env";
import { gridEnv } from "@praxis/env/testing";
import { makeWorkerVectorEnv } from "@praxis/env/worker";
import { type Kernels, makeReferenceKernels } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { afterEach, expect, test } from "vitest";
import { readCheckpoint, writeCheckpoint } from "../src/checkpoint.ts";
import { EpisodePpo, type EpisodePpoOptions } from "../src/episode-ppo.ts";
import { DelegationPolicy } from "../src/policies/delegation-policy.ts";
import { makeSlotLayout } from "../src/policies/slot-layout.ts";
import { makePpoPolicy } from "../src/ppo-policy.ts";
import { resolvePpoSettings } from "../src/ppo-settings.ts";
import { RecordedActorCritic } from "../src/recorded-actor-critic.ts";
import { joinHooks, type RolloutHook } from "../src/rollout-hook.ts";
import { makeProbe } from "./probe-envs.ts";
import { makeRosterProbe } from "./roster-env.ts";

const { kernels } = await selectKernels("wasm");
const reference = makeReferenceKernels();
const E = 6;
const SLOTS = 3;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Episodes of two to five steps; who is called pays by his first number, which everything else hides. */
const shiftProbe = makeRosterProbe<{ roster: number[][]; at: number; length: number; called: number[] }>({
  ...{ name: "Shift", slots: SLOTS, embedding: E },
  begin: (uniform) => ({
    roster: Array.from({ length: SLOTS }, () => Array.from({ length: E }, () => uniform() - 0.5)),
    ...{ at: 0, length: 2 + Math.floor(4 * uniform()), called: [] },
  }),
  view: ({ roster, at, called }) => ({
    ...{ roster, task: [1, ...new Array(E - 1).fill(0)], scratchpad: called },
    ...{ calls: called.slice(0, SLOTS), scalars: [at / 10] },
  }),
  step: (state, { chosen }) => ({
    state: { ...state, at: state.at + 1, called: state.roster.map((_, i) => (chosen.includes(i) ? 0.75 : 0)) },
    reward: chosen.reduce((sum, i) => sum + state.roster[i]![0]!, 0),
    terminated: state.at + 1 === state.length,
  }),
  mask: () => undefined,
});

const SETTINGS = { totalSteps: 4096, numEnvs: 4, batchSteps: 64, minibatches: 3, epochs: 2 };

function makeDelegation(
  set: Kernels,
  { settings, seed = 3, ...options }: Partial<EpisodePpoOptions> & { readonly seed?: number } = {},
): EpisodePpo {
  const policy = new DelegationPolicy({
    ...{ kernels: set, rng: Rng.fromSeed(seed), inputs: makeSlotLayout(SLOTS, E).inputs, embedding: E },
    settings: { width: 4, hidden: 4, slotHidden: 2, headHidden: 4 },
  });
  return new EpisodePpo({
    ...{ definition: shiftProbe, kernels: set, policy, seed, settings: { ...SETTINGS, ...settings } },
    ...options,
  });
}

function makePlain(
  definition: EnvDefinition,
  network: Parameters<typeof resolvePpoSettings>[0],
  settings = {},
): EpisodePpo {
  const policy = new RecordedActorCritic(
    makePpoPolicy({ definition, kernels, settings: resolvePpoSettings(network), rng: Rng.fromSeed(1) }),
  );
  return new EpisodePpo({ definition, kernels, policy, seed: 1, settings: { ...SETTINGS, ...settings } });
}

async function iterate(ppo: EpisodePpo, times: number) {
  const rows = [];
  for (let i = 0; i < times; i++) rows.push(await ppo.iterate());
  return rows;
}

function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString("base64")]),
  );
}

/** Counts steps of finished episodes; what it counted is an input of later episodes. */
function makeCounter(): RolloutHook & { seen: { env: number; index: number; phase: unknown }[] } {
  let phase = 1;
  const hook = {
    seen: [] as { env: number; index: number; phase: unknown }[],
    resetOptions: () => ({ phase }),
    keep: (info: Readonly<Record<string, unknown>>) => ("actionMask" in info ? 1 : null),
    update({ episodes }: Parameters<RolloutHook["update"]>[0]) {
      for (const { env, index, resetOptions } of episodes) hook.seen.push({ env, index, phase: resetOptions.phase });
      phase++;
      return { "curriculum/phase": phase };
    },
    save: () => phase,
    restore(saved: unknown) {
      phase = saved as number;
    },
  };
  return hook;
}

test("4,096 steps, a stop, a resume and 4,096 more equal twice as many, bit for bit, on the reference kernels", {
  timeout: 120_000,
}, async () => {
  const settings = { totalSteps: 8192, numEnvs: 32, batchSteps: 1000, minibatches: 4, epochs: 1 };
  const folder = mkdtempSync(join(tmpdir(), "praxis-train-"));
  folders.push(folder);
  const runTo = async (ppo: EpisodePpo, steps: number) => {
    const rows = [];
    while (ppo.steps < steps) rows.push(await ppo.iterate());
    return rows;
  };
  const whole = makeDelegation(reference, { settings, hook: makeCounter() });
  const before = await runTo(whole, 4096);
  writeCheckpoint(join(folder, "half"), await whole.save());
  const after = await runTo(whole, 8192);
  writeCheckpoint(join(folder, "whole"), await whole.save());

  const resumed = makeDelegation(reference, { settings, hook: makeCounter(), seed: 3 });
  await resumed.restore(readCheckpoint(join(folder, "half")));
  expect(await runTo(resumed, 8192)).toEqual(after);
  writeCheckpoint(join(folder, "resumed"), await resumed.save());
  expect(filesOf(join(folder, "resumed"))).toEqual(filesOf(join(folder, "whole")));
  expect(before.length + after.length).toBeGreaterThan(6);
});

test("before the first update every ratio is 1, and unfinished episodes are learnt from in the next rollout", async () => {
  const ppo = makeDelegation(kernels, { settings: { epochs: 1, minibatches: 1 } });
  let collected = 0;
  let episodes = 0;
  for (const row of await iterate(ppo, 1)) {
    expect(Math.abs(row["losses/approx_kl"]!)).toBeLessThan(1e-9);
    expect(row["losses/clip_fraction"]).toBe(0);
    expect(row["charts/batch_steps"]).toBeGreaterThanOrEqual(64);
    collected += row["charts/batch_steps"]!;
    episodes += row["charts/episodes"]!;
  }
  for (const row of await iterate(ppo, 5)) {
    collected += row["charts/batch_steps"]!;
    episodes += row["charts/episodes"]!;
  }
  // All steps but those of the episodes that still run.
  expect(ppo.steps - collected).toBeLessThan(4 * 5);
  expect(collected / episodes).toBeGreaterThan(3);
});

test("one or two worker threads give the rows and weights of none, bit for bit", async () => {
  const moduleUrl = new URL("../../env/dist/testing/index.js", import.meta.url);
  const run = async (numWorkers: number) => {
    const vectorEnv =
      numWorkers === 0
        ? new LocalVectorEnv(gridEnv, { numEnvs: 4, seed: 1 })
        : await makeWorkerVectorEnv({ moduleUrl, exportName: "gridEnv", numEnvs: 4, numWorkers, seed: 1 });
    const network = resolvePpoSettings({ policy: "lstm", lstmHidden: 8, hiddenSizes: [8] });
    const policy = new RecordedActorCritic(
      makePpoPolicy({ definition: gridEnv, kernels, settings: network, rng: Rng.fromSeed(1) }),
    );
    const ppo = new EpisodePpo({ definition: gridEnv, kernels, policy, seed: 1, settings: SETTINGS, vectorEnv });
    try {
      const rows = await iterate(ppo, 3);
      return { rows, saved: await ppo.save() };
    } finally {
      await ppo.close();
    }
  };
  const local = await run(0);
  for (const numWorkers of [1, 2]) expect(await run(numWorkers)).toEqual(local);
});

test("a hook is told episodes by environment and number, and its options hold for those that begin later", async () => {
  const hook = makeCounter();
  const ppo = makeDelegation(kernels, { hook });
  const rows = await iterate(ppo, 3);
  expect(rows.map((row) => row["curriculum/phase"])).toEqual([2, 3, 4]);
  const first = hook.seen.filter(({ phase }) => phase === 1);
  expect([...first].sort((a, b) => a.env - b.env || a.index - b.index).map(({ index }) => index)).toEqual(
    expect.arrayContaining([0, 1, 2]),
  );
  for (let env = 0; env < 4; env++) {
    const own = hook.seen.filter((episode) => episode.env === env);
    expect(own.map(({ index }) => index)).toEqual(own.map((_, i) => i));
    const phases = own.map(({ phase }) => phase as number);
    expect(phases).toEqual([...phases].sort((a, b) => a - b));
  }
});

test("joined hooks each see what they kept, set their own options and go on from their own saved state", async () => {
  const [phases, sums] = [makeCounter(), { total: 0 }];
  const adder = (): RolloutHook => ({
    resetOptions: () => ({ total: sums.total, counts: { deep: 1 } }),
    keep: () => 2,
    update({ episodes }) {
      for (const { steps, resetOptions } of episodes) {
        expect(resetOptions).toEqual({ phase: expect.any(Number), total: expect.any(Number) });
        for (const { kept } of steps) sums.total += kept as number;
      }
      return { "hook/total": sums.total };
    },
    save: () => sums.total,
    restore(saved) {
      sums.total = saved as number;
    },
  });
  const ppo = makeDelegation(kernels, { hook: joinHooks([phases, adder()]) });
  const [first, second] = await iterate(ppo, 2);
  expect(second!["hook/total"]).toBe(2 * (first!["charts/batch_steps"]! + second!["charts/batch_steps"]!));
  expect(second!["curriculum/phase"]).toBe(3);
  const saved = await ppo.save();
  const total = sums.total;
  sums.total = -1;
  const resumed = makeDelegation(kernels, { hook: joinHooks([makeCounter(), adder()]) });
  await resumed.restore(saved);
  expect(sums.total).toBe(total);
});

test("a limit outside the task is bootstrapped from the final observation, the task's own end is not", async () => {
  const endless = (truncated: boolean) =>
    makeProbe({
      ...{ name: truncated ? "Cut" : "Ended", observationSize: 1, actionSpace: { kind: "discrete", n: 2 } as const },
      ...{ begin: () => 0, observe: () => [1] },
      step: (state: number) => ({ state, reward: 1, truncated, terminated: !truncated }),
    });
  const network = { hiddenSizes: [8] };
  const settings = {
    gamma: 0.5,
    learningRate: 0.02,
    finalLearningRate: 0.02,
    minibatches: 2,
    epochs: 4,
    batchSteps: 64,
    targetKl: null,
  };
  const learntValue = async (truncated: boolean): Promise<number> => {
    const ppo = makePlain(endless(truncated), network, settings);
    await iterate(ppo, 25);
    const { values } = await firstValue(ppo);
    return values;
  };
  expect(await learntValue(false)).toBeCloseTo(1, 1);
  expect(await learntValue(true)).toBeCloseTo(2, 0);
});

async function firstValue(ppo: EpisodePpo): Promise<{ values: number }> {
  const { Tape } = await import("@praxis/nn");
  const records = [ppo.policy.makeRecorder().record(Float32Array.of(1), {})];
  const tape = new Tape(kernels, { recording: false });
  const memories = ppo.policy.initialMemories(1);
  return { values: ppo.policy.forward(tape, { steps: 1, batch: 1, records, starts: [1], memories }).values.data[0]! };
}

test("what does not fit is refused by name", async () => {
  expect(() => makeDelegation(kernels, { definition: gridEnv })).toThrow("have 4 numbers; the policy reads");
  expect(() => makeDelegation(kernels, { settings: { epochs: 0 } })).toThrow("PPO setting 'epochs'");
  const ppo = makeDelegation(kernels);
  await iterate(ppo, 1);
  const saved = await ppo.save();
  await expect(makeDelegation(kernels).restore({ ...saved, envId: "Grid-v0" })).rejects.toThrow(
    "is of ppo on 'Grid-v0'",
  );
  await expect(makeDelegation(kernels, { settings: { numEnvs: 2 } }).restore(saved)).rejects.toThrow("numEnvs is 2");
});

/** Weights by name, copied. */
function weightsOf({ policy }: EpisodePpo): Map<string, number[]> {
  return new Map(policy.parameters().map(({ name, data }) => [name, [...data]]));
}

/** Names of the weights in which two states differ. */
function changedBetween(before: Map<string, number[]>, after: Map<string, number[]>): string[] {
  return [...before].flatMap(([name, data]) => (data.some((x, i) => x !== after.get(name)![i]) ? [name] : []));
}

test("while only the value learns, a policy that it does not reach stands still, and then learns too", async () => {
  const policy = new DelegationPolicy({
    ...{ kernels, rng: Rng.fromSeed(3), inputs: makeSlotLayout(SLOTS, E).inputs, embedding: E },
    settings: { width: 4, hidden: 4, slotHidden: 2, headHidden: 4, stopValueGradient: true },
  });
  const ppo = makeDelegation(kernels, { policy, settings: { ...SETTINGS, valueWarmupSteps: 100 } });
  const fresh = weightsOf(ppo);
  const [warm] = await iterate(ppo, 1);
  expect(warm!["losses/approx_kl"]).toBe(0);
  const warmed = weightsOf(ppo);
  expect(changedBetween(fresh, warmed).every((name) => name.startsWith("value"))).toBe(true);
  expect(changedBetween(fresh, warmed).length).toBeGreaterThan(0);
  while (ppo.steps < 100) await ppo.iterate();
  const before = weightsOf(ppo);
  await ppo.iterate();
  expect(changedBetween(before, weightsOf(ppo)).some((name) => name.startsWith("choices"))).toBe(true);
});

test("parameters that are not to learn stand still, and episodes are counted", async () => {
  const ppo = makeDelegation(kernels, { trains: (name) => name.startsWith("slotHead") });
  const fresh = weightsOf(ppo);
  await iterate(ppo, 2);
  const changed = changedBetween(fresh, weightsOf(ppo));
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.every((name) => name.startsWith("slotHead"))).toBe(true);
  expect(ppo.episodes).toBeGreaterThanOrEqual(Math.floor(ppo.steps / 5) - 4);
});
