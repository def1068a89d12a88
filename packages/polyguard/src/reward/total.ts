import { quantize } from "./quantize.ts";
import {
  CHANNELS,
  type ChannelName,
  type Channels,
  type ComponentName,
  type Components,
  type RewardWeights,
} from "./settings.ts";

/** The weights as flat rows, so that a step does not walk objects. */
export interface CompiledWeights {
  readonly rows: readonly {
    readonly channel: ChannelName;
    readonly weight: number;
    readonly members: readonly (readonly [ComponentName, number])[];
  }[];
}

/** Prepares checked weights. */
export function compileWeights(weights: RewardWeights): CompiledWeights {
  return {
    rows: CHANNELS.map((channel) => ({
      channel,
      weight: weights.total[channel],
      members: Object.entries(weights.channels[channel]) as [ComponentName, number][],
    })),
  };
}

/** Channels (each the weighted sum of its components, then q) and their weighted sum (then q), before any gate. */
export function totalReward(
  components: Components,
  { rows }: CompiledWeights,
): { readonly channels: Channels; readonly total: number } {
  const channels: Record<ChannelName, number> = {
    safety_legality: 0,
    clinical_improvement: 0,
    dosing_quality: 0,
    process_integrity: 0,
  };
  let total = 0;
  for (const { channel, weight, members } of rows) {
    let sum = 0;
    for (const [name, share] of members) sum += share * components[name];
    channels[channel] = quantize(sum);
    total += weight * channels[channel];
  }
  return { channels, total: quantize(total) };
}
