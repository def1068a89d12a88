import { CKD_BELOW_ML_PER_MIN } from "../interactions/facts.ts";
import type { Observation } from "../observation/schema.ts";
import { SUB_ENVIRONMENTS } from "../scenario/types.ts";
import { CONDITION_PLACES, FEATURE_CONDITIONS } from "./layout.ts";

const bit = (holds: boolean): number => (holds ? 1 : 0);

/** Values of the patient block; what is not known is 0. Order: PATIENT_FIELDS. */
export function patientFeatures(observation: Observation): number[] {
  const { patient, organ, labs, vitals, safety, course, budget, uncertainty } = observation;
  const value = (rows: Observation["labs"], code: string): number | null => rows[code]?.value ?? null;
  const known = {
    scr: organ.scr?.value ?? null,
    weight: patient.weight_kg,
    potassium: value(labs, "K"),
    sodium: value(labs, "NA"),
    qtc: value(vitals, "QTC"),
    heartRate: value(vitals, "HR"),
    systolic: value(vitals, "SBP"),
    inr: value(labs, "INR"),
    hemoglobin: value(labs, "HB"),
    frailty: patient.frailty_cfs,
  };
  const scaled = (x: number | null, middle: number, scale: number): number => (x === null ? 0 : (x - middle) / scale);
  const critical = [organ.scr, labs.K, labs.NA, vitals.QTC, labs.INR];
  const oldest = Math.max(0, ...critical.map((lab) => lab?.age_days ?? 0));
  const alerts = (severity: string): number => safety.alerts.filter((alert) => alert.severity === severity).length;
  return [
    (patient.age - 78) / 10,
    bit(patient.sex === "F"),
    scaled(known.weight, 70, 20),
    scaled(known.frailty, 0, 9),
    ...["<1y", "1-5y", ">5y"].map((band) => bit(patient.life_expectancy === band)),
    bit(patient.smoker === true),
    scaled(organ.crcl, 0, 100),
    scaled(organ.egfr, 0, 100),
    scaled(known.potassium, 4.3, 1),
    scaled(known.sodium, 138, 6),
    scaled(known.qtc, 430, 50),
    scaled(known.heartRate, 70, 20),
    scaled(known.systolic, 130, 20),
    scaled(known.inr, 2.5, 1),
    scaled(known.hemoglobin, 12.5, 2),
    ...Object.values(known).map((each) => bit(each !== null)),
    oldest / 90,
    safety.burden.n / 15,
    safety.burden.acb / 9,
    safety.burden.dbi / 3,
    safety.r90_estimate,
    safety.alert_coverage,
    alerts("contraindicated") / 3,
    alerts("major") / 5,
    alerts("moderate") / 8,
    observation.discrepancies.length / 3,
    observation.conflicts.length / 2,
    uncertainty.entropy_hint,
    budget.steps_left / 18,
    course.visits_left / 10,
    course.changes_left / 8,
    budget.evidence_left / 5,
    budget.review_left / 2,
    course.changes_28d.length / 3,
    bit(observation.taper.some(({ plan }) => plan !== null && !plan.paused)),
    bit(course.switch !== null),
    course.day / 365,
    course.pill_count ?? 0,
  ];
}

/** Values of the context block: sub-environment, and active or unverified conditions, CKD also by the clearance. Order: CONTEXT_FIELDS. */
export function contextFeatures(observation: Observation): number[] {
  const codes = new Set(observation.conditions.filter(({ status }) => status !== "history").map(({ code }) => code));
  const { crcl } = observation.organ;
  if (crcl !== null && crcl < CKD_BELOW_ML_PER_MIN) codes.add("CKD");
  return [
    ...SUB_ENVIRONMENTS.map((id) => bit(observation.sub_environment === id)),
    ...FEATURE_CONDITIONS.map((code) => bit(codes.has(code))),
    ...new Array<number>(CONDITION_PLACES - FEATURE_CONDITIONS.length).fill(0),
  ];
}
