import type { SyncEnv } from "@praxis/env";
import { verifyPayload } from "./actions/legality.ts";
import { CourseEvaluator } from "./course/evaluator.ts";
import { latentEpisode } from "./policies/latent-episode.ts";

/** What the simulator expects of one offered candidate over the coming year. Wire names: it travels as it is. */
export interface CandidateValue {
  readonly candidate_id: string;
  readonly legal: boolean;
  /** Rules that refuse it, `V07: kidney function is unknown`, and those that only warn. */
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
  /** Loss by adverse drug events, utility a year. */
  readonly harm: number;
  /** Loss by disease that is left untreated, utility a year. */
  readonly disease: number;
  /** Burden of the list, 0-1. */
  readonly burden: number;
  /** Harm, disease and burden together, the larger the better. */
  readonly utility: number;
  /** Utility above that of keeping the regimen. */
  readonly gain: number;
}

/**
 * Expected harm, benefit and burden of everything that is offered where an episode stands, on the true state of the patient:
 * for people who look in, never for an agent. Throws what `latentEpisode` throws.
 */
export function candidateValues(env: SyncEnv): readonly CandidateValue[] {
  const { context, world, offered, legality } = latentEpisode(env);
  const evaluator = new CourseEvaluator(context.kb);
  evaluator.begin(context, world);
  const keep = evaluator.value(null).utility;
  return offered.map(({ id, payload }) => {
    const { ade, dis, burden, utility } = evaluator.value(payload);
    const { hard, soft } = verifyPayload(legality, payload);
    return {
      candidate_id: id,
      legal: hard.length === 0,
      refusals: hard.map(({ id: rule, text }) => `${rule}: ${text}`),
      warnings: soft.map(({ id: rule, text }) => `${rule}: ${text}`),
      harm: ade,
      disease: dis,
      burden,
      utility,
      gain: utility - keep,
    };
  });
}
