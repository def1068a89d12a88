import type { EnvDefinition, Policy, ResetResult, Rng, StepResult } from "@praxis/env";

/** Plays `sampleAction` of the definition: schema-valid, not always legal. */
export function makeRandomPolicy(definition: EnvDefinition): Policy {
  let rng: Rng | null = null;
  return {
    name: "random",
    reset(episodeRng) {
      rng = episodeRng;
    },
    act(observation, info) {
      if (rng === null) throw new Error("reset the policy before it acts");
      const last: ResetResult<unknown> | StepResult<unknown> = { observation, info };
      return definition.sampleAction(rng, last);
    },
  };
}
