import type { Rng } from "@praxis/env";
import {
  type Activation,
  type FactoredGradient,
  type Kernels,
  Lstm,
  type LstmState,
  Mlp,
  type Module,
  orthogonal,
  type Parameter,
  reshape,
  type Tape,
  type Tensor,
  uniform,
} from "@praxis/nn";
import { BlockEncoder, type EncoderSettings } from "./block-encoder.ts";
import type { ConstantCache } from "./constant-cache.ts";
import type { LayeredState } from "./memory-rows.ts";
import {
  addVariable,
  anyColumns,
  type ColumnBlocks,
  findRuns,
  isDeferred,
  projectBlocks,
  projectConstant,
} from "./observation-layout.ts";

/** How a {@link PolicyBranch} is built. */
export interface PolicyBranchOptions {
  readonly kernels: Kernels;
  readonly rng: Rng;
  readonly name: string;
  /** Numbers in an observation. */
  readonly inputs: number;
  readonly outputs: number;
  /** Of the last layer's initial weights. */
  readonly gain: number;
  /** Memory before the layers; null: none. */
  readonly lstm: { readonly hidden: number; readonly layers: number } | null;
  /** Widths of the layers. */
  readonly hidden: readonly number[];
  readonly activation: Activation;
  /** Only with `lstm`: columns that are projected once per episode. */
  readonly columns: ColumnBlocks | null;
  /** Reads the observation first, block by block; null: all its numbers are features. */
  readonly encoder: EncoderSettings | null;
}

/** What the memories of a branch hold: those of items by block, then the LSTM's; empty without any. */
export type BranchState = readonly LstmState[];

/** Rows [steps, batch] in time order. */
export interface BranchInput {
  readonly steps: number;
  readonly batch: number;
  /** [steps, batch, inputs], in memory of the kernels. */
  readonly observations: Float32Array;
  /** [steps, batch], nonzero where an episode starts. */
  readonly starts: ArrayLike<number>;
  /** For single steps of a rollout: keeps the constant part of each environment from step to step. */
  readonly cache?: ConstantCache;
  /** For an update: gets the gradients that the optimiser makes itself. */
  readonly deferred?: FactoredGradient[];
}

/** From observations to numbers: an encoder of blocks and an LSTM, each if wanted, then an MLP. */
export class PolicyBranch implements Module {
  readonly name: string;
  readonly inputs: number;
  readonly encoder: BlockEncoder | null;
  readonly lstm: Lstm | null;
  readonly mlp: Mlp;
  /** What the LSTM's first layer reads; null without one, or where it reads an encoder. */
  readonly #columns: ColumnBlocks | null;

  constructor(options: PolicyBranchOptions) {
    const { kernels, rng, name, inputs, outputs, gain, lstm, hidden, activation, columns, encoder } = options;
    this.name = name;
    this.inputs = inputs;
    this.#columns = lstm === null || encoder !== null ? null : (columns ?? anyColumns(inputs));
    this.encoder =
      encoder === null
        ? null
        : new BlockEncoder({ ...encoder, kernels, rng: rng.split(`${name}.encoder`), name: `${name}.encoder`, inputs });
    const features = this.encoder?.outputs ?? inputs;
    const initialise = lstm === null ? undefined : uniform(1 / Math.sqrt(lstm.hidden));
    this.lstm =
      lstm === null || initialise === undefined
        ? null
        : new Lstm({
            ...{ kernels, rng: rng.split(`${name}.lstm`), name: `${name}.lstm`, inputs: features, ...lstm },
            ...{ initialise, initialiseBias: initialise },
          });
    this.mlp = new Mlp({
      ...{ kernels, rng: rng.split(`${name}.mlp`), name: `${name}.mlp`, inputs: lstm?.hidden ?? features },
      ...{ hidden, activation, outputs, initialiseOutput: orthogonal(gain) },
    });
  }

  /** Whether anything is remembered from step to step. */
  get isRecurrent(): boolean {
    return this.initialState(1).length > 0;
  }

  parameters(): readonly Parameter[] {
    return [this.encoder, this.lstm, this.mlp].flatMap((part) => part?.parameters() ?? []);
  }

  /** Sets gradients to zero, but for those that an update of `rows` rows defers: nothing reads or writes these. */
  zeroGradients(rows: number): void {
    const deferring = this.#columns === null ? undefined : this.lstm?.layers[0]?.inputWeight;
    for (const parameter of this.parameters()) {
      if (parameter !== deferring) {
        parameter.gradient.fill(0);
        continue;
      }
      const outputs = parameter.shape[1]!;
      for (const range of this.#columns?.variable ?? [])
        if (!isDeferred(rows, range, outputs)) parameter.gradient.fill(0, range[0] * outputs, range[1] * outputs);
    }
  }

  /** Empty memories of `batch` episodes. */
  initialState(batch: number): BranchState {
    const items = this.encoder?.initialStates(batch) ?? [];
    return this.lstm === null ? items : [...items, this.lstm.initialState(batch)];
  }

  /** The memories with their numbers of layers, as rows of memories want them. */
  layered(state: BranchState): LayeredState[] {
    const items = this.lstm === null ? state.length : state.length - 1;
    return state.map((each, i) => ({ layers: i < items ? 1 : this.lstm!.layers.length, state: each }));
  }

  /** [steps · batch, outputs], and the memories after the last step. */
  forward(
    tape: Tape,
    input: BranchInput,
    state: BranchState,
  ): { readonly output: Tensor; readonly state: BranchState } {
    const { steps, batch, observations } = input;
    const rows = steps * batch;
    const encoded = this.encoder?.forward(tape, input, state) ?? { output: null, states: [] };
    const features = encoded.output ?? tape.wrap([rows, this.inputs], observations, []);
    if (this.lstm === null) return { output: this.mlp.forward(tape, features), state: encoded.states };
    const columns = this.#columns;
    const isPlain = columns === null || (columns.constant.length === 0 && input.deferred === undefined);
    const gates = isPlain ? this.lstm.project(tape, features) : this.#projectColumns(tape, columns, this.lstm, input);
    const projected = reshape(tape, gates, [steps, batch, 4 * this.lstm.hidden]);
    const memory = this.lstm.forwardProjected(tape, projected, state[state.length - 1]!, input.starts);
    const x = reshape(tape, memory.output, [rows, this.lstm.hidden]);
    return { output: this.mlp.forward(tape, x), state: [...encoded.states, memory.state] };
  }

  /** The input's share of the first layer's gates, [rows, 4 · hidden], column by column block. */
  #projectColumns(
    tape: Tape,
    columns: ColumnBlocks,
    lstm: Lstm,
    { steps, batch, observations: x, starts, cache, deferred = [] }: BranchInput,
  ): Tensor {
    const { inputs } = this;
    const rows = steps * batch;
    const { inputWeight: weight, bias } = lstm.layers[0]!;
    const projection = { weight, bias };
    if (cache === undefined)
      return projectBlocks(tape, columns, projection, { x, runs: findRuns(steps, batch, starts), deferred });
    const part = cache.rows(this.name, starts, 4 * lstm.hidden, (stale) => {
      const firsts = tape.floats(stale.length * inputs);
      stale.forEach((b, i) => {
        firsts.set(x.subarray(b * inputs, (b + 1) * inputs), i * inputs);
      });
      return projectConstant(tape, columns, projection, { firsts, runs: stale.length });
    });
    const y = tape.wrap([rows, 4 * lstm.hidden], tape.copy(part), []);
    addVariable(tape, columns, projection, { x, into: y.data });
    return y;
  }
}
