import { Rng } from "@praxis/env";
import { makeReferenceKernels, Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packMemories, unpackMemories } from "../src/memory-rows.ts";
import type { ObservationRecord } from "../src/observation-record.ts";
import { packRecords, unpackRecords } from "../src/observation-record.ts";
import { DELEGATION_LOGITS_AT } from "../src/policies/delegation-head.ts";
import { DelegationPolicy } from "../src/policies/delegation-policy.ts";
import { makeSlotLayout, slotsOf } from "../src/policies/slot-layout.ts";
import type { Memories } from "../src/recorded-policy.ts";
import { type RosterView, rosterObservation } from "./roster-env.ts";

const { kernels } = await selectKernels("wasm");
const E = 12;
const SLOTS = 4;
const inputs = makeSlotLayout(SLOTS, E).inputs;
const SMALL = { width: 8, hidden: 8, slotHidden: 4, headHidden: 8 } as const;
type Settings = NonNullable<ConstructorParameters<typeof DelegationPolicy>[0]["settings"]>;

function makePolicy(settings: Settings = {}, set = kernels): DelegationPolicy {
  const policy = new DelegationPolicy({
    ...{ kernels: set, rng: Rng.fromSeed(3), inputs, embedding: E, settings: { ...SMALL, ...settings } },
  });
  // Last layers begin near zero; larger ones make differences visible.
  const rng = Rng.fromSeed(4);
  for (const { data } of policy.parameters()) for (let j = 0; j < data.length; j++) data[j]! += 0.2 * rng.normal();
  return policy;
}

function unit(rng: Rng): number[] {
  const x = Array.from({ length: E }, () => rng.normal());
  const norm = Math.hypot(...x);
  return x.map((each) => each / norm);
}

function drawView(rng: Rng, roster: RosterView["roster"]): RosterView {
  return {
    ...{ task: unit(rng), roster, scratchpad: unit(rng).map((x) => 0.5 * x) },
    calls: roster.map((row) => (row !== null && rng.bernoulli(0.5) ? 0.5 + 0.5 * rng.uniform() : 0)),
    scalars: Array.from({ length: 8 }, () => rng.uniform()),
  };
}

function drawRoster(rng: Rng, slots = SLOTS): RosterView["roster"] {
  return Array.from({ length: slots }, (_, i) => (i === 2 ? null : unit(rng)));
}

function permute(view: RosterView, order: readonly number[]): RosterView {
  return { ...view, roster: order.map((i) => view.roster[i]!), calls: order.map((i) => view.calls![i]!) };
}

/** Outputs step by step with memories carried along, as in a rollout. */
function playThrough(policy: DelegationPolicy, views: readonly RosterView[], memories = policy.initialMemories(1)) {
  const recorder = policy.makeRecorder();
  const rows: { logits: number[]; value: number }[] = [];
  let carried: Memories = memories;
  views.forEach((view, t) => {
    const records = [recorder.record(rosterObservation(view, E), {})];
    const tape = new Tape(kernels, { recording: false });
    const output = policy.forward(tape, { steps: 1, batch: 1, records, starts: [t === 0 ? 1 : 0], memories: carried });
    rows.push({ logits: [...output.logits.data], value: output.values.data[0]! });
    carried = output.memories;
  });
  return rows;
}

function recordsOf(policy: DelegationPolicy, views: readonly RosterView[]): ObservationRecord[] {
  const recorder = policy.makeRecorder();
  return views.map((view) => recorder.record(rosterObservation(view, E), {}));
}

test("an observation's length says how many slots it has", () => {
  for (let slots = 1; slots <= 8; slots++) {
    expect(makeSlotLayout(slots).inputs).toBe(876 + 769 * slots);
    expect(slotsOf(876 + 769 * slots)).toBe(slots);
  }
  expect(() => slotsOf(5491)).toThrow("none of a roster");
  expect(() => makeSlotLayout(9)).toThrow("1 to 8 slots, not 9");
});

for (const encoder of ["set", "gnn"] as const)
  for (const memory of ["shift", "none"] as const)
    test(`moving slots about moves their scores and changes nothing else (${encoder}, memory ${memory})`, () => {
      const policy = makePolicy({ encoder, memory });
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: 1e6 }),
          fc.shuffledSubarray([0, 1, 2, 3], { minLength: SLOTS, maxLength: SLOTS }),
          (seed, order) => {
            const rng = Rng.fromSeed(seed);
            const roster = drawRoster(rng);
            const views = Array.from({ length: 3 }, () => drawView(rng, roster));
            const plain = playThrough(policy, views);
            const moved = playThrough(
              policy,
              views.map((view) => permute(view, order)),
            );
            plain.forEach(({ logits, value }, t) => {
              expect(Math.abs(moved[t]!.value - value)).toBeLessThan(1e-5);
              logits.forEach((x, j) => {
                const slot = j - DELEGATION_LOGITS_AT.slots;
                const at = slot < 0 ? j : DELEGATION_LOGITS_AT.slots + order.indexOf(slot);
                expect(Math.abs(moved[t]!.logits[at]! - x)).toBeLessThan(1e-5);
              });
            });
          },
        ),
        { numRuns: 6 },
      );
    });

const KINDS: Record<string, Settings> = {
  set: {},
  gnn: { encoder: "gnn" },
  flat: { encoder: "flat" },
  memoryless: { memory: "none" },
  "memory of a task, separate critic": { memory: "task", critic: "separate" },
  "feedforward critic": { critic: "feedforward" },
  "as the founding run's": { encoder: "none", critic: "separate", action: "box", decoder: "seed" },
  box: { action: "box" },
};

for (const [name, settings] of Object.entries(KINDS))
  test(`the replay of whole episodes side by side gives what was played step by step (${name})`, () => {
    const policy = makePolicy(settings);
    const rng = Rng.fromSeed(8);
    const episodes = [3, 1, 5].map((length) => {
      const roster = drawRoster(rng);
      return Array.from({ length }, (_, t) => {
        const view = drawView(rng, roster);
        return { ...view, scalars: view.scalars!.with(0, t === 0 || t === 3 ? 0 : 0.1 * t) };
      });
    });
    const played = episodes.flatMap((views) => playThrough(policy, views));
    const starts = episodes.flatMap((views) => views.map((_, t) => (t === 0 ? 1 : 0)));
    const tape = new Tape(kernels);
    const records = recordsOf(policy, episodes.flat());
    const output = policy.forward(tape, {
      ...{ steps: starts.length, batch: 1, records, starts, memories: policy.initialMemories(1) },
    });
    const width = policy.distribution.inputSize;
    played.forEach(({ logits, value }, row) => {
      expect(output.values.data[row]).toBeCloseTo(value, 5);
      logits.forEach((x, j) => {
        expect(output.logits.data[row * width + j]).toBeCloseTo(x, 5);
      });
    });
  });

// Wide layers on top of the same parts, and the same parts in other places, would only cost time here.
const { "feedforward critic": _, box: __, ...DIFFERENT } = KINDS;
for (const [name, settings] of Object.entries(DIFFERENT))
  test(`the gradients of every layer are those of central differences (${name})`, () => {
    const reference = makeReferenceKernels();
    const policy = makePolicy(settings, reference);
    const rng = Rng.fromSeed(21);
    const rosters = [drawRoster(rng), drawRoster(rng)];
    const views = [0, 0, 1, 1, 1].map((roster) => drawView(rng, rosters[roster]!));
    const records = recordsOf(policy, views);
    const starts = [1, 0, 1, 0, 0];
    const forward = (tape: Tape) =>
      policy.forward(tape, { steps: 5, batch: 1, records, starts, memories: policy.initialMemories(1) });
    const tape = new Tape(reference);
    const output = forward(tape);
    const weights = Array.from(output.logits.data, () => rng.normal());
    const valueWeights = Array.from(output.values.data, () => rng.normal());
    for (const { gradient } of policy.parameters()) gradient.fill(0);
    tape.seed(output.logits, weights);
    tape.seed(output.values, valueWeights);
    tape.backward();
    const loss = (): number => {
      const { logits, values } = forward(new Tape(reference, { recording: false }));
      let sum = 0;
      logits.data.forEach((x, i) => {
        sum += x * weights[i]!;
      });
      values.data.forEach((x, i) => {
        sum += x * valueWeights[i]!;
      });
      return sum;
    };
    for (const { name: parameter, data, gradient } of policy.parameters()) {
      if (parameter === "logDeviations") continue;
      {
        const j = rng.integer(0, data.length - 1);
        const slopeAt = (step: number): number => {
          const before = data[j]!;
          data[j] = before + step;
          const high = loss();
          data[j] = before - step;
          const low = loss();
          data[j] = before;
          return (high - low) / (2 * step);
        };
        // A kink of ReLU or of a maximum within a step shows in the larger ones, rounding in the smaller.
        const slopes = [2 ** -8, 2 ** -10, 2 ** -12].map(slopeAt);
        const error = Math.min(...slopes.map((slope) => Math.abs(gradient[j]! - slope)));
        expect(error, `${parameter}[${j}]`).toBeLessThan(0.02 + 0.02 * Math.abs(gradient[j]!));
      }
    }
  });

test("projections kept while the weights stay, ids instead of contents, and copies of memories change nothing", () => {
  const policy = makePolicy();
  const rng = Rng.fromSeed(9);
  const roster = drawRoster(rng);
  const views = Array.from({ length: 4 }, () => drawView(rng, roster));
  const plain = playThrough(policy, views);
  const recorder = policy.makeRecorder();
  const projections = new Map();
  let memories = policy.initialMemories(1);
  views.forEach((view, t) => {
    const embeddingRows = { task: t, slots: [4, 7, -1, t === 0 ? -1 : 9] };
    const records = [recorder.record(rosterObservation(view, E), { embeddingRows })];
    const tape = new Tape(kernels, { recording: false });
    const input = { steps: 1, batch: 1, records, starts: [t === 0 ? 1 : 0], memories, projections };
    const output = policy.forward(tape, input);
    expect([...output.logits.data]).toEqual(plain[t]!.logits);
    const copy = policy.initialMemories(1);
    unpackMemories(copy, packMemories(output.memories, 1));
    memories = copy;
  });
  expect([...projections.values()].map((rows: Map<unknown, unknown>) => rows.size)).toEqual([4, 3]);
  expect(() => recorder.record(rosterObservation(views[0]!, E), { embeddingRows: { task: 1, slots: [] } })).toThrow(
    "must number the task and 4 slots",
  );
  expect(() => recorder.record(new Float32Array(3), {})).toThrow(`has 3 numbers, not ${inputs}`);
});

test("equal embeddings of a rollout are one row, and stay one when records are packed and unpacked", () => {
  const policy = makePolicy();
  const rng = Rng.fromSeed(10);
  const roster = drawRoster(rng);
  const records = recordsOf(policy, [drawView(rng, roster), drawView(rng, roster)]);
  const restored = unpackRecords(new Map(packRecords(records)));
  for (const [a, b] of [records, restored] as ObservationRecord[][] as [ObservationRecord, ObservationRecord][]) {
    expect(a.rows[1]).toBe(b.rows[1]);
    expect(a.rows[0]).not.toBe(b.rows[0]);
    expect(a.rows[3]).toBeNull();
  }
  expect(restored).toEqual(records);
});

test("at first 2.4 of 6 slots are chosen on average and most steps have no time budget", () => {
  const layout = makeSlotLayout(6, E);
  const policy = new DelegationPolicy({
    kernels,
    rng: Rng.fromSeed(5),
    inputs: layout.inputs,
    embedding: E,
    settings: SMALL,
  });
  const rng = Rng.fromSeed(6);
  const recorder = policy.makeRecorder();
  const { distribution } = policy;
  const masks = new Uint8Array(distribution.maskSize);
  const meta = Array.from({ length: 8 }, (_, j) => j === 0);
  distribution.readMask({ actionMask: { meta } }, masks, 0);
  let chosen = 0;
  let free = 0;
  const n = 2000;
  const view = drawView(
    rng,
    Array.from({ length: 6 }, () => unit(rng)),
  );
  const records = [recorder.record(rosterObservation({ ...view, calls: [] }, E), {})];
  const tape = new Tape(kernels, { recording: false });
  const output = policy.forward(tape, {
    steps: 1,
    batch: 1,
    records,
    starts: [1],
    memories: policy.initialMemories(1),
  });
  for (let i = 0; i < n; i++) {
    const actions = new Float32Array(distribution.actionSize);
    distribution.sample(
      { inputs: output.logits.data, masks, logDeviations: new Float32Array(0), row: 0 },
      rng,
      actions,
    );
    chosen += actions.subarray(6).filter((rank) => rank > 0).length;
    if (actions[4] === 4) free++;
  }
  expect(chosen / n).toBeGreaterThan(2.2);
  expect(chosen / n).toBeLessThan(2.6);
  expect(free / n).toBeGreaterThan(0.55);
});

test("a Gaussian over the action vector reaches every choice when stretched, and two of each when rounded as it is", () => {
  const reached = (decoder: "affine" | "seed") => {
    const { distribution } = makePolicy({ action: "box", decoder });
    const vectors = Array.from({ length: 41 }, (_, i) =>
      distribution.toSpaceValue(new Float32Array(SLOTS + 6).fill(-2 + i / 10), 0),
    ) as number[][];
    const count = (at: number) => new Set(vectors.map((vector) => Math.floor(vector[at]! + 0.5))).size;
    return [count(0), count(1 + SLOTS)];
  };
  expect(reached("affine")).toEqual([8, 7]);
  expect(reached("seed")).toEqual([2, 2]);
});

test("an action that was clipped for the environment keeps the log-probability of what was drawn", () => {
  const { distribution } = makePolicy({ action: "box" });
  const inputs = new Float32Array(distribution.inputSize).fill(5);
  const head = { inputs, masks: null, logDeviations: new Float32Array(distribution.deviationSize), row: 0 };
  const actions = new Float32Array(distribution.actionSize);
  const logProb = distribution.sample(head, Rng.fromSeed(1), actions);
  expect((distribution.toSpaceValue(actions, 0) as number[])[0]).toBe(7);
  expect(distribution.evaluate(head, actions).logProb).toBe(logProb);
});

test("a policy answers any number of environments with the same numbers, in their order", () => {
  const policy = makePolicy({ critic: "separate" });
  const rng = Rng.fromSeed(14);
  const records = recordsOf(
    policy,
    Array.from({ length: 4 }, () => drawView(rng, drawRoster(rng))),
  );
  const rows = packMemories(policy.initialMemories(4), 4).map((row) => row.map(() => rng.normal()));
  const ask = (order: readonly number[]) => {
    const memories = policy.initialMemories(order.length);
    unpackMemories(
      memories,
      order.map((i) => rows[i]!),
    );
    const tape = new Tape(kernels, { recording: false });
    const {
      logits,
      values,
      memories: next,
    } = policy.forward(tape, {
      ...{ steps: 1, batch: order.length, records: order.map((i) => records[i]!), memories },
      starts: new Uint8Array(order.length),
    });
    const width = policy.distribution.inputSize;
    return packMemories(next, order.length).map((memory, k) => [
      ...logits.data.slice(k * width, (k + 1) * width),
      ...[values.data[k]!, ...memory],
    ]);
  };
  const all = ask([0, 1, 2, 3]);
  expect(ask([2])).toEqual([all[2]]);
  expect(ask([3, 0, 1])).toEqual([all[3], all[0], all[1]]);
});
