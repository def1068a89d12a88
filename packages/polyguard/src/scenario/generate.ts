import { PraxisError, Rng } from "@praxis/env";
import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator } from "../course/evaluator.ts";
import { isManaged, type ManagedSide, managementOf } from "../interactions/managed.ts";
import type { PairHit } from "../interactions/pair-hits.ts";
import { findRegimenHits, type RegimenHit } from "../interactions/regimen-rules.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { addProtections, fillBaseRegimen } from "./base-regimen.ts";
import { gainBounds } from "./bounds.ts";
import { drawDecoys } from "./decoys.ts";
import { ScenarioDraft } from "./draft.ts";
import { HAZARD_FAMILIES, type HazardFamily } from "./hazard-families.ts";
import { makeScenario } from "./initial-state.ts";
import { hitsOfHazard, injectHazard, type PlacedHazard, slotDrugs } from "./inject.ts";
import { drawMask } from "./mask.ts";
import { drawPatient } from "./patient.ts";
import {
  type Demand,
  demandOf,
  HELD_OUT_FAMILIES,
  isHeldOutCombination,
  isHeldOutDrug,
  isHeldOutRule,
  touchedHoldouts,
} from "./splits.ts";
import { DDI_HAZARDS, TIERS } from "./tiers.ts";
import type { Difficulty, Hazard, Scenario, Split } from "./types.ts";

/** Which scenario is wanted. */
export interface ScenarioKey {
  readonly task: "ddi_risk";
  readonly difficulty: Difficulty;
  readonly split: Split;
  readonly seed: number;
}

/** Days of a visit interval in DDI. */
const STEP_DAYS = 14;
/** Drafts that are tried before a key counts as impossible. */
const MAX_ATTEMPTS = 400;
/** Least gain of the best single action: below it a scenario teaches nothing (assumption:). */
const MIN_GAIN = 0.004;
/** Most that an action on a drug outside the hazards may gain: the base regimen is near its best. */
const MOST_ELSEWHERE = 0.01;
/** Stopping everything may gain at most this share of the best action's gain. */
const STOP_ALL_SHARE = 0.5;

const GOAL = "Resolve the dangerous drug-drug interactions without losing an indicated therapy.";
const SUCCESS_CRITERIA = [
  "no unmanaged contraindicated or major interaction is left",
  "no indicated therapy is lost (settled disease loss rises by at most 0.01)",
  "no illegal action",
  "no severe event",
];

/** Makes the scenario of a key: the same key always gives an equal scenario. Throws INVALID_CONFIG when none can be made. */
export function generateScenario(kb: KnowledgeBase, evaluator: CourseEvaluator, key: ScenarioKey): Scenario {
  const root = Rng.fromSeed(key.seed, `${key.task}/${key.difficulty}/${key.split}`);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const scenario = tryScenario(kb, evaluator, key, root.split(`attempt/${attempt}`));
    if (scenario !== null) return scenario;
  }
  throw new PraxisError(
    "INVALID_CONFIG",
    `No scenario '${scenarioId(key)}' was found in ${MAX_ATTEMPTS} drafts. Use another seed.`,
  );
}

/** `<task>/<tier>/<split>/<seed>`. */
export function scenarioId(key: ScenarioKey): string {
  return `${key.task}/${key.difficulty}/${key.split}/${key.seed}`;
}

function tryScenario(kb: KnowledgeBase, evaluator: CourseEvaluator, key: ScenarioKey, rng: Rng): Scenario | null {
  const tier = TIERS[key.difficulty];
  const demand = demandOf(key.split);
  const allowed = (drug: Drug): boolean => demand === "held_out_drug" || !isHeldOutDrug(kb, drug);
  const draft = new ScenarioDraft(kb, drawPatient(rng.split("patient")));
  const hazardRng = rng.split("hazards");
  const regimenRng = rng.split("regimen");

  const placed = placeHazards(draft, hazardRng, key, demand, allowed);
  if (placed === null || draft.medications.length > tier.drugs[1]) return null;
  const size = { low: regimenRng.integer(tier.drugs[0], tier.drugs[1] - 1), high: tier.drugs[1] };
  if (!fillBaseRegimen(draft, regimenRng, size, allowed)) return null;
  addProtections(draft, regimenRng, tier.drugs[1], allowed);

  const judged = judgeRegimen(draft, placed);
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
      subEnvironment: "DDI",
      difficulty: key.difficulty,
      split: key.split,
      seed: key.seed,
      goal: GOAL,
      successCriteria: SUCCESS_CRITERIA,
      patient: draft.patient,
      hazards: judged.hazards,
      decoys: drawDecoys(draft, judged.hits, judged.managed, hazardDrugs, decoyRng, decoyCount),
      stepDays: STEP_DAYS,
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
  return isWorthwhile({ kb, scenario }, evaluator, hazardDrugs, allowed) ? scenario : null;
}

/** Draws families by the share that needs several visits, and injects them; null when they don't fit the patient. */
function placeHazards(
  draft: ScenarioDraft,
  rng: Rng,
  key: ScenarioKey,
  demand: Demand,
  allowed: (drug: Drug) => boolean,
): readonly PlacedHazard[] | null {
  const { kb } = draft;
  const tier = TIERS[key.difficulty];
  const count = Math.max(DDI_HAZARDS[key.difficulty], demand === "held_out_combination" ? 2 : 1);
  const placed: PlacedHazard[] = [];
  for (let number = 0; number < count; number++) {
    const wantsSeveralVisits = rng.bernoulli(tier.severalVisitsShare);
    const isDemanded = demand === "held_out_family" && number === 0;
    const families = HAZARD_FAMILIES.filter(
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

/** What fires in a drafted regimen. */
interface JudgedRegimen {
  readonly hits: readonly PairHit[];
  /** Major hits of the base regimen that orders placed before day 0 manage. */
  readonly managed: readonly PairHit[];
  readonly hazards: readonly Hazard[];
}

/**
 * Null unless every hazard shows as a hit that nobody manages, and nothing else asks for action: majors of the base
 * regimen must be manageable by monitoring, which is then ordered.
 */
function judgeRegimen(draft: ScenarioDraft, placed: readonly PlacedHazard[]): JudgedRegimen | null {
  const { kb } = draft;
  const hits = draft.pairHits();
  const hazardOf = (hit: PairHit): boolean => placed.some((hazard) => hitsOfHazard([hit], hazard).length > 0);
  const managed: PairHit[] = [];
  for (const hit of hits) {
    if (hit.severity === "moderate" || hazardOf(hit)) continue;
    const isMonitorable =
      hit.severity === "major" && hit.managementCodes.includes("MONITOR") && !hit.managementCodes.includes("AVOID");
    if (!isMonitorable || isHeldOutRule(hit.ruleId)) return null;
    const objects = hit.objectIndex === null ? [hit.aIndex, hit.bIndex] : [hit.objectIndex];
    for (const index of objects) draft.orders.push(...drugAt(kb, index).monitoring);
    managed.push(hit);
  }
  const regimenHits = regimenHitsOf(draft);
  const isHazardDrug = (index: number): boolean =>
    placed.some((hazard) => hazard.drugs.some((drug) => drug.index === index));
  if (regimenHits.some((hit) => hit.severity !== "moderate" && !hit.drugIndexes.some(isHazardDrug))) return null;
  if (managed.some((hit) => !isManagedNow(draft, hit))) return null;
  const hazards: Hazard[] = [];
  for (const hazard of placed) {
    const own = hitsOfHazard(hits, hazard).filter((hit) => !isManagedNow(draft, hit));
    const rules = regimenHits.filter((hit) => hit.severity !== "moderate" && sharesTwo(hit, hazard));
    if (own.length === 0 && rules.length === 0) return null;
    hazards.push({
      family: hazard.family,
      ruleIds: [...new Set([...own.map((hit) => hit.ruleId), ...rules.map((hit) => hit.ruleId)])].sort(),
      drugIndexes: hazard.drugs.map((drug) => drug.index),
      needsSeveralVisits: hazard.needsSeveralVisits,
    });
  }
  return { hits, managed, hazards };
}

function regimenHitsOf(draft: ScenarioDraft): readonly RegimenHit[] {
  return findRegimenHits(
    draft.kb,
    draft.medications.map((each) => ({
      drugIndex: each.drug.index,
      daysOfUse: each.daysOfUse,
      crossOverFromDrugIndex: null,
    })),
    draft.facts(),
    { orders: new Set(draft.orders), unknownCountsAs: true },
  );
}

function sharesTwo(hit: RegimenHit, hazard: PlacedHazard): boolean {
  return hazard.drugs.filter((drug) => hit.drugIndexes.includes(drug.index)).length >= 2;
}

function isManagedNow(draft: ScenarioDraft, hit: PairHit): boolean {
  const sideOf = (index: number): ManagedSide => {
    const entry = draft.medications.find((each) => each.drug.index === index)!;
    return {
      drugIndex: index,
      dosePerDay: entry.dosePerDay,
      startDay: -entry.daysOfUse,
      doseHistory: [],
      lastInRangeLevelDay: null,
      isTapering: false,
      isReviewed: false,
    };
  };
  const management = managementOf(
    draft.kb,
    draft.medications.map((each) => each.drug.index),
    draft.orders,
  );
  return isManaged(draft.kb, hit.entry, sideOf(hit.aIndex), sideOf(hit.bIndex), management);
}

/** Held-out rules are injected where the split demands one, and nowhere else. */
function obeysHoldouts(hazards: readonly Hazard[], demand: Demand): boolean {
  const hasHeldOutRule = hazards.some((hazard) =>
    hazard.ruleIds.some((ruleId) => ruleId.startsWith("DDI") && isHeldOutRule(ruleId)),
  );
  return hasHeldOutRule === (demand === "held_out_rule");
}

/** There is something to gain where the hazards are and little elsewhere, and stopping everything is no way to it. */
function isWorthwhile(
  context: CourseContext,
  evaluator: CourseEvaluator,
  focus: ReadonlySet<number>,
  allowed: (drug: Drug) => boolean,
): boolean {
  const { best, elsewhere, stopAll } = gainBounds(context, evaluator, focus, allowed);
  return best >= MIN_GAIN && elsewhere <= MOST_ELSEWHERE && stopAll <= STOP_ALL_SHARE * best;
}
