import type { EnvDefinition } from "@praxis/env";
import type { Kernels } from "@praxis/nn";
import type { ActorCritic } from "./actor-critic.ts";
import { type EvaluationResult, evaluateRecorded } from "./evaluate-recorded.ts";
import type { ObservationNormalizer } from "./normalizers.ts";
import { RecordedActorCritic } from "./recorded-actor-critic.ts";

/** What to evaluate: as many episodes as environments, side by side, each with a seed of its own. */
export interface EvaluationRequest {
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly policy: ActorCritic;
  /** As it is: evaluation does not move it. */
  readonly normalizer: ObservationNormalizer | null;
  readonly episodes: number;
  /** Keep it apart from training seeds. */
  readonly seed: number;
  readonly resetOptions?: Readonly<Record<string, unknown>>;
  /** Default: the definition's own limit, which is needed if this is left out. */
  readonly maxEpisodeSteps?: number;
}

/**
 * Plays the most likely action until every episode has ended. Throws INVALID_CONFIG without a step limit, and
 * VALIDATION_ERROR when an episode passes it.
 */
export function evaluatePolicy({ policy, normalizer, ...request }: EvaluationRequest): EvaluationResult {
  return evaluateRecorded({ ...request, policy: new RecordedActorCritic(policy, normalizer) });
}
