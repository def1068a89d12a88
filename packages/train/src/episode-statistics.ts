/** Saved state of {@link EpisodeStatistics}. */
export interface EpisodeStatisticsState {
  readonly returns: readonly number[];
  readonly lengths: readonly number[];
  readonly recent: readonly number[];
}

/** Finished episodes that the running mean is taken over. */
const WINDOW = 100;

/** Returns and lengths of the episodes of a rollout, as the environment gave the rewards, before any scaling. */
export class EpisodeStatistics {
  #returns: Float64Array;
  #lengths: Float64Array;
  #recent: number[] = [];
  #finished: { readonly episodeReturn: number; readonly length: number }[] = [];

  constructor(numEnvs: number) {
    this.#returns = new Float64Array(numEnvs);
    this.#lengths = new Float64Array(numEnvs);
  }

  beginIteration(): void {
    this.#finished = [];
  }

  /** Takes in one step of every environment. */
  step(rewards: ArrayLike<number>, ended: ArrayLike<number>): void {
    for (let i = 0; i < rewards.length; i++) {
      this.#returns[i]! += rewards[i]!;
      this.#lengths[i]! += 1;
      if (!ended[i]) continue;
      this.#finished.push({ episodeReturn: this.#returns[i]!, length: this.#lengths[i]! });
      this.#recent = [...this.#recent, this.#returns[i]!].slice(-WINDOW);
      this.#returns[i] = 0;
      this.#lengths[i] = 0;
    }
  }

  /** Means over the episodes that ended in this iteration and over the last 100; absent without any. */
  metrics(): Record<string, number> {
    const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
    const n = this.#finished.length;
    const result: Record<string, number> = { "charts/episodes": n };
    if (n > 0) {
      result["charts/episodic_return"] = mean(this.#finished.map((episode) => episode.episodeReturn));
      result["charts/episodic_length"] = mean(this.#finished.map((episode) => episode.length));
    }
    if (this.#recent.length > 0) result["charts/recent_return"] = mean(this.#recent);
    return result;
  }

  save(): EpisodeStatisticsState {
    return { returns: [...this.#returns], lengths: [...this.#lengths], recent: [...this.#recent] };
  }

  restore({ returns, lengths, recent }: EpisodeStatisticsState): void {
    this.#returns = Float64Array.from(returns);
    this.#lengths = Float64Array.from(lengths);
    this.#recent = [...recent];
  }
}
