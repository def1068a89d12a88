import type { Info } from "@praxis/env";
import type { NamedArray } from "@praxis/nn";
import { computeGae } from "./advantages.ts";
import { prefixed, unprefixed } from "./model-tensors.ts";
import { type ObservationRecord, packRecords, unpackRecords } from "./observation-record.ts";

/** Options that are numbers, texts or truth values. */
export type PlainOptions = Readonly<Record<string, number | string | boolean>>;

/** The plain ones among options. */
export function plainOptions(options: Readonly<Record<string, unknown>>): PlainOptions {
  const isPlain = (value: unknown): value is number | string | boolean =>
    ["number", "string", "boolean"].includes(typeof value);
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (isPlain(value) ? [[name, value]] : [])),
  );
}

/** One decision of an episode and what followed. */
export interface ReplayedStep {
  readonly record: ObservationRecord;
  readonly action: Float32Array;
  readonly mask: Uint8Array;
  readonly logProb: number;
  readonly value: number;
  readonly reward: number;
  /** True where a verifier failed, so that the reward is unknown. */
  readonly isExcluded: boolean;
  /** What the trainer's hook keeps of the step's info; null: nothing. */
  readonly kept: unknown;
}

/** An episode from its beginning, kept until it has ended and was learnt from. */
export interface ReplayedEpisode {
  readonly env: number;
  /** Number of the episode among those of its environment. */
  readonly index: number;
  /** Of the reset options that it began with the plain ones, such as a phase; large values are no part of an episode. */
  readonly resetOptions: PlainOptions;
  readonly steps: ReplayedStep[];
}

/** An episode that has ended. */
export interface FinishedEpisode extends ReplayedEpisode {
  readonly terminated: boolean;
  /** Value of the final observation where a limit outside the task cut it, else 0. */
  readonly finalValue: number;
  readonly finalInfo: Info;
}

/** Advantages and returns of each step (see {@link computeGae}). */
export function advantagesOf(
  { steps, terminated, finalValue }: FinishedEpisode,
  { gamma, gaeLambda }: { readonly gamma: number; readonly gaeLambda: number },
): { readonly advantages: Float64Array; readonly returns: Float64Array } {
  const numSteps = steps.length;
  const atEnd = (value: number) => Float64Array.from({ length: numSteps }, (_, t) => (t === numSteps - 1 ? value : 0));
  return computeGae({
    ...{ numSteps, numEnvs: 1, gamma, gaeLambda, lastValues: [0], finalValues: atEnd(finalValue) },
    rewards: steps.map(({ reward }) => reward),
    values: steps.map(({ value }) => value),
    terminated: atEnd(terminated ? 1 : 0),
    truncated: atEnd(terminated ? 0 : 1),
    excluded: steps.map(({ isExcluded }) => (isExcluded ? 1 : 0)),
  });
}

/** The part of saved episodes that is no tensor. */
export interface SavedEpisode {
  readonly env: number;
  readonly index: number;
  readonly resetOptions: PlainOptions;
  readonly steps: readonly Omit<ReplayedStep, "record" | "action" | "mask">[];
}

/** Running episodes as plain data and tensors. */
export function saveEpisodes(episodes: readonly ReplayedEpisode[]): {
  readonly state: readonly SavedEpisode[];
  readonly tensors: ReadonlyMap<string, NamedArray>;
} {
  const steps = episodes.flatMap((episode) => episode.steps);
  const join = (parts: readonly ArrayLike<number>[]): NamedArray => {
    const width = parts[0]?.length ?? 0;
    const data = Float32Array.from(
      { length: parts.length * width },
      (_, k) => parts[Math.floor(k / width)]![k % width]!,
    );
    return { shape: [parts.length, width], data };
  };
  const state = episodes.map(
    (episode): SavedEpisode => ({
      ...{ env: episode.env, index: episode.index, resetOptions: episode.resetOptions },
      steps: episode.steps.map(({ logProb, value, reward, isExcluded, kept }) => ({
        ...{ logProb, value, reward, isExcluded, kept },
      })),
    }),
  );
  const tensors = new Map([
    ...prefixed("records.", new Map(packRecords(steps.map(({ record }) => record)))),
    ["actions", join(steps.map(({ action }) => action))] as const,
    ["masks", join(steps.map(({ mask }) => mask))] as const,
  ]);
  return { state, tensors };
}

/** The episodes that {@link saveEpisodes} saved. */
export function restoreEpisodes(
  state: readonly SavedEpisode[],
  tensors: ReadonlyMap<string, NamedArray>,
): ReplayedEpisode[] {
  const records = unpackRecords(unprefixed("records.", tensors));
  const rowOf = (name: string, i: number): Float32Array => {
    const { shape, data } = tensors.get(name)!;
    const width = shape[1]!;
    return data.slice(i * width, (i + 1) * width);
  };
  let at = 0;
  return state.map(({ steps, ...episode }) => ({
    ...episode,
    steps: steps.map((step): ReplayedStep => {
      const i = at++;
      return { ...step, record: records[i]!, action: rowOf("actions", i), mask: Uint8Array.from(rowOf("masks", i)) };
    }),
  }));
}
