import type { Rng } from "@praxis/env";
import type { KnowledgeBase } from "../kb/types.ts";
import { ScenarioDraft } from "./draft.ts";
import { makeScenario } from "./initial-state.ts";
import { type ScenarioKey, scenarioId } from "./key.ts";
import { drawMask } from "./mask.ts";
import { drawPatient } from "./patient.ts";
import type { Scenario, SubEnvironment, TierSettings } from "./types.ts";

/** What a scenario without a medication list is made from. */
export interface BareRequest {
  readonly kb: KnowledgeBase;
  readonly key: ScenarioKey;
  readonly subEnvironment: SubEnvironment;
  readonly goal: string;
  readonly successCriteria: readonly string[];
  /** Budgets of the clock and rates of the mask. */
  readonly tier: TierSettings;
  readonly stepDays: number;
}

/** A patient with an empty list: the ground of sub-environments whose matter is another one. */
export function makeBareScenario(request: BareRequest, rng: Rng): Scenario {
  const { kb, key, tier, subEnvironment, goal, successCriteria, stepDays } = request;
  const draft = new ScenarioDraft(kb, drawPatient(rng.split("patient")));
  const { patient } = draft;
  const bare = makeScenario({
    draft,
    tier: { ...tier, unreconciled: [0, 0], conflicts: 0 },
    rngs: {
      regimen: rng.split("regimen"),
      pk: rng.split("pk"),
      events: rng.split("events"),
      mask: rng.split("gaps"),
    },
    skeleton: {
      id: scenarioId(key),
      task: key.task,
      subEnvironment,
      difficulty: key.difficulty,
      split: key.split,
      seed: key.seed,
      goal,
      successCriteria,
      patient,
      hazards: [],
      decoys: [],
      stepDays,
    },
  });
  const mask = drawMask(
    kb,
    bare.initial,
    rng.split("mask"),
    { ...tier, conflicts: 0 },
    patient.allergies.map(({ id }) => id),
  );
  return { ...bare, mask };
}
