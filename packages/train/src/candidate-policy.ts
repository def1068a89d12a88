import { type EnvDefinition, hashJson, PraxisError, type Rng } from "@praxis/env";
import { type Activation, type Kernels, Mlp, orthogonal, type Parameter, type Tape } from "@praxis/nn";
import { ActionHead } from "./action-head.ts";
import type { Choice, DecisionSequence, DecisionTask, Evaluation, SmallPolicy, Turn } from "./small-policy.ts";

/** A decision among candidates that are described by numbers; their count may differ from decision to decision. */
export interface CandidateDecision {
  /** One row of features a candidate, at least one. */
  readonly candidates: readonly Float32Array[];
}

/** How a {@link CandidatePolicy} is built. */
export interface CandidatePolicyOptions {
  readonly kernels: Kernels;
  readonly rng: Rng;
  /** Numbers that describe a candidate. */
  readonly features: number;
  readonly hidden: readonly number[];
  /** Default `tanh`. */
  readonly activation?: Activation;
}

const NO_MEMORY = new Float32Array(0);

/** An MLP that scores each candidate alone; the distribution is the softmax of the scores. A choice is its index. */
export class CandidatePolicy implements SmallPolicy<CandidateDecision> {
  readonly isRecurrent = false;
  readonly #mlp: Mlp;
  readonly #heads = new Map<number, ActionHead>();

  constructor({ kernels, rng, features, hidden, activation = "tanh" }: CandidatePolicyOptions) {
    const sizes = { inputs: features, hidden, outputs: 1, activation };
    this.#mlp = new Mlp({ kernels, rng, name: "score", ...sizes, initialiseOutput: orthogonal(0.01) });
  }

  parameters(): readonly Parameter[] {
    return this.#mlp.parameters();
  }

  initialMemory(): Float32Array {
    return NO_MEMORY;
  }

  choose(tape: Tape, turns: readonly Turn<CandidateDecision>[]): Choice[] {
    const { rows } = this.#forward(
      tape,
      turns.map(({ decision }) => decision),
    );
    return rows.map(({ head, row }, i) => {
      const choice = new Float32Array(1);
      const { rng } = turns[i]!;
      if (rng === null) head.mode(row, choice);
      else head.sample(row, rng, choice);
      return { choice, memory: NO_MEMORY };
    });
  }

  evaluate(tape: Tape, sequences: readonly DecisionSequence<CandidateDecision>[]): Evaluation {
    const choices = sequences.flatMap((sequence) => sequence.choices);
    const { scores, rows } = this.#forward(
      tape,
      sequences.flatMap(({ decisions }) => decisions),
    );
    const values = rows.map(({ head, row }, i) => {
      const choice = choices[i]!;
      return choice === null ? { logProb: 0, entropy: 0 } : head.evaluate(row, choice);
    });
    return {
      logProbs: Float64Array.from(values, (value) => value.logProb),
      entropies: Float64Array.from(values, (value) => value.entropy),
      backward: (dLogProbs, dEntropies) => {
        const dScores = tape.zeros(scores.data.length);
        rows.forEach(({ head, row, from, to }, i) => {
          const choice = choices[i]!;
          if (choice === null) return;
          const weights = { dLogProb: dLogProbs[i]!, dEntropy: dEntropies[i]! };
          const into = { dInputs: dScores.subarray(from, to), dLogDeviations: NO_MEMORY };
          head.addGradient(row, choice, weights, into);
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
      const row = { inputs: scores.data.subarray(from, to), masks: null, logDeviations: NO_MEMORY, row: 0 };
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

/**
 * The task of a {@link CandidatePolicy} in an environment that offers `candidates`. Throws INVALID_CONFIG without them; its
 * decisions throw INVALID_CONFIG for features of another number than the definition says.
 */
export function makeCandidateTask(definition: EnvDefinition): DecisionTask<CandidateDecision> {
  const { candidates, id } = definition;
  if (candidates === undefined)
    throw new PraxisError("INVALID_CONFIG", `'${id}' offers no candidates to score; use masked decisions.`);
  return {
    decisionOf(last) {
      const offered = candidates.offer(last);
      const wrong = offered.find(({ features }) => features.length !== candidates.features);
      if (wrong !== undefined)
        throw new PraxisError(
          "INVALID_CONFIG",
          `A candidate of '${id}' has ${wrong.features.length} features; ${candidates.features} were declared.`,
        );
      return { candidates: offered.map(({ features }) => Float32Array.from(features)) };
    },
    actionOf: ([choice], _decision, last) => candidates.offer(last)[choice!]!.action,
    choiceOf(action, _decision, last) {
      const wanted = hashJson(action);
      const index = candidates.offer(last).findIndex((each) => hashJson(each.action) === wanted);
      return index < 0 ? null : { choice: Float32Array.of(index), isLegal: true };
    },
  };
}
