import type { Parameter, Tape } from "@praxis/nn";
import { packMemories, unpackMemories } from "./memory-rows.ts";
import type { ObservationRecord } from "./observation-record.ts";
import type { Memories, RecordedOutput, RecordedPolicy } from "./recorded-policy.ts";
import type { Choice, DecisionSequence, Evaluation, SmallPolicy, Turn } from "./small-policy.ts";

/** A decision by a recorded observation under a mask. */
export interface RecordedDecision {
  readonly record: ObservationRecord;
  /** As the policy's distribution wants it. */
  readonly mask: Uint8Array;
}

/** A {@link RecordedPolicy} as SFT and GRPO want one, its value left aside: cloning a teacher, groups without a critic. */
export class RecordedSmallPolicy implements SmallPolicy<RecordedDecision> {
  readonly policy: RecordedPolicy;
  readonly isRecurrent: boolean;

  constructor(policy: RecordedPolicy) {
    this.policy = policy;
    this.isRecurrent = policy.initialMemories(1).length > 0;
  }

  parameters(): readonly Parameter[] {
    return this.policy.parameters();
  }

  initialMemory(): Float32Array {
    return packMemories(this.policy.initialMemories(1), 1)[0]!;
  }

  choose(tape: Tape, turns: readonly Turn<RecordedDecision>[]): Choice[] {
    const { distribution } = this.policy;
    const batch = turns.length;
    const output = this.policy.forward(tape, {
      ...{ steps: 1, batch, records: turns.map(({ decision }) => decision.record), starts: new Uint8Array(batch) },
      memories: this.#memoriesOf(turns.map(({ memory }) => memory)),
    });
    const head = this.#heads(
      output,
      turns.map(({ decision }) => decision),
    );
    const memories = packMemories(output.memories, batch);
    const actions = new Float32Array(batch * distribution.actionSize);
    return turns.map(({ rng }, row) => {
      if (rng === null) distribution.mode(head(row), actions);
      else distribution.sample(head(row), rng, actions);
      const choice = actions.slice(row * distribution.actionSize, (row + 1) * distribution.actionSize);
      return { choice, memory: memories[row]! };
    });
  }

  evaluate(tape: Tape, sequences: readonly DecisionSequence<RecordedDecision>[]): Evaluation {
    const { distribution, logDeviations } = this.policy;
    // Sequences that begin from nothing stand in one column, their starts marked; others each in their own, padded.
    const isFresh = sequences.every(({ memory }) => memory.every((x) => x === 0));
    const lengths = sequences.map(({ decisions }) => decisions.length);
    const [steps, batch] = isFresh
      ? [lengths.reduce((sum, n) => sum + n, 0), 1]
      : [Math.max(...lengths), sequences.length];
    const rowOf: number[] = [];
    const starts = new Uint8Array(steps * batch);
    const decisions = new Array<RecordedDecision>(steps * batch).fill(sequences[0]!.decisions[0]!);
    sequences.forEach((sequence, column) => {
      if (isFresh) starts[rowOf.length] = 1;
      sequence.decisions.forEach((decision, t) => {
        const row = isFresh ? rowOf.length : t * batch + column;
        decisions[row] = decision;
        rowOf.push(row);
      });
    });
    const output = this.policy.forward(tape, {
      ...{ steps, batch, starts, records: decisions.map(({ record }) => record) },
      memories: isFresh ? this.policy.initialMemories(1) : this.#memoriesOf(sequences.map(({ memory }) => memory)),
    });
    const head = this.#heads(output, decisions);
    const actions = new Float32Array(decisions.length * distribution.actionSize);
    const choices = sequences.flatMap((sequence) => sequence.choices);
    choices.forEach((choice, i) => {
      if (choice !== null) actions.set(choice, rowOf[i]! * distribution.actionSize);
    });
    const values = choices.map((choice, i) =>
      choice === null ? { logProb: 0, entropy: 0 } : distribution.evaluate(head(rowOf[i]!), actions),
    );
    return {
      logProbs: Float64Array.from(values, (value) => value.logProb),
      entropies: Float64Array.from(values, (value) => value.entropy),
      backward: (dLogProbs, dEntropies) => {
        const dInputs = tape.zeros(output.logits.data.length);
        const into = { dInputs, dLogDeviations: logDeviations?.gradient ?? NO_NUMBERS };
        choices.forEach((choice, i) => {
          if (choice === null) return;
          const weights = { dLogProb: dLogProbs[i]!, dEntropy: dEntropies[i]! };
          distribution.addGradient(head(rowOf[i]!), actions, weights, into);
        });
        tape.giveGradient(output.logits, dInputs);
        tape.backward();
      },
    };
  }

  #memoriesOf(rows: readonly Float32Array[]): Memories {
    const memories = this.policy.initialMemories(rows.length);
    unpackMemories(memories, rows);
    return memories;
  }

  #heads({ logits }: RecordedOutput, decisions: readonly RecordedDecision[]) {
    const { distribution, logDeviations } = this.policy;
    const masks = new Uint8Array(decisions.length * distribution.maskSize);
    decisions.forEach(({ mask }, row) => {
      masks.set(mask, row * distribution.maskSize);
    });
    const shared = { inputs: logits.data, masks, logDeviations: logDeviations?.data ?? NO_NUMBERS };
    return (row: number) => ({ ...shared, row });
  }
}

const NO_NUMBERS = new Float32Array(0);
