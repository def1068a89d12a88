import { type EnvDefinition, hashJson, PraxisError, type Rng, type SyncEnv, type Trace } from "@praxis/env";
import { Adam, type Kernels, NnError, Tape, zeroGradients } from "@praxis/nn";
import type { DecisionTask, LastResult, SmallPolicy } from "./small-policy.ts";

/** A decision with the choice to learn. */
export interface SftExample<Decision> {
  readonly decision: Decision;
  readonly choice: Float32Array;
  /** At least 0; 0 leaves it out. Default 1. */
  readonly weight?: number;
}

/** How a policy is fine-tuned on examples. */
export interface SftOptions<Decision> {
  readonly kernels: Kernels;
  readonly policy: SmallPolicy<Decision>;
  readonly examples: readonly SftExample<Decision>[];
  readonly rng: Rng;
  readonly epochs: number;
  readonly minibatchSize: number;
  readonly learningRate: number;
  readonly weightDecay?: number;
  readonly maxGradNorm?: number;
  /** Keeps the distribution wide; default 0. */
  readonly entropyCoef?: number;
}

/** Weighted means over one epoch, measured on the weights that each minibatch met. */
export interface SftMetrics {
  readonly epoch: number;
  readonly "losses/cross_entropy": number;
  readonly "losses/entropy": number;
  readonly "losses/gradient_norm": number;
}

/**
 * Supervised fine-tuning: the weighted mean of −log π(choice | decision), minibatch by minibatch. Yields after each epoch.
 * Throws VALIDATION_ERROR for a negative weight or examples that all weigh 0, NON_FINITE_NUMBER naming the example.
 */
export function* trainSft<Decision>(options: SftOptions<Decision>): Generator<SftMetrics> {
  const { kernels, policy, rng, epochs, minibatchSize, learningRate, entropyCoef = 0 } = options;
  const examples = options.examples.map((example, index) => ({ ...example, index, weight: example.weight ?? 1 }));
  const negative = examples.find(({ weight }) => !(weight >= 0));
  if (negative !== undefined)
    throw new PraxisError(
      "VALIDATION_ERROR",
      `Example ${negative.index} weighs ${negative.weight}; at least 0 is needed.`,
    );
  const counted = examples.filter(({ weight }) => weight > 0);
  if (counted.length === 0)
    throw new PraxisError("VALIDATION_ERROR", "There is no example with a weight above 0 to learn from.");
  const adam = new Adam(kernels, policy.parameters(), {
    ...{ learningRate, weightDecay: options.weightDecay ?? 0, maxGradNorm: options.maxGradNorm ?? 1 },
  });
  const tape = new Tape(kernels);

  for (let epoch = 1; epoch <= epochs; epoch++) {
    const shuffled = rng.shuffled(counted);
    const sums = { loss: 0, entropy: 0, weight: 0, norm: 0, steps: 0 };
    for (let from = 0; from < shuffled.length; from += minibatchSize) {
      const batch = shuffled.slice(from, from + minibatchSize);
      const total = batch.reduce((sum, { weight }) => sum + weight, 0);
      tape.reset();
      zeroGradients(policy.parameters());
      const evaluation = policy.evaluate(
        tape,
        batch.map(({ decision }) => decision),
        batch.map(({ choice }) => choice),
      );
      evaluation.logProbs.forEach((logProb, i) => {
        if (!Number.isFinite(logProb))
          throw new PraxisError("NON_FINITE_NUMBER", `Example ${batch[i]!.index} has log-probability ${logProb}.`);
        sums.loss -= batch[i]!.weight * logProb;
        sums.entropy += batch[i]!.weight * evaluation.entropies[i]!;
      });
      evaluation.backward(
        Float64Array.from(batch, ({ weight }) => -weight / total),
        Float64Array.from(batch, ({ weight }) => (-entropyCoef * weight) / total),
      );
      sums.norm += stepOf(adam);
      sums.weight += total;
      sums.steps++;
    }
    yield {
      epoch,
      "losses/cross_entropy": sums.loss / sums.weight,
      "losses/entropy": sums.entropy / sums.weight,
      "losses/gradient_norm": sums.norm / sums.steps,
    };
  }
}

function stepOf(adam: Adam): number {
  try {
    return adam.step().gradientNorm;
  } catch (error) {
    if (!(error instanceof NnError)) throw error;
    throw new PraxisError("NON_FINITE_NUMBER", error.message, { cause: error });
  }
}

/**
 * Examples from recorded episodes, replayed in `env`; the choice is found among the members of a discrete action space by
 * the action it stands for. Steps of a failed verifier are left out. Throws NOT_SUPPORTED for another action space,
 * INVALID_TRACE when a replay departs from its trace or an action is no choice.
 */
export function sftExamplesFromTraces<Decision>(
  traces: readonly Trace[],
  { definition, env, task }: { definition: EnvDefinition; env: SyncEnv; task: DecisionTask<Decision> },
): SftExample<Decision>[] {
  const space = definition.actionSpace;
  if (space?.kind !== "discrete")
    throw new PraxisError(
      "NOT_SUPPORTED",
      `'${definition.id}' has no discrete actionSpace; make its examples by hand.`,
    );
  const choices = Array.from({ length: space.n }, (_, i) => Float32Array.of(i));
  return traces.flatMap(({ header, steps }) => {
    let last: LastResult = env.reset({ seed: header.seed, options: header.options });
    return steps.flatMap(({ step, action, observationHash, infraError }) => {
      const decision = task.decisionOf(last);
      const wanted = hashJson(action);
      const before = last;
      const choice = choices.find((candidate) => hashJson(task.actionOf(candidate, decision, before)) === wanted);
      const result = env.step(action);
      if (choice === undefined || hashJson(result.observation) !== observationHash)
        throw new PraxisError(
          "INVALID_TRACE",
          `Step ${step} of '${header.episodeId}' does not repeat in '${definition.id}' ${definition.version}.`,
        );
      last = result;
      return infraError === undefined ? [{ decision, choice }] : [];
    });
  });
}
