import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EnvDefinition, Rng } from "@praxis/env";
import { gridEnv } from "@praxis/env/testing";
import { makeReferenceKernels, Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { afterEach, expect, test } from "vitest";
import { checkpointName, latestCheckpoint, readCheckpoint, writeCheckpoint } from "../src/checkpoint.ts";
import { cartPole } from "../src/envs/cart-pole.ts";
import { Ppo, type PpoMetrics } from "../src/ppo.ts";
import type { PpoSettingsInput } from "../src/ppo-settings.ts";
import { makeProbe } from "./probe-envs.ts";

const { kernels } = await selectKernels("wasm");
const LSTM = { policy: "lstm", lstmHidden: 8, hiddenSizes: [8] } satisfies PpoSettingsInput;
const SMALL = { numEnvs: 4, numSteps: 16, minibatchSize: 32, epochs: 2, hiddenSizes: [8], totalSteps: 20 * 64 };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "praxis-train-"));
  folders.push(folder);
  return folder;
}

function make(definition: EnvDefinition, settings: PpoSettingsInput = {}, seed = 3): Ppo {
  return new Ppo({ definition, kernels, seed, settings: { ...SMALL, ...settings } });
}

async function iterate(ppo: Ppo, times: number): Promise<PpoMetrics[]> {
  const rows: PpoMetrics[] = [];
  for (let i = 0; i < times; i++) rows.push(await ppo.iterate());
  return rows;
}

function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString("base64")]),
  );
}

test("ten iterations, a stop, a resume and ten more equal twenty, byte for byte, in checkpoint and metrics", async () => {
  const everything = { normalizeObservations: true, normalizeRewards: true, learningRateSchedule: "linear" } as const;
  for (const settings of [everything, { ...everything, ...LSTM, sequenceLength: 8 }]) {
    const folder = temporaryFolder();
    const whole = make(cartPole, settings);
    const rows = await iterate(whole, 20);
    writeCheckpoint(join(folder, "whole"), await whole.save());

    const first = make(cartPole, settings);
    await iterate(first, 10);
    writeCheckpoint(join(folder, "half"), await first.save());
    const second = make(cartPole, settings);
    await second.restore(readCheckpoint(join(folder, "half")));
    const more = await iterate(second, 10);
    writeCheckpoint(join(folder, "resumed"), await second.save());

    expect(more).toEqual(rows.slice(10));
    expect(filesOf(join(folder, "resumed"))).toEqual(filesOf(join(folder, "whole")));
  }
});

test("a resumed run acts with the checkpoint's policy from its first rollout on", async () => {
  const first = make(cartPole);
  await iterate(first, 3);
  const saved = await first.save();
  const second = make(cartPole);
  await second.restore(saved);
  const [row] = await iterate(second, 1);
  expect(row!["charts/policy_version"]).toBe((saved.state as { optimizerSteps: number }).optimizerSteps);
  expect(row!["charts/policy_version"]).toBe(3 * 4);
});

test("a checkpoint of another environment, algorithm, size or number of environments is refused", async () => {
  const saved = await make(cartPole).save();
  await expect(make(cartPole).restore({ ...saved, envId: "Grid-v0" })).rejects.toThrow("is of ppo on 'Grid-v0'");
  await expect(make(cartPole, { hiddenSizes: [9] }).restore(saved)).rejects.toThrow(
    "'actor.mlp.0.weight' has shape [4, 8]",
  );
  const running = make(cartPole);
  await iterate(running, 1);
  await expect(make(cartPole, { numEnvs: 2 }).restore(await running.save())).rejects.toThrow(
    "4 environments were saved, this vector has 2",
  );
});

test("a checkpoint is whole or absent, is never overwritten, and the newest is found by its steps", async () => {
  const folder = temporaryFolder();
  const saved = await make(cartPole).save();
  for (const steps of [64, 128, 1000]) writeCheckpoint(join(folder, checkpointName(steps)), saved);
  expect(() => writeCheckpoint(join(folder, checkpointName(64)), saved)).toThrow("may exist already");
  expect(readdirSync(folder).sort()).toEqual([64, 128, 1000].map(checkpointName));
  expect(latestCheckpoint(folder)).toBe(join(folder, checkpointName(1000)));
  expect(() => readCheckpoint(folder)).toThrow("is not a checkpoint that can be read");
});

/** Two continuous actions whose policy reaches past the bounds; reward for the first. */
const boxProbe = makeProbe({
  name: "Boxed",
  observationSize: 2,
  actionSpace: { kind: "box", shape: [2], low: -0.01, high: 0.01 },
  begin: (uniform) => [uniform(), uniform()],
  observe: (state: number[]) => state,
  step: (state, action, stepCount) => ({ state, reward: (action as number[])[0]!, terminated: stepCount === 3 }),
});

test("before the first update every ratio is exactly 1, also where actions were clipped or an LSTM replays them", async () => {
  for (const settings of [{}, LSTM, { ...LSTM, constantColumns: [[0, 2]] as [number, number][] }]) {
    const [row] = await iterate(make(boxProbe, { ...settings, epochs: 1, minibatchSize: 64 }), 1);
    expect(row!["losses/approx_kl"]).toBe(0);
    expect(row!["losses/clip_fraction"]).toBe(0);
  }
});

test("a trained policy answers any number of environments with the same numbers, and in their order", async () => {
  const ppo = make(cartPole, LSTM);
  await iterate(ppo, 2);
  const other = make(cartPole, { ...LSTM, numEnvs: 2 });
  await other.restore({ ...(await ppo.save()), environments: null });
  const rng = Rng.fromSeed(1);
  const rows = Array.from({ length: 8 }, () => Float32Array.from({ length: 4 }, () => rng.normal()));
  const memories = ppo.policy.packState(ppo.policy.initialState(8), 8).map((row) => row.map(() => rng.normal()));
  const ask = (policy: Ppo["policy"], order: readonly number[]): number[][] => {
    const tape = new Tape(kernels, { recording: false });
    const { logits, values } = policy.forward(tape, {
      ...{ steps: 1, batch: order.length, starts: new Uint8Array(order.length) },
      observations: tape.copy(order.flatMap((i) => [...rows[i]!])),
      state: policy.unpackState(order.map((i) => memories[i]!)),
    });
    return order.map((_, i) => [...logits.data.slice(2 * i, 2 * i + 2), values.data[i]!]);
  };
  const all = ask(ppo.policy, [0, 1, 2, 3, 4, 5, 6, 7]);
  expect(ask(other.policy, [5])).toEqual([all[5]]);
  expect(ask(other.policy, [7, 0, 3])).toEqual([all[7], all[0], all[3]]);
});

test("a recurrent policy under a mask takes no illegal action in 10,000 steps", async () => {
  let steps = 0;
  let illegal = 0;
  const masked = makeProbe<{ legal: boolean[]; uniform: () => number }>({
    name: "Masked",
    observationSize: 1,
    actionSpace: { kind: "multiDiscrete", nvec: [3, 4] },
    begin: (uniform) => ({ legal: drawLegal(uniform), uniform }),
    observe: () => [0],
    mask: ({ legal }) => legal,
    step: ({ legal, uniform }, action, stepCount) => {
      const [a, b] = action as number[];
      steps++;
      if (!legal[a!] || !legal[3 + b!]) illegal++;
      return { state: { legal: drawLegal(uniform), uniform }, reward: a!, truncated: stepCount === 9 };
    },
  });
  const ppo = make(masked, { ...LSTM, numEnvs: 8, numSteps: 128, minibatchSize: 512, epochs: 2, learningRate: 0.01 });
  const rows = await iterate(ppo, 10);
  expect(steps).toBe(10_240);
  expect(illegal).toBe(0);
  expect(rows.every((row) => row["losses/entropy"]! < Math.log(3) + Math.log(4))).toBe(true);
});

function drawLegal(uniform: () => number): boolean[] {
  const legal = Array.from({ length: 7 }, () => uniform() < 0.4);
  legal[Math.floor(3 * uniform())] = true;
  legal[3 + Math.floor(4 * uniform())] = true;
  return legal;
}

test("columns that are declared constant change the speed, not the numbers beyond float order", async () => {
  const patient = makeProbe<{ id: number[]; at: number }>({
    name: "Patient",
    observationSize: 7,
    actionSpace: { kind: "discrete", n: 3 },
    begin: (uniform) => ({ id: Array.from({ length: 5 }, uniform), at: 0 }),
    observe: ({ id, at }) => [id[0]!, id[1]!, at / 8, id[2]!, id[3]!, id[4]!, -at / 8],
    step: ({ id, at }, action) => ({
      state: { id, at: at + 1 },
      reward: (action as number) * id[0]!,
      terminated: at === 5,
    }),
  });
  const constantColumns: [number, number][] = [
    [0, 2],
    [3, 6],
  ];
  const dense = await iterate(make(patient, LSTM), 5);
  const layout = await iterate(make(patient, { ...LSTM, constantColumns }), 5);
  layout.forEach((row, i) => {
    for (const [name, value] of Object.entries(row)) expect(value).toBeCloseTo(dense[i]![name]!, 4);
  });
  const wrong = make(patient, { ...LSTM, constantColumns: [[0, 3]] });
  await expect(wrong.iterate()).rejects.toThrow("Column 2 of environment 0 is declared constant");
});

test("a number that stops being finite is named with tensor, iteration and step, and weights stay finite", async () => {
  const broken = makeProbe({
    name: "Broken",
    observationSize: 1,
    actionSpace: { kind: "discrete", n: 2 },
    begin: () => 0,
    observe: (state: number) => [state < 100 ? 0 : 3e38],
    step: (state) => ({ state: state + 1, reward: 0, terminated: state === 120 }),
  });
  const ppo = make(broken, { activation: "relu" });
  await iterate(ppo, 6);
  await expect(ppo.iterate()).rejects.toThrow(
    expect.objectContaining({
      code: "NON_FINITE_NUMBER",
      message: expect.stringMatching(
        /^PPO iteration 7, environment step \d+: The (gradient of '.*'|policy's output.*|critic's value.*)/,
      ),
    }),
  );
  for (const { data } of ppo.policy.parameters()) expect(data.every(Number.isFinite)).toBe(true);
});

test("broken weights are named", async () => {
  const ppo = make(cartPole);
  ppo.policy.parameters()[0]!.data[0] = Number.NaN;
  await expect(ppo.iterate()).rejects.toThrow("The weights of 'actor.mlp.0.weight' are not finite.");
});

test("steps whose reward is unknown are counted and not learnt from", async () => {
  const flaky = makeProbe({
    name: "Flaky",
    observationSize: 1,
    actionSpace: { kind: "discrete", n: 2 },
    begin: () => 0,
    observe: () => [0],
    step: (state, action) => {
      const infraError = { code: "VERIFIER_ERROR", message: "The judge timed out." };
      return action === 1
        ? { state, reward: -100, terminated: true, info: { infraError } }
        : { state, reward: 1, terminated: true };
    },
  });
  const [row] = await iterate(make(flaky, { entropyCoef: 0 }), 1);
  expect(row!["health/excluded_steps"]).toBeGreaterThan(10);
  expect(row!["losses/value_loss"]).toBeLessThan(2);
});

test("an update ends early once the policy has moved past the target", async () => {
  const settings = { learningRate: 0.05, epochs: 10 };
  const [free] = await iterate(make(cartPole, settings), 1);
  const [held] = await iterate(make(cartPole, { ...settings, targetKl: 1e-4 }), 1);
  expect(free!["losses/epochs"]).toBe(10);
  expect(held!["losses/epochs"]).toBeLessThan(10);
});

test("kernel sets learn the same curve within what float order explains", async () => {
  const run = async (set: typeof kernels) => {
    const ppo = new Ppo({ definition: gridEnv, kernels: set, seed: 3, settings: { ...SMALL, ...LSTM } });
    return iterate(ppo, 4);
  };
  const [wasm, reference] = [await run(kernels), await run(makeReferenceKernels())];
  wasm.forEach((row, i) => {
    expect(row["charts/episodic_return"]).toBeCloseTo(reference[i]!["charts/episodic_return"]!, 3);
    expect(row["losses/value_loss"]).toBeCloseTo(reference[i]!["losses/value_loss"]!, 3);
  });
});

test("settings that do not fit together are refused with what to change", () => {
  expect(() => make(cartPole, { ...LSTM, numSteps: 16, sequenceLength: 5 })).toThrow("sequenceLength 5 must divide it");
  expect(() => make(cartPole, { ...LSTM, minibatchSize: 24 })).toThrow("a multiple of the sequence length, 16");
  expect(() => make(cartPole, { constantColumns: [[0, 1]] })).toThrow("needs an LSTM policy");
  expect(() => make(cartPole, { gamma: 2 })).toThrow("PPO setting 'gamma'");
});
