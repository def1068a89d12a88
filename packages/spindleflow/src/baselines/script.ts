import type { Rng } from "@praxis/env";
import type { BankIndex } from "../bank/bank-index.ts";
import { similarityNow } from "../engine/modes.ts";
import type { EpisodeState } from "../episode.ts";
import { worldOf } from "../episode.ts";
import type { Decision } from "../names.ts";

/** What a script sees: the whole state. Rules and planners read its public part only, the oracles (`truthStep`, `reference`) all of it. */
export interface Scene {
  readonly index: BankIndex;
  readonly state: EpisodeState;
  readonly rng: Rng;
}

/** A scripted policy for one shift: makes its choices from the state, may remember what it saw. */
export interface Script {
  choose(scene: Scene): Decision;
  /** Told of each step after it was made, for scripts that learn from outcomes. */
  seen?(before: EpisodeState, after: EpisodeState, info: Readonly<Record<string, unknown>>): void;
}

/** Slots by similarity of their text with the task's, most similar first, filled ones only. */
function bySimilarity({ state }: Scene, bonus: (slot: number) => number = () => 0): number[] {
  const world = worldOf(state);
  const similarity = similarityNow(world, state.run);
  const score = (slot: number): number => similarity[slot]! + bonus(slot);
  return state.shift.seats
    .flatMap((seat, slot) => (seat === null ? [] : [slot]))
    .sort((a, b) => score(b) - score(a) || a - b);
}

/** {@link bySimilarity} of slots not yet called. */
export function callable(scene: Scene, bonus?: (slot: number) => number): number[] {
  return bySimilarity(scene, bonus).filter((slot) => scene.state.masks.slots[slot]);
}
