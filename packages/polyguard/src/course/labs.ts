import { computeCreatinineClearance, computeEgfr, dosingWeightKg } from "../engine/body.ts";
import { ExposureModel } from "../engine/exposure.ts";
import { exposureTablesOf } from "../engine/exposure-tables.ts";
import { targetDose } from "../kb/dose-grid.ts";
import { keptByKnowledgeBase } from "../kb/kept.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { findMeasurement } from "../observation/measurements.ts";
import { CATION_ABSORPTION, PPI_ABSORPTION, tshAtShare } from "../pharmacology/levothyroxine.ts";
import { copyPhysiology, type MutablePhysiology } from "../world/copies.ts";
import type { Patient, Physiology, WorldState } from "../world/types.ts";
import type { CourseContext } from "./context.ts";
import { isHeld } from "./regimen.ts";
import { carryOverAfterStop, timingOf } from "./time-constants.ts";

/**
 * How far one risk point moves a value. assumption: sizes chosen so that stopping the drugs behind a hazard brings the
 * value back across its threshold; directions from labels.
 */
const POTASSIUM_PER_POINT = 0.2;
const SODIUM_PER_POINT = -1.2;
const QTC_MS = { KR: 12, PR: 7, CR: 4, none: 0 } as const;
const HEART_RATE_PER_POINT = -4;
const SYSTOLIC_PER_POINT = -4;
const SYSTOLIC_DROP_PER_POINT = 2;
const CREATININE_SHARE_PER_POINT = 0.04;
/** Potassium reacts more strongly below this CrCl, mL/min (assumption:). */
const KIDNEY_LIMIT = 60;
const KIDNEY_POTASSIUM_FACTOR = 1.5;

/** Time constants in days: values follow late. assumption: from turnover; levels t_half/.69. */
const ELECTROLYTE_DAYS = 3;
const INR_DAYS = 4;
const TSH_DAYS = 20;
const HEMODYNAMIC_DAYS = 1;

/** TSH that an assay reports at most, mIU/L. */
const TSH_LIMIT = 100;

/** INR at X = 1 and its steepness: INR = 1 + 1.5 X^1.5. assumption: X 1.25 is just out of range. */
const INR_ABOVE_ONE = 1.5;
const INR_EXPONENT = 1.5;

/** The exposure model of a knowledge base, made once; callers set patient and perpetrators before each use. */
export const exposureModelOf = keptByKnowledgeBase((kb) => new ExposureModel(exposureTablesOf(kb)));

/** The code of the level that a drug's dose is steered by (INR, *_LEVEL), if the simulator can measure it. */
export function levelCodeOf(drug: Drug): string | null {
  const code = drug.monitoring.find((item) => item === "INR" || item === "VANC_AUC" || item.endsWith("_LEVEL"));
  return code !== undefined && findMeasurement(code) !== undefined ? code : null;
}

/** Exposure ratio of a drug of the state with its carry-over weights, dose apart. */
export function exposureRatio(context: CourseContext, state: WorldState, drugIndex: number): number {
  const model = exposureModelOf(context.kb);
  const { patient } = context.scenario;
  model.setPatient({
    crClMlPerMin: state.physiology.creatinineClearanceMlPerMin,
    genotype: patient.genotype,
    isSmoker: patient.isSmoker,
  });
  model.clearPerpetrators();
  for (const medication of state.medications)
    if (medication.isTaken) model.addPerpetrator(medication.drugIndex, medication.carryOver);
  for (const stopped of state.stopped) {
    const weight = fadedWeight(context.kb, stopped, state.clock.day);
    if (weight > 0) model.addPerpetrator(stopped.drugIndex, weight);
  }
  return model.aucr(drugIndex);
}

function fadedWeight(kb: KnowledgeBase, stopped: WorldState["stopped"][number], day: number): number {
  return carryOverAfterStop(timingOf(drugAt(kb, stopped.drugIndex)), stopped.carryOverAtStop, day - stopped.stopDay);
}

/** Middle of the target of a level code; INR 2.5. */
export function middleOfTarget(code: string): number {
  const measurement = findMeasurement(code);
  return measurement === undefined ? 1 : ((measurement.low ?? 0) + (measurement.high ?? 0)) / 2;
}

/** Level or INR that `dose * AUCR` settles at, given the hidden level per exposure. */
export function settledLevel(code: string, exposure: number, levelPerExposure: number): number {
  const relative = exposure * levelPerExposure;
  return code === "INR" ? 1 + INR_ABOVE_ONE * relative ** INR_EXPONENT : middleOfTarget(code) * relative;
}

/**
 * Level per unit of dose * AUCR, relative to the middle of the target. Drugs of the first list have theirs fixed by the
 * scenario; a drug that is new takes its target dose at a ratio of 1 for the middle.
 */
function levelPerExposureOf(context: CourseContext, drug: Drug): number {
  return context.scenario.levelPerExposure[drug.drugId] ?? 1 / targetDose(drug);
}

/** Effects of the regimen on the values, to be added to the drug-free physiology. */
export function withDrugEffects(kb: KnowledgeBase, patient: Patient, base: Physiology, state: WorldState): Physiology {
  let potassium = 0;
  let sodium = 0;
  let qtc = 0;
  let heartRate = 0;
  let systolic = 0;
  let drop = 0;
  let nephrotoxic = 0;
  for (const medication of state.medications) {
    if (!medication.isTaken || isHeld(medication, state.clock.day)) continue;
    const drug = drugAt(kb, medication.drugIndex);
    potassium += drug.risk.hyperkalemia - drug.risk.hypokalemia;
    sodium += drug.risk.hyponatremia;
    qtc += drug.qtRisk === null ? 0 : QTC_MS[drug.qtRisk];
    heartRate += drug.risk.bradycardia;
    systolic += drug.risk.hypotension;
    drop += drug.risk.hypotension;
    nephrotoxic += drug.risk.nephrotoxic;
  }
  const kidney = base.creatinineClearanceMlPerMin < KIDNEY_LIMIT ? KIDNEY_POTASSIUM_FACTOR : 1;
  const values = copyPhysiology(base);
  values.potassiumMmolPerL = clamp(base.potassiumMmolPerL + POTASSIUM_PER_POINT * kidney * potassium, 2.4, 7);
  values.sodiumMmolPerL = clamp(base.sodiumMmolPerL + SODIUM_PER_POINT * sodium, 118, 150);
  values.qtcMs = clamp(base.qtcMs + qtc, 360, 600);
  values.heartRatePerMin = clamp(base.heartRatePerMin + HEART_RATE_PER_POINT * heartRate, 38, 130);
  values.systolicBpMmHg = clamp(base.systolicBpMmHg + SYSTOLIC_PER_POINT * systolic, 85, 210);
  values.systolicDropMmHg = clamp(base.systolicDropMmHg + SYSTOLIC_DROP_PER_POINT * drop, 0, 60);
  setCreatinine(patient, values, base.serumCreatinineMgPerDl * (1 + CREATININE_SHARE_PER_POINT * nephrotoxic));
  return values;
}

/** The physiology with that creatinine and the clearances that follow from it. */
export function withCreatinine(patient: Patient, base: Physiology, serumCreatinineMgPerDl: number): Physiology {
  const values = copyPhysiology(base);
  setCreatinine(patient, values, serumCreatinineMgPerDl);
  return values;
}

function setCreatinine(patient: Patient, values: MutablePhysiology, serumCreatinineMgPerDl: number): void {
  const { ageYears, sex } = patient;
  const weightKg = dosingWeightKg(sex, patient.heightCm, patient.weightKg);
  values.serumCreatinineMgPerDl = serumCreatinineMgPerDl;
  values.creatinineClearanceMlPerMin = computeCreatinineClearance({ ageYears, sex, weightKg, serumCreatinineMgPerDl });
  values.egfrMlPerMin = computeEgfr({ ageYears, sex, serumCreatinineMgPerDl });
}

/** The physiology and labs of the state `days` later under its own regimen. */
export function advanceLabs(
  context: CourseContext,
  state: WorldState,
  days: number,
): Pick<WorldState, "physiology" | "labs"> {
  const { kb, scenario } = context;
  const now = state.physiology;
  const target = withDrugEffects(kb, scenario.patient, scenario.drugFreePhysiology, state);
  const slow = 1 - Math.exp(-days / ELECTROLYTE_DAYS);
  const quick = 1 - Math.exp(-days / HEMODYNAMIC_DAYS);
  const physiology = copyPhysiology(now);
  physiology.potassiumMmolPerL = toward(now.potassiumMmolPerL, target.potassiumMmolPerL, slow);
  physiology.sodiumMmolPerL = toward(now.sodiumMmolPerL, target.sodiumMmolPerL, slow);
  physiology.qtcMs = toward(now.qtcMs, target.qtcMs, quick);
  physiology.heartRatePerMin = toward(now.heartRatePerMin, target.heartRatePerMin, quick);
  physiology.systolicBpMmHg = toward(now.systolicBpMmHg, target.systolicBpMmHg, quick);
  physiology.systolicDropMmHg = toward(now.systolicDropMmHg, target.systolicDropMmHg, quick);
  setCreatinine(scenario.patient, physiology, toward(now.serumCreatinineMgPerDl, target.serumCreatinineMgPerDl, slow));
  return { physiology, labs: advanceLevels(context, state, days) };
}

function toward(value: number, goal: number, share: number): number {
  return value + (goal - value) * share;
}

function advanceLevels(context: CourseContext, state: WorldState, days: number): WorldState["labs"] {
  const { kb } = context;
  let labs: Record<string, number> | null = null;
  const put = (code: string, value: number): void => {
    if (state.labs[code] === value) return;
    labs ??= { ...state.labs };
    labs[code] = value;
  };
  for (const medication of state.medications) {
    if (!medication.isTaken) continue;
    const drug = drugAt(kb, medication.drugIndex);
    if (drug.drugId === "levothyroxine") {
      const goal = tshOf(context, state, medication.dosePerDay);
      put("TSH", goal + ((state.labs.TSH ?? goal) - goal) * Math.exp(-days / TSH_DAYS));
      continue;
    }
    const code = levelCodeOf(drug);
    if (code === null) continue;
    const dose = isHeld(medication, state.clock.day) ? 0 : medication.dosePerDay;
    const exposure = dose * exposureRatio(context, state, drug.index);
    const goal = settledLevel(code, exposure, levelPerExposureOf(context, drug));
    put(code, follow(code, drug, state.labs[code], goal, days));
  }
  for (const stopped of state.stopped) {
    const drug = drugAt(kb, stopped.drugIndex);
    const code = levelCodeOf(drug);
    const isBack = state.medications.some((each) => each.drugIndex === stopped.drugIndex);
    if (code === null || isBack || state.labs[code] === undefined) continue;
    put(code, follow(code, drug, state.labs[code], code === "INR" ? 1 : 0, days));
  }
  return labs ?? state.labs;
}

function follow(code: string, drug: Drug, value: number | undefined, goal: number, days: number): number {
  const tau = code === "INR" ? INR_DAYS : Math.max(0.5, (drug.halfLifeH ?? 24) / 24 / 0.69);
  const from = value ?? (code === "INR" ? 1 : 0);
  return goal + (from - goal) * Math.exp(-days / tau);
}

/** TSH that a levothyroxine dose settles at, mIU/L. */
export function tshOf(context: CourseContext, state: WorldState, dosePerDay: number): number {
  const isIn = (group: string): boolean =>
    state.medications.some((each) => each.isTaken && drugAt(context.kb, each.drugIndex).groups.includes(group));
  const isSeparated = state.orders.some((order) => order.code === "TIMING");
  const absorbed =
    dosePerDay *
    (isIn("POLYVALENT_CATION") && !isSeparated ? CATION_ABSORPTION : 1) *
    (isIn("PPI") ? PPI_ABSORPTION : 1);
  const relative = absorbed * (context.scenario.levelPerExposure.levothyroxine ?? 1 / Math.max(1, dosePerDay));
  return Math.min(TSH_LIMIT, tshAtShare(relative));
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
