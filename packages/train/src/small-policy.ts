import { type EnvDefinition, PraxisError, type ResetResult, type Rng, type Space, type StepResult } from "@praxis/env";
import { type Activation, type Kernels, Mlp, type Module, orthogonal, type Parameter, type Tape } from "@praxis/nn";
import { ActionHead, type HeadRow } from "./action-head.ts";
import { readActionMask } from "./action-mask.ts";

/** What an environment returned last. */
export type LastResult = ResetResult<unknown> | StepResult<unknown>;

/** Turns results of an environment into decisions, and choices into its actions. */
export interface DecisionTask<Decision> {
  decisionOf(last: LastResult): Decision;
  /** @param choice as the policy gave it for that decision */
  actionOf(choice: Float32Array, decision: Decision, last: LastResult): unknown;
}

/** Log-probability and entropy of each decision's distribution at its choice, and the way back. */
export interface Evaluation {
  readonly logProbs: Float64Array;
  readonly entropies: Float64Array;
  /** Adds the gradient of Σ dLogProbs · logProbs + Σ dEntropies · entropies to the parameters; once. */
  backward(dLogProbs: Float64Array, dEntropies: Float64Array): void;
}

/** Emits a distribution over the choices of a decision; decisions do not depend on each other. */
export interface SmallPolicy<Decision> extends Module {
  /** A choice for each decision: drawn from its own stream, or the most likely one where that is null. */
  choose(tape: Tape, decisions: readonly Decision[], rngs: readonly (Rng | null)[]): Float32Array[];
  evaluate(tape: Tape, decisions: readonly Decision[], choices: readonly Float32Array[]): Evaluation;
}

interface SmallPolicyOptions {
  readonly kernels: Kernels;
  readonly rng: Rng;
  readonly hidden: readonly number[];
  readonly activation?: Activation;
}

function makeMlp(options: SmallPolicyOptions, name: string, inputs: number, outputs: number): Mlp {
  const { kernels, rng, hidden, activation = "tanh" } = options;
  return new Mlp({ kernels, rng, name, inputs, hidden, outputs, activation, initialiseOutput: orthogonal(0.01) });
}

/** A decision by an observation vector under a mask. */
export interface MaskedDecision {
  readonly observation: Float32Array;
  /** As {@link ActionHead} wants it. */
  readonly mask: Uint8Array;
}

/** An MLP that emits a masked distribution over an action space without boxes. */
export class MaskedPolicy implements SmallPolicy<MaskedDecision> {
  readonly head: ActionHead;
  readonly #mlp: Mlp;

  constructor(options: SmallPolicyOptions & { readonly inputs: number; readonly actionSpace: Space }) {
    this.head = new ActionHead(options.actionSpace);
    if (this.head.deviationSize > 0)
      throw new PraxisError("NOT_SUPPORTED", "A MaskedPolicy takes discrete and binary actions; train boxes with PPO.");
    this.#mlp = makeMlp(options, "policy", options.inputs, this.head.inputSize);
  }

  parameters(): readonly Parameter[] {
    return this.#mlp.parameters();
  }

  choose(tape: Tape, decisions: readonly MaskedDecision[], rngs: readonly (Rng | null)[]): Float32Array[] {
    const { logits, row } = this.#forward(tape, decisions);
    const { head } = this;
    const actions = new Float32Array(decisions.length * head.actionSize);
    return decisions.map((_, i) => {
      const rng = rngs[i] ?? null;
      if (rng === null) head.mode(row(logits.data, i), actions);
      else head.sample(row(logits.data, i), rng, actions);
      return actions.slice(i * head.actionSize, (i + 1) * head.actionSize);
    });
  }

  evaluate(tape: Tape, decisions: readonly MaskedDecision[], choices: readonly Float32Array[]): Evaluation {
    const { logits, row } = this.#forward(tape, decisions);
    const { head } = this;
    const actions = Float32Array.from(choices.flatMap((choice) => [...choice]));
    const values = decisions.map((_, i) => head.evaluate(row(logits.data, i), actions));
    return {
      logProbs: Float64Array.from(values, (value) => value.logProb),
      entropies: Float64Array.from(values, (value) => value.entropy),
      backward: (dLogProbs, dEntropies) => {
        const into = { dInputs: tape.zeros(logits.data.length), dLogDeviations: new Float32Array(0) };
        for (let i = 0; i < decisions.length; i++) {
          const weights = { dLogProb: dLogProbs[i]!, dEntropy: dEntropies[i]! };
          head.addGradient(row(logits.data, i), actions, weights, into);
        }
        tape.giveGradient(logits, into.dInputs);
        tape.backward();
      },
    };
  }

  #forward(tape: Tape, decisions: readonly MaskedDecision[]) {
    const { inputs } = this.#mlp;
    const x = tape.floats(decisions.length * inputs);
    const masks = new Uint8Array(decisions.length * this.head.maskSize);
    decisions.forEach(({ observation, mask }, i) => {
      x.set(observation, i * inputs);
      masks.set(mask, i * this.head.maskSize);
    });
    const logits = this.#mlp.forward(tape, tape.wrap([decisions.length, inputs], x, []));
    const row = (values: Float32Array, i: number): HeadRow => ({
      ...{ inputs: values, masks, logDeviations: new Float32Array(0), row: i },
    });
    return { logits, row };
  }
}

/** A decision among candidates that are described by numbers; their count may differ from decision to decision. */
export interface CandidateDecision {
  /** One row of features a candidate, at least one. */
  readonly candidates: readonly Float32Array[];
}

/** An MLP that scores each candidate alone; the distribution is the softmax of the scores. A choice is its index. */
export class CandidatePolicy implements SmallPolicy<CandidateDecision> {
  readonly #mlp: Mlp;
  readonly #heads = new Map<number, ActionHead>();

  constructor(options: SmallPolicyOptions & { readonly features: number }) {
    this.#mlp = makeMlp(options, "score", options.features, 1);
  }

  parameters(): readonly Parameter[] {
    return this.#mlp.parameters();
  }

  choose(tape: Tape, decisions: readonly CandidateDecision[], rngs: readonly (Rng | null)[]): Float32Array[] {
    const { rows } = this.#forward(tape, decisions);
    return rows.map(({ head, row }, i) => {
      const choice = new Float32Array(1);
      const rng = rngs[i] ?? null;
      if (rng === null) head.mode(row, choice);
      else head.sample(row, rng, choice);
      return choice;
    });
  }

  evaluate(tape: Tape, decisions: readonly CandidateDecision[], choices: readonly Float32Array[]): Evaluation {
    const { scores, rows } = this.#forward(tape, decisions);
    const values = rows.map(({ head, row }, i) => head.evaluate(row, choices[i]!));
    return {
      logProbs: Float64Array.from(values, (value) => value.logProb),
      entropies: Float64Array.from(values, (value) => value.entropy),
      backward: (dLogProbs, dEntropies) => {
        const dScores = tape.zeros(scores.data.length);
        rows.forEach(({ head, row, from, to }, i) => {
          const weights = { dLogProb: dLogProbs[i]!, dEntropy: dEntropies[i]! };
          const into = { dInputs: dScores.subarray(from, to), dLogDeviations: new Float32Array(0) };
          head.addGradient(row, choices[i]!, weights, into);
        });
        tape.giveGradient(scores, dScores);
        tape.backward();
      },
    };
  }

  #forward(tape: Tape, decisions: readonly CandidateDecision[]) {
    const { inputs } = this.#mlp;
    const total = decisions.reduce((sum, { candidates }) => sum + candidates.length, 0);
    const x = tape.floats(total * inputs);
    let at = 0;
    const spans = decisions.map(({ candidates }) => {
      const from = at;
      for (const features of candidates) x.set(features, at++ * inputs);
      return { from, to: at };
    });
    const scores = this.#mlp.forward(tape, tape.wrap([total, inputs], x, []));
    const rows = spans.map(({ from, to }) => {
      const row = { inputs: scores.data.subarray(from, to), masks: null, logDeviations: new Float32Array(0), row: 0 };
      return { head: this.#headOf(to - from), row, from, to };
    });
    return { scores, rows };
  }

  #headOf(n: number): ActionHead {
    if (n === 0) throw new PraxisError("ALL_MASKED", "A decision has no candidates to choose from.");
    const head = this.#heads.get(n) ?? new ActionHead({ kind: "discrete", n });
    this.#heads.set(n, head);
    return head;
  }
}

/** The task of a {@link MaskedPolicy} in an environment with a box observation space. Throws INVALID_CONFIG without one. */
export function makeMaskedTask(definition: EnvDefinition): DecisionTask<MaskedDecision> {
  const { actionSpace, observationSpace } = definition;
  if (actionSpace === undefined || observationSpace?.kind !== "box")
    throw new PraxisError("INVALID_CONFIG", `'${definition.id}' has no box observationSpace with an actionSpace.`);
  const head = new ActionHead(actionSpace);
  return {
    decisionOf({ observation, info }) {
      const mask = new Uint8Array(head.maskSize);
      readActionMask(actionSpace, info, mask, 0);
      const numbers = definition.encodeObservation?.(observation, info) ?? observation;
      return { observation: Float32Array.from(numbers as ArrayLike<number>), mask };
    },
    actionOf(choice, _decision, last) {
      const value = head.toSpaceValue(choice, 0);
      return definition.decodeAction?.(value, last) ?? value;
    },
  };
}

/** Sets the weights of `to` to those of `from`, which must be built alike. */
export function copyWeights(from: Module, to: Module): void {
  const target = to.parameters();
  from.parameters().forEach(({ data }, i) => {
    target[i]!.data.set(data);
  });
}
