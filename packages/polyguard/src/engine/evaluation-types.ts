import type { HarmDomain } from "../kb/domains.ts";
import type { Condition, DosePoint, Genotype, LifeExpectancy, Patient, Sex, WorldState } from "../world/types.ts";

/** One drug of a regimen on one day, active or stopped and still fading. Doses are in the unit of the drug's row. */
export interface EvaluationItem {
  readonly drugIndex: number;
  /** Dose now; of a stopped drug the last one. */
  readonly dosePerDay: number;
  readonly dosesPerDay: number;
  readonly isPrn: boolean;
  /** False for a stopped drug: no burden, no regimen rule. */
  readonly isActive: boolean;
  /** c: weight of risk points, inhibition, induction and pair hits, 0-1; 1 = settled. */
  readonly carryOver: number;
  /** Adherence times response times onset or fading: multiplies x of every indication, 0-1. */
  readonly effectFactor: number;
  readonly daysOfUse: number;
  readonly startDay: number;
  readonly doseHistory: readonly DosePoint[];
  readonly lastInRangeLevelDay: number | null;
  /** dose * AUCR when the level was last in range; null = no level-guided drug. */
  readonly exposureReference: number | null;
  readonly isTapering: boolean;
  readonly isReviewed: boolean;
  readonly crossOverFromDrugIndex: number | null;
}

/** Patient and visit that regimens are judged for: the latent truth, or one guess of it. */
export interface EvaluationContext {
  readonly ageYears: number;
  readonly sex: Sex;
  readonly frailtyCfs: number;
  readonly lifeExpectancy: LifeExpectancy;
  readonly isSmoker: boolean;
  /** null = normal metaboliser everywhere. */
  readonly genotype: Genotype | null;
  readonly crClMlPerMin: number;
  readonly egfrMlPerMin: number;
  readonly potassiumMmolPerL: number;
  readonly sodiumMmolPerL: number;
  readonly qtcMs: number;
  readonly heartRatePerMin: number;
  readonly conditions: readonly Pick<Condition, "code" | "severity">[];
  /** Active order codes. */
  readonly orders: readonly string[];
  /** Multiplies lam_h after admissions; absent = 1. */
  readonly hazardMultipliers: Readonly<Partial<Record<HarmDomain, number>>>;
  /** Hidden response by `CONDITION:drug_id`; absent = 1. */
  readonly responses: Readonly<Record<string, number>>;
}

/** Losses of one regimen; rates a year. The object and its arrays belong to the engine and are overwritten by its next call. */
export interface Evaluation {
  /** LamADE: expected utility lost to adverse drug events a year. */
  lamAde: number;
  /** LamDis: expected utility lost to disease a year. */
  lamDis: number;
  /** H = LamADE + LamDis. */
  harm: number;
  /** B, 0-1. */
  burden: number;
  /** U = -H - 0.05 B. */
  utility: number;
  drugCount: number;
  acb: number;
  dbi: number;
  mrci: number;
  /** lam_h, events a year, by domain number. */
  readonly lamByDomain: Float64Array;
  /** Exposure ratio by position of the item. */
  readonly aucr: Float64Array;
  /** X: exposure over the reference by position; 1 for drugs without reference. */
  readonly exposureShift: Float64Array;
}

/** An item with everything settled and full effect; give what differs. */
export function makeItem(
  item: Pick<EvaluationItem, "drugIndex" | "dosePerDay"> & Partial<EvaluationItem>,
): EvaluationItem {
  return {
    drugIndex: item.drugIndex,
    dosePerDay: item.dosePerDay,
    dosesPerDay: item.dosesPerDay ?? 1,
    isPrn: item.isPrn ?? false,
    isActive: item.isActive ?? true,
    carryOver: item.carryOver ?? 1,
    effectFactor: item.effectFactor ?? 1,
    daysOfUse: item.daysOfUse ?? 0,
    startDay: item.startDay ?? 0,
    doseHistory: item.doseHistory ?? NO_HISTORY,
    lastInRangeLevelDay: item.lastInRangeLevelDay ?? null,
    exposureReference: item.exposureReference ?? null,
    isTapering: item.isTapering ?? false,
    isReviewed: item.isReviewed ?? false,
    crossOverFromDrugIndex: item.crossOverFromDrugIndex ?? null,
  };
}

const NO_HISTORY: readonly DosePoint[] = [];

/** Context of the true state, with today's physiology. @param conditions the state's own, or those of a later day */
export function contextFromWorld(
  patient: Patient,
  state: WorldState,
  conditions: WorldState["conditions"] = state.conditions,
): EvaluationContext {
  const { physiology } = state;
  return {
    ageYears: patient.ageYears,
    sex: patient.sex,
    frailtyCfs: patient.frailtyCfs,
    lifeExpectancy: patient.lifeExpectancy,
    isSmoker: patient.isSmoker,
    genotype: patient.genotype,
    crClMlPerMin: physiology.creatinineClearanceMlPerMin,
    egfrMlPerMin: physiology.egfrMlPerMin,
    potassiumMmolPerL: physiology.potassiumMmolPerL,
    sodiumMmolPerL: physiology.sodiumMmolPerL,
    qtcMs: physiology.qtcMs,
    heartRatePerMin: physiology.heartRatePerMin,
    conditions,
    orders: state.orders
      .filter((order) => order.endDay === null || order.endDay >= state.clock.day)
      .map((order) => order.code),
    hazardMultipliers: state.hazardMultipliers,
    responses: state.hidden.responses,
  };
}
