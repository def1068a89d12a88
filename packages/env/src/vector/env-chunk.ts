import type { EnvDefinition, EnvState, Info, ResetResult, SyncEnv } from "../env.ts";
import { PraxisError, toPraxisError } from "../errors.ts";
import { checkFinite } from "../json.ts";
import { copyPlainData } from "../plain-data.ts";
import { flatSize, type SpaceValue } from "../spaces.ts";
import {
  type AutoresetMode,
  envSeed,
  type SavedEnv,
  type VectorObservations,
  type VectorReset,
  type VectorResetRequest,
  type VectorStep,
} from "./vector-env.ts";

/** A definition whose environments never wait. */
export type SyncEnvDefinition<Action = unknown, Observation = unknown> = EnvDefinition<
  Action,
  Observation,
  EnvState,
  SyncEnv<Action, Observation>
>;

/** Settings of an {@link EnvChunk}. */
export interface EnvChunkOptions {
  /** Index of its first environment in the whole vector. */
  readonly start: number;
  readonly count: number;
  /** Vector seed of the sequences for resets without a seed. */
  readonly seed: number;
  readonly autoreset: AutoresetMode;
}

/** Row length of the observations of a definition with a box observation space, else null. */
function observationSizeOf({ observationSpace }: SyncEnvDefinition): number | null {
  return observationSpace?.kind === "box" ? flatSize(observationSpace) : null;
}

/** A run of consecutive environments: the whole of a local vector environment, or one worker's share. */
export class EnvChunk<Action, Observation> {
  readonly observationSize: number | null;
  readonly #definition: SyncEnvDefinition<Action, Observation>;
  readonly #options: EnvChunkOptions;
  readonly #envs: readonly SyncEnv<Action, Observation>[];
  readonly #last: ResetResult<Observation>[] = [];
  readonly #ended: Uint8Array;
  readonly #resetOptions: Readonly<Record<string, unknown>>[] = [];

  constructor(definition: SyncEnvDefinition<Action, Observation>, options: EnvChunkOptions) {
    this.#definition = definition;
    this.#options = options;
    this.observationSize = observationSizeOf(definition);
    this.#envs = Array.from({ length: options.count }, (_, i) =>
      definition.makeEnv({ seed: envSeed(options.seed, options.start + i) }),
    );
    this.#ended = new Uint8Array(options.count);
  }

  reset({ seed, options = {}, mask }: VectorResetRequest): VectorReset<Observation> {
    let i = 0;
    try {
      for (; i < this.#envs.length; i++) {
        if (mask !== undefined && !mask[i]) continue;
        this.#resetOptions[i] = options;
        this.#resetOne(i, seed);
      }
    } catch (error) {
      throw this.#attributed(i, error);
    }
    return { observations: this.#gather(), infos: this.#infos() };
  }

  step(actions: ArrayLike<Action | SpaceValue>): VectorStep<Observation> {
    const count = this.#envs.length;
    const rewards = new Float64Array(count);
    const terminated = new Uint8Array(count);
    const truncated = new Uint8Array(count);
    const episodeStarts = new Uint8Array(count);
    const finalObservations: (Observation | Float32Array | null)[] = new Array(count).fill(null);
    const finalInfos: (Info | null)[] = new Array(count).fill(null);
    let i = 0;
    try {
      for (; i < count; i++) {
        if (this.#ended[i] === 1 && this.#options.autoreset === "nextStep") {
          this.#resetOne(i);
          episodeStarts[i] = 1;
          continue;
        }
        const result = this.#envs[i]!.step(this.#action(actions[i]!, this.#last[i]!));
        checkFinite(result.reward, "reward");
        this.#last[i] = result;
        rewards[i] = result.reward;
        terminated[i] = result.terminated ? 1 : 0;
        truncated[i] = result.truncated ? 1 : 0;
        if (!result.terminated && !result.truncated) continue;
        this.#ended[i] = 1;
        finalObservations[i] = this.#row(result);
        finalInfos[i] = result.info;
        if (this.#options.autoreset === "sameStep") {
          this.#resetOne(i);
          episodeStarts[i] = 1;
        }
      }
    } catch (error) {
      throw this.#attributed(i, error);
    }
    return {
      observations: this.#gather(),
      infos: this.#infos(),
      rewards,
      terminated,
      truncated,
      episodeStarts,
      finalObservations,
      finalInfos,
    };
  }

  setResetOptions(options: Readonly<Record<string, unknown>>): void {
    this.#resetOptions.fill(options);
  }

  save(): SavedEnv<Observation>[] {
    return this.#envs.map((env, i) => {
      try {
        return copyPlainData({
          ...{ snapshot: env.snapshot(), last: this.#last[i]! },
          ...{ hasEnded: this.#ended[i] === 1, resetOptions: this.#resetOptions[i]! },
        });
      } catch (error) {
        throw this.#attributed(i, error);
      }
    });
  }

  restore(saved: readonly SavedEnv<Observation>[]): VectorReset<Observation> {
    saved.forEach((each, i) => {
      // The environment may go on to change what it is given.
      const { snapshot, last, hasEnded, resetOptions } = copyPlainData(each);
      try {
        this.#envs[i]!.restore(snapshot);
      } catch (error) {
        throw this.#attributed(i, error);
      }
      this.#last[i] = last;
      this.#ended[i] = hasEnded ? 1 : 0;
      this.#resetOptions[i] = resetOptions;
    });
    return { observations: this.#gather(), infos: this.#infos() };
  }

  /** Closes every environment, also after one that throws; then throws the first error. */
  close(): void {
    const errors: PraxisError[] = [];
    this.#envs.forEach((env, i) => {
      try {
        env.close();
      } catch (error) {
        errors.push(this.#attributed(i, error));
      }
    });
    if (errors[0] !== undefined) throw errors[0];
  }

  #resetOne(i: number, seed?: number): void {
    const result = this.#envs[i]!.reset({
      options: this.#resetOptions[i]!,
      ...(seed === undefined ? {} : { seed: envSeed(seed, this.#options.start + i) }),
    });
    // A worker gets its definition by name, so that no type has seen it.
    if (result instanceof Promise)
      throw new PraxisError("NOT_SUPPORTED", "The environment is asynchronous; a vector environment needs a SyncEnv.");
    this.#last[i] = result;
    this.#ended[i] = 0;
  }

  #gather(): VectorObservations<Observation> {
    const size = this.observationSize;
    if (size === null) return this.#last.map((result) => result.observation);
    const rows = new Float32Array(this.#envs.length * size);
    let i = 0;
    try {
      for (; i < this.#envs.length; i++) rows.set(this.#numbers(this.#last[i]!, size), i * size);
    } catch (error) {
      throw this.#attributed(i, error);
    }
    return rows;
  }

  #row(result: ResetResult<Observation>): Observation | Float32Array {
    const size = this.observationSize;
    return size === null ? result.observation : Float32Array.from(this.#numbers(result, size));
  }

  #numbers({ observation, info }: ResetResult<Observation>, size: number): ArrayLike<number> {
    const encode = this.#definition.encodeObservation;
    const numbers = (encode ? encode.call(this.#definition, observation, info) : observation) as ArrayLike<number>;
    if (typeof numbers === "object" && numbers !== null && numbers.length === size) return numbers;
    throw new PraxisError(
      "INVALID_CONFIG",
      `The observation is no array of ${size} numbers, as observationSpace says.`,
    );
  }

  #action(given: Action | SpaceValue, last: ResetResult<Observation>): Action {
    const definition = this.#definition;
    return definition.decodeAction ? definition.decodeAction(given as SpaceValue, last) : (given as Action);
  }

  #infos(): Info[] {
    return this.#last.map((result) => result.info);
  }

  /** The error of environment `i`, with its index in the whole vector. */
  #attributed(i: number, cause: unknown): PraxisError {
    const envIndex = this.#options.start + i;
    const { code, message, fields, details } = toPraxisError(cause);
    return new PraxisError(code, `Environment ${envIndex}: ${message}`, {
      cause,
      fields,
      details: { ...details, envIndex },
    });
  }
}
