import type { CourseContext } from "../course/context.ts";
import { levelCodeOf } from "../course/labs.ts";
import { isHeld } from "../course/regimen.ts";
import { computeCreatinineClearance, computeEgfr, dosingWeightKg } from "../engine/body.ts";
import { makeItem } from "../engine/evaluation-types.ts";
import { HarmEngine, risk90Days } from "../engine/harm.ts";
import type { Facts } from "../interactions/facts.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Medication, WorldState } from "../world/types.ts";
import { findListHits, type ListHits, showAlerts } from "./alerts.ts";
import { factsOf } from "./facts.ts";
import { missingFields } from "./missing-fields.ts";
import type {
  Known,
  KnownDiscrepancy,
  KnownMedication,
  KnownStatus,
  KnownStopped,
  KnownTaper,
  Memory,
} from "./types.ts";

/** Values that the risk estimate takes for what is not known. assumption: medians of the patients generated. */
const TYPICAL = { crCl: 60, egfr: 65, potassium: 4.3, sodium: 139, qtc: 428, heartRate: 72, frailty: 4 };

/** Burden and 90-day risk as shown. */
interface ShownRisk {
  readonly burden: Known["burden"];
  readonly r90: number;
}

/** All that hits and shown risk depend on. */
interface JudgedKey {
  readonly scenario: CourseContext["scenario"];
  readonly frailtyCfs: number;
  readonly facts: Facts;
  readonly orders: WorldState["orders"];
  readonly medications: readonly KnownMedication[];
  readonly day: number;
}

/** PPI use beyond this many days asks for a reason: the one way in which passing days alone make a hit (RG9). */
const LONG_USE_DAYS = 56;

function isSameList(a: JudgedKey, b: JudgedKey): boolean {
  if (a.scenario !== b.scenario || a.frailtyCfs !== b.frailtyCfs || a.orders !== b.orders) return false;
  return isSameFacts(a.facts, b.facts) && isSameRegimen(a, b);
}

function isSameFacts(a: Facts, b: Facts): boolean {
  if (
    a.crClMlPerMin !== b.crClMlPerMin ||
    a.egfrMlPerMin !== b.egfrMlPerMin ||
    a.potassiumMmolPerL !== b.potassiumMmolPerL ||
    a.sodiumMmolPerL !== b.sodiumMmolPerL ||
    a.qtcMs !== b.qtcMs ||
    a.heartRatePerMin !== b.heartRatePerMin ||
    a.conditions.size !== b.conditions.size
  )
    return false;
  for (const code of a.conditions) if (!b.conditions.has(code)) return false;
  return true;
}

function isSameRegimen(a: JudgedKey, b: JudgedKey): boolean {
  if (a.medications.length !== b.medications.length) return false;
  const isLong = (startDay: number | null, day: number): boolean => startDay !== null && day - startDay > LONG_USE_DAYS;
  return a.medications.every((row, i) => {
    const other = b.medications[i]!;
    return (
      row.drugIndex === other.drugIndex &&
      row.dosePerDay === other.dosePerDay &&
      row.dosesPerDay === other.dosesPerDay &&
      (row.status === "held") === (other.status === "held") &&
      row.crossOverFromDrugIndex === other.crossOverFromDrugIndex &&
      isLong(row.startDay, a.day) === isLong(other.startDay, b.day)
    );
  });
}

/** Makes {@link Known} from the world and what was learned; owns an engine for the shown risk and burden. */
export class KnownBuilder {
  readonly #kb: KnowledgeBase;
  readonly #engine: HarmEngine;
  #last: { readonly key: JudgedKey; readonly hits: ListHits; readonly risk: ShownRisk } | null = null;

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
    this.#engine = new HarmEngine(kb);
  }

  /** All that the agent could know in this state. @param own what the sub-environment tells beside it */
  build(context: CourseContext, world: WorldState, memory: Memory, own: unknown = null): Known {
    const kb = this.#kb;
    const { scenario } = context;
    const { patient, mask } = scenario;
    const isShown = (field: string): boolean => !mask.hidden.has(field) || memory.revealed.has(field);
    const weightKg = isShown("weight") ? patient.weightKg : null;
    const heightCm = isShown("height") ? patient.heightCm : null;
    const creatinine = memory.values.CREAT;
    const { ageYears, sex } = patient;
    const serumCreatinineMgPerDl = creatinine?.value ?? null;
    const crClMlPerMin =
      serumCreatinineMgPerDl === null || weightKg === null || heightCm === null
        ? null
        : computeCreatinineClearance({
            ageYears,
            sex,
            weightKg: dosingWeightKg(sex, heightCm, weightKg),
            serumCreatinineMgPerDl,
          });
    const egfrMlPerMin =
      serumCreatinineMgPerDl === null ? null : computeEgfr({ ageYears, sex, serumCreatinineMgPerDl });
    const conditionEntries = world.conditions.map((condition) => ({
      code: condition.code,
      status:
        condition.severity <= 0
          ? ("history" as const)
          : isShown(`condition:${condition.code}`)
            ? ("active" as const)
            : ("unverified" as const),
    }));
    const conditions = new Set(conditionEntries.filter((each) => each.status !== "history").map((each) => each.code));
    const medications = world.medications
      .filter((medication) => medication.isListed)
      .map((medication) => this.#medication(world, memory, medication, isShown));
    const facts = factsOf({ ageYears, sex, crClMlPerMin, egfrMlPerMin, values: memory.values, conditions });
    const frailtyCfs = isShown("frailty") ? patient.frailtyCfs : TYPICAL.frailty;
    const { hits, risk } = this.#judge(world, medications, facts, frailtyCfs, scenario);
    const alerts = showAlerts(kb, scenario, world, memory, medications, hits);
    const allergies = patient.allergies.map((allergy) =>
      isShown(`allergy:${allergy.id}`) ? allergy : { ...allergy, reaction: null, isVerified: false },
    );
    const listed = { values: memory.values, medications, alerts, weightKg, clock: world.clock };
    const fields = missingFields(kb, listed);
    return {
      subEnvironment: scenario.subEnvironment,
      difficulty: scenario.difficulty,
      clock: world.clock,
      maxSteps: scenario.initial.clock.stepsLeft,
      ageYears,
      sex,
      weightKg,
      heightCm,
      isSmoker: isShown("smoker") ? patient.isSmoker : null,
      frailtyCfs: isShown("frailty") ? patient.frailtyCfs : null,
      lifeExpectancy: isShown("life_expectancy") ? patient.lifeExpectancy : null,
      preferences: patient.preferences,
      childPugh: patient.childPugh,
      allergies,
      conditions,
      conditionEntries,
      values: memory.values,
      crClMlPerMin,
      egfrMlPerMin,
      kidneyAgeDays: creatinine === undefined ? null : world.clock.day - creatinine.measuredDay,
      medications,
      stopped: this.#stopped(world, memory),
      discrepancies: discrepancies(this.#kb, world),
      alerts,
      alertCoverage: mask.alertCoverage,
      pairHits: hits.pairHits,
      regimenHits: hits.regimenHits,
      conflicts: mask.conflicts.map((conflict) => ({ ...conflict, isOpen: !memory.closedConflicts.has(conflict.id) })),
      evidence: memory.evidence,
      reviewNotes: memory.reviewNotes,
      orders: world.orders,
      reviews: world.reviews,
      declaredSwitch: world.declaredSwitch,
      changes: world.changes,
      events: world.events,
      symptoms: memory.symptoms,
      pillCount: memory.pillCount,
      samples: memory.samples,
      history: memory.history,
      missingFields: fields.missing,
      entropyHint: fields.count === 0 ? 0 : fields.missing.length / fields.count,
      burden: risk.burden,
      r90Estimate: risk.r90,
      targets: scenario.targets?.map(({ medRef }) => medRef) ?? NO_TARGETS,
      mustStay: scenario.mustStay ?? NO_TARGETS,
      own,
    };
  }

  #medication(
    world: WorldState,
    memory: Memory,
    medication: Medication,
    isShown: (field: string) => boolean,
  ): KnownMedication {
    const drug = drugAt(this.#kb, medication.drugIndex);
    const day = world.clock.day;
    const gap = world.truthGaps.find((each) => each.medRef === medication.medRef && !each.isResolved);
    const dosePerDay = gap?.listedDosePerDay ?? medication.dosePerDay;
    const isStartShown = isShown(`start:${medication.medRef}`);
    const code = drug.drugId === "levothyroxine" ? "TSH" : levelCodeOf(drug);
    const level = code === null ? undefined : memory.values[code];
    const taper = taperOf(memory, medication, day);
    const status: KnownStatus = medication.isUnreconciled
      ? "unreconciled"
      : isHeld(medication, day)
        ? "held"
        : taper !== null
          ? "tapering"
          : "active";
    return {
      medRef: medication.medRef,
      drugIndex: medication.drugIndex,
      drugId: medication.drugId,
      label: drug.genericName,
      dosePerDay,
      dosesPerDay: medication.dosesPerDay,
      route: medication.route,
      startDay: isStartShown ? medication.startDay : null,
      endDay: medication.endDay,
      indication: isShown(`indication:${medication.medRef}`) ? medication.indication : null,
      isPrn: medication.isPrn,
      status,
      heldUntilDay: medication.heldUntilDay,
      taper,
      doseHistory: gap === undefined ? medication.doseHistory : NO_HISTORY,
      lastDoseChangeDay:
        isStartShown || medication.lastDoseChangeDay === null || medication.lastDoseChangeDay >= 0
          ? medication.lastDoseChangeDay
          : null,
      lastLevel:
        code === null || level === undefined ? null : { code, value: level.value, ageDays: day - level.measuredDay },
      crossOverFromDrugIndex: medication.crossOverFromDrugIndex,
    };
  }

  #stopped(world: WorldState, memory: Memory): readonly KnownStopped[] {
    const day = world.clock.day;
    return world.stopped.map((stopped) => ({
      medRef: stopped.medRef,
      drugIndex: stopped.drugIndex,
      drugId: stopped.drugId,
      dosePerDay: stopped.dosePerDay,
      dosesPerDay: stopped.dosesPerDay,
      indication: stopped.indication,
      daysOfUse: stopped.stopDay - stopped.startDay,
      daysAgo: day - stopped.stopDay,
      withdrawalScore: memory.withdrawalScores[stopped.medRef] ?? null,
    }));
  }

  /** Hits and risk of the list as shown; those of the last call while nothing they depend on has changed. */
  #judge(
    world: WorldState,
    medications: readonly KnownMedication[],
    facts: Facts,
    frailtyCfs: number,
    scenario: CourseContext["scenario"],
  ): { readonly hits: ListHits; readonly risk: ShownRisk } {
    const key: JudgedKey = { scenario, frailtyCfs, facts, orders: world.orders, medications, day: world.clock.day };
    const last = this.#last;
    if (last !== null && isSameList(last.key, key)) return last;
    const hits = findListHits(this.#kb, world, medications, facts);
    const risk = this.#risk(world, medications, facts, frailtyCfs, scenario);
    this.#last = { key, hits, risk };
    return this.#last;
  }

  /** Risk and burden of the list as shown, unknown values at their typical ones. */
  #risk(
    world: WorldState,
    medications: readonly KnownMedication[],
    facts: Facts,
    frailtyCfs: number,
    scenario: CourseContext["scenario"],
  ): ShownRisk {
    this.#engine.setContext({
      ageYears: facts.ageYears,
      sex: facts.sex,
      frailtyCfs,
      lifeExpectancy: ">5y",
      isSmoker: scenario.mask.hidden.has("smoker") ? false : scenario.patient.isSmoker,
      genotype: null,
      crClMlPerMin: facts.crClMlPerMin ?? TYPICAL.crCl,
      egfrMlPerMin: facts.egfrMlPerMin ?? TYPICAL.egfr,
      potassiumMmolPerL: facts.potassiumMmolPerL ?? TYPICAL.potassium,
      sodiumMmolPerL: facts.sodiumMmolPerL ?? TYPICAL.sodium,
      qtcMs: facts.qtcMs ?? TYPICAL.qtc,
      heartRatePerMin: facts.heartRatePerMin ?? TYPICAL.heartRate,
      conditions: [...facts.conditions].map((code) => ({ code, severity: 0.75 })),
      orders: world.orders.map((order) => order.code),
      hazardMultipliers: NO_MULTIPLIERS,
      responses: NO_RESPONSES,
    });
    const items = medications
      .filter((medication) => medication.drugIndex !== null && medication.status !== "held")
      .map((medication) =>
        makeItem({
          drugIndex: medication.drugIndex!,
          dosePerDay: medication.dosePerDay,
          dosesPerDay: medication.dosesPerDay,
          isPrn: medication.isPrn,
          crossOverFromDrugIndex: medication.crossOverFromDrugIndex,
        }),
      );
    const { drugCount, acb, dbi, mrci, lamAde } = this.#engine.evaluate(items);
    return { burden: { drugs: drugCount, acb, dbi, mrci }, r90: risk90Days(lamAde) };
  }
}

const NO_HISTORY: KnownMedication["doseHistory"] = [];
const NO_TARGETS: readonly string[] = [];
const NO_MULTIPLIERS = {};
const NO_RESPONSES = {};

function taperOf(memory: Memory, medication: Medication, day: number): KnownTaper | null {
  const plan = medication.taperPlan;
  if (plan === null) return null;
  return {
    medRef: medication.medRef,
    drugIndex: medication.drugIndex,
    stepPct: plan.stepPct,
    intervalDays: plan.intervalDays,
    reductions: plan.reductions,
    isPaused: plan.isPaused,
    startDay: plan.startDay,
    lastReductionDay: plan.lastReductionDay,
    nextReductionDay: plan.nextReductionDay,
    previousDosePerDay: plan.previousDosePerDay,
    pctOfStart: Math.round((100 * medication.dosePerDay) / medication.referenceDosePerDay),
    daysSinceChange: day - plan.lastReductionDay,
    withdrawalScore: memory.withdrawalScores[medication.medRef] ?? null,
  };
}

const GAP_TEXT: Readonly<Record<KnownDiscrepancy["kind"], string>> = {
  omission: "reported by the family, not on the record",
  duplicate: "on two lists",
  dose_conflict: "two sources give different doses",
  not_taken: "on the list, perhaps not taken",
  otc_unlisted: "something from the pharmacy without prescription may be in use",
};

/** Open discrepancies; one of an unlisted drug tells its kind only. */
function discrepancies(kb: KnowledgeBase, world: WorldState): readonly KnownDiscrepancy[] {
  return world.truthGaps
    .filter((gap) => !gap.isResolved)
    .map((gap) => {
      const medication = world.medications.find((each) => each.medRef === gap.medRef);
      const name = medication?.isListed === true ? `${drugAt(kb, medication.drugIndex).genericName}: ` : "";
      return { id: gap.id, kind: gap.kind, medRef: gap.medRef, text: `${name}${GAP_TEXT[gap.kind]}` };
    });
}
