import type { ActionPayload } from "../actions/types.ts";
import { isTitrated, targetDose, usualDoseMax } from "../kb/dose-grid.ts";
import { judgeRenalRule, type RenalDoseFacts } from "../kb/renal-dose.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Patient, WorldState } from "../world/types.ts";

/** Share outside the range that still earns half. */
const NEAR_RANGE = 0.25;

/** A dose as it is judged. */
export interface Dosed {
  readonly drug: Drug;
  readonly dosePerDay: number;
  /** As needed, tapering or still rising: no lower end. */
  readonly hasNoFloor: boolean;
}

/**
 * c7 outside the dosing models: mean over the active drugs after the action of 1 inside [dose_min, upper end after the renal
 * rule], .5 within a quarter of it, 0 beyond or where the rule forbids the drug. .5 without a drug. True kidneys count.
 */
export function dosingQuality(
  kb: KnowledgeBase,
  patient: Patient,
  world: WorldState,
  payload: ActionPayload | null,
): number {
  const facts: RenalDoseFacts = {
    crClMlPerMin: world.physiology.creatinineClearanceMlPerMin,
    egfrMlPerMin: world.physiology.egfrMlPerMin,
    ageYears: patient.ageYears,
    weightKg: patient.weightKg,
    serumCreatinineMgPerDl: world.physiology.serumCreatinineMgPerDl,
    hasAtrialFibrillation: world.conditions.some(
      ({ code, severity }) => severity > 0 && (code === "AF_STROKE" || code === "AF_RATE"),
    ),
  };
  let sum = 0;
  let count = 0;
  const score = (dosed: Dosed): void => {
    sum += doseQuality(dosed, facts);
    count++;
  };
  for (const medication of world.medications) {
    if (!medication.isTaken) continue;
    const drug = kb.drugs[medication.drugIndex]!;
    const isTarget = payload !== null && "medRef" in payload && payload.medRef === medication.medRef;
    const isLeaving =
      isTarget && (payload.type === "STOP_DRUG" || payload.type === "SUBSTITUTE_DRUG" || payload.type === "HOLD_DOSE");
    const isHeld = medication.heldUntilDay !== null && medication.heldUntilDay > world.clock.day;
    if (isLeaving || isHeld) continue;
    const dosePerDay = isTarget && payload.type === "ADJUST_DOSE" ? payload.dosePerDay : medication.dosePerDay;
    const isTapering = medication.taperPlan !== null || (isTarget && payload.type === "START_TAPER");
    const isRising = isTitrated(drug) && medication.startDay >= 0 && dosePerDay < targetDose(drug);
    score({ drug, dosePerDay, hasNoFloor: medication.isPrn || isTapering || isRising });
  }
  if (payload !== null && (payload.type === "ADD_DRUG" || payload.type === "SUBSTITUTE_DRUG")) {
    const drug = kb.drugs[payload.drugIndex]!;
    score({ drug, dosePerDay: payload.dosePerDay, hasNoFloor: isTitrated(drug) });
  }
  return count === 0 ? 0.5 : sum / count;
}

/** 1 inside [dose_min, upper end after the renal rule], .5 within a quarter of it, 0 beyond or where the rule forbids the drug. */
export function doseQuality({ drug, dosePerDay, hasNoFloor }: Dosed, facts: RenalDoseFacts): number {
  const usual = usualDoseMax(drug);
  const cap =
    drug.renalRule.clauses.length > 0 || drug.renalRule.hasAfRule ? judgeRenalRule(drug, facts).doseCap : null;
  const upper = cap === null ? usual : Math.min(usual, cap);
  if (upper <= 0) return 0;
  // A renal cap may lie below dose_min; then the cap is the range.
  const lower = hasNoFloor ? 0 : Math.min(drug.doseMin, upper);
  if (dosePerDay >= lower * (1 - 1e-9) && dosePerDay <= upper * (1 + 1e-9)) return 1;
  if (dosePerDay >= lower * (1 - NEAR_RANGE) && dosePerDay <= upper * (1 + NEAR_RANGE)) return 0.5;
  return 0;
}
