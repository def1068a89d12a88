import { type EnvDefinition, flatSize, type Policy, PraxisError, Rng } from "@praxis/env";
import { type Kernels, Tape } from "@praxis/nn";
import { ActionHead } from "./action-head.ts";
import { readActionMask } from "./action-mask.ts";
import { ActorCritic, type PolicyState } from "./actor-critic.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { checkOrigin } from "./checkpoint-origin.ts";
import { restoreParameters } from "./model-tensors.ts";
import { networkOptions } from "./network-settings.ts";
import { type MomentsState, ObservationNormalizer } from "./normalizers.ts";
import type { PpoSettings } from "./ppo-settings.ts";

/** What a policy's shape follows from. */
export interface PpoPolicyOptions {
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly settings: PpoSettings;
}

/** Throws INVALID_CONFIG unless a definition has the spaces that a policy on arrays needs. */
function spacesOf({ id, observationSpace, actionSpace }: EnvDefinition) {
  if (actionSpace === undefined || observationSpace?.kind !== "box")
    throw new PraxisError(
      "INVALID_CONFIG",
      `'${id}' can't be trained on: it needs a box observationSpace and an actionSpace.`,
    );
  return { inputs: flatSize(observationSpace), head: new ActionHead(actionSpace) };
}

/** The policy and value function that PPO's settings describe, with fresh weights. */
export function makePpoPolicy({ definition, kernels, settings, rng }: PpoPolicyOptions & { rng: Rng }): ActorCritic {
  const { constantColumns } = settings;
  return new ActorCritic({
    ...{ kernels, rng, ...spacesOf(definition), ...networkOptions(settings) },
    layout: constantColumns === null ? null : { constant: constantColumns },
  });
}

/** Policy and frozen normaliser of a checkpoint. Throws VALIDATION_ERROR when it is not of these settings. */
export function loadPpoPolicy(options: PpoPolicyOptions & { readonly checkpoint: Checkpoint }): {
  readonly policy: ActorCritic;
  readonly normalizer: ObservationNormalizer | null;
} {
  const { definition, checkpoint } = options;
  checkOrigin(checkpoint, ["ppo"], definition.id);
  // Weights are replaced at once, so any stream will do.
  const policy = makePpoPolicy({ ...options, rng: Rng.fromSeed(0) });
  restoreParameters(policy.parameters(), checkpoint.weights);
  const { observationMoments } = checkpoint.state as { readonly observationMoments: MomentsState | null };
  if (observationMoments === null) return { policy, normalizer: null };
  const normalizer = new ObservationNormalizer(policy.inputs);
  normalizer.moments.restore(observationMoments);
  return { policy, normalizer };
}

/** Plays the checkpoint's most likely actions, with a memory per episode where it has one. */
export function makeTrainedPolicy(
  name: string,
  options: PpoPolicyOptions & { readonly checkpoint: Checkpoint },
): Policy {
  const { definition, kernels } = options;
  const { policy, normalizer } = loadPpoPolicy(options);
  const { head } = policy;
  const tape = new Tape(kernels, { recording: false });
  let state: PolicyState = policy.initialState(1);
  let isStart = true;
  return {
    name,
    reset() {
      state = policy.initialState(1);
      isStart = true;
    },
    act(observation, info) {
      const numbers = definition.encodeObservation?.(observation, info) ?? observation;
      const raw = Float32Array.from(numbers as ArrayLike<number>);
      tape.reset();
      const observations = tape.copy(normalizer?.apply(raw) ?? raw);
      const input = { steps: 1, batch: 1, observations, starts: [isStart ? 1 : 0], state };
      const output = policy.forwardActor(tape, input);
      state = output.state;
      isStart = false;
      const masks = new Uint8Array(head.maskSize);
      readActionMask(head.space, info, masks, 0);
      const logDeviations = policy.logDeviations?.data ?? new Float32Array(0);
      const actions = new Float32Array(head.actionSize);
      head.mode({ inputs: output.logits.data, masks, logDeviations, row: 0 }, actions);
      const value = head.toSpaceValue(actions, 0);
      return definition.decodeAction?.(value, { observation, info }) ?? value;
    },
  };
}
