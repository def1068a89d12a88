import type { Info } from "@praxis/env";
import type { FinishedEpisode } from "./replayed-episode.ts";

/** What a hook is told between two rollouts. */
export interface RolloutReport {
  /** Episodes that ended in the last rollout, by environment, then in the order they were played. */
  readonly episodes: readonly FinishedEpisode[];
  /** Environment steps done, and those of the whole run. */
  readonly steps: number;
  readonly totalSteps: number;
}

/**
 * Sets inputs of the environments between rollouts (a phase, counts over paths) from what was played: within a rollout they
 * stand still, so that an episode is a function of its seed, actions and these inputs, on any number of workers.
 */
export interface RolloutHook {
  /** Reset options of the episodes that begin from now on, beside the run's own. */
  resetOptions(): Readonly<Record<string, unknown>>;
  /** The part of a step's info that {@link RolloutHook.update} needs, as JSON; null: nothing. */
  keep?(info: Info): unknown;
  /** Learns from a rollout; returns numbers to log. */
  update(report: RolloutReport): Readonly<Record<string, number>>;
  /** Everything that later calls depend on, as JSON. */
  save(): unknown;
  restore(saved: unknown): void;
}

/** Several hooks as one: later ones' reset options outrank earlier ones', and each sees what it kept itself. */
export function joinHooks(hooks: readonly RolloutHook[]): RolloutHook {
  return {
    resetOptions: () => Object.assign({}, ...hooks.map((hook) => hook.resetOptions())),
    keep: (info) => hooks.map((hook) => hook.keep?.(info) ?? null),
    update(report) {
      const partOf = (at: number): RolloutReport => ({
        ...report,
        episodes: report.episodes.map((episode) => ({
          ...episode,
          steps: episode.steps.map((step) => ({ ...step, kept: (step.kept as readonly unknown[])[at] })),
        })),
      });
      return Object.assign({}, ...hooks.map((hook, at) => hook.update(partOf(at))));
    },
    save: () => hooks.map((hook) => hook.save()),
    restore(saved) {
      hooks.forEach((hook, at) => {
        hook.restore((saved as readonly unknown[])[at]);
      });
    },
  };
}
