import type { Drug } from "../kb/types.ts";
import type { Facts } from "./facts.ts";

/** What of a regimen decides the derived indications. */
export interface IndicationTriggers {
  /** Antiplatelets, anticoagulants and NSAIDs. */
  readonly bleeders: number;
  readonly hasMethotrexate: boolean;
  readonly hasLoopOrThiazide: boolean;
  readonly hasRasiOrPotassiumSparing: boolean;
}

/** What of the patient decides them; unknown values already counted one way. */
export interface IndicationFlags {
  readonly hasUlcer: boolean;
  readonly isAge75: boolean;
  /** K < 3.5 mmol/L. */
  readonly isPotassiumLow: boolean;
}

/** Derived indication codes. */
export const DERIVED_INDICATIONS = ["GASTROPROTECTION", "MTX_PROTECT", "HYPOKALEMIA"] as const;

/** Code of an indication that follows from the regimen. */
export type DerivedIndication = (typeof DERIVED_INDICATIONS)[number];

/** Group sets behind {@link IndicationTriggers}. */
export const TRIGGER_GROUPS = {
  bleeder: ["ANTIPLATELET", "ANTICOAG", "NSAID"],
  methotrexate: ["METHOTREXATE"],
  loopOrThiazide: ["LOOP", "THIAZIDE"],
  rasiOrPotassiumSparing: ["RASI", "K_SPARING"],
} as const;

/** True for a drug in one of the groups. */
export function isInAny(drug: Drug, groups: readonly string[]): boolean {
  return groups.some((group) => drug.groups.includes(group));
}

/** Trigger of RG7 with the PPI left out of sight: one bleeder with an ulcer history, or two at age 75 or above. Source: STOPP v3. */
export function needsGastroprotection(bleeders: number, flags: Pick<IndicationFlags, "hasUlcer" | "isAge75">): boolean {
  return (bleeders >= 1 && flags.hasUlcer) || (bleeders >= 2 && flags.isAge75);
}

/** True if a derived indication is active: RG7 trigger; methotrexate; low K, or loop or thiazide without RASI or potassium-sparing drug. */
export function isDerivedActive(
  code: DerivedIndication,
  triggers: IndicationTriggers,
  flags: IndicationFlags,
): boolean {
  switch (code) {
    case "GASTROPROTECTION":
      return needsGastroprotection(triggers.bleeders, flags);
    case "MTX_PROTECT":
      return triggers.hasMethotrexate;
    case "HYPOKALEMIA":
      return flags.isPotassiumLow || (triggers.hasLoopOrThiazide && !triggers.hasRasiOrPotassiumSparing);
  }
}

/** Codes of the conditions that are active for a patient on a regimen, derived ones included. Unknown potassium counts as normal. */
export function activeIndicationCodes(regimen: readonly Drug[], facts: Facts): ReadonlySet<string> {
  const triggers: IndicationTriggers = {
    bleeders: regimen.filter((drug) => isInAny(drug, TRIGGER_GROUPS.bleeder)).length,
    hasMethotrexate: regimen.some((drug) => isInAny(drug, TRIGGER_GROUPS.methotrexate)),
    hasLoopOrThiazide: regimen.some((drug) => isInAny(drug, TRIGGER_GROUPS.loopOrThiazide)),
    hasRasiOrPotassiumSparing: regimen.some((drug) => isInAny(drug, TRIGGER_GROUPS.rasiOrPotassiumSparing)),
  };
  const flags = indicationFlags(facts, false);
  const codes = new Set(facts.conditions);
  for (const code of DERIVED_INDICATIONS) {
    if (isDerivedActive(code, triggers, flags)) codes.add(code);
  }
  return codes;
}

/** Active indications of a drug in a regimen that holds it, in table order. */
export function activeIndications(drug: Drug, regimen: readonly Drug[], facts: Facts): readonly string[] {
  const active = activeIndicationCodes(regimen, facts);
  return drug.indications.filter((code) => active.has(code));
}

/** The patient side of the derived indications; an unknown potassium counts as `unknownCountsAs`. */
export function indicationFlags(facts: Facts, unknownCountsAs: boolean): IndicationFlags {
  return {
    hasUlcer: facts.conditions.has("GI_ULCER"),
    isAge75: facts.ageYears >= 75,
    isPotassiumLow: facts.potassiumMmolPerL === null ? unknownCountsAs : facts.potassiumMmolPerL < 3.5,
  };
}
