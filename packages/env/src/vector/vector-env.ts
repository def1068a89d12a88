import type { EnvSnapshot, Info, MaybePromise, ResetResult } from "../env.ts";
import { Rng } from "../rng.ts";
import type { SpaceValue } from "../spaces.ts";

/**
 * What follows the end of an episode. `sameStep`: the step that ends it already returns the next episode's first observation.
 * `nextStep`: the next step ignores its action and returns it, with reward 0. `disabled`: the caller resets by mask.
 */
export type AutoresetMode = "sameStep" | "nextStep" | "disabled";

/** One Float32Array, [numEnvs, size] row-major, for a box observation space; else one observation per environment. */
export type VectorObservations<Observation> = Float32Array | readonly Observation[];

/** What a vector reset may be told. */
export interface VectorResetRequest {
  /** Each environment gets a seed of its own, split from this one by its index. Left out: each goes on in its sequence. */
  readonly seed?: number;
  /** Reset options of all environments, kept for autoresets. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Only environments with a truthy entry are reset; default all. */
  readonly mask?: ArrayLike<boolean | number>;
}

/** Beginnings of episodes, by environment. Arrays are fresh in every result. */
export interface VectorReset<Observation = unknown> {
  readonly observations: VectorObservations<Observation>;
  readonly infos: readonly Info[];
}

/** One transition of every environment; all arrays have one entry per environment and are fresh in every result. */
export interface VectorStep<Observation = unknown> extends VectorReset<Observation> {
  readonly rewards: Float64Array;
  /** 1 where the task ended. */
  readonly terminated: Uint8Array;
  /** 1 where a limit cut the episode. */
  readonly truncated: Uint8Array;
  /** 1 where `observations` and `infos` are those of a reset. */
  readonly episodeStarts: Uint8Array;
  /** The last observation of an episode that ended in this step, else null: bootstrap truncated episodes from it. */
  readonly finalObservations: readonly (Observation | Float32Array | null)[];
  /** The info of the step that ended an episode, else null. */
  readonly finalInfos: readonly (Info | null)[];
}

/** Where one environment of a vector stands: plain data that shares nothing with it. */
export interface SavedEnv<Observation = unknown> {
  readonly snapshot: EnvSnapshot;
  /** What it returned last. */
  readonly last: ResetResult<Observation>;
  /** True when its episode has ended and no other has begun. */
  readonly hasEnded: boolean;
  /** Options of its autoresets. */
  readonly resetOptions: Readonly<Record<string, unknown>>;
}

/**
 * Many environments of one definition that step together. After a call that throws, each environment may stand elsewhere:
 * `step` throws RESET_NEEDED until a whole reset.
 */
export interface VectorEnv<Action = unknown, Observation = unknown> {
  readonly numEnvs: number;
  readonly autoreset: AutoresetMode;
  /** Row length of the observations for a box observation space, else null. */
  readonly observationSize: number | null;
  reset(request?: VectorResetRequest): MaybePromise<VectorReset<Observation>>;
  /** @param actions one per environment; members of the action space where the definition has `decodeAction` */
  step(actions: ArrayLike<Action | SpaceValue>): MaybePromise<VectorStep<Observation>>;
  /**
   * Reset options of all episodes that begin from now on; running ones go on as they are. Throws RESET_NEEDED before the first
   * reset.
   */
  setResetOptions(options: Readonly<Record<string, unknown>>): MaybePromise<void>;
  /**
   * Where each environment stands, by value. Throws RESET_NEEDED before the first reset and NOT_SUPPORTED naming the path when a
   * snapshot holds what is no plain data.
   */
  save(): MaybePromise<readonly SavedEnv<Observation>[]>;
  /**
   * Puts every environment where `saved` says and returns what {@link VectorEnv.step} or `reset` returned last there. Throws
   * VALIDATION_ERROR, changing nothing, for another number of environments.
   */
  restore(saved: readonly SavedEnv<Observation>[]): MaybePromise<VectorReset<Observation>>;
  close(): MaybePromise<void>;
}

/** Seed of environment `index` under a vector seed: independent of the number of environments and workers. */
export function envSeed(seed: number, index: number): number {
  return Rng.fromSeed(seed, "vector-env").split(String(index)).uniform() * 2 ** 53;
}
