import { PraxisError } from "@praxis/env";
import { z } from "zod";
import type { RolloutHook, RolloutReport } from "./rollout-hook.ts";

/** Settings of a {@link PhaseCurriculum}. */
export const phaseCurriculumSettings = z.strictObject({
  baselines: z
    .array(z.number())
    .min(1)
    .describe("mean raw reward that a simple rule earns an episode in each phase but the last"),
  margin: z.number().min(0).default(0.02).describe("above the baseline"),
  window: z.int().min(1).default(400).describe("episodes of the phase that the mean is over"),
  minEpisodes: z.int().min(1).default(1000).describe("episodes of the phase before it may end"),
  lastSteps: z
    .array(z.number().min(0).max(1))
    .default([0.3, 0.6])
    .describe("share of all steps at which each phase ends in any case"),
});

/** Saved state of a {@link PhaseCurriculum}. */
interface PhaseState {
  readonly phase: number;
  readonly episodes: number;
  readonly recent: readonly number[];
}

/**
 * Raises the reset option `phase` from 1 on when the policy beats a simple rule in its phase, by the environment's own reward, or
 * when the phase has had its share of the steps; never back. Only episodes that began in the phase count.
 */
export class PhaseCurriculum implements RolloutHook {
  readonly #settings: z.output<typeof phaseCurriculumSettings>;
  #state: PhaseState = { phase: 1, episodes: 0, recent: [] };

  /** Throws INVALID_CONFIG for settings that are wrong. */
  constructor(settings: z.input<typeof phaseCurriculumSettings>) {
    const parsed = phaseCurriculumSettings.safeParse(settings);
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0]!;
      throw new PraxisError("INVALID_CONFIG", `Curriculum setting '${path.join(".")}': ${message}.`);
    }
    this.#settings = parsed.data;
  }

  get phase(): number {
    return this.#state.phase;
  }

  resetOptions(): { readonly phase: number } {
    return { phase: this.#state.phase };
  }

  update({ episodes, steps, totalSteps }: RolloutReport): Record<string, number> {
    const { phase } = this.#state;
    const own = episodes.filter(({ resetOptions, steps: taken }) => {
      return resetOptions.phase === phase && !taken.some(({ isExcluded }) => isExcluded);
    });
    const returns = own.map((episode) => episode.steps.reduce((sum, { reward }) => sum + reward, 0));
    const recent = [...this.#state.recent, ...returns].slice(-this.#settings.window);
    this.#state = { phase, episodes: this.#state.episodes + own.length, recent };
    const mean = recent.length === 0 ? 0 : recent.reduce((sum, x) => sum + x, 0) / recent.length;
    if (this.#isOver(mean, steps / totalSteps)) this.#state = { phase: phase + 1, episodes: 0, recent: [] };
    return { "curriculum/phase": phase, "curriculum/mean_reward": mean };
  }

  #isOver(mean: number, share: number): boolean {
    const { baselines, margin, window, minEpisodes, lastSteps } = this.#settings;
    const { phase, episodes, recent } = this.#state;
    const baseline = baselines[phase - 1];
    if (baseline === undefined) return false;
    if (share >= (lastSteps[phase - 1] ?? 1)) return true;
    return recent.length >= window && episodes >= minEpisodes && mean > baseline + margin;
  }

  save(): PhaseState {
    return this.#state;
  }

  restore(saved: unknown): void {
    this.#state = saved as PhaseState;
  }
}
