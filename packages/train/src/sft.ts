import { PraxisError, Rng, type RngState } from "@praxis/env";
import { Adam, type Kernels, NnError, Tape, zeroGradients } from "@praxis/nn";
import { z } from "zod";
import type { Checkpoint } from "./checkpoint.ts";
import { checkOrigin } from "./checkpoint-origin.ts";
import { restoreParameters, tensorsOf } from "./model-tensors.ts";
import type { DecisionSequence, SmallPolicy } from "./small-policy.ts";

/** A decision with the choice to learn. */
export interface SftExample<Decision> {
  readonly decision: Decision;
  /** Null: the decision is seen, and remembered by a policy with memory, but not learnt from. */
  readonly choice: Float32Array | null;
  /** At least 0; 0 leaves it out. Default 1. */
  readonly weight?: number;
}

/** Settings of supervised fine-tuning. */
export const sftSettings = z.strictObject({
  epochs: z.int().min(1).default(20),
  minibatchSize: z
    .int()
    .min(1)
    .default(64)
    .describe("decisions of a minibatch; whole episodes for a policy with memory"),
  learningRate: z.number().positive().default(1e-3),
  learningRateSchedule: z.enum(["constant", "linear"]).default("constant").describe("linear goes to 0 at epochs"),
  weightDecay: z.number().min(0).default(0),
  maxGradNorm: z.number().positive().default(1),
  entropyCoef: z.number().min(0).default(0).describe("keeps the distribution wide"),
});

export type SftSettings = z.output<typeof sftSettings>;

/** What an {@link Sft} is made of. */
export interface SftOptions<Decision> {
  readonly kernels: Kernels;
  readonly policy: SmallPolicy<Decision>;
  /** Examples of each episode in time order from its beginning. */
  readonly episodes: readonly (readonly SftExample<Decision>[])[];
  /** Of the environment; a checkpoint remembers it. */
  readonly envId: string;
  readonly seed: number;
  readonly settings: z.input<typeof sftSettings>;
}

/** Numbers of one epoch: weighted means, measured on the weights that each minibatch met. */
export type SftMetrics = Readonly<Record<string, number>>;

/** Examples that are evaluated as one sequence. */
interface Unit<Decision> {
  readonly sequence: DecisionSequence<Decision>;
  readonly weights: readonly number[];
  /** Number of each example among all, for messages. */
  readonly labels: readonly number[];
}

interface SftState {
  readonly iteration: number;
  readonly optimizerSteps: number;
  readonly rng: RngState;
}

/**
 * Supervised fine-tuning: the weighted mean of −log π(choice | decision), minibatch by minibatch. One {@link Sft.iterate} is
 * an epoch; {@link Sft.save} and {@link Sft.restore} continue the same curve bit for bit.
 */
export class Sft<Decision> {
  readonly settings: SftSettings;
  readonly #options: SftOptions<Decision>;
  readonly #units: readonly Unit<Decision>[];
  readonly #adam: Adam;
  readonly #tape: Tape;
  #rng: Rng;
  #learningRate: number;
  #iteration = 0;

  /** Throws VALIDATION_ERROR for a negative weight or when there is nothing to learn from. */
  constructor(options: SftOptions<Decision>) {
    const parsed = sftSettings.safeParse(options.settings);
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0]!;
      throw new PraxisError("INVALID_CONFIG", `SFT setting '${path.join(".")}': ${message}.`);
    }
    this.settings = parsed.data;
    this.#options = options;
    this.#units = unitsOf(options);
    this.#learningRate = this.settings.learningRate;
    const { weightDecay, maxGradNorm } = this.settings;
    this.#adam = new Adam(options.kernels, options.policy.parameters(), {
      ...{ learningRate: () => this.#learningRate, weightDecay, maxGradNorm },
    });
    this.#tape = new Tape(options.kernels);
    this.#rng = Rng.fromSeed(options.seed, "sft");
  }

  /** Epochs done. */
  get iteration(): number {
    return this.#iteration;
  }

  get isDone(): boolean {
    return this.#iteration >= this.settings.epochs;
  }

  /** One epoch. Throws NON_FINITE_NUMBER naming the example or tensor; weights are then those of the last good step. */
  iterate(): SftMetrics {
    const { epochs, learningRate, learningRateSchedule } = this.settings;
    const share = this.#iteration / epochs;
    this.#learningRate = learningRate * (learningRateSchedule === "linear" ? Math.max(0, 1 - share) : 1);
    const sums = { loss: 0, entropy: 0, weight: 0, norm: 0, steps: 0 };
    for (const minibatch of this.#minibatches()) this.#learn(minibatch, sums);
    this.#iteration++;
    return {
      iteration: this.#iteration,
      "charts/learning_rate": this.#learningRate,
      "charts/examples": sums.weight,
      "losses/cross_entropy": sums.loss / sums.weight,
      "losses/entropy": sums.entropy / sums.weight,
      "losses/gradient_norm": sums.norm / sums.steps,
    };
  }

  /** Shuffled units, as many together as hold the decisions of a minibatch. */
  *#minibatches(): Generator<readonly Unit<Decision>[]> {
    let minibatch: Unit<Decision>[] = [];
    let decisions = 0;
    for (const unit of this.#rng.shuffled(this.#units)) {
      minibatch.push(unit);
      decisions += unit.weights.length;
      if (decisions < this.settings.minibatchSize) continue;
      yield minibatch;
      minibatch = [];
      decisions = 0;
    }
    if (minibatch.length > 0) yield minibatch;
  }

  #learn(
    units: readonly Unit<Decision>[],
    sums: Record<"loss" | "entropy" | "weight" | "norm" | "steps", number>,
  ): void {
    const { policy } = this.#options;
    const weights = units.flatMap((unit) => unit.weights);
    const labels = units.flatMap((unit) => unit.labels);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    this.#tape.reset();
    zeroGradients(policy.parameters());
    const evaluation = policy.evaluate(
      this.#tape,
      units.map(({ sequence }) => sequence),
    );
    evaluation.logProbs.forEach((logProb, i) => {
      if (!Number.isFinite(logProb))
        throw new PraxisError(
          "NON_FINITE_NUMBER",
          `SFT epoch ${this.#iteration + 1}: example ${labels[i]} has log-probability ${logProb}.`,
        );
      sums.loss -= weights[i]! * logProb;
      sums.entropy += weights[i]! * evaluation.entropies[i]!;
    });
    evaluation.backward(
      Float64Array.from(weights, (weight) => -weight / total),
      Float64Array.from(weights, (weight) => (-this.settings.entropyCoef * weight) / total),
    );
    sums.norm += this.#step();
    sums.weight += total;
    sums.steps++;
  }

  #step(): number {
    try {
      return this.#adam.step().gradientNorm;
    } catch (error) {
      if (!(error instanceof NnError)) throw error;
      throw new PraxisError("NON_FINITE_NUMBER", `SFT epoch ${this.#iteration + 1}: ${error.message}`, {
        cause: error,
      });
    }
  }

  /** Everything that the next epoch depends on but the examples, which are the caller's to keep. */
  save(): Checkpoint {
    const optimizer = this.#adam.save();
    const state: SftState = {
      ...{ iteration: this.#iteration, optimizerSteps: optimizer.steps, rng: this.#rng.save() },
    };
    return {
      ...{ algorithm: "sft", envId: this.#options.envId, weights: tensorsOf(this.#options.policy) },
      ...{ optimizer: optimizer.tensors, state, environments: null },
    };
  }

  /** Continues from a checkpoint of the same environment and settings; throws VALIDATION_ERROR for one of something else. */
  restore(checkpoint: Checkpoint): void {
    const { envId, policy } = this.#options;
    checkOrigin(checkpoint, ["sft"], envId);
    const saved = checkpoint.state as SftState;
    restoreParameters(policy.parameters(), checkpoint.weights);
    this.#adam.restore({ steps: saved.optimizerSteps, tensors: checkpoint.optimizer });
    this.#rng = Rng.restore(saved.rng);
    this.#iteration = saved.iteration;
  }
}

/** Whole episodes for a policy with memory, else single decisions; what weighs nothing is left out. */
function unitsOf<Decision>({ episodes, policy }: SftOptions<Decision>): Unit<Decision>[] {
  const memory = policy.initialMemory();
  let label = 0;
  const units = episodes.flatMap((examples) => {
    const labelled = examples.map((example) => ({ ...example, weight: example.weight ?? 1, label: label++ }));
    const negative = labelled.find(({ weight }) => !(weight >= 0));
    if (negative !== undefined)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `Example ${negative.label} weighs ${negative.weight}; at least 0 is needed.`,
      );
    const parts = policy.isRecurrent ? [labelled] : labelled.map((example) => [example]);
    return parts.map(
      (part): Unit<Decision> => ({
        sequence: {
          decisions: part.map(({ decision }) => decision),
          choices: part.map(({ choice, weight }) => (weight > 0 ? choice : null)),
          memory,
        },
        weights: part.map(({ choice, weight }) => (choice === null ? 0 : weight)),
        labels: part.map((example) => example.label),
      }),
    );
  });
  const counted = units.filter(({ weights }) => weights.some((weight) => weight > 0));
  if (counted.length === 0)
    throw new PraxisError("VALIDATION_ERROR", "There is no example with a weight above 0 to learn from.");
  return counted;
}
