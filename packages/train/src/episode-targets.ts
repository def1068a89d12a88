import { type Tape, zeroGradients } from "@praxis/nn";
import { normalizeAdvantages } from "./advantages.ts";
import { type PpoLosses, ppoLoss } from "./ppo-loss.ts";
import type { RecordedPolicy } from "./recorded-policy.ts";
import { advantagesOf, type FinishedEpisode } from "./replayed-episode.ts";

/** An episode with what its steps are to be learnt towards. */
export interface EpisodeTarget {
  readonly episode: FinishedEpisode;
  /** Over all steps that count: mean 0, deviation 1. */
  readonly advantages: Float64Array;
  readonly returns: Float64Array;
}

/** What episodes are learnt towards; advantages are normalised over all of them. */
export function targetsOf(
  episodes: readonly FinishedEpisode[],
  settings: { readonly gamma: number; readonly gaeLambda: number },
): EpisodeTarget[] {
  const targets = episodes.map((episode) => ({ episode, ...advantagesOf(episode, settings) }));
  const counts = (target: EpisodeTarget, t: number): boolean => !target.episode.steps[t]!.isExcluded;
  const all = Float64Array.from(
    targets.flatMap((target) => [...target.advantages].filter((_, t) => counts(target, t))),
  );
  normalizeAdvantages(all);
  let at = 0;
  for (const target of targets)
    for (let t = 0; t < target.advantages.length; t++) if (counts(target, t)) target.advantages[t] = all[at++]!;
  return targets;
}

/** Settings of the loss over whole episodes. */
export interface EpisodeLossSettings {
  readonly clipRange: number;
  readonly valueClipRange: number | null;
  readonly entropyCoef: number;
  readonly valueCoef: number;
}

/**
 * Replays a minibatch of episodes from empty memories and leaves the gradient of its loss in the policy's parameters; null
 * when every step is excluded.
 */
export function learnEpisodes(
  policy: RecordedPolicy,
  tape: Tape,
  targets: readonly EpisodeTarget[],
  { clipRange, valueClipRange, entropyCoef, valueCoef }: EpisodeLossSettings,
): PpoLosses | null {
  const { distribution } = policy;
  const steps = targets.flatMap(({ episode }) => episode.steps);
  const counted = Array.from(steps.keys()).filter((row) => !steps[row]!.isExcluded);
  if (counted.length === 0) return null;
  tape.reset();
  zeroGradients(policy.parameters());
  // One column of episodes with marked starts: memories begin from nothing, and nothing is padded.
  const starts = new Uint8Array(steps.length);
  let at = 0;
  for (const { episode } of targets) {
    starts[at] = 1;
    at += episode.steps.length;
  }
  const output = policy.forward(tape, {
    ...{ steps: steps.length, batch: 1, records: steps.map(({ record }) => record), starts },
    memories: policy.initialMemories(1),
  });
  const actions = new Float32Array(steps.length * distribution.actionSize);
  const masks = new Uint8Array(steps.length * distribution.maskSize);
  steps.forEach((step, row) => {
    actions.set(step.action, row * distribution.actionSize);
    masks.set(step.mask, row * distribution.maskSize);
  });
  const dInputs = tape.zeros(output.logits.data.length);
  const dValues = tape.zeros(output.values.data.length);
  const losses = ppoLoss(
    {
      ...{ distribution, logits: output.logits.data, newValues: output.values.data, actions, masks, counted },
      logDeviations: policy.logDeviations?.data ?? NO_NUMBERS,
      logProbs: steps.map(({ logProb }) => logProb),
      values: steps.map(({ value }) => value),
      advantages: targets.flatMap(({ advantages }) => [...advantages]),
      returns: targets.flatMap(({ returns }) => [...returns]),
      ...{ clipRange, valueClipRange, entropyCoef, valueCoef },
    },
    { dInputs, dValues, dLogDeviations: policy.logDeviations?.gradient ?? NO_NUMBERS },
  );
  tape.giveGradient(output.logits, dInputs);
  tape.giveGradient(output.values, dValues);
  tape.backward();
  return losses;
}

const NO_NUMBERS = new Float32Array(0);
