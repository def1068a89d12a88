import { PraxisError, type Rng } from "@praxis/env";
import {
  type Activation,
  type FactoredGradient,
  type Kernels,
  Lstm,
  type LstmState,
  Mlp,
  type Module,
  makeParameter,
  orthogonal,
  type Parameter,
  reshape,
  type Tape,
  type Tensor,
  uniform,
} from "@praxis/nn";
import type { ActionHead } from "./action-head.ts";
import {
  addVariable,
  type ColumnBlocks,
  findRuns,
  type ObservationLayout,
  projectBlocks,
  projectConstant,
  resolveLayout,
} from "./observation-layout.ts";

/** How an {@link ActorCritic} is built. */
export interface ActorCriticOptions {
  readonly kernels: Kernels;
  readonly rng: Rng;
  /** Numbers in an observation. */
  readonly inputs: number;
  readonly head: ActionHead;
  /** Memory before the layers, one for the actor and one for the critic; null: feed-forward. */
  readonly lstm: { readonly hidden: number; readonly layers: number } | null;
  /** Widths of the layers, the same for actor and critic. */
  readonly hidden: readonly number[];
  readonly activation: Activation;
  /** Only with `lstm`: columns that are projected once per episode. */
  readonly layout?: ObservationLayout | null;
}

/** What both memories hold, each [layers, batch, hidden]; null for a feed-forward policy. */
export type PolicyState = { readonly actor: LstmState; readonly critic: LstmState } | null;

/** Rows [steps, batch] in time order. */
export interface PolicyInput {
  readonly steps: number;
  readonly batch: number;
  /** [steps, batch, inputs], in memory of the kernels. */
  readonly observations: Float32Array;
  /** [steps, batch], nonzero where an episode starts. */
  readonly starts: ArrayLike<number>;
  readonly state: PolicyState;
  /** For single steps of a rollout: keeps the constant part of each environment from step to step. */
  readonly cache?: ConstantCache;
  /** For an update with a layout: gets the gradients that the optimiser makes itself. */
  readonly deferred?: FactoredGradient[];
}

/** What a policy says about rows. */
export interface PolicyOutput {
  /** [rows, head.inputSize] */
  readonly logits: Tensor;
  /** [rows, 1] */
  readonly values: Tensor;
  readonly state: PolicyState;
}

/** The projected constant columns of running episodes, by environment; made for one rollout, as weights change after it. */
export class ConstantCache {
  readonly #parts = new Map<string, Float32Array>();

  /** Rows of `name` [batch, outputs], refreshed by `project` where an episode starts and for all at first. */
  rows(name: string, starts: ArrayLike<number>, outputs: number, project: (rows: readonly number[]) => Float32Array) {
    const known = this.#parts.get(name);
    const part = known ?? new Float32Array(starts.length * outputs);
    const stale = Array.from({ length: starts.length }, (_, b) => b).filter((b) => known === undefined || starts[b]);
    if (stale.length > 0) {
      const fresh = project(stale);
      stale.forEach((b, i) => {
        part.set(fresh.subarray(i * outputs, (i + 1) * outputs), b * outputs);
      });
    }
    this.#parts.set(name, part);
    return part;
  }
}

/** One of the two networks. */
export interface Branch {
  readonly name: string;
  readonly lstm: Lstm | null;
  readonly mlp: Mlp;
}

/** Policy and value function with weights of their own: an LSTM each, if wanted, then an MLP. */
export class ActorCritic implements Module {
  readonly head: ActionHead;
  readonly inputs: number;
  readonly blocks: ColumnBlocks | null;
  readonly actor: Branch;
  readonly #critic: Branch;
  readonly #logDeviations: Parameter | null;

  constructor(options: ActorCriticOptions) {
    const { kernels, rng, inputs, head, lstm, hidden, activation, layout = null } = options;
    if (layout !== null && lstm === null)
      throw new PraxisError("INVALID_CONFIG", "An observation layout needs an LSTM policy; leave it out.");
    this.head = head;
    this.inputs = inputs;
    this.blocks = layout === null ? null : resolveLayout(layout, inputs);
    const branch = (name: string, outputs: number, gain: number): Branch => {
      const initialise = lstm === null ? undefined : uniform(1 / Math.sqrt(lstm.hidden));
      const memory =
        lstm === null || initialise === undefined
          ? null
          : new Lstm({
              ...{ kernels, rng: rng.split(`${name}.lstm`), name: `${name}.lstm`, inputs, ...lstm },
              ...{ initialise, initialiseBias: initialise },
            });
      const mlp = new Mlp({
        ...{ kernels, rng: rng.split(`${name}.mlp`), name: `${name}.mlp`, inputs: lstm?.hidden ?? inputs },
        ...{ hidden, activation, outputs, initialiseOutput: orthogonal(gain) },
      });
      return { name, lstm: memory, mlp };
    };
    // A small last layer makes the first policy nearly uniform (Andrychowicz et al. 2021).
    this.actor = branch("actor", head.inputSize, 0.01);
    this.#critic = branch("critic", 1, 1);
    this.#logDeviations =
      head.deviationSize === 0 ? null : makeParameter(kernels, "actor.logDeviations", [head.deviationSize]);
  }

  get isRecurrent(): boolean {
    return this.actor.lstm !== null;
  }

  /** Logarithms of the Gaussians' deviations, with their gradient; null without Gaussians. */
  get logDeviations(): Parameter | null {
    return this.#logDeviations;
  }

  parameters(): readonly Parameter[] {
    const branches = [this.actor, this.#critic];
    const layers = branches.flatMap(({ lstm, mlp }) => [...(lstm?.parameters() ?? []), ...mlp.parameters()]);
    return this.#logDeviations === null ? layers : [...layers, this.#logDeviations];
  }

  /** Sets gradients to zero, but for the rows whose gradients a layout defers: nothing reads or writes those. */
  zeroGradients(): void {
    const deferring = [this.actor, this.#critic].map(({ lstm }) => lstm?.layers[0]?.inputWeight);
    for (const parameter of this.parameters()) {
      if (this.blocks === null || !deferring.includes(parameter)) {
        parameter.gradient.fill(0);
        continue;
      }
      const width = parameter.shape[1]!;
      for (const [from, to] of this.blocks.variable) parameter.gradient.fill(0, from * width, to * width);
    }
  }

  /** Empty memories of `batch` episodes. */
  initialState(batch: number): PolicyState {
    const [actor, critic] = [this.actor.lstm, this.#critic.lstm];
    return actor === null || critic === null
      ? null
      : { actor: actor.initialState(batch), critic: critic.initialState(batch) };
  }

  /** Memory of a batch as one row per column, [batch, any] plain arrays; empty rows for a feed-forward policy. */
  packState(state: PolicyState, batch: number): Float32Array[] {
    return Array.from({ length: batch }, (_, column) => {
      if (state === null) return new Float32Array(0);
      const pieces = stateArrays(state).flatMap((array) => layerSlices(array, batch, this.#lstmHidden, column));
      const packed = new Float32Array(pieces.length * this.#lstmHidden);
      pieces.forEach((piece, i) => {
        packed.set(piece, i * this.#lstmHidden);
      });
      return packed;
    });
  }

  /** The batch whose columns are `rows`, as {@link ActorCritic.packState} gave them, from any batches. */
  unpackState(rows: readonly Float32Array[]): PolicyState {
    const state = this.initialState(rows.length);
    if (state === null) return null;
    rows.forEach((packed, column) => {
      stateArrays(state)
        .flatMap((array) => layerSlices(array, rows.length, this.#lstmHidden, column))
        .forEach((piece, i) => {
          piece.set(packed.subarray(i * this.#lstmHidden, (i + 1) * this.#lstmHidden));
        });
    });
    return state;
  }

  forward(tape: Tape, input: PolicyInput): PolicyOutput {
    const actor = this.#run(tape, this.actor, input, input.state?.actor);
    const critic = this.#run(tape, this.#critic, input, input.state?.critic);
    const state = actor.state === null || critic.state === null ? null : { actor: actor.state, critic: critic.state };
    return { logits: actor.output, values: critic.output, state };
  }

  /** Action inputs only, for playing. */
  forwardActor(tape: Tape, input: PolicyInput): { readonly logits: Tensor; readonly state: PolicyState } {
    const { output, state } = this.#run(tape, this.actor, input, input.state?.actor);
    // The critic's memory is not needed to act; it stays where it was.
    return { logits: output, state: state === null || input.state === null ? null : { ...input.state, actor: state } };
  }

  /** Values only, for bootstrapping; memories stay as they were. */
  forwardCritic(tape: Tape, input: PolicyInput): Tensor {
    return this.#run(tape, this.#critic, input, input.state?.critic).output;
  }

  get #lstmHidden(): number {
    return this.actor.lstm?.hidden ?? 0;
  }

  #run(tape: Tape, branch: Branch, input: PolicyInput, state: LstmState | undefined) {
    const { steps, batch, observations } = input;
    const rows = steps * batch;
    if (branch.lstm === null || state === undefined) {
      const x = tape.wrap([rows, this.inputs], observations, []);
      return { output: branch.mlp.forward(tape, x), state: null };
    }
    const gates = this.#project(tape, branch.name, branch.lstm, input);
    const projected = reshape(tape, gates, [steps, batch, 4 * branch.lstm.hidden]);
    const memory = branch.lstm.forwardProjected(tape, projected, state, input.starts);
    const x = reshape(tape, memory.output, [rows, branch.lstm.hidden]);
    return { output: branch.mlp.forward(tape, x), state: memory.state };
  }

  /** The input's share of the first layer's gates, [rows, 4 · hidden]. */
  #project(
    tape: Tape,
    name: string,
    lstm: Lstm,
    { steps, batch, observations: x, starts, cache, deferred = [] }: PolicyInput,
  ): Tensor {
    const { blocks, inputs } = this;
    const rows = steps * batch;
    if (blocks === null) return lstm.project(tape, tape.wrap([rows, inputs], x, []));
    const { inputWeight: weight, bias } = lstm.layers[0]!;
    const projection = { weight, bias };
    if (cache === undefined)
      return projectBlocks(tape, blocks, projection, { x, runs: findRuns(steps, batch, starts), deferred });
    const part = cache.rows(name, starts, 4 * lstm.hidden, (stale) => {
      const firsts = tape.floats(stale.length * inputs);
      stale.forEach((b, i) => {
        firsts.set(x.subarray(b * inputs, (b + 1) * inputs), i * inputs);
      });
      return projectConstant(tape, blocks, projection, firsts);
    });
    const y = tape.wrap([rows, 4 * lstm.hidden], tape.copy(part), []);
    addVariable(tape, blocks, projection, { x, into: y.data });
    return y;
  }
}

function stateArrays({ actor, critic }: NonNullable<PolicyState>): readonly Float32Array[] {
  return [actor.hidden, actor.cell, critic.hidden, critic.cell];
}

/** Views of one column of [layers, batch, hidden], a layer each. */
function layerSlices(array: Float32Array, batch: number, hidden: number, column: number): Float32Array[] {
  const layers = array.length / (batch * hidden);
  return Array.from({ length: layers }, (_, layer) => {
    const from = (layer * batch + column) * hidden;
    return array.subarray(from, from + hidden);
  });
}
