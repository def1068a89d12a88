import { PraxisError } from "@praxis/env";

/** The 13 reward components in their order c1-c13. */
export const COMPONENTS = [
  "format_compliance_score",
  "candidate_alignment_score",
  "legality_score",
  "safety_delta_score",
  "burden_improvement_score",
  "disease_stability_score",
  "dosing_quality_score",
  "abstention_quality_score",
  "efficiency_score",
  "process_fidelity_score",
  "explanation_grounding_score",
  "anti_cheat_score",
  "uncertainty_calibration_score",
] as const;

/** Name of a component, as reported. */
export type ComponentName = (typeof COMPONENTS)[number];

/** The four channels. */
export const CHANNELS = ["safety_legality", "clinical_improvement", "dosing_quality", "process_integrity"] as const;

/** Name of a channel. */
export type ChannelName = (typeof CHANNELS)[number];

/** Value of every component, each in [.001, .999]. */
export type Components = Readonly<Record<ComponentName, number>>;

/** Value of every channel, each in [.001, .999]. */
export type Channels = Readonly<Record<ChannelName, number>>;

/** Weights of the reward; echoed in the metadata. */
export interface RewardWeights {
  /** Weight of each channel in the total; sum 1. */
  readonly total: Readonly<Record<ChannelName, number>>;
  /** Weight of each component in its channel; each channel's sum 1. */
  readonly channels: Readonly<Record<ChannelName, Readonly<Partial<Record<ComponentName, number>>>>>;
}

/** assumption: the published weights of the environment; safety weighs most. */
export const DEFAULT_WEIGHTS: RewardWeights = {
  total: { safety_legality: 0.4, clinical_improvement: 0.25, dosing_quality: 0.15, process_integrity: 0.2 },
  channels: {
    safety_legality: { legality_score: 0.35, safety_delta_score: 0.45, anti_cheat_score: 0.2 },
    clinical_improvement: { disease_stability_score: 0.5, burden_improvement_score: 0.25, efficiency_score: 0.25 },
    dosing_quality: { dosing_quality_score: 0.75, uncertainty_calibration_score: 0.25 },
    process_integrity: {
      format_compliance_score: 0.2,
      candidate_alignment_score: 0.2,
      process_fidelity_score: 0.25,
      explanation_grounding_score: 0.15,
      abstention_quality_score: 0.2,
    },
  },
};

/** Throws INVALID_CONFIG unless every weight is in [0, 1] and each sum is 1 (within 1e-9). */
export function checkWeights(weights: RewardWeights): void {
  checkSum("total", weights.total);
  const used = new Set<string>();
  for (const channel of CHANNELS) {
    const members = weights.channels[channel];
    checkSum(channel, members);
    for (const name of Object.keys(members)) {
      if (!COMPONENTS.some((component) => component === name))
        throw new PraxisError("INVALID_CONFIG", `Reward weights: '${name}' in ${channel} is no component.`);
      if (used.has(name))
        throw new PraxisError("INVALID_CONFIG", `Reward weights: '${name}' is in more than one channel. List it once.`);
      used.add(name);
    }
  }
}

function checkSum(name: string, weights: Readonly<Record<string, number | undefined>>): void {
  let sum = 0;
  for (const [key, weight] of Object.entries(weights)) {
    if (weight === undefined || !(weight >= 0 && weight <= 1))
      throw new PraxisError("INVALID_CONFIG", `Reward weights: ${name}.${key} is ${weight}; use a number from 0 to 1.`);
    sum += weight;
  }
  if (Math.abs(sum - 1) > 1e-9)
    throw new PraxisError("INVALID_CONFIG", `Reward weights of ${name} sum to ${sum}; they must sum to 1.`);
}
