import { Rng } from "@praxis/env";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { HeadRow } from "../src/action-head.ts";
import {
  ACTION_AT,
  CALL,
  DELEGATE,
  fromActionVector,
  META_ACTIONS,
  needsSelection,
  SPAWN_PARALLEL,
} from "../src/policies/delegation-action.ts";
import { DELEGATION_LOGITS_AT, DelegationHead } from "../src/policies/delegation-head.ts";
import { delegationMaskAt } from "../src/policies/delegation-mask.ts";

const SLOTS = 4;
const head = new DelegationHead(SLOTS);
const at = delegationMaskAt(SLOTS);
const NONE = new Float32Array(0);

function rowOf(inputs: Float32Array, masks: Uint8Array | null): HeadRow {
  return { inputs, masks, logDeviations: NONE, row: 0 };
}

function drawLogits(rng: Rng, scale = 1.5): Float32Array {
  return Float32Array.from({ length: head.inputSize }, () => scale * rng.normal());
}

/** A random mask with `stop` legal, so that something always is. */
function drawMask(rng: Rng, share = 0.6): Uint8Array {
  const mask = Uint8Array.from({ length: at.size }, () => (rng.bernoulli(share) ? 1 : 0));
  mask[1] = 1;
  for (let j = 0; j < SLOTS; j++) mask[at.consult + j * SLOTS + j] = 0;
  return mask;
}

function slotMask(mask: Uint8Array) {
  const { slots, leads, consult } = at;
  return {
    slots: mask.subarray(slots, slots + SLOTS),
    leads: mask.subarray(leads, leads + SLOTS),
    consult: mask.subarray(consult),
  };
}

test("no action drawn in 10,000 steps under random masks is illegal, and each decodes from its vector to itself", () => {
  const rng = Rng.fromSeed(1);
  const actions = new Float32Array(head.actionSize);
  const seen = new Set<number>();
  let illegal = 0;
  let changed = 0;
  for (let i = 0; i < 10_000; i++) {
    const mask = drawMask(rng);
    if (!Number.isFinite(head.sample(rowOf(drawLogits(rng), mask), rng, actions))) illegal++;
    const meta = actions[ACTION_AT.meta]!;
    seen.add(meta);
    const ranks = Array.from(actions.subarray(ACTION_AT.ranks));
    const chosen = ranks.flatMap((rank, j) => (rank > 0 ? [j] : []));
    const lead = meta === DELEGATE ? ranks.indexOf(1) : -1;
    const allows = (j: number): boolean => {
      if (meta !== DELEGATE) return mask[at.slots + j] === 1;
      return mask[j === lead ? at.leads + j : at.consult + lead * SLOTS + j] === 1;
    };
    const isLegal =
      mask[at.meta + meta] === 1 &&
      chosen.length > 0 === needsSelection(meta) &&
      (meta !== CALL || mask[at.modes + actions[ACTION_AT.mode]!] === 1) &&
      chosen.every(allows);
    if (!isLegal) illegal++;
    const decoded = fromActionVector(head.toSpaceValue(actions, 0), SLOTS, slotMask(mask));
    if (decoded?.join() !== actions.join()) changed++;
  }
  expect({ illegal, changed }).toEqual({ illegal: 0, changed: 0 });
  expect(seen.size).toBe(META_ACTIONS.length);
});

test("the log-probabilities of all actions that a mask leaves sum to 1", () => {
  // Two slots and no calls: few enough to enumerate by drawing until nothing new comes.
  const small = new DelegationHead(2);
  const smallAt = delegationMaskAt(2);
  const mask = new Uint8Array(smallAt.size).fill(1);
  mask[CALL] = 0;
  mask[smallAt.consult] = 0;
  mask[smallAt.consult + 3] = 0;
  const rng = Rng.fromSeed(2);
  const inputs = Float32Array.from({ length: small.inputSize }, () => 0.5 * rng.normal());
  const row = rowOf(inputs, mask);
  const found = new Map<string, number>();
  const actions = new Float32Array(small.actionSize);
  for (let i = 0; i < 10_000; i++) {
    const logProb = small.sample(row, rng, actions);
    found.set(actions.join(), logProb);
  }
  const total = [...found.values()].reduce((sum, logProb) => sum + Math.exp(logProb), 0);
  expect(total).toBeGreaterThan(0.99);
  expect(total).toBeLessThan(1 + 1e-9);
});

test("actions are drawn as often as their log-probability says", () => {
  const rng = Rng.fromSeed(6);
  const inputs = drawLogits(rng, 3);
  const row = rowOf(inputs, null);
  const counts = new Map<string, { n: number; logProb: number }>();
  const actions = new Float32Array(head.actionSize);
  const n = 12_000;
  for (let i = 0; i < n; i++) {
    const logProb = head.sample(row, rng, actions);
    const key = actions.join();
    counts.set(key, { n: (counts.get(key)?.n ?? 0) + 1, logProb });
  }
  for (const { n: seen, logProb } of counts.values()) {
    const p = Math.exp(logProb);
    if (p * n < 30) continue;
    expect(Math.abs(seen / n - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / n));
  }
});

test("the gradient of log-probability and entropy is that of central differences, head by head", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e6 }),
      fc.constantFrom(CALL, DELEGATE, SPAWN_PARALLEL, 1),
      (seed, wanted) => {
        const rng = Rng.fromSeed(seed);
        const mask = drawMask(rng, 0.8);
        const inputs = drawLogits(rng);
        inputs[wanted] = 4;
        const actions = new Float32Array(head.actionSize);
        head.sample(rowOf(inputs, mask), rng, actions);
        const gradient = new Float32Array(head.inputSize);
        const into = { dInputs: gradient, dLogDeviations: NONE };
        head.addGradient(rowOf(inputs, mask), actions, { dLogProb: 1, dEntropy: 0 }, into);
        for (let j = 0; j < head.inputSize; j++) {
          const logProbAt = (shift: number): number => {
            const moved = inputs.slice();
            moved[j]! += shift;
            return head.evaluate(rowOf(moved, mask), actions).logProb;
          };
          const step = 2 ** -8;
          expect(gradient[j]).toBeCloseTo((logProbAt(step) - logProbAt(-step)) / (2 * step), 3);
        }
      },
    ),
    { numRuns: 25 },
  );
});

test("the entropy's gradient flows through its parts and not through the chances that weigh them", () => {
  const rng = Rng.fromSeed(12);
  const mask = new Uint8Array(at.size).fill(1);
  for (let j = 0; j < SLOTS; j++) mask[at.consult + j * SLOTS + j] = 0;
  const inputs = drawLogits(rng);
  const actions = new Float32Array(head.actionSize);
  head.sample(rowOf(inputs, mask), rng, actions);
  const gradient = new Float32Array(head.inputSize);
  head.addGradient(
    rowOf(inputs, mask),
    actions,
    { dLogProb: 0, dEntropy: 1 },
    { dInputs: gradient, dLogDeviations: NONE },
  );
  const slope = (j: number): number => {
    const entropyAt = (shift: number): number => {
      const moved = inputs.slice();
      moved[j]! += shift;
      return head.evaluate(rowOf(moved, mask), actions).entropy;
    };
    return (entropyAt(2 ** -8) - entropyAt(-(2 ** -8))) / 2 ** -7;
  };
  // Parameters weigh nothing else: the last budget's bins are pure.
  const { parameters } = DELEGATION_LOGITS_AT;
  for (let j = parameters + 10; j < parameters + 20; j++) expect(gradient[j]).toBeCloseTo(slope(j), 4);
  // With the leads' chances pinned to one lead, slots are pure too.
  const pinned = mask.slice();
  pinned.fill(0, at.leads, at.leads + SLOTS);
  pinned[at.leads] = 1;
  const pinnedGradient = new Float32Array(head.inputSize);
  const into = { dInputs: pinnedGradient, dLogDeviations: NONE };
  head.sample(rowOf(inputs, pinned), rng, actions);
  head.addGradient(rowOf(inputs, pinned), actions, { dLogProb: 0, dEntropy: 1 }, into);
  mask.set(pinned);
  for (let j = DELEGATION_LOGITS_AT.slots; j < head.inputSize; j++) expect(pinnedGradient[j]).toBeCloseTo(slope(j), 4);
  // Meta-actions: the gradient of their own entropy alone.
  const own = new DelegationHead(SLOTS);
  const stopOnly = mask.slice();
  for (const meta of [CALL, DELEGATE, SPAWN_PARALLEL]) stopOnly[meta] = 0;
  const metaGradient = new Float32Array(head.inputSize);
  own.sample(rowOf(inputs, stopOnly), rng, actions);
  own.addGradient(
    rowOf(inputs, stopOnly),
    actions,
    { dLogProb: 0, dEntropy: 1 },
    {
      dInputs: metaGradient,
      dLogDeviations: NONE,
    },
  );
  mask.set(stopOnly);
  for (let j = 0; j < META_ACTIONS.length; j++) expect(metaGradient[j]).toBeCloseTo(slope(j), 4);
});

test("one legal choice has probability 1 beside logits of ±10,000, and a mask that leaves nothing is a named error", () => {
  const inputs = Float32Array.from({ length: head.inputSize }, (_, j) => (j % 2 === 0 ? 1e4 : -1e4));
  const mask = new Uint8Array(at.size);
  mask[1] = 1;
  const actions = new Float32Array(head.actionSize);
  expect(head.sample(rowOf(inputs, mask), Rng.fromSeed(1), actions)).toBe(0);
  expect(head.evaluate(rowOf(inputs, mask), actions)).toEqual({ logProb: 0, entropy: 0 });
  mask[1] = 0;
  expect(() => head.sample(rowOf(inputs, mask), Rng.fromSeed(1), actions)).toThrow(
    expect.objectContaining({ code: "ALL_MASKED" }),
  );
  // Calls alone are legal, but there is nobody to call.
  mask[CALL] = 1;
  mask.fill(1, at.modes, at.modes + 7);
  expect(() => head.sample(rowOf(inputs, mask), Rng.fromSeed(1), actions)).toThrow("allows none that is possible");
  inputs[0] = Number.NaN;
  expect(() => head.sample(rowOf(inputs, mask), Rng.fromSeed(1), actions)).toThrow(
    expect.objectContaining({ code: "NON_FINITE_NUMBER" }),
  );
});

test("the greedy action takes the best of every part and at least one slot", () => {
  const inputs = new Float32Array(head.inputSize).fill(-1);
  inputs[CALL] = 2;
  inputs[DELEGATION_LOGITS_AT.mode + 3] = 1;
  inputs.set([-3, -1, -2, -4], DELEGATION_LOGITS_AT.slots);
  const actions = new Float32Array(head.actionSize);
  head.mode(rowOf(inputs, null), actions);
  expect([...actions]).toEqual([CALL, 3, 0, 0, 0, 0, 0, 1, 0, 0]);
  inputs.set([1, -1, 2, -4], DELEGATION_LOGITS_AT.slots);
  head.mode(rowOf(inputs, null), actions);
  expect([...actions].slice(ACTION_AT.ranks)).toEqual([2, 0, 1, 0]);
  expect(head.tags(actions, 0)).toEqual(["meta_callSpecialist", "mode_iterative"]);
});

test("a mask of the environment is read list by list, and one that does not fit is refused by name", () => {
  const masks = new Uint8Array(2 * at.size);
  const modes = [true, false, true, true, true, true, true];
  const consult = Array.from({ length: SLOTS }, (_, l) => Array.from({ length: SLOTS }, (_, j) => l < j));
  head.readMask({ actionMask: { modes, consult: consult.flat() } }, masks, 1);
  expect([...masks.subarray(0, at.size)].some((x) => x !== 0)).toBe(false);
  const row = masks.subarray(at.size);
  expect([...row.subarray(at.modes, at.modes + 7)]).toEqual([1, 0, 1, 1, 1, 1, 1]);
  expect([...row.subarray(at.consult)]).toEqual(consult.flat().map(Number));
  expect([...row.subarray(0, 8)]).toEqual(new Array(8).fill(1));
  expect(() => head.readMask({ actionMask: { slots: [true] } }, masks, 0)).toThrow("actionMask.slots has 1 entries; 4");
  expect(() => head.readMask({ actionMask: { slot: [true] } }, masks, 0)).toThrow("actionMask.slot is none of");
});

test("the odds shown of each part are how often it is drawn, and leave out what the mask forbids", () => {
  const rng = Rng.fromSeed(5);
  const mask = drawMask(rng);
  mask[CALL] = 1;
  mask[META_ACTIONS.indexOf("callMediator")] = 0;
  mask.fill(1, at.slots, at.slots + SLOTS - 1);
  mask[at.slots + SLOTS - 1] = 0;
  mask[at.modes] = 1;
  const row = rowOf(drawLogits(rng, 1), mask);
  const odds = head.odds(row);
  expect(Object.keys(odds.meta!)).not.toContain("callMediator");
  expect(Object.keys(odds.slot!)).toEqual(["0", "1", "2"]);
  const sum = (part: string): number => Object.values(odds[part]!).reduce((total, chance) => total + chance, 0);
  expect(sum("meta")).toBeCloseTo(1, 12);
  expect(sum("mode")).toBeCloseTo(1, 12);

  const actions = new Float32Array(head.actionSize);
  const draws = 20_000;
  const metas = new Float64Array(META_ACTIONS.length);
  const slots = new Float64Array(SLOTS);
  for (let i = 0; i < draws; i++) {
    head.sample(row, rng, actions);
    metas[actions[ACTION_AT.meta]!]!++;
    if (actions[ACTION_AT.meta] === CALL)
      for (let j = 0; j < SLOTS; j++) if (actions[ACTION_AT.ranks + j] !== 0) slots[j]!++;
  }
  // Five deviations of a share of .5 over the draws of the rarer part.
  const near = 5 * Math.sqrt(0.25 / metas[CALL]!);
  META_ACTIONS.forEach((name, j) => {
    expect(Math.abs(metas[j]! / draws - (odds.meta![name] ?? 0))).toBeLessThan(near);
  });
  for (let j = 0; j < SLOTS; j++)
    expect(Math.abs(slots[j]! / metas[CALL]! - (odds.slot![String(j)] ?? 0))).toBeLessThan(near);
});
