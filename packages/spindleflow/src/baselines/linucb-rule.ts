import { cosine } from "../bank/bank-index.ts";
import { similarityNow } from "../engine/modes.ts";
import { worldOf } from "../episode.ts";
import { decide } from "../names.ts";
import { seatText } from "../shift/shift.ts";
import { callable, type Scene, type Script } from "./script.ts";

/** Cues whose nearness a specialist's text is described by, beside a constant and the similarity with the task. */
const CUES = ["marketing", "experimental", "junior", "senior"] as const;
/** Numbers that a slot is described by. */
export const FEATURES = 2 + CUES.length;

/** What the bandit sees of a slot: texts only. */
export function featuresOf({ index, state }: Scene, slot: number): number[] {
  const { vector } = seatText(index, state.shift.seats[slot]!);
  return [
    1,
    similarityNow(worldOf(state), state.run)[slot]!,
    ...CUES.map((cue) => cosine(vector, index.bank.vectors.cue(cue))),
  ];
}

/**
 * Weights of the baseline that plays under the name `linucb`: learnt on {@link FROZEN_SHIFTS} training shifts of software engineering,
 * preset balanced, by `trainLinUcb` from seed {@link FROZEN_FIRST_SEED} on; a test learns them anew.
 */
export const FROZEN_WEIGHTS: readonly number[] = [
  -0.16520905045047862, 0.26031037957566494, -0.06981472126006161, 0.04511106763614525, -0.08299109277836392,
  0.1477537078254758,
];
/** See {@link FROZEN_WEIGHTS}. */
export const FROZEN_SHIFTS = 1000;
/** See {@link FROZEN_WEIGHTS}; no seed of a shift that policies are trained or evaluated on. */
export const FROZEN_FIRST_SEED = 20_000_000;

/** The single call with the highest estimate by frozen weights, then stop. */
export const linucb: Script = {
  choose(scene) {
    if (scene.state.run.callCount > 0) return decide("stop");
    const worth = (slot: number): number =>
      featuresOf(scene, slot).reduce((sum, x, i) => sum + x * FROZEN_WEIGHTS[i]!, 0);
    const [best] = callable(scene).sort((a, b) => worth(b) - worth(a) || a - b);
    return best === undefined ? decide("stop") : decide("callSpecialist", [best]);
  },
};
