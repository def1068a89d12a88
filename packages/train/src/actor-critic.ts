import { PraxisError, type Rng } from "@praxis/env";
import {
  type Activation,
  type Kernels,
  type Module,
  makeParameter,
  type Parameter,
  type Tape,
  type Tensor,
} from "@praxis/nn";
import type { ActionHead } from "./action-head.ts";
import type { EncoderSettings } from "./block-encoder.ts";
import { type LayeredState, packMemories, unpackMemories } from "./memory-rows.ts";
import { type ColumnBlocks, type ObservationLayout, resolveLayout } from "./observation-layout.ts";
import { type BranchInput, type BranchState, PolicyBranch } from "./policy-branch.ts";

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
  /** Blocks of the observation that encoders read, one for the actor and one for the critic. */
  readonly encoder?: EncoderSettings | null;
}

/** What all memories hold; null for a feed-forward policy. */
export type PolicyState = { readonly actor: BranchState; readonly critic: BranchState } | null;

/** Rows [steps, batch] in time order, and the memories before them. */
export interface PolicyInput extends BranchInput {
  readonly state: PolicyState;
}

/** What a policy says about rows. */
export interface PolicyOutput {
  /** [rows, head.inputSize] */
  readonly logits: Tensor;
  /** [rows, 1] */
  readonly values: Tensor;
  readonly state: PolicyState;
}

/** Policy and value function with weights of their own, a {@link PolicyBranch} each. */
export class ActorCritic implements Module {
  readonly head: ActionHead;
  readonly inputs: number;
  readonly blocks: ColumnBlocks | null;
  readonly actor: PolicyBranch;
  readonly #critic: PolicyBranch;
  readonly #logDeviations: Parameter | null;

  constructor(options: ActorCriticOptions) {
    const { kernels, rng, inputs, head, lstm, hidden, activation, layout = null, encoder = null } = options;
    if (layout !== null && (lstm === null || encoder !== null))
      throw new PraxisError(
        "INVALID_CONFIG",
        "An observation layout needs an LSTM policy and no observation blocks; leave it out.",
      );
    this.head = head;
    this.inputs = inputs;
    this.blocks = layout === null ? null : resolveLayout(layout, inputs);
    const shared = { kernels, rng, inputs, lstm, hidden, activation, columns: this.blocks, encoder };
    // A small last layer makes the first policy nearly uniform (Andrychowicz et al. 2021).
    this.actor = new PolicyBranch({ ...shared, name: "actor", outputs: head.inputSize, gain: 0.01 });
    this.#critic = new PolicyBranch({ ...shared, name: "critic", outputs: 1, gain: 1 });
    this.#logDeviations =
      head.deviationSize === 0 ? null : makeParameter(kernels, "actor.logDeviations", [head.deviationSize]);
  }

  get isRecurrent(): boolean {
    return this.actor.isRecurrent;
  }

  /** Logarithms of the Gaussians' deviations, with their gradient; null without Gaussians. */
  get logDeviations(): Parameter | null {
    return this.#logDeviations;
  }

  parameters(): readonly Parameter[] {
    const layers = [this.actor, this.#critic].flatMap((branch) => branch.parameters());
    return this.#logDeviations === null ? layers : [...layers, this.#logDeviations];
  }

  /** Sets gradients to zero, but for those that an update of `rows` rows defers: nothing reads or writes these. */
  zeroGradients(rows: number): void {
    for (const branch of [this.actor, this.#critic]) branch.zeroGradients(rows);
    this.#logDeviations?.gradient.fill(0);
  }

  /** Empty memories of `batch` episodes. */
  initialState(batch: number): PolicyState {
    if (!this.isRecurrent) return null;
    return { actor: this.actor.initialState(batch), critic: this.#critic.initialState(batch) };
  }

  /** Memory of a batch as one row per column, [batch, any] plain arrays; empty rows for a feed-forward policy. */
  packState(state: PolicyState, batch: number): Float32Array[] {
    return packMemories(this.layered(state), batch);
  }

  /** The batch whose columns are `rows`, as {@link ActorCritic.packState} gave them, from any batches. */
  unpackState(rows: readonly Float32Array[]): PolicyState {
    const state = this.initialState(rows.length);
    unpackMemories(this.layered(state), rows);
    return state;
  }

  forward(tape: Tape, input: PolicyInput): PolicyOutput {
    const actor = this.actor.forward(tape, input, input.state?.actor ?? []);
    const critic = this.#critic.forward(tape, input, input.state?.critic ?? []);
    const state = input.state === null ? null : { actor: actor.state, critic: critic.state };
    return { logits: actor.output, values: critic.output, state };
  }

  /** Action inputs only, for playing. */
  forwardActor(tape: Tape, input: PolicyInput): { readonly logits: Tensor; readonly state: PolicyState } {
    const { output, state } = this.actor.forward(tape, input, input.state?.actor ?? []);
    // The critic's memory is not needed to act; it stays where it was.
    return { logits: output, state: input.state === null ? null : { ...input.state, actor: state } };
  }

  /** Values only, for bootstrapping; memories stay as they were. */
  forwardCritic(tape: Tape, input: PolicyInput): Tensor {
    return this.#critic.forward(tape, input, input.state?.critic ?? []).output;
  }

  /** All memories with their numbers of layers, the actor's first; they share their arrays with `state`. */
  layered(state: PolicyState): LayeredState[] {
    return state === null ? [] : [...this.actor.layered(state.actor), ...this.#critic.layered(state.critic)];
  }
}
