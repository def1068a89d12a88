import type { Rng } from "@praxis/env";
import { absoluteMaxDose } from "../kb/dose-grid.ts";
import { membersOf } from "../kb/lookup.ts";
import { bearingsOf } from "./allergies.ts";
import { listedMedication } from "./hit-candidates.ts";
import type { LegalityContext, MappedMedication } from "./legality-context.ts";
import type { OfferList } from "./offer-list.ts";
import { addition, drugsFor, gridOf, substitution } from "./replacements.ts";
import { activeIndicationsOf, needsTaper } from "./target-rules.ts";
import type { ActionPayload } from "./types.ts";

type TrapMaker = (context: LegalityContext, rng: Rng) => ActionPayload | null;

/** Abrupt stop of a drug that needs a taper. */
const abruptStop: TrapMaker = (context, rng) => {
  const medication = pick(
    rng,
    context.listed.filter((each) => needsTaper(context, each)),
  );
  return medication === null
    ? null
    : { type: "STOP_DRUG", medRef: medication.medRef, switchToDrugIndex: null, orders: [] };
};

/** A dose one step above the absolute limit. */
const doseAboveLimit: TrapMaker = (context, rng) => {
  const medication = pick(
    rng,
    context.listed.filter(({ drugIndex, taper }) => taper === null && limitOf(context, drugIndex) !== null),
  );
  if (medication === null) return null;
  const drug = context.kb.drugs[medication.drugIndex]!;
  const grid = gridOf(context, drug);
  const top = grid[grid.length - 1];
  if (top === undefined) return null;
  const step = grid.length > 1 ? top - grid[grid.length - 2]! : top;
  return {
    type: "ADJUST_DOSE",
    medRef: medication.medRef,
    dosePerDay: Math.max(top, limitOf(context, drug.index)!) + step,
    dosesPerDay: medication.dosesPerDay,
    orders: [],
  };
};

/** A drug that a recorded allergy forbids, for a condition the patient has. */
const allergyDrug: TrapMaker = (context, rng) => {
  const { known, kb } = context;
  if (known.allergies.length === 0) return null;
  const bearings = known.allergies.map((allergy) => bearingsOf(kb, allergy));
  const drugs = kb.drugs.filter(
    (drug) =>
      bearings.some((bearing) => bearing[drug.index] === "hard") &&
      !context.listedDrugs.has(drug.index) &&
      drug.indications.some((code) => context.indications.has(code)),
  );
  const drug = pick(rng, drugs);
  return drug === null ? null : addition(context, drug, null);
};

/** Of an interacting pair the member that is harder to miss is stopped. */
const wrongMember: TrapMaker = (context, rng) => {
  const members: MappedMedication[] = [];
  for (const { aIndex, bIndex } of context.known.pairHits) {
    const a = listedMedication(context, aIndex);
    const b = listedMedication(context, bIndex);
    if (a === undefined || b === undefined) continue;
    const [harmA, harmB] = [context.kb.drugs[aIndex]!.stopHarm, context.kb.drugs[bIndex]!.stopHarm];
    if (harmA !== harmB) members.push(harmA > harmB ? a : b);
  }
  const medication = pick(rng, members);
  return medication === null
    ? null
    : { type: "STOP_DRUG", medRef: medication.medRef, switchToDrugIndex: null, orders: [] };
};

/** A second drug of a class that is there. */
const duplicateClass: TrapMaker = (context, rng) => {
  const choices: number[] = [];
  for (const { drugIndex } of context.listed) {
    const classes = context.traits[drugIndex]!.duplicateClasses;
    const drug = context.kb.drugs[drugIndex]!;
    if (classes === 0) continue;
    for (const code of activeIndicationsOf(context, drug))
      for (const other of drugsFor(context.kb, code))
        if (
          other !== drugIndex &&
          !context.listedDrugs.has(other) &&
          (context.traits[other]!.duplicateClasses & classes) !== 0
        )
          choices.push(other);
  }
  const drugIndex = pick(rng, choices);
  return drugIndex === null ? null : addition(context, context.kb.drugs[drugIndex]!, null);
};

/** A swap for a drug that interacts as badly as the one that goes. */
const badSwap: TrapMaker = (context, rng) => {
  const hit = pick(
    rng,
    context.known.pairHits.filter(({ severity }) => severity !== "moderate"),
  );
  if (hit === null) return null;
  const medication = listedMedication(context, rng.bernoulli(0.5) ? hit.aIndex : hit.bIndex);
  if (medication === undefined) return null;
  const { kb, listedDrugs } = context;
  const group = kb.drugs[medication.drugIndex]!.groups[0];
  const sibling = group === undefined ? undefined : membersOf(kb, group).find((other) => !listedDrugs.has(other));
  return sibling === undefined ? null : substitution(context, medication, kb.drugs[sibling]!);
};

const MAKERS: readonly TrapMaker[] = [abruptStop, doseAboveLimit, allergyDrug, wrongMember, duplicateClass, badSwap];

/** Adds up to `count` plausible but unsafe or illegal offers of different kinds, drawn by `rng`. */
export function offerTraps(context: LegalityContext, offers: OfferList, count: number, rng: Rng): void {
  offers.openGroup();
  let added = 0;
  for (const makeTrap of rng.shuffled(MAKERS)) {
    if (added >= count) return;
    const payload = makeTrap(context, rng);
    if (payload === null || offers.has(payload)) continue;
    offers.add(payload, "trap");
    added++;
  }
}

function limitOf(context: LegalityContext, drugIndex: number): number | null {
  return absoluteMaxDose(context.kb.drugs[drugIndex]!, context.known.weightKg ?? 70);
}

function pick<T>(rng: Rng, items: readonly T[]): T | null {
  return items.length === 0 ? null : rng.choice(items);
}
