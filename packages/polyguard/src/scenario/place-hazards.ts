import type { Rng } from "@praxis/env";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { ScenarioDraft } from "./draft.ts";
import { familiesOf } from "./hazard-families.ts";
import type { HazardFamily, HazardSlot } from "./hazard-family.ts";
import { heldOutCombinations } from "./held-out-combinations.ts";
import { injectHazard, type PlacedHazard, slotDrugs } from "./inject.ts";
import type { ScenarioPlan } from "./plan.ts";
import { type Demand, demandOf, HELD_OUT_FAMILIES, isHeldOutCombination, isHeldOutDrug } from "./splits.ts";
import type { Split } from "./types.ts";

/** The demand of a split, where the plan can answer it: no hazard families, no held-out hazard. */
export function demandFor(kb: KnowledgeBase, { families, hazards }: ScenarioPlan, split: Split): Demand {
  const demand = demandOf(split);
  switch (demand) {
    case "held_out_family":
      return families.some((family) => HELD_OUT_FAMILIES.includes(family)) ? demand : null;
    case "held_out_rule":
      return familiesOf(families).some(({ sign }) => (sign ?? "hit") === "hit") ? demand : null;
    case "held_out_combination":
      return hazards[1] >= 1 &&
        [2, 3].some((size) => (heldOutCombinations(withFreeDrugs(kb, families), size) ?? []).length > 0)
        ? demand
        : null;
    default:
      return demand;
  }
}

/** Draws families by the share that needs several visits, and injects them; null when they don't fit the patient. */
export function placeHazards(
  draft: ScenarioDraft,
  rng: Rng,
  { tier, families: names, hazards, isHalfSeveralVisits }: ScenarioPlan,
  demand: Demand,
  allowed: (drug: Drug) => boolean,
): readonly PlacedHazard[] | null {
  const { kb } = draft;
  const [low, high] = hazards;
  const count = Math.max(low === high ? low : rng.integer(low, high), demand === "held_out_combination" ? 2 : 0);
  const all = familiesOf(names);
  const wanted = demand === "held_out_combination" ? chooseCombination(rng, withFreeDrugs(kb, names), count) : null;
  if (wanted !== null)
    return placeCombination(draft, rng, wanted, { severalVisitsShare: tier.severalVisitsShare, allowed });
  const placed: PlacedHazard[] = [];
  for (let number = 0; number < count; number++) {
    const isMeantToLast = rng.bernoulli(tier.severalVisitsShare);
    const wantsSeveralVisits = isMeantToLast || (isHalfSeveralVisits === true && number < count / 2);
    const isDemanded = demand === "held_out_family" && number === 0;
    const free = all.filter(
      ({ family }) =>
        HELD_OUT_FAMILIES.includes(family) === isDemanded && !placed.some((hazard) => hazard.family === family),
    );
    const fitting = free.filter((family) =>
      wantsSeveralVisits
        ? family.needsSeveralVisits || hasTaperDrugs(kb, family)
        : !family.needsSeveralVisits || isDemanded,
    );
    // A task of few families may have none left of the kind.
    const families = fitting.length === 0 ? free : fitting;
    if (families.length === 0) return null;
    const hazard = injectHazard(draft, rng, { family: rng.choice(families), number, wantsSeveralVisits, allowed });
    if (hazard === null) return null;
    placed.push(hazard);
  }
  const isHeldOut = isHeldOutCombination(placed.map((hazard) => hazard.family));
  return isHeldOut === (demand === "held_out_combination") ? placed : null;
}

/** Names of the families that need no held-out drug. */
function withFreeDrugs(kb: KnowledgeBase, names: readonly string[]): readonly string[] {
  const isFree = (slot: HazardSlot): boolean => slotDrugs(kb, slot).some((drug) => !isHeldOutDrug(kb, drug));
  return familiesOf(names)
    .filter(({ forms }) => forms.some(({ slots }) => slots.every(isFree)))
    .map(({ family }) => family);
}

/** One of the held-out sets of that size, or of another small size where there is none; null = left to chance. */
function chooseCombination(rng: Rng, names: readonly string[], count: number): readonly string[] | null {
  const sets = heldOutCombinations(names, count);
  if (sets === null) return null;
  const other = sets.length > 0 ? sets : (heldOutCombinations(names, count === 2 ? 3 : 2) ?? []);
  return other.length === 0 ? null : rng.choice(other);
}

/** Injects the families of a set, in random order; null when one does not fit the patient. */
function placeCombination(
  draft: ScenarioDraft,
  rng: Rng,
  names: readonly string[],
  how: { readonly severalVisitsShare: number; readonly allowed: (drug: Drug) => boolean },
): readonly PlacedHazard[] | null {
  const placed: PlacedHazard[] = [];
  for (const [number, family] of rng.shuffled(familiesOf(names)).entries()) {
    const wantsSeveralVisits = family.needsSeveralVisits || rng.bernoulli(how.severalVisitsShare);
    const hazard = injectHazard(draft, rng, { family, number, wantsSeveralVisits, allowed: how.allowed });
    if (hazard === null) return null;
    placed.push(hazard);
  }
  return placed;
}

/** True when a drug of the family must be tapered after long use. */
function hasTaperDrugs(kb: KnowledgeBase, family: HazardFamily): boolean {
  return family.forms.some((form) =>
    form.slots.some((slot) =>
      slotDrugs(kb, slot).some((drug) => drug.taperIfDaysGt !== null && drug.taperClass !== "PPI"),
    ),
  );
}
