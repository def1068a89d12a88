import type { Info } from "@praxis/env";
import { ACTION_AT, actionVectorBounds, CALL, fromActionVector } from "../src/policies/delegation-action.ts";
import { makeSlotLayout } from "../src/policies/slot-layout.ts";
import { makeProbe } from "./probe-envs.ts";

/** What an orchestrator sees, in parts; what is left out is zero. */
export interface RosterView {
  readonly task?: readonly number[];
  /** By slot; null: empty. */
  readonly roster: readonly (readonly number[] | null)[];
  readonly scratchpad?: readonly number[];
  /** Entry of the orchestrator's call to each slot. */
  readonly calls?: readonly number[];
  readonly scalars?: readonly number[];
}

/** The observation of a view for texts of `embedding` numbers. */
export function rosterObservation(view: RosterView, embedding: number): Float32Array {
  const layout = makeSlotLayout(view.roster.length, embedding);
  const numbers = new Float32Array(layout.inputs);
  numbers.set(view.task ?? [], layout.taskAt);
  view.roster.forEach((row, i) => {
    const entry = view.calls?.[i] ?? 0;
    if (row !== null) numbers.set(row, layout.rosterAt + i * embedding);
    if (row !== null && entry > 0) numbers.set(row, layout.rosterAt + (layout.slots + i) * embedding);
    numbers[layout.adjacencyAt + 1 + i] = entry;
    numbers[layout.calledAt + i] = row === null || entry > 0 ? 1 : 0;
  });
  numbers.set(view.scratchpad ?? [], layout.scratchpadAt);
  numbers.set(view.scalars ?? [], layout.scalarsAt);
  return numbers;
}

/** What an action vector chose. */
export interface RosterChoice {
  readonly meta: number;
  readonly mode: number;
  /** In order. */
  readonly chosen: readonly number[];
}

export function readChoice(vector: unknown, slots: number): RosterChoice {
  const all = new Uint8Array(slots).fill(1);
  const choice = fromActionVector(vector as number[], slots, {
    slots: all,
    leads: all,
    consult: new Uint8Array(slots * slots).fill(1),
  })!;
  const ranks = Array.from(choice.subarray(ACTION_AT.ranks));
  const chosen = ranks
    .flatMap((rank, slot) => (rank > 0 ? [{ rank, slot }] : []))
    .sort((a, b) => a.rank - b.rank)
    .map(({ slot }) => slot);
  return { meta: choice[ACTION_AT.meta]!, mode: choice[ACTION_AT.mode]!, chosen };
}

/** A legal mask in which only the named meta-actions are. */
export function onlyMeta(...metas: readonly number[]): Info["actionMask"] {
  return { meta: Array.from({ length: 8 }, (_, meta) => metas.includes(meta)) };
}

/** A probe with an orchestrator's observation and action. */
export function makeRosterProbe<State>(probe: {
  readonly name: string;
  readonly slots: number;
  readonly embedding: number;
  begin(uniform: () => number): State;
  view(state: State): RosterView;
  step(
    state: State,
    choice: RosterChoice,
  ): { readonly state: State; readonly reward: number; readonly terminated: boolean };
  mask?(state: State): Info["actionMask"];
}) {
  const { slots, embedding } = probe;
  const { low, high } = actionVectorBounds(slots);
  return makeProbe<State>({
    name: probe.name,
    observationSize: makeSlotLayout(slots, embedding).inputs,
    actionSpace: { kind: "box", shape: [low.length], low, high },
    begin: probe.begin,
    observe: (state) => rosterObservation(probe.view(state), embedding) as unknown as readonly number[],
    step: (state, action) => probe.step(state, readChoice(action, slots)),
    mask: (state) => probe.mask?.(state) ?? onlyMeta(CALL),
  });
}
