/** Weights of channels in the total, and of components in each channel, as the metadata tells them. */
export interface RewardWeights {
  readonly total: Readonly<Record<string, number>>;
  readonly channels: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** One component in its channel. */
interface Part {
  readonly name: string;
  readonly value: number;
  readonly weight: number;
}

/** One channel with what it adds to the total. */
export interface ChannelBar {
  readonly name: string;
  readonly value: number;
  readonly weight: number;
  /** Where its bar begins and how long it is; the last ends at the total before any gate. */
  readonly from: number;
  readonly adds: number;
  readonly parts: readonly Part[];
}

/** The waterfall of a reward from components, channels and weights; null where they are not told. */
export function waterfallOf(
  components: Readonly<Record<string, number>>,
  channels: Readonly<Record<string, number>>,
  weights: RewardWeights,
): readonly ChannelBar[] {
  let from = 0;
  return Object.entries(weights.total).map(([name, weight]) => {
    const value = channels[name] ?? 0;
    const bar: ChannelBar = {
      name,
      value,
      weight,
      from,
      adds: weight * value,
      parts: Object.entries(weights.channels[name] ?? {}).map(([part, share]) => ({
        name: part,
        value: components[part] ?? 0,
        weight: share,
      })),
    };
    from += bar.adds;
    return bar;
  });
}
