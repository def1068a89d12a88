import { z } from "zod";
import type { MaybePromise } from "../env.ts";
import { PraxisError } from "../errors.ts";
import { Rubric } from "./rubric.ts";

/** What a trajectory rubric needs to see of a step. */
export interface TrajectoryStep {
  readonly terminated: boolean;
  readonly truncated: boolean;
}

/** Settings of a {@link Trajectory}. */
export interface TrajectoryOptions<T> {
  /** Score of the whole episode, called once with all its steps. */
  readonly final: (steps: readonly T[]) => MaybePromise<number>;
  /** Score of every step before the last; default 0. */
  readonly intermediate?: number;
  /** Share of the final score by step; default {@link exponentialCredit}. */
  readonly credit?: (numSteps: number, finalScore: number, gamma: number) => readonly number[];
  /** Discount handed to `credit`; default 0.99. */
  readonly gamma?: number;
}

/** Credit γ^(T−1−t) · R of each step t of T. Source: OpenEnv, exponential discounting trajectory rubric. */
export function exponentialCredit(numSteps: number, finalScore: number, gamma: number): readonly number[] {
  return Array.from({ length: numSteps }, (_, t) => gamma ** (numSteps - 1 - t) * finalScore);
}

/**
 * Scores an episode as a whole: its `rubric` collects steps, gives the intermediate score until one is terminated or
 * truncated, then the final score. The rubric's `reset` clears it; scoring on after the end throws RESET_NEEDED.
 */
export class Trajectory<T extends TrajectoryStep> {
  readonly rubric: Rubric<T, { gamma: number; intermediate: number }>;
  readonly #credit: NonNullable<TrajectoryOptions<T>["credit"]>;
  #steps: T[] = [];
  #finalScore: number | null = null;

  constructor({ final, intermediate = 0, credit = exponentialCredit, gamma = 0.99 }: TrajectoryOptions<T>) {
    this.#credit = credit;
    this.rubric = new Rubric<T, { gamma: number; intermediate: number }>({
      kind: "trajectory",
      settings: {
        value: { gamma, intermediate },
        schema: z.strictObject({ gamma: z.number().min(0).max(1), intermediate: z.number() }),
      },
      score: (step, { settings }) => this.#collect(step, final, settings.intermediate),
      reset: () => {
        this.#steps = [];
        this.#finalScore = null;
      },
    });
  }

  /** Steps collected since the last reset. */
  get steps(): readonly T[] {
    return this.#steps;
  }

  /** Credit of each step. Throws RESET_NEEDED before the episode has ended. */
  stepRewards(): readonly number[] {
    if (this.#finalScore === null)
      throw new PraxisError("RESET_NEEDED", "The trajectory has not ended; there is no final score to share out.");
    return this.#credit(this.#steps.length, this.#finalScore, this.rubric.settings.gamma);
  }

  #collect(step: T, final: TrajectoryOptions<T>["final"], intermediate: number): MaybePromise<number> {
    const before = this.#steps;
    const last = before.at(-1);
    if (last?.terminated || last?.truncated)
      throw new PraxisError("RESET_NEEDED", "The trajectory has ended. Reset the rubric with the environment.");
    if (!step.terminated && !step.truncated) {
      before.push(step);
      return intermediate;
    }
    // The last step is kept only once it is scored, so that a failing judge can be asked again.
    const all = [...before, step];
    const keep = (score: number): number => {
      if (this.#steps === before) {
        this.#steps = all;
        this.#finalScore = score;
      }
      return score;
    };
    const scored = final(all);
    return scored instanceof Promise ? scored.then(keep) : keep(scored);
  }
}
