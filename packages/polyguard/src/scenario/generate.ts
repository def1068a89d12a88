import { PraxisError, Rng } from "@praxis/env";
import type { Drug } from "../kb/types.ts";
import type { DrawTools } from "../sub-environments/sub-environment.ts";
import { addProtections, fillBaseRegimen } from "./base-regimen.ts";
import { drawDecoys } from "./decoys.ts";
import { ScenarioDraft } from "./draft.ts";
import { makeScenario } from "./initial-state.ts";
import { judgeRegimen } from "./judge-regimen.ts";
import { type ScenarioKey, scenarioId } from "./key.ts";
import { drawMask } from "./mask.ts";
import { drawPatient } from "./patient.ts";
import { demandFor, placeHazards } from "./place-hazards.ts";
import type { ScenarioPlan } from "./plan.ts";
import { type Demand, isHeldOutDrug, isHeldOutRule, touchedHoldouts } from "./splits.ts";
import type { Hazard, Scenario } from "./types.ts";
import { isWorthwhile } from "./worthwhile.ts";

/** Drafts that are tried before a key counts as impossible. */
const MAX_ATTEMPTS = 2000;

/**
 * Makes the scenario of a key after a plan: the same key and plan always give an equal scenario. Most drafts are thrown away,
 * so the number of the one that was taken goes into the tools' store. Throws INVALID_CONFIG when none can be made.
 */
export function generateScenario(tools: DrawTools, key: ScenarioKey, plan: ScenarioPlan): Scenario {
  const { kb, store = null } = tools;
  const name = `draft|${scenarioId(key)}|${kb.hash}`;
  const known = store?.get(name);
  const root = Rng.fromSeed(key.seed, `${key.task}/${key.difficulty}/${key.split}`);
  if (typeof known === "number" && Number.isInteger(known) && known >= 0 && known < MAX_ATTEMPTS) {
    const scenario = tryScenario(tools, key, plan, root.split(`attempt/${known}`), true);
    if (scenario !== null) return scenario;
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const scenario = tryScenario(tools, key, plan, root.split(`attempt/${attempt}`), false);
    if (scenario === null) continue;
    store?.set(name, attempt);
    return scenario;
  }
  throw new PraxisError(
    "INVALID_CONFIG",
    `No scenario '${scenarioId(key)}' was found in ${MAX_ATTEMPTS} drafts. Use another seed.`,
  );
}

/** One draft; null when it is not to be had or not worth playing. @param isKnown it was found worth playing before */
function tryScenario(
  { kb, evaluator }: DrawTools,
  key: ScenarioKey,
  plan: ScenarioPlan,
  rng: Rng,
  isKnown: boolean,
): Scenario | null {
  const { tier } = plan;
  const demand = demandFor(kb, plan, key.split);
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
  // A list without hazards is too quiet for so many warnings.
  if (placed.length > 0 && decoys.length < tier.decoys[0]) return null;
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
  if (isKnown) return scenario;
  const context = { kb, scenario };
  if (!isWorthwhile(context, evaluator, placed, allowed)) return null;
  return plan.accept === undefined || plan.accept(context, evaluator) ? scenario : null;
}

/** Held-out rules are injected where the split demands one, and nowhere else. */
function obeysHoldouts(hazards: readonly Hazard[], demand: Demand): boolean {
  const hasHeldOutRule = hazards.some((hazard) =>
    hazard.ruleIds.some((ruleId) => ruleId.startsWith("DDI") && isHeldOutRule(ruleId)),
  );
  return hasHeldOutRule === (demand === "held_out_rule");
}
