import type { Rng } from "@praxis/env";
import { getDrug } from "../../kb/lookup.ts";
import type { Drug } from "../../kb/types.ts";
import { addProtections, fillBaseRegimen } from "../../scenario/base-regimen.ts";
import type { ScenarioDraft } from "../../scenario/draft.ts";
import { judgeRegimen, regimenHitsOf } from "../../scenario/judge-regimen.ts";
import type { TierSettings } from "../../scenario/types.ts";
import { COMEDICATION_SHARE, type DosingCase, RECENT_SHARE } from "./case-table.ts";

/** Days of use of an interacting drug: settled, or begun shortly before. */
const LONG_USE_DAYS = [200, 2000] as const;
const RECENT_USE_DAYS = [1, 10] as const;

/** What a regimen around a dosed drug is drafted with. */
export interface RegimenRequest {
  readonly tier: TierSettings;
  readonly isAllowed: (drug: Drug) => boolean;
  readonly rng: Rng;
  readonly regimenRng: Rng;
}

/** Base regimen without the case's own indication, then the interacting drug; false when that does not fit together. */
export function draftRegimen(
  draft: ScenarioDraft,
  dosingCase: DosingCase,
  drug: Drug,
  { tier, isAllowed, rng, regimenRng }: RegimenRequest,
): boolean {
  const { indication, second, coMedications } = dosingCase;
  const hasSecond = second !== null && rng.bernoulli(second.share);
  if (hasSecond) draft.addCondition(second.code, rng);
  draft.conditions.delete(indication);
  draft.absent.add(indication);
  const high = tier.drugs[1] - 2;
  const size = { low: Math.min(high, regimenRng.integer(tier.drugs[0], tier.drugs[1] - 1) - 1), high };
  if (!fillBaseRegimen(draft, regimenRng, size, isAllowed)) return false;
  addProtections(draft, regimenRng, high, isAllowed);
  if (draft.clashes(drug) || judgeRegimen(draft, [], false) === null) return false;
  draft.absent.delete(indication);
  draft.addCondition(indication, rng);
  const isWanted = coMedications.length > 0 && rng.bernoulli(COMEDICATION_SHARE);
  if (!isWanted) return true;
  const chosen = rng.choice(coMedications);
  const other = getDrug(draft.kb, chosen.drugId);
  const dosePerDay = draft.clashes(other) || !isAllowed(other) ? null : draft.legalDose(other);
  if (dosePerDay === null) return false;
  const [low, most] = rng.bernoulli(RECENT_SHARE) ? RECENT_USE_DAYS : LONG_USE_DAYS;
  draft.addCondition(chosen.indication, rng);
  draft.add({
    drug: other,
    dosePerDay,
    indication: chosen.indication,
    daysOfUse: rng.integer(low, most),
    endDay: null,
    levelShift: 1,
    hazard: -1,
  });
  return true;
}

/**
 * True when nothing asks for action but the dose: interactions beside it are managed by monitoring, which is ordered; those that
 * change the level of the dosed drug are answered by dosing it by level.
 */
export function isQuietBeside(draft: ScenarioDraft, drug: Drug): boolean {
  for (const { severity, managementCodes, objectIndex, aIndex, bIndex } of draft.pairHits()) {
    if (severity === "contraindicated") return false;
    if (severity === "moderate") continue;
    const isMonitored = managementCodes.includes("MONITOR") && !managementCodes.includes("AVOID");
    const isAdjusted = objectIndex === drug.index && managementCodes.includes("ADJUST");
    if (!isMonitored && !isAdjusted) return false;
    for (const each of draft.medications)
      if (each.drug.index === (objectIndex ?? aIndex) || each.drug.index === (objectIndex ?? bIndex))
        draft.orders.push(...each.drug.monitoring);
  }
  return regimenHitsOf(draft).every(({ severity }) => severity === "moderate");
}
