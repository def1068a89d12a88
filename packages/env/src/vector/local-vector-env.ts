import type { SpaceValue } from "../spaces.ts";
import { VectorCallGuard } from "./call-guard.ts";
import { EnvChunk, type SyncEnvDefinition } from "./env-chunk.ts";
import type { AutoresetMode, SavedEnv, VectorEnv, VectorReset, VectorResetRequest, VectorStep } from "./vector-env.ts";

/** Settings of a vector environment. */
export interface VectorEnvOptions {
  readonly numEnvs: number;
  /** Seed of the sequences for resets without a seed; default 0. */
  readonly seed?: number;
  /** Default `sameStep`. */
  readonly autoreset?: AutoresetMode;
}

/** A {@link VectorEnv} in this thread, synchronous. */
export class LocalVectorEnv<Action = unknown, Observation = unknown> implements VectorEnv<Action, Observation> {
  readonly numEnvs: number;
  readonly autoreset: AutoresetMode;
  readonly #guard: VectorCallGuard;
  readonly #chunk: EnvChunk<Action, Observation>;

  constructor(
    definition: SyncEnvDefinition<Action, Observation>,
    { numEnvs, seed = 0, autoreset = "sameStep" }: VectorEnvOptions,
  ) {
    this.#guard = new VectorCallGuard(numEnvs);
    this.numEnvs = numEnvs;
    this.autoreset = autoreset;
    this.#chunk = new EnvChunk(definition, { start: 0, count: numEnvs, seed, autoreset });
  }

  get observationSize(): number | null {
    return this.#chunk.observationSize;
  }

  reset(request: VectorResetRequest = {}): VectorReset<Observation> {
    this.#guard.beginReset(request);
    return this.#ended(() => this.#chunk.reset(request));
  }

  step(actions: ArrayLike<Action | SpaceValue>): VectorStep<Observation> {
    this.#guard.beginStep(actions);
    return this.#ended(() => this.#chunk.step(actions));
  }

  setResetOptions(options: Readonly<Record<string, unknown>>): void {
    this.#guard.beginOptions();
    this.#ended(() => this.#chunk.setResetOptions(options));
  }

  save(): readonly SavedEnv<Observation>[] {
    this.#guard.beginSave();
    // Saving changes nothing, so that the vector goes on also when it fails.
    try {
      return this.#chunk.save();
    } finally {
      this.#guard.end(true);
    }
  }

  restore(saved: readonly SavedEnv<Observation>[]): VectorReset<Observation> {
    this.#guard.beginRestore(saved);
    return this.#ended(() => this.#chunk.restore(saved));
  }

  close(): void {
    if (this.#guard.close()) this.#chunk.close();
  }

  #ended<T>(call: () => T): T {
    let succeeded = false;
    try {
      const result = call();
      succeeded = true;
      return result;
    } finally {
      this.#guard.end(succeeded);
    }
  }
}
