import type { Rng } from "@praxis/env";
import { findAllergy } from "../actions/allergies.ts";
import { traitsOf } from "../actions/drug-traits.ts";
import { withCreatinine } from "../course/labs.ts";
import { solveSerumCreatinine } from "../engine/body.ts";
import { activeConditionCodes, type Facts } from "../interactions/facts.ts";
import { findPairHits, type PairHit } from "../interactions/pair-hits.ts";
import { doseGrid, targetDose, usualDoseMax } from "../kb/dose-grid.ts";
import { judgeRenalRule, type RenalVerdict } from "../kb/renal-dose.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Condition, Medication, Patient, Physiology } from "../world/types.ts";
import type { HazardDose, HazardPatient, HazardPhysiology, MissingTherapy } from "./hazard-family.ts";

/** One drug of a scenario that is being made. */
export interface DraftMedication {
  readonly drug: Drug;
  readonly dosePerDay: number;
  readonly indication: string | null;
  readonly daysOfUse: number;
  /** Course day a short course ends, else null. */
  readonly endDay: number | null;
  /** Level relative to the middle of its target; 1 = in the middle. */
  readonly levelShift: number;
  /** Number of the hazard it belongs to, -1 for the base regimen. */
  readonly hazard: number;
  /** Hidden factor on the effect; default 1. */
  readonly responseFactor?: number;
  /** The symptom of its indication does not answer to it. */
  readonly isFailing?: boolean;
  /** Default `list`. */
  readonly source?: Medication["source"];
  /** Taken, but not on the list. */
  readonly isUnlisted?: boolean;
}

/** Severity of a condition that a hazard or the size of the list asks for. */
const ADDED_SEVERITY = [0.4, 0.8] as const;

/** A scenario that is being made: patient, conditions, physiology under the regimen, drugs. Mutable, private to the generator. */
export class ScenarioDraft {
  readonly kb: KnowledgeBase;
  patient: Patient;
  readonly conditions: Map<string, Condition>;
  physiology: Physiology;
  readonly medications: DraftMedication[] = [];
  readonly orders: string[] = [];
  /** Conditions that must not become active. */
  readonly absent = new Set<string>();
  /** Conditions of the record that are over. */
  readonly history = new Set<string>();
  /** Therapies that must not be given. */
  readonly withheld: MissingTherapy[] = [];

  constructor(
    kb: KnowledgeBase,
    drawn: { readonly patient: Patient; readonly conditions: readonly Condition[]; readonly physiology: Physiology },
  ) {
    this.kb = kb;
    this.patient = drawn.patient;
    this.conditions = new Map(drawn.conditions.map((condition) => [condition.code, condition]));
    this.physiology = drawn.physiology;
  }

  /** Remembers the draft; the returned function brings it back. */
  save(): () => void {
    const conditions = [...this.conditions];
    const { physiology, patient } = this;
    const medications = this.medications.length;
    const withheld = this.withheld.length;
    const absent = [...this.absent];
    const history = [...this.history];
    return () => {
      this.conditions.clear();
      for (const [code, condition] of conditions) this.conditions.set(code, condition);
      this.physiology = physiology;
      this.patient = patient;
      this.medications.length = medications;
      this.withheld.length = withheld;
      this.absent.clear();
      for (const code of absent) this.absent.add(code);
      this.history.clear();
      for (const code of history) this.history.add(code);
    };
  }

  /** Facts of the true state as drafted. */
  facts(): Facts {
    const { physiology, patient } = this;
    return {
      ageYears: patient.ageYears,
      sex: patient.sex,
      crClMlPerMin: physiology.creatinineClearanceMlPerMin,
      egfrMlPerMin: physiology.egfrMlPerMin,
      potassiumMmolPerL: physiology.potassiumMmolPerL,
      sodiumMmolPerL: physiology.sodiumMmolPerL,
      qtcMs: physiology.qtcMs,
      heartRatePerMin: physiology.heartRatePerMin,
      conditions: activeConditionCodes([...this.conditions.values()], physiology.creatinineClearanceMlPerMin),
    };
  }

  /** Makes a condition active; one that is already there stays as it is. */
  addCondition(code: string, rng: Rng): void {
    const severity = ADDED_SEVERITY[0] + (ADDED_SEVERITY[1] - ADDED_SEVERITY[0]) * rng.uniform();
    if (!this.conditions.has(code) && !this.absent.has(code))
      this.conditions.set(code, { code, severity, onsetDay: -400, cascade: null });
  }

  /** Ends a condition for good; false when a drug of the list is taken for it. */
  removeCondition(code: string): boolean {
    if (this.medications.some((each) => each.indication === code)) return false;
    this.conditions.delete(code);
    this.absent.add(code);
    return true;
  }

  /** A condition that a drug of the list brings on, in place of one of the patient's own. */
  setCaused(code: string, cause: Drug, baseSeverity: number): void {
    const cascade = { causeDrugIndex: cause.index, baseSeverity };
    this.conditions.set(code, { code, severity: 1, onsetDay: -350, cascade });
  }

  /** Makes the patient as old, frail or ill as a hazard asks for. */
  setPatient({ leastAgeYears, leastFrailtyCfs, lifeExpectancy }: HazardPatient): void {
    const { ageYears, frailtyCfs } = this.patient;
    this.patient = {
      ...this.patient,
      ageYears: Math.max(ageYears, leastAgeYears ?? 0),
      frailtyCfs: Math.max(frailtyCfs, leastFrailtyCfs ?? 0),
      ...(lifeExpectancy === undefined ? {} : { lifeExpectancy }),
    };
  }

  /** True for a drug that would give a therapy which the scenario leaves out. */
  isWithheld(drug: Drug): boolean {
    return this.withheld.some(({ condition, options }) =>
      options === null
        ? drug.indications.includes(condition)
        : options.some((option) => option === drug.drugId || drug.groups.includes(option)),
    );
  }

  /** Values that a hazard asks for. */
  setPhysiology(change: HazardPhysiology, rng: Rng): void {
    const draw = ([low, high]: readonly [number, number]): number => low + (high - low) * rng.uniform();
    const { ageYears, sex } = this.patient;
    const next = {
      ...this.physiology,
      ...(change.potassium === undefined ? {} : { potassiumMmolPerL: draw(change.potassium) }),
      ...(change.sodium === undefined ? {} : { sodiumMmolPerL: draw(change.sodium) }),
      ...(change.qtc === undefined ? {} : { qtcMs: draw(change.qtc) + (sex === "F" ? 20 : 0) }),
      ...(change.heartRate === undefined ? {} : { heartRatePerMin: draw(change.heartRate) }),
    };
    this.physiology =
      change.egfr === undefined
        ? next
        : withCreatinine(this.patient, next, solveSerumCreatinine({ ageYears, sex, egfrMlPerMin: draw(change.egfr) }));
  }

  /** Pair hits of the drafted regimen with one more drug, or as it is. */
  pairHits(extra?: { readonly drug: Drug; readonly dosePerDay: number }): readonly PairHit[] {
    const drugs = this.medications.map(({ drug, dosePerDay }) => ({ drugIndex: drug.index, dosePerDay }));
    if (extra !== undefined) drugs.push({ drugIndex: extra.drug.index, dosePerDay: extra.dosePerDay });
    return findPairHits(this.kb, drugs, this.facts(), { unknownCountsAs: true });
  }

  /**
   * True when the drug, its class or its duplicate class is on the list already, or an allergy stands against it.
   * @param but hazard whose drugs may be of the same class
   */
  clashes(drug: Drug, but: number | null = null): boolean {
    const traits = traitsOf(this.kb);
    const classes = traits[drug.index]!.duplicateClasses;
    if (findAllergy(this.kb, this.patient.allergies, drug) !== null) return true;
    return this.medications.some((each) =>
      each.hazard === but
        ? each.drug.index === drug.index
        : each.drug.index === drug.index ||
          each.drug.groups[0] === drug.groups[0] ||
          (traits[each.drug.index]!.duplicateClasses & classes) !== 0,
    );
  }

  /** Usual dose inside the renal rule, on the grid; null when the kidneys forbid the drug. */
  legalDose(drug: Drug, wish: "target" | "high" | "low" = "target"): number | null {
    const verdict = this.#renalVerdict(drug);
    if (verdict.isStartForbidden) return null;
    const wanted = wish === "high" ? usualDoseMax(drug) : wish === "low" ? drug.doseMin : targetDose(drug);
    const cap = Math.min(wanted, verdict.doseCap ?? wanted);
    let dose: number | null = null;
    for (const each of doseGrid(drug, this.patient)) {
      if (each > cap * (1 + 1e-9)) break;
      if (each >= drug.doseMin * (1 - 1e-9)) dose = each;
    }
    return dose;
  }

  /** Dose of a hazard's drug; null when the drug can't be wrong in that way for this patient, or must not be given. */
  hazardDose(drug: Drug, dose: HazardDose | undefined): number | null {
    switch (dose) {
      case undefined:
        return this.legalDose(drug);
      case "high":
      case "low":
        return this.legalDose(drug, dose);
      case "daily":
        return drug.doseUnit === "mg/wk" ? 7 * targetDose(drug) : null;
      case "below": {
        const half = doseGrid(drug, this.patient).filter((each) => each <= drug.doseMin / 2);
        return half.at(-1) ?? null;
      }
      case "unadjusted": {
        const { doseCap, isStartForbidden } = this.#renalVerdict(drug);
        const usual = usualDoseMax(drug);
        return isStartForbidden || (doseCap !== null && doseCap < usual) ? usual : null;
      }
    }
  }

  #renalVerdict(drug: Drug): RenalVerdict {
    const { physiology, patient } = this;
    return judgeRenalRule(drug, {
      crClMlPerMin: physiology.creatinineClearanceMlPerMin,
      egfrMlPerMin: physiology.egfrMlPerMin,
      ageYears: patient.ageYears,
      weightKg: patient.weightKg,
      serumCreatinineMgPerDl: physiology.serumCreatinineMgPerDl,
      hasAtrialFibrillation: this.conditions.has("AF_STROKE"),
    });
  }

  /** Puts a drug on the list. */
  add(medication: DraftMedication): void {
    this.medications.push(medication);
  }

  /** First of the conditions that the drug treats and that may be given to the patient; null = none. */
  indicationFor(drug: Drug, conditions: readonly string[]): string | null {
    return conditions.find((code) => drug.indications.includes(code) && !this.absent.has(code)) ?? null;
  }
}
