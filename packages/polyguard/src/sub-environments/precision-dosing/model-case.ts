import { PraxisError, Rng } from "@praxis/env";
import { findAllergy } from "../../actions/allergies.ts";
import { getDrug } from "../../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../../kb/types.ts";
import type { DosingCovariates } from "../../pharmacology/dosing-model.ts";
import { DOSING_MODELS } from "../../pharmacology/models.ts";
import { labelStart } from "../../pharmacology/start-dose.ts";
import { ScenarioDraft } from "../../scenario/draft.ts";
import { makeScenario } from "../../scenario/initial-state.ts";
import { type ScenarioKey, scenarioId } from "../../scenario/key.ts";
import { drawMask } from "../../scenario/mask.ts";
import { drawPatient } from "../../scenario/patient.ts";
import { isHeldOutDrug } from "../../scenario/splits.ts";
import { TIERS } from "../../scenario/tiers.ts";
import type { Scenario, TierSettings } from "../../scenario/types.ts";
import { copyState } from "../../world/copies.ts";
import type { Drawn } from "../sub-environment.ts";
import { draftRegimen, isQuietBeside } from "./case-regimen.ts";
import { DOSING_CASES, type DosingCase } from "./case-table.ts";
import type { ModelContent } from "./content.ts";
import { beginTreatment, withToxicity } from "./treatment.ts";

/** Patients that are drawn before a key counts as impossible. */
const MAX_ATTEMPTS = 400;
/** Share of patients whose known clearance is wrong, and by how much. */
const WRONG_CLEARANCE_SHARE = 0.15;
const WRONG_CLEARANCE = 0.25;

/** Course day from which a drug counts as dosed by level. */
const FIRST_DAY = 1;

const SUCCESS_CRITERIA = [
  "the quantity is inside its target at the last two assessments",
  "it was never beyond its toxic bound",
];

/** The scenario of a key for a drug with a dosing model. Throws INVALID_CONFIG when no patient fits. */
export function drawModelCase(kb: KnowledgeBase, key: ScenarioKey, number: number): Drawn<ModelContent> {
  const isAllowed = (drug: Drug): boolean => key.split === "test_drug" || !isHeldOutDrug(kb, drug);
  const cases = DOSING_CASES.filter(({ drugId }) => isAllowed(getDrug(kb, drugId)));
  const dosingCase = cases[number % cases.length]!;
  const root = Rng.fromSeed(key.seed, `${key.task}/${key.difficulty}/${key.split}`);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const drawn = tryCase(kb, key, dosingCase, isAllowed, root.split(`attempt/${attempt}`));
    if (drawn !== null) return drawn;
  }
  throw new PraxisError(
    "INVALID_CONFIG",
    `No scenario '${scenarioId(key)}' was found in ${MAX_ATTEMPTS} patients. Use another seed.`,
  );
}

/** Steps are what is counted: visits and changes never run out before them, and nothing of the record is missing or in doubt. */
function tierOf(key: ScenarioKey): TierSettings {
  const tier = TIERS[key.difficulty];
  return { ...tier, visits: tier.steps, changes: tier.steps, unreconciled: [0, 0], conflicts: 0, missing: 0 };
}

function tryCase(
  kb: KnowledgeBase,
  key: ScenarioKey,
  dosingCase: DosingCase,
  isAllowed: (drug: Drug) => boolean,
  rng: Rng,
): Drawn<ModelContent> | null {
  const tier = tierOf(key);
  const drug = getDrug(kb, dosingCase.drugId);
  const model = DOSING_MODELS.find(({ drugId }) => drugId === drug.drugId)!;
  const draft = new ScenarioDraft(kb, drawPatient(rng.split("patient")));
  const { patient } = draft;
  const crCl = draft.physiology.creatinineClearanceMlPerMin;
  if (crCl < dosingCase.leastCrCl || findAllergy(kb, patient.allergies, drug) !== null) return null;
  const caseRng = rng.split("case");
  if (!draftRegimen(draft, dosingCase, drug, { tier, isAllowed, rng: caseRng, regimenRng: rng.split("regimen") }))
    return null;
  if (key.split === "test_drug" && !draft.medications.some((each) => isHeldOutDrug(kb, each.drug))) return null;

  const knownFactor = caseRng.bernoulli(WRONG_CLEARANCE_SHARE)
    ? 1 + (caseRng.bernoulli(0.5) ? WRONG_CLEARANCE : -WRONG_CLEARANCE)
    : 1;
  const start = labelStart(drug, {
    crClMlPerMin: crCl * knownFactor,
    weightKg: patient.weightKg,
    ageYears: patient.ageYears,
    heightCm: patient.heightCm,
    takesInducer: draft.medications.some((each) => each.drug.groups.includes("AED_INDUCER")),
    takesAmiodarone: draft.medications.some((each) => each.drug.drugId === "amiodarone"),
  })!;
  draft.add({
    drug,
    dosePerDay: start.dosePerDay,
    indication: dosingCase.indication,
    daysOfUse: 0,
    endDay: null,
    levelShift: 1,
    hazard: -1,
  });
  if (!isQuietBeside(draft, drug)) return null;

  const covariates: DosingCovariates = {
    ageYears: patient.ageYears,
    sex: patient.sex,
    weightKg: patient.weightKg,
    creatinineClearanceMlPerMin: crCl,
    hasHeartFailure: draft.facts().conditions.has("HF"),
    genotype: { cyp2c9: patient.genotype.cyp2c9, vkorc1: patient.genotype.vkorc1 },
  };
  const pkRng = rng.split("pk");
  const eta = model.spread(covariates).map((spread) => spread * tier.randomEffectScale * pkRng.normal());
  const unmasked = makeScenario({
    draft,
    tier,
    rngs: {
      regimen: rng.split("order"),
      pk: pkRng.split("hidden"),
      events: rng.split("events"),
      mask: rng.split("gaps"),
    },
    skeleton: {
      id: scenarioId(key),
      task: key.task,
      subEnvironment: "PRECISION_DOSING",
      difficulty: key.difficulty,
      split: key.split,
      seed: key.seed,
      goal: `Bring ${drug.genericName} to its target and keep it there.`,
      successCriteria: SUCCESS_CRITERIA,
      patient,
      hazards: [],
      decoys: [],
      stepDays: model.stepDays,
    },
  });
  const medication = unmasked.initial.medications.find((each) => each.drugIndex === drug.index)!;
  const content: ModelContent = {
    kind: "model",
    model,
    medRef: medication.medRef,
    drugIndex: drug.index,
    covariates,
    eta,
    isLevelIncluded: key.difficulty !== "hard",
  };
  return { scenario: finish(kb, unmasked, content, rng.split("mask"), tier, knownFactor), content };
}

/** The level of an untreated patient, the exposure that the course sees, and what the agent is shown. */
function finish(
  kb: KnowledgeBase,
  unmasked: Omit<Scenario, "mask">,
  content: ModelContent,
  rng: Rng,
  tier: TierSettings,
  knownFactor: number,
): Scenario {
  const { model, medRef } = content;
  const initial = copyState(unmasked.initial);
  const { [model.levelCode]: _untreated, ...labs } = unmasked.initial.labs;
  initial.labs = labs;
  // Dosing by level is the adjustment that a rule of the table asks for.
  initial.medications = initial.medications.map((each) =>
    each.medRef === medRef ? { ...each, lastInRangeLevelDay: FIRST_DAY } : each,
  );
  initial.hidden = {
    ...unmasked.initial.hidden,
    pkEffects: Object.fromEntries(model.effects.map((name, i) => [name, content.eta[i]!])),
  };
  const mask = drawMask(
    kb,
    initial,
    rng,
    tier,
    unmasked.patient.allergies.map((allergy) => allergy.id),
  );
  const { [model.levelCode]: _unmeasured, ...values } = mask.values;
  const creatinine = initial.physiology.serumCreatinineMgPerDl / knownFactor;
  const scenario: Scenario = {
    ...unmasked,
    initial,
    mask: {
      ...mask,
      values: { ...values, CREAT: { value: Math.round(creatinine * 100) / 100, measuredDay: -1 } },
    },
  };
  const context = { kb, scenario };
  return { ...scenario, initial: withToxicity(context, content, beginTreatment(content), initial) };
}
