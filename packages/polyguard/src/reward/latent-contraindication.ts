import type { ActionEffect } from "../actions/effect.ts";
import type { Facts } from "../interactions/facts.ts";
import { findPairHits } from "../interactions/pair-hits.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { WorldState } from "../world/types.ts";

/** True when the action starts a drug that is contraindicated, by the true facts, with one that is really taken. */
export function createsLatentContraindication(
  kb: KnowledgeBase,
  world: WorldState,
  facts: Facts,
  effect: ActionEffect,
): boolean {
  const { started } = effect;
  if (started === null) return false;
  const leaving = effect.leaves === "substitute" ? effect.target?.medRef : undefined;
  const others = world.medications.filter(
    ({ isTaken, drugIndex, medRef }) => isTaken && drugIndex !== started.drugIndex && medRef !== leaving,
  );
  return others.some((other) =>
    findPairHits(kb, [started, other], facts, { unknownCountsAs: false }).some(
      ({ severity }) => severity === "contraindicated",
    ),
  );
}
