import type { EnvDefinition, Rng } from "@praxis/env";
import { PraxisError } from "@praxis/env";
import type { Kernels } from "@praxis/nn";
import { z } from "zod";
import { CandidatePolicy, makeCandidateTask } from "./candidate-policy.ts";
import { MaskedPolicy, makeMaskedTask, maskedSpaces } from "./masked-policy.ts";
import { isRecurrent, networkOptions, networkSettings } from "./network-settings.ts";
import { DelegationPolicy, delegationPolicySettings } from "./policies/delegation-policy.ts";
import { makeDelegationTask } from "./policies/delegation-task.ts";
import { RecordedSmallPolicy } from "./recorded-small-policy.ts";
import { sceneNetworkSettings } from "./scene-network.ts";
import { makeSceneTask, ScenePolicy } from "./scene-policy.ts";
import type { DecisionTask, SmallPolicy } from "./small-policy.ts";

/** Settings of a small policy, for SFT and GRPO alike. */
export const smallAgentSettings = z.strictObject({
  decisions: z
    .enum(["masked", "candidates", "scenes", "delegation"])
    .default("masked")
    .describe(
      "masked: a distribution over the action space; candidates: scores of the actions that are offered; scenes: the same among items that stand in relations, with a memory; delegation: an orchestrator's choices",
    ),
  delegation: delegationPolicySettings.optional().describe("the orchestrator's network, for decisions 'delegation'"),
  ...networkSettings.shape,
  ...sceneNetworkSettings.shape,
});

export type SmallAgentSettings = z.output<typeof smallAgentSettings>;

/** A policy and how it meets an environment. */
export interface SmallAgent<Decision> {
  readonly policy: SmallPolicy<Decision>;
  readonly task: DecisionTask<Decision>;
}

/**
 * The agent that settings describe for an environment, with fresh weights; what a decision is stays between its policy and its
 * task. Throws INVALID_CONFIG for spaces or settings that it can't work with.
 */
export function makeSmallAgent(
  definition: EnvDefinition,
  { kernels, rng, settings }: { readonly kernels: Kernels; readonly rng: Rng; readonly settings: SmallAgentSettings },
): SmallAgent<unknown> {
  const network = networkOptions(settings);
  if (settings.decisions === "masked")
    return {
      policy: new MaskedPolicy({ kernels, rng, ...maskedSpaces(definition), ...network }),
      task: makeMaskedTask(definition),
    } as SmallAgent<unknown>;
  if (settings.decisions === "scenes") {
    const task = makeSceneTask(definition);
    return {
      policy: new ScenePolicy({ kernels, rng, shape: definition.scenes!.shape, settings }),
      task,
    } as SmallAgent<unknown>;
  }
  if (settings.decisions === "delegation") {
    const { inputs } = maskedSpaces(definition);
    const policy = new DelegationPolicy({ kernels, rng, inputs, settings: settings.delegation ?? {} });
    return {
      policy: new RecordedSmallPolicy(policy),
      task: makeDelegationTask(definition, policy),
    } as SmallAgent<unknown>;
  }
  if (isRecurrent(settings) || network.encoder !== null)
    throw new PraxisError("INVALID_CONFIG", "Candidates are scored one by one: no LSTM and no observationBlocks.");
  const task = makeCandidateTask(definition);
  const { hidden, activation } = network;
  const features = definition.candidates?.features ?? 0;
  return { policy: new CandidatePolicy({ kernels, rng, features, hidden, activation }), task } as SmallAgent<unknown>;
}
