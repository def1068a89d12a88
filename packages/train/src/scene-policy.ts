import { type EnvDefinition, PraxisError, type Rng, type Scene, type SceneShape } from "@praxis/env";
import { type Kernels, type LstmState, makeParameter, type Parameter, type Tape } from "@praxis/nn";
import { ActionHead } from "./action-head.ts";
import { fitPlattByGroup, type SeenConfidence } from "./calibration.ts";
import { packScenes, type SortedScene, sortScene } from "./scene-batch.ts";
import { SceneNetwork, type SceneNetworkSettings, type Timeline } from "./scene-network.ts";
import type { Choice, DecisionSequence, DecisionTask, Evaluation, SmallPolicy, Turn } from "./small-policy.ts";

const NO_DEVIATIONS = new Float32Array(0);

/** Places of a choice: the candidate, the confidence stated with it, and whether it was good (1, 0; -1 not known). */
export const CHOICE = { candidate: 0, confidence: 1, wasGood: 2 } as const;

/** How a {@link ScenePolicy} is built. */
export interface ScenePolicyOptions {
  readonly kernels: Kernels;
  readonly rng: Rng;
  readonly shape: SceneShape;
  readonly settings: SceneNetworkSettings;
}

/**
 * Scores the candidates of a scene by a {@link SceneNetwork}; the distribution is the softmax of the scores. Beside the choice it
 * states a confidence that the choice is good, learnt from what became of earlier choices wherever choices carry that.
 */
export class ScenePolicy implements SmallPolicy<Scene> {
  readonly isRecurrent: boolean;
  readonly #shape: SceneShape;
  readonly #network: SceneNetwork;
  readonly #confidenceCoef: number;
  /** [groups, 2]: scale and shift of confidence logits (Platt 1999), set by {@link ScenePolicy.calibrate}; no loss reaches them. */
  readonly #calibration: Parameter;
  readonly #heads = new Map<number, ActionHead>();

  constructor({ kernels, rng, shape, settings }: ScenePolicyOptions) {
    this.#shape = shape;
    this.#network = new SceneNetwork({ kernels, rng, shape, settings });
    this.#confidenceCoef = settings.confidenceCoef;
    const groups = shape.groups ?? 1;
    this.#calibration = makeParameter(kernels, "calibration", [groups, 2]);
    this.#calibration.data.set(Array.from({ length: groups }, () => [1, 0]).flat());
    this.isRecurrent = this.#network.memory !== null;
  }

  parameters(): readonly Parameter[] {
    return [...this.#network.parameters(), this.#calibration];
  }

  initialMemory(): Float32Array {
    return new Float32Array(2 * (this.#network.memory?.hidden ?? 0));
  }

  choose(tape: Tape, turns: readonly Turn<Scene>[]): Choice[] {
    const sorted = turns.map(({ decision }) => sortScene(decision, this.#shape));
    const { rowOf, logitAt, state } = this.#forward(tape, sorted, {
      ...{ steps: 1, columns: turns.length, places: turns.map((_, column) => column) },
      memories: turns.map(({ memory }) => memory),
    });
    return turns.map(({ rng, decision }, i) => {
      const { candidateOrder } = sorted[i]!;
      const choice = new Float32Array(3);
      const { head, row } = rowOf(i);
      if (rng === null) head.mode(row, choice);
      else head.sample(row, rng, choice);
      const place = choice[CHOICE.candidate]!;
      choice[CHOICE.candidate] = candidateOrder[place]!;
      choice[CHOICE.confidence] = this.#confidenceOf(logitAt(i, place), decision.group ?? 0);
      choice[CHOICE.wasGood] = -1;
      return { choice, memory: memoryOf(state, i, turns.length) };
    });
  }

  evaluate(tape: Tape, sequences: readonly DecisionSequence<Scene>[]): Evaluation {
    const steps = Math.max(...sequences.map(({ decisions }) => decisions.length));
    const columns = sequences.length;
    const sorted: SortedScene[] = [];
    const times: number[] = [];
    const places: { readonly row: number; readonly choice: Float32Array | null; readonly place: number }[] = [];
    sequences.forEach(({ decisions, choices }, column) => {
      decisions.forEach((decision, step) => {
        const scene = sortScene(decision, this.#shape);
        const choice = choices[step]!;
        const place = choice === null ? 0 : scene.candidateOrder.indexOf(choice[CHOICE.candidate]!);
        places.push({ row: sorted.length, choice, place });
        times.push(step * columns + column);
        sorted.push(scene);
      });
    });
    const memories = sequences.map(({ memory }) => memory);
    const output = this.#forward(tape, sorted, { steps, columns, places: times, memories });
    const values = places.map(({ row, choice, place }) => {
      if (choice === null) return { logProb: 0, entropy: 0 };
      const { head, row: scores } = output.rowOf(row);
      return head.evaluate(scores, Float32Array.of(place));
    });
    const known = places.filter(({ choice }) => (choice?.[CHOICE.wasGood] ?? -1) >= 0);
    return {
      logProbs: Float64Array.from(values, (value) => value.logProb),
      entropies: Float64Array.from(values, (value) => value.entropy),
      backward: (dLogProbs, dEntropies) => {
        const { candidates, values: tensor, abstain } = output;
        const dValues = tape.zeros(tensor.data.length);
        const dAbstain = tape.zeros(abstain.data.length);
        places.forEach(({ row, choice, place }, i) => {
          if (choice === null) return;
          const { head, row: scores } = output.rowOf(row);
          const dScores = new Float32Array(scores.inputs.length);
          const weights = { dLogProb: dLogProbs[i]!, dEntropy: dEntropies[i]! };
          head.addGradient(scores, Float32Array.of(place), weights, {
            ...{ dInputs: dScores, dLogDeviations: NO_DEVIATIONS },
          });
          for (let j = 0; j < dScores.length; j++) {
            const at = row * candidates + j;
            dValues[2 * at]! += dScores[j]!;
            dAbstain[row]! += dScores[j]! * output.abstains[at]!;
          }
        });
        // d BCE / d logit = p - y, on the raw logit: calibration is set apart from it.
        for (const { row, choice, place } of known) {
          const p = sigmoid(output.logitAt(row, place));
          const at = 2 * (row * candidates + place) + 1;
          dValues[at]! += (this.#confidenceCoef / known.length) * (p - choice![CHOICE.wasGood]!);
        }
        tape.giveGradient(tensor, dValues);
        tape.giveGradient(abstain, dAbstain);
        tape.backward();
      },
    };
  }

  /** Raw confidence logits of recorded choices and whether each was good, as {@link ScenePolicy.calibrate} wants them. */
  confidences(tape: Tape, sequences: readonly DecisionSequence<Scene>[]): SeenConfidence[] {
    return sequences.flatMap(({ decisions, choices, memory }) => {
      tape.reset();
      const sorted = decisions.map((decision) => sortScene(decision, this.#shape));
      const output = this.#forward(tape, sorted, {
        ...{ steps: sorted.length, columns: 1, places: sorted.map((_, step) => step), memories: [memory] },
      });
      return choices.flatMap((choice, row) =>
        choice === null || choice[CHOICE.wasGood]! < 0
          ? []
          : [
              {
                logit: output.logitAt(row, sorted[row]!.candidateOrder.indexOf(choice[CHOICE.candidate]!)),
                wasGood: choice[CHOICE.wasGood] === 1,
                group: decisions[row]!.group ?? 0,
              },
            ],
      );
    });
  }

  /** Sets the scale and shift of stated confidences, group by group, to those that suit recorded choices best. */
  calibrate(seen: readonly SeenConfidence[]): void {
    this.#calibration.data.set(fitPlattByGroup(seen, this.#shape.groups ?? 1));
  }

  #confidenceOf(logit: number, group: number): number {
    const [scale, shift] = this.#calibration.data.subarray(2 * group, 2 * group + 2);
    return sigmoid(scale! * logit + shift!);
  }

  #forward(
    tape: Tape,
    sorted: readonly SortedScene[],
    when: Pick<Timeline, "steps" | "columns" | "places"> & { readonly memories: readonly Float32Array[] },
  ) {
    const batch = packScenes(tape, sorted, this.#shape);
    const { values, abstain, state } = this.#network.forward(tape, batch, {
      ...when,
      state: this.#stateOf(when.memories),
    });
    const { candidates, abstains } = batch;
    const logitAt = (row: number, place: number): number => values.data[2 * (row * candidates + place) + 1]!;
    const rowOf = (row: number) => {
      const count = sorted[row]!.scene.candidateCount;
      const inputs = new Float32Array(count);
      for (let j = 0; j < count; j++) {
        const at = row * candidates + j;
        inputs[j] = values.data[2 * at]! + abstains[at]! * abstain.data[row]!;
      }
      return { head: this.#headOf(count), row: { inputs, masks: null, logDeviations: NO_DEVIATIONS, row: 0 } };
    };
    return { values, abstain, state, candidates, abstains, logitAt, rowOf };
  }

  #stateOf(memories: readonly Float32Array[]): LstmState | null {
    const state = this.#network.initialState(memories.length);
    if (state === null) return null;
    const width = state.hidden.length / memories.length;
    memories.forEach((memory, column) => {
      state.hidden.set(memory.subarray(0, width), column * width);
      state.cell.set(memory.subarray(width), column * width);
    });
    return state;
  }

  #headOf(n: number): ActionHead {
    if (n === 0) throw new PraxisError("ALL_MASKED", "A scene has no candidates to choose from.");
    const head = this.#heads.get(n) ?? new ActionHead({ kind: "discrete", n });
    this.#heads.set(n, head);
    return head;
  }
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Hidden and cell state of one episode, one after the other. */
function memoryOf(state: LstmState | null, column: number, columns: number): Float32Array {
  if (state === null) return new Float32Array(0);
  const width = state.hidden.length / columns;
  const memory = new Float32Array(2 * width);
  memory.set(state.hidden.subarray(column * width, (column + 1) * width));
  memory.set(state.cell.subarray(column * width, (column + 1) * width), width);
  return memory;
}

/** The task of a {@link ScenePolicy} in an environment that offers `scenes`. Throws INVALID_CONFIG without them. */
export function makeSceneTask(definition: EnvDefinition): DecisionTask<Scene> {
  const { scenes, id } = definition;
  if (scenes === undefined)
    throw new PraxisError("INVALID_CONFIG", `'${id}' offers no scenes; use masked decisions or candidates.`);
  const taskOf = (reader: ReturnType<typeof scenes.begin>): DecisionTask<Scene> => ({
    decisionOf: (last) => reader.read(last),
    actionOf: (choice) => reader.choose(choice[CHOICE.candidate]!, choice[CHOICE.confidence]!),
    choiceOf(action) {
      const candidate = reader.candidateOf(action);
      return candidate === null ? null : { choice: Float32Array.of(candidate, 0.5, -1), isLegal: true };
    },
    judge(choice, result) {
      const wasGood = scenes.wasGood(result);
      if (wasGood !== null) choice[CHOICE.wasGood] = Number(wasGood);
    },
    returnOf: (last) => scenes.returnOf?.(last) ?? null,
    episode: () => taskOf(scenes.begin()),
    fork: () => taskOf(reader.fork()),
  });
  return taskOf(scenes.begin());
}
