import type { Condition, Patient, Physiology, Sex, WorldState } from "../world/types.ts";

/** What interaction rules may look at. A null number is not known; the true state has none. */
export interface Facts {
  readonly ageYears: number;
  readonly sex: Sex;
  readonly crClMlPerMin: number | null;
  readonly egfrMlPerMin: number | null;
  readonly potassiumMmolPerL: number | null;
  readonly sodiumMmolPerL: number | null;
  readonly qtcMs: number | null;
  readonly heartRatePerMin: number | null;
  /** Active conditions and risk conditions, implied and derived ones included (see `activeConditionCodes`). */
  readonly conditions: ReadonlySet<string>;
}

/** CKD starts below this creatinine clearance, mL/min. Source: KDIGO 2012 threshold of 60. */
export const CKD_BELOW_ML_PER_MIN = 60;

/** Codes with severity above 0, plus the implied ones: HFREF implies HF, CrCl < 60 mL/min implies CKD. */
export function activeConditionCodes(
  conditions: readonly Pick<Condition, "code" | "severity">[],
  crClMlPerMin: number | null,
): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const condition of conditions) {
    if (condition.severity > 0) codes.add(condition.code);
  }
  if (codes.has("HFREF")) codes.add("HF");
  if (crClMlPerMin !== null && crClMlPerMin < CKD_BELOW_ML_PER_MIN) codes.add("CKD");
  return codes;
}

/** The facts of the true state. */
export function trueFacts(patient: Patient, state: WorldState): Facts {
  const physiology: Physiology = state.physiology;
  return {
    ageYears: patient.ageYears,
    sex: patient.sex,
    crClMlPerMin: physiology.creatinineClearanceMlPerMin,
    egfrMlPerMin: physiology.egfrMlPerMin,
    potassiumMmolPerL: physiology.potassiumMmolPerL,
    sodiumMmolPerL: physiology.sodiumMmolPerL,
    qtcMs: physiology.qtcMs,
    heartRatePerMin: physiology.heartRatePerMin,
    conditions: activeConditionCodes(state.conditions, physiology.creatinineClearanceMlPerMin),
  };
}
