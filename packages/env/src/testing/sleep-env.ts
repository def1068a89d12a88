import { z } from "zod";
import type {
  EnvDefinition,
  EnvSnapshot,
  EnvState,
  ResetRequest,
  ResetResult,
  StepRequest,
  StepResult,
} from "../env.ts";
import { PraxisError } from "../errors.ts";
import { checkSeed } from "../seed.ts";

/** Action of an environment of {@link makeSleepEnv}. */
export interface SleepAction {
  readonly sleepMs: number;
}
/** Observation of an environment of {@link makeSleepEnv}: milliseconds slept in this episode. */
export interface SleepObservation {
  readonly sleptMs: number;
}
/** Waits `ms`; rejects if the signal is aborted before. Handed in, so that tests need no clock. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

interface Episode {
  readonly id: string;
  readonly stepCount: number;
  readonly sleptMs: number;
}

class SleepEnv {
  readonly #sleep: Sleep;
  #episode: Episode | null = null;

  constructor(sleep: Sleep) {
    this.#sleep = sleep;
  }

  async reset({ seed = 0, episodeId }: ResetRequest = {}): Promise<ResetResult<SleepObservation>> {
    checkSeed(seed);
    this.#episode = { id: episodeId ?? `Sleep-v0-${seed}`, stepCount: 0, sleptMs: 0 };
    return { observation: { sleptMs: 0 }, info: { seed } };
  }

  async step({ sleepMs }: SleepAction, { signal }: StepRequest = {}): Promise<StepResult<SleepObservation>> {
    const episode = this.#episode;
    if (episode === null) throw new PraxisError("RESET_NEEDED", "No episode has begun. Call reset first.");
    await this.#sleep(sleepMs, signal);
    if (this.#episode !== episode)
      throw new PraxisError("RESET_NEEDED", "The episode was replaced while the step was at work.");
    const sleptMs = episode.sleptMs + sleepMs;
    this.#episode = { ...episode, stepCount: episode.stepCount + 1, sleptMs };
    return { observation: { sleptMs }, reward: 0, terminated: false, truncated: false, info: {} };
  }

  state(): EnvState {
    const { id, ...rest } = this.#episode ?? { id: null, stepCount: 0, sleptMs: 0 };
    return { episodeId: id, ...rest };
  }

  snapshot(): EnvSnapshot {
    return { envId: "Sleep-v0", data: this.#episode };
  }

  restore(snapshot: EnvSnapshot): void {
    this.#episode = snapshot.data as Episode | null;
  }

  async close(): Promise<void> {
    this.#episode = null;
  }
}

/** An asynchronous environment: each step sleeps as long as its action says, and fails as `sleep` does when aborted. */
export function makeSleepEnv(sleep: Sleep): EnvDefinition<SleepAction, SleepObservation> {
  return {
    id: "Sleep-v0",
    name: "sleep",
    description: "Sleeps as long as it is told.",
    version: "0.1.0",
    isDeterministic: true,
    rewardRange: [0, 0],
    schemas: {
      action: z.strictObject({ sleepMs: z.int().min(0).max(600_000) }),
      observation: z.strictObject({ sleptMs: z.int().min(0) }),
      state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int().min(0), sleptMs: z.int() }),
      reset: z.object({}),
    },
    sampleAction: (rng) => ({ sleepMs: rng.integer(1, 3) }),
    makeEnv: () => new SleepEnv(sleep),
  };
}
