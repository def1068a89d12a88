import type { Module, Parameter, Tape, Tensor } from "@praxis/nn";
import type { ActionDistribution } from "./action-distribution.ts";
import type { LayeredState } from "./memory-rows.ts";
import type { EmbeddingRow, ObservationRecord, ObservationRecorder } from "./observation-record.ts";

/** Projections of embedding rows by one version of the weights, by the name of the projection. */
export type ProjectionCache = Map<string, Map<EmbeddingRow, Float32Array>>;

/** Memories of a batch as arrays with a column for each; none for a policy without memory. */
export type Memories = readonly LayeredState[];

/** Rows [steps, batch] in time order. One column of many episodes, each marked by a start, costs no padding. */
export interface RecordedInput {
  readonly steps: number;
  readonly batch: number;
  readonly records: readonly ObservationRecord[];
  /** [steps, batch], nonzero where an episode starts: memories are zero before that row. */
  readonly starts: ArrayLike<number>;
  readonly memories: Memories;
  /** For acting: keeps projections as long as the weights stay; made anew after each change. */
  readonly projections?: ProjectionCache;
}

/** What a policy says about rows. */
export interface RecordedOutput {
  /** [rows, distribution.inputSize] */
  readonly logits: Tensor;
  /** [rows, 1] */
  readonly values: Tensor;
  /** After the last step. */
  readonly memories: Memories;
}

/** A policy and its value function over recorded observations, for replay of whole episodes. */
export interface RecordedPolicy extends Module {
  /** What its weights can't be used without, by name; a checkpoint of others is refused. */
  readonly identity: Readonly<Record<string, string | number | boolean>>;
  readonly distribution: ActionDistribution;
  /** Numbers in an observation. */
  readonly inputs: number;
  /** Logarithms of the Gaussians' deviations, with their gradient; null without Gaussians. */
  readonly logDeviations: Parameter | null;
  makeRecorder(): ObservationRecorder;
  /** Empty memories of `batch` episodes. */
  initialMemories(batch: number): Memories;
  forward(tape: Tape, input: RecordedInput): RecordedOutput;
}
