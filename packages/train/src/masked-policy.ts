import { type EnvDefinition, flatSize, hashJson, PraxisError, type Rng, type Space } from "@praxis/env";
import type { Activation, Kernels, Parameter, Tape, Tensor } from "@praxis/nn";
import { ActionHead, type HeadRow } from "./action-head.ts";
import { readActionMask } from "./action-mask.ts";
import type { EncoderSettings } from "./block-encoder.ts";
import { packMemories, unpackMemories } from "./memory-rows.ts";
import { type BranchState, PolicyBranch } from "./policy-branch.ts";
import type { Choice, DecisionSequence, DecisionTask, Evaluation, SmallPolicy, Turn } from "./small-policy.ts";

/** A decision by an observation vector under a mask. */
export interface MaskedDecision {
  readonly observation: Float32Array;
  /** As {@link ActionHead} wants it. */
  readonly mask: Uint8Array;
}

/** How a {@link MaskedPolicy} is built. */
export interface MaskedPolicyOptions {
  readonly kernels: Kernels;
  readonly rng: Rng;
  readonly inputs: number;
  readonly actionSpace: Space;
  readonly hidden: readonly number[];
  /** Default `tanh`. */
  readonly activation?: Activation;
  /** Default: no memory. */
  readonly lstm?: { readonly hidden: number; readonly layers: number } | null;
  /** Default: all numbers are features. */
  readonly encoder?: EncoderSettings | null;
}

const NO_NUMBERS = new Float32Array(0);

/** A {@link PolicyBranch} that emits a masked distribution over an action space without boxes. */
export class MaskedPolicy implements SmallPolicy<MaskedDecision> {
  readonly head: ActionHead;
  readonly isRecurrent: boolean;
  readonly actor: PolicyBranch;

  /** Throws NOT_SUPPORTED for an action space with a box. */
  constructor(options: MaskedPolicyOptions) {
    const { kernels, rng, inputs, hidden, activation = "tanh", lstm = null, encoder = null } = options;
    this.head = new ActionHead(options.actionSpace);
    if (this.head.deviationSize > 0)
      throw new PraxisError("NOT_SUPPORTED", "A MaskedPolicy takes discrete and binary actions; train boxes with PPO.");
    this.actor = new PolicyBranch({
      ...{ kernels, rng, name: "policy", inputs, hidden, activation, lstm, encoder, columns: null },
      // A small last layer makes the first policy nearly uniform.
      ...{ outputs: this.head.inputSize, gain: 0.01 },
    });
    this.isRecurrent = this.actor.isRecurrent;
  }

  parameters(): readonly Parameter[] {
    return this.actor.parameters();
  }

  initialMemory(): Float32Array {
    return packMemories(this.actor.layered(this.actor.initialState(1)), 1)[0]!;
  }

  choose(tape: Tape, turns: readonly Turn<MaskedDecision>[]): Choice[] {
    const { head } = this;
    const decisions = turns.map(({ decision }) => decision);
    const { logits, masks, state } = this.#forward(tape, decisions, {
      ...{ steps: 1, memories: turns.map(({ memory }) => memory) },
    });
    const memories = packMemories(this.actor.layered(state), turns.length);
    const actions = new Float32Array(turns.length * head.actionSize);
    return turns.map(({ rng }, i) => {
      const row: HeadRow = { inputs: logits.data, masks, logDeviations: NO_NUMBERS, row: i };
      if (rng === null) head.mode(row, actions);
      else head.sample(row, rng, actions);
      return { choice: actions.slice(i * head.actionSize, (i + 1) * head.actionSize), memory: memories[i]! };
    });
  }

  evaluate(tape: Tape, sequences: readonly DecisionSequence<MaskedDecision>[]): Evaluation {
    const { head } = this;
    // Without memory every decision stands alone, so that nothing is padded.
    const parts = this.isRecurrent ? sequences : sequences.flatMap(splitSequence);
    const steps = Math.max(...parts.map(({ decisions }) => decisions.length));
    const batch = parts.length;
    const padded = Array.from({ length: steps * batch }, (_, row) => {
      return parts[row % batch]!.decisions[Math.floor(row / batch)] ?? null;
    });
    const memories = parts.map(({ memory }) => memory);
    const { logits, masks } = this.#forward(tape, padded, { steps, memories });
    const actions = new Float32Array(steps * batch * head.actionSize);
    const rows = parts.flatMap(({ choices }, column) =>
      choices.map((choice, t) => {
        const row = t * batch + column;
        if (choice !== null) actions.set(choice, row * head.actionSize);
        return choice === null ? null : { inputs: logits.data, masks, logDeviations: NO_NUMBERS, row };
      }),
    );
    const values = rows.map((row) => (row === null ? { logProb: 0, entropy: 0 } : head.evaluate(row, actions)));
    return {
      logProbs: Float64Array.from(values, (value) => value.logProb),
      entropies: Float64Array.from(values, (value) => value.entropy),
      backward: (dLogProbs, dEntropies) => {
        const into = { dInputs: tape.zeros(logits.data.length), dLogDeviations: NO_NUMBERS };
        rows.forEach((row, i) => {
          if (row === null) return;
          head.addGradient(row, actions, { dLogProb: dLogProbs[i]!, dEntropy: dEntropies[i]! }, into);
        });
        tape.giveGradient(logits, into.dInputs);
        tape.backward();
      },
    };
  }

  /** @param decisions [steps, batch], null where a sequence has ended */
  #forward(
    tape: Tape,
    decisions: readonly (MaskedDecision | null)[],
    { steps, memories }: { readonly steps: number; readonly memories: readonly Float32Array[] },
  ): { readonly logits: Tensor; readonly masks: Uint8Array; readonly state: BranchState } {
    const { inputs } = this.actor;
    const { maskSize } = this.head;
    const batch = memories.length;
    const observations = tape.zeros(decisions.length * inputs);
    const masks = new Uint8Array(decisions.length * maskSize);
    decisions.forEach((decision, i) => {
      if (decision === null) return;
      observations.set(decision.observation, i * inputs);
      masks.set(decision.mask, i * maskSize);
    });
    const before = this.actor.initialState(batch);
    unpackMemories(this.actor.layered(before), memories);
    const starts = new Uint8Array(decisions.length);
    const { output, state } = this.actor.forward(tape, { steps, batch, observations, starts }, before);
    return { logits: output, masks, state };
  }
}

function splitSequence<Decision>({ decisions, choices, memory }: DecisionSequence<Decision>) {
  return decisions.map((decision, t) => ({ decisions: [decision], choices: [choices[t]!], memory }));
}

/** Numbers in an observation of a {@link MaskedDecision}, and the action space. Throws INVALID_CONFIG without a box of them. */
export function maskedSpaces({ id, actionSpace, observationSpace }: EnvDefinition) {
  if (actionSpace === undefined || observationSpace?.kind !== "box")
    throw new PraxisError("INVALID_CONFIG", `'${id}' has no box observationSpace with an actionSpace.`);
  return { inputs: flatSize(observationSpace), actionSpace };
}

/** The task of a {@link MaskedPolicy} in an environment with a box observation space. Throws INVALID_CONFIG without one. */
export function makeMaskedTask(definition: EnvDefinition): DecisionTask<MaskedDecision> {
  const { actionSpace } = maskedSpaces(definition);
  const head = new ActionHead(actionSpace);
  const task: DecisionTask<MaskedDecision> = {
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
    choiceOf(action, decision, last) {
      if (actionSpace.kind !== "discrete")
        throw new PraxisError(
          "NOT_SUPPORTED",
          `'${definition.id}' has no discrete actionSpace, so that choices can't be read off its actions.`,
        );
      const wanted = hashJson(action);
      for (let i = 0; i < actionSpace.n; i++) {
        const choice = Float32Array.of(i);
        if (hashJson(task.actionOf(choice, decision, last)) === wanted)
          return { choice, isLegal: decision.mask[i] === 1 };
      }
      return null;
    },
  };
  return task;
}
