import type { Rng } from "@praxis/env";
import { findAllergy } from "../actions/allergies.ts";
import { traitsOf } from "../actions/drug-traits.ts";
import { withCreatinine } from "../course/labs.ts";
import { solveSerumCreatinine } from "../engine/body.ts";
import { activeConditionCodes, type Facts } from "../interactions/facts.ts";
import { findPairHits, type PairHit } from "../interactions/pair-hits.ts";
import { doseGrid, targetDose, usualDoseMax } from "../kb/dose-grid.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Condition, Patient, Physiology } from "../world/types.ts";
import type { HazardPhysiology } from "./hazard-families.ts";

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
    const { physiology } = this;
    const medications = this.medications.length;
    return () => {
      this.conditions.clear();
      for (const [code, condition] of conditions) this.conditions.set(code, condition);
      this.physiology = physiology;
      this.medications.length = medications;
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
    if (!this.conditions.has(code)) this.conditions.set(code, { code, severity, onsetDay: -400, cascade: null });
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

  /** True when the drug, its class or its duplicate class is on the list already, or an allergy stands against it. */
  clashes(drug: Drug): boolean {
    const traits = traitsOf(this.kb);
    const classes = traits[drug.index]!.duplicateClasses;
    if (findAllergy(this.kb, this.patient.allergies, drug) !== null) return true;
    return this.medications.some(
      (each) =>
        each.drug.index === drug.index ||
        each.drug.groups[0] === drug.groups[0] ||
        (traits[each.drug.index]!.duplicateClasses & classes) !== 0,
    );
  }

  /** Usual dose inside the renal rule, on the grid; null when the kidneys forbid the drug. */
  legalDose(drug: Drug, wish: "target" | "high" | "low" = "target"): number | null {
    const { physiology, patient } = this;
    const verdict = judgeRenalRule(drug, {
      crClMlPerMin: physiology.creatinineClearanceMlPerMin,
      egfrMlPerMin: physiology.egfrMlPerMin,
      ageYears: patient.ageYears,
      weightKg: patient.weightKg,
      serumCreatinineMgPerDl: physiology.serumCreatinineMgPerDl,
      hasAtrialFibrillation: this.conditions.has("AF_STROKE"),
    });
    if (verdict.isStartForbidden) return null;
    const wanted = wish === "high" ? usualDoseMax(drug) : wish === "low" ? drug.doseMin : targetDose(drug);
    const cap = Math.min(wanted, verdict.doseCap ?? wanted);
    let dose: number | null = null;
    for (const each of doseGrid(drug, patient)) {
      if (each > cap * (1 + 1e-9)) break;
      if (each >= drug.doseMin * (1 - 1e-9)) dose = each;
    }
    return dose;
  }

  /** Puts a drug on the list. */
  add(medication: DraftMedication): void {
    this.medications.push(medication);
  }

  /** First of the conditions that the drug treats and that may be given to the patient; null = none. */
  indicationFor(drug: Drug, conditions: readonly string[]): string | null {
    return conditions.find((code) => drug.indications.includes(code)) ?? null;
  }
}
