import type { Rng } from "@praxis/env";
import type { StepAction } from "../../actions/schema.ts";
import { drawClearance, NEW_DRUG_ENZYMES } from "../../new-drug/components.ts";
import type { StartPlan } from "../../new-drug/plan.ts";
import type { Observation } from "../../observation/schema.ts";

const PLANS: readonly StartPlan[] = ["100", "75", "50", "25", "none", "monitored"];

/** The free action that submits a judgement of the new drug. */
export function judgementOf(
  observation: Pick<Observation, "step_nonce">,
  judgement: { readonly decomposition: Readonly<Record<string, number>>; readonly plan: StartPlan },
  stated: { readonly reason: string; readonly confidence: number },
): StepAction {
  return {
    schema_version: "1.0",
    step_nonce: observation.step_nonce,
    candidate_id: "c_decompose",
    action_type: "DECOMPOSE_NEW_DRUG",
    decomposition: { ...judgement.decomposition },
    plan: judgement.plan,
    rationale: stated.reason,
    evidence_ids: [],
    confidence: stated.confidence,
  };
}

/** A judgement drawn from the prior, with any plan. */
export function guessedJudgement(rng: Rng, observation: Pick<Observation, "step_nonce">): StepAction {
  const { fm, fe, pgp } = drawClearance(rng);
  const shares = Object.fromEntries(NEW_DRUG_ENZYMES.map((enzyme) => [`fm_${enzyme}`, fm[enzyme]]));
  const judgement = { decomposition: { ...shares, fe, pgp }, plan: rng.choice(PLANS) };
  return judgementOf(observation, judgement, { reason: "", confidence: 0.5 });
}
