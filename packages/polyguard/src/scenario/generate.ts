import { PraxisError, Rng } from "@praxis/env";
import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator } from "../course/evaluator.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { addProtections, fillBaseRegimen } from "./base-regimen.ts";
import { gainBounds, missingTherapies, startGain, watchGain } from "./bounds.ts";
import { drawDecoys } from "./decoys.ts";
import { ScenarioDraft } from "./draft.ts";
import { familiesOf } from "./hazard-families.ts";
import type { HazardFamily } from "./hazard-family.ts";
import { makeScenario } from "./initial-state.ts";
import { injectHazard, type PlacedHazard, slotDrugs } from "./inject.ts";
import { judgeRegimen } from "./judge-regimen.ts";
import { type ScenarioKey, scenarioId } from "./key.ts";
import { drawMask } from "./mask.ts";
import { drawPatient } from "./patient.ts";
import type { ScenarioPlan } from "./plan.ts";
import {
  type Demand,
  demandOf,
  HELD_OUT_FAMILIES,
  isHeldOutCombination,
  isHeldOutDrug,
  isHeldOutRule,
  touchedHoldouts,
} from "./splits.ts";
import type { Hazard, Scenario, Split } from "./types.ts";

/** Drafts that are tried before a key counts as impossible. */
const MAX_ATTEMPTS = 400;
/** Least gain of the best single action: below it a scenario teaches nothing (assumption:). */
const MIN_GAIN = 0.004;
/** Least gain of each hazard that shows by what its end gains. */
const MIN_HAZARD_GAIN = 0.003;
/** Most that an action on a drug outside the hazards may gain: the base regimen is near its best. */
const MOST_ELSEWHERE = 0.01;
/** Most that two changes and all monitoring together may gain where no hazard is injected. */
const MOST_QUIET = 0.007;
/** Stopping everything may gain at most this share of the best action's gain. */
const STOP_ALL_SHARE = 0.5;

/**
 * Makes the scenario of a key after a plan: the same key and plan always give an equal scenario. Throws INVALID_CONFIG when
 * none can be made.
 */
export function generateScenario(
  kb: KnowledgeBase,
  evaluator: CourseEvaluator,
  key: ScenarioKey,
  plan: ScenarioPlan,
): Scenario {
  const root = Rng.fromSeed(key.seed, `${key.task}/${key.difficulty}/${key.split}`);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const scenario = tryScenario(kb, evaluator, key, plan, root.split(`attempt/${attempt}`));
    if (scenario !== null) return scenario;
  }
  throw new PraxisError(
    "INVALID_CONFIG",
    `No scenario '${scenarioId(key)}' was found in ${MAX_ATTEMPTS} drafts. Use another seed.`,
  );
}

function tryScenario(
  kb: KnowledgeBase,
  evaluator: CourseEvaluator,
  key: ScenarioKey,
  plan: ScenarioPlan,
  rng: Rng,
): Scenario | null {
  const { tier } = plan;
  const demand = demandFor(plan, key.split);
  const allowed = (drug: Drug): boolean => demand === "held_out_drug" || !isHeldOutDrug(kb, drug);
  const draft = new ScenarioDraft(kb, drawPatient(rng.split("patient")));
  const hazardRng = rng.split("hazards");
  const regimenRng = rng.split("regimen");

  const placed = placeHazards(draft, hazardRng, plan, demand, allowed);
  if (placed === null || draft.medications.length > tier.drugs[1]) return null;
  const size = { low: regimenRng.integer(tier.drugs[0], tier.drugs[1] - 1), high: tier.drugs[1] };
  if (!fillBaseRegimen(draft, regimenRng, size, allowed)) return null;
  addProtections(draft, regimenRng, tier.drugs[1], allowed);

  const judged = judgeRegimen(draft, placed, plan.isJoint === true);
  if (judged === null || !obeysHoldouts(judged.hazards, demand)) return null;
  const touched = touchedHoldouts(kb, {
    families: judged.hazards.map((hazard) => hazard.family),
    ruleIds: judged.hazards.flatMap((hazard) => hazard.ruleIds),
    drugs: draft.medications.map((each) => each.drug),
  });
  // Only the holdout that the split is named after may be touched.
  if (touched.some((holdout) => demand === null || !holdout.startsWith(demand))) return null;
  if (demand === "held_out_drug" && !draft.medications.some((each) => isHeldOutDrug(kb, each.drug))) return null;

  const decoyRng = hazardRng.split("decoys");
  const hazardDrugs = new Set(placed.flatMap((hazard) => hazard.drugs.map((drug) => drug.index)));
  const decoyCount = decoyRng.integer(tier.decoys[0], tier.decoys[1]);
  const decoys = drawDecoys(draft, judged.hits, judged.managed, hazardDrugs, decoyRng, decoyCount);
  if (decoys.length < tier.decoys[0]) return null;
  const maskRng = rng.split("mask");
  const unmasked = makeScenario({
    draft,
    tier,
    rngs: {
      regimen: regimenRng.split("order"),
      pk: rng.split("pk"),
      events: rng.split("events"),
      mask: maskRng.split("gaps"),
    },
    skeleton: {
      id: scenarioId(key),
      task: key.task,
      subEnvironment: plan.subEnvironment,
      difficulty: key.difficulty,
      split: key.split,
      seed: key.seed,
      goal: plan.goal,
      successCriteria: plan.successCriteria,
      patient: draft.patient,
      hazards: judged.hazards,
      decoys,
      stepDays: plan.stepDays,
    },
  });
  const mask = drawMask(
    kb,
    unmasked.initial,
    maskRng,
    tier,
    draft.patient.allergies.map((allergy) => allergy.id),
  );
  const scenario: Scenario = { ...unmasked, mask };
  const context = { kb, scenario };
  if (!isWorthwhile(context, evaluator, placed, allowed)) return null;
  return plan.accept === undefined || plan.accept(context, evaluator) ? scenario : null;
}

/** The demand of a split, where the plan can answer it: no hazard families, no held-out hazard. */
function demandFor({ families, hazards }: ScenarioPlan, split: Split): Demand {
  const demand = demandOf(split);
  switch (demand) {
    case "held_out_family":
      return families.some((family) => HELD_OUT_FAMILIES.includes(family)) ? demand : null;
    case "held_out_rule":
      return familiesOf(families).some(({ sign }) => (sign ?? "hit") === "hit") ? demand : null;
    case "held_out_combination":
      return hazards[1] >= 1 && families.length > 1 ? demand : null;
    default:
      return demand;
  }
}

/** Draws families by the share that needs several visits, and injects them; null when they don't fit the patient. */
function placeHazards(
  draft: ScenarioDraft,
  rng: Rng,
  { tier, families: names, hazards, isHalfSeveralVisits }: ScenarioPlan,
  demand: Demand,
  allowed: (drug: Drug) => boolean,
): readonly PlacedHazard[] | null {
  const { kb } = draft;
  const [low, high] = hazards;
  const count = Math.max(low === high ? low : rng.integer(low, high), demand === "held_out_combination" ? 2 : 0);
  const all = familiesOf(names);
  const placed: PlacedHazard[] = [];
  for (let number = 0; number < count; number++) {
    const isMeantToLast = rng.bernoulli(tier.severalVisitsShare);
    const wantsSeveralVisits = isMeantToLast || (isHalfSeveralVisits === true && number < count / 2);
    const isDemanded = demand === "held_out_family" && number === 0;
    const families = all.filter(
      (family) =>
        HELD_OUT_FAMILIES.includes(family.family) === isDemanded &&
        !placed.some((hazard) => hazard.family === family.family) &&
        (wantsSeveralVisits
          ? family.needsSeveralVisits || hasTaperDrugs(kb, family)
          : !family.needsSeveralVisits || isDemanded),
    );
    if (families.length === 0) return null;
    const hazard = injectHazard(draft, rng, { family: rng.choice(families), number, wantsSeveralVisits, allowed });
    if (hazard === null) return null;
    placed.push(hazard);
  }
  const isHeldOut = isHeldOutCombination(placed.map((hazard) => hazard.family));
  return isHeldOut === (demand === "held_out_combination") ? placed : null;
}

/** True when a drug of the family must be tapered after long use. */
function hasTaperDrugs(kb: KnowledgeBase, family: HazardFamily): boolean {
  return family.forms.some((form) =>
    form.slots.some((slot) =>
      slotDrugs(kb, slot).some((drug) => drug.taperIfDaysGt !== null && drug.taperClass !== "PPI"),
    ),
  );
}

/** Held-out rules are injected where the split demands one, and nowhere else. */
function obeysHoldouts(hazards: readonly Hazard[], demand: Demand): boolean {
  const hasHeldOutRule = hazards.some((hazard) =>
    hazard.ruleIds.some((ruleId) => ruleId.startsWith("DDI") && isHeldOutRule(ruleId)),
  );
  return hasHeldOutRule === (demand === "held_out_rule");
}

/**
 * There is something to gain from every hazard and little elsewhere, and stopping everything is no way to it. A hazard that
 * is a hit needs its share only where it is alone; one that shows by its gain must have one.
 */
function isWorthwhile(
  context: CourseContext,
  evaluator: CourseEvaluator,
  placed: readonly PlacedHazard[],
  allowed: (drug: Drug) => boolean,
): boolean {
  const focus = new Set(placed.flatMap((hazard) => hazard.drugs.map((drug) => drug.index)));
  const bounds = gainBounds(context, evaluator, focus, allowed);
  if (bounds.elsewhere > MOST_ELSEWHERE) return false;
  const withheld = new Set(placed.map(({ missing }) => missing?.condition));
  const omitted = missingTherapies(context)
    .filter(({ condition }) => !withheld.has(condition))
    .map((omission) => startGain(context, evaluator, omission, allowed));
  if (omitted.some((gain) => gain > MOST_ELSEWHERE)) return false;
  if (placed.length === 0) {
    // Nothing is to be gained here, by several small steps neither.
    const gains = [...bounds.byDrug.values(), ...omitted].sort((a, b) => b - a).slice(0, 2);
    const sum = gains.reduce((total, gain) => total + Math.max(0, gain), watchGain(context, evaluator));
    return sum <= MOST_QUIET && bounds.stopAll <= STOP_ALL_SHARE * MOST_ELSEWHERE;
  }
  let best = bounds.best;
  for (const { sign, drugs, missing } of placed) {
    if (sign === "hit" || sign === "rule") continue;
    const gain =
      sign === "missing" && missing !== null
        ? startGain(context, evaluator, missing, allowed)
        : Math.max(...drugs.map((drug) => bounds.byDrug.get(drug.index) ?? 0));
    if (gain < MIN_HAZARD_GAIN) return false;
    best = Math.max(best, gain);
  }
  const isRuled = placed.some(({ sign }) => sign === "rule");
  return isRuled || (best >= MIN_GAIN && bounds.stopAll <= STOP_ALL_SHARE * best);
}
