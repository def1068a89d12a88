import type { CourseContext } from "../src/course/context.ts";
import { withCreatinine, withDrugEffects } from "../src/course/labs.ts";
import { adaptationTauDays } from "../src/course/taper-classes.ts";
import { DRAWS_PER_VISIT } from "../src/course/visit.ts";
import { targetDose } from "../src/kb/dose-grid.ts";
import { getDrug } from "../src/kb/lookup.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { Scenario } from "../src/scenario/types.ts";
import type { Medication, Patient, Physiology, WorldState } from "../src/world/types.ts";

export const kb = loadBundledKnowledgeBase();

/** A drug of a test world: id, or id with what differs. */
export type WorldDrug = string | ({ readonly id: string } & Partial<Medication>);

export interface WorldOverrides {
  readonly drugs?: readonly WorldDrug[];
  readonly conditions?: Readonly<Record<string, number>>;
  readonly patient?: Partial<Patient>;
  readonly physiology?: Partial<Physiology>;
  readonly state?: Partial<WorldState>;
  readonly scenario?: Partial<Scenario>;
  /** Every event number; 1 = nothing ever happens. */
  readonly eventUniform?: number;
}

const PATIENT: Patient = {
  ageYears: 75,
  sex: "F",
  weightKg: 65,
  heightCm: 165,
  isSmoker: false,
  frailtyCfs: 3,
  lifeExpectancy: ">5y",
  genotype: { cyp2d6: "NM", cyp2c19: "NM", cyp2c9: "*1/*1", vkorc1: "GA" },
  childPugh: null,
  allergies: [],
  preferences: [],
};

export function drugIndex(id: string): number {
  return getDrug(kb, id).index;
}

/** A world whose drugs have been taken for 200 days and have settled; nothing is hidden. */
export function makeWorld(overrides: WorldOverrides = {}): {
  readonly context: CourseContext;
  readonly state: WorldState;
} {
  const patient = { ...PATIENT, ...overrides.patient };
  const physiology: Physiology = {
    ...withCreatinine(
      patient,
      {
        serumCreatinineMgPerDl: 0.8,
        creatinineClearanceMlPerMin: 0,
        egfrMlPerMin: 0,
        albuminGPerDl: 4,
        potassiumMmolPerL: 4.3,
        sodiumMmolPerL: 139,
        magnesiumMgPerDl: 2,
        hemoglobinGPerDl: 13,
        qtcMs: 425,
        heartRatePerMin: 70,
        systolicBpMmHg: 135,
        systolicDropMmHg: 6,
      },
      0.8,
    ),
    ...overrides.physiology,
  };
  const medications = (overrides.drugs ?? []).map((entry, i): Medication => {
    const { id, ...more } = typeof entry === "string" ? { id: entry } : entry;
    const drug = getDrug(kb, id);
    const dosePerDay = more.dosePerDay ?? targetDose(drug);
    return {
      medRef: `m${i + 1}`,
      drugIndex: drug.index,
      drugId: drug.drugId,
      dosePerDay,
      dosesPerDay: drug.dosesPerDay,
      route: drug.route,
      startDay: -200,
      endDay: null,
      indication: drug.indications[0] ?? null,
      isPrn: false,
      source: "list",
      isListed: true,
      isTaken: true,
      isUnreconciled: false,
      heldUntilDay: null,
      adherence: 1,
      referenceDosePerDay: dosePerDay,
      adaptation: drug.taperClass === "NONE" ? 0 : 1,
      adaptationTauDays: adaptationTauDays(drug),
      taperPlan: null,
      doseHistory: [{ day: -200, dosePerDay }],
      lastDoseChangeDay: -200,
      exposureReference: null,
      lastInRangeLevelDay: null,
      responseFactor: 1,
      crossOverFromDrugIndex: null,
      carryOver: 1,
      onsetShare: 1,
      ...more,
    };
  });
  const state: WorldState = {
    clock: { day: 0, step: 0, visit: 0, stepsLeft: 14, visitsLeft: 8, changesLeft: 6, evidenceLeft: 4, reviewsLeft: 2 },
    medications,
    stopped: [],
    conditions: Object.entries(overrides.conditions ?? {}).map(([code, severity]) => ({
      code,
      severity,
      onsetDay: -400,
      cascade: null,
    })),
    physiology,
    labs: {},
    orders: [],
    declaredSwitch: null,
    reviews: [],
    truthGaps: [],
    changes: [],
    events: [],
    hazardMultipliers: {},
    hidden: { adherence: 1, responses: {}, pkEffects: {} },
    nextMedRef: medications.length + 1,
    ...overrides.state,
  };
  // Drug-free values are taken so that the world is in balance as it stands.
  const shifted = withDrugEffects(kb, patient, physiology, state);
  const scenario: Scenario = {
    id: "ddi_risk/medium/train/0",
    task: "ddi_risk",
    subEnvironment: "DDI",
    difficulty: "medium",
    split: "train",
    seed: 0,
    goal: "",
    successCriteria: [],
    patient,
    initial: state,
    mask: { values: {}, hidden: new Set(), alertCoverage: 1, conflicts: [] },
    hazards: [],
    decoys: [],
    drugFreePhysiology: withCreatinine(
      patient,
      {
        ...physiology,
        potassiumMmolPerL: 2 * physiology.potassiumMmolPerL - shifted.potassiumMmolPerL,
        sodiumMmolPerL: 2 * physiology.sodiumMmolPerL - shifted.sodiumMmolPerL,
        qtcMs: 2 * physiology.qtcMs - shifted.qtcMs,
        heartRatePerMin: 2 * physiology.heartRatePerMin - shifted.heartRatePerMin,
        systolicBpMmHg: 2 * physiology.systolicBpMmHg - shifted.systolicBpMmHg,
        systolicDropMmHg: 2 * physiology.systolicDropMmHg - shifted.systolicDropMmHg,
      },
      physiology.serumCreatinineMgPerDl ** 2 / shifted.serumCreatinineMgPerDl,
    ),
    levelPerExposure: {},
    stepDays: 14,
    eventUniforms: Array.from({ length: 12 * DRAWS_PER_VISIT }, () => overrides.eventUniform ?? 1),
    ...overrides.scenario,
  };
  return { context: { kb, scenario }, state };
}
