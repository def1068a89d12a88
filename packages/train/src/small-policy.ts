import type { ResetResult, Rng, StepResult } from "@praxis/env";
import type { Module, Tape } from "@praxis/nn";

/** What an environment returned last. */
export type LastResult = ResetResult<unknown> | StepResult<unknown>;

/** Turns results of an environment into decisions, choices into its actions, and back. */
export interface DecisionTask<Decision> {
  decisionOf(last: LastResult): Decision;
  /** @param choice as the policy gave it for that decision */
  actionOf(choice: Float32Array, decision: Decision, last: LastResult): unknown;
  /** The choice that stands for an action, and whether the policy may make it; null when none does. */
  choiceOf(
    action: unknown,
    decision: Decision,
    last: LastResult,
  ): { readonly choice: Float32Array; readonly isLegal: boolean } | null;
  /** Writes into a choice what its result tells of it; absent: nothing is learnt from that. */
  judge?(choice: Float32Array, result: LastResult): void;
  /** What an episode came to that ended with a result; null or absent: the sum of its rewards. */
  returnOf?(last: LastResult): number | null;
  /** A task for one episode, where tasks remember what they have read; absent: one serves all. */
  episode?(): DecisionTask<Decision>;
  /** A task that has read the same and goes on by itself; there with `episode`. */
  fork?(): DecisionTask<Decision>;
}

/** One decision to make. */
export interface Turn<Decision> {
  readonly decision: Decision;
  /** As {@link SmallPolicy.initialMemory} or the last {@link Choice} of the episode gave it. */
  readonly memory: Float32Array;
  /** Stream that the choice is drawn from; null: the most likely one. */
  readonly rng: Rng | null;
}

/** What was chosen, and what is remembered then. */
export interface Choice {
  readonly choice: Float32Array;
  readonly memory: Float32Array;
}

/** Decisions of one episode one after another, with the memory before the first. */
export interface DecisionSequence<Decision> {
  readonly decisions: readonly Decision[];
  /** Null where a decision is seen but its choice is not asked about. */
  readonly choices: readonly (Float32Array | null)[];
  readonly memory: Float32Array;
}

/** Log-probability and entropy of each decision's distribution at its choice (0 without one), and the way back. */
export interface Evaluation {
  /** In the order of sequences, and of decisions within. */
  readonly logProbs: Float64Array;
  readonly entropies: Float64Array;
  /** Adds the gradient of Σ dLogProbs · logProbs + Σ dEntropies · entropies to the parameters; once. */
  backward(dLogProbs: Float64Array, dEntropies: Float64Array): void;
}

/** Emits a distribution over the choices of a decision. */
export interface SmallPolicy<Decision> extends Module {
  /** Whether a decision may depend on earlier ones of its episode. */
  readonly isRecurrent: boolean;
  /** Memory at an episode's start; empty for a policy without. */
  initialMemory(): Float32Array;
  choose(tape: Tape, turns: readonly Turn<Decision>[]): Choice[];
  evaluate(tape: Tape, sequences: readonly DecisionSequence<Decision>[]): Evaluation;
}

/** Sets the weights of `to` to those of `from`, which must be built alike. */
export function copyWeights(from: Module, to: Module): void {
  const target = to.parameters();
  from.parameters().forEach(({ data }, i) => {
    target[i]!.data.set(data);
  });
}
