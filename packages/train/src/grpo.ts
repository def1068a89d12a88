import { type EnvDefinition, type MaybePromise, PraxisError, Rng, type RngState } from "@praxis/env";
import { Adam, type Kernels, type Module, NnError, Tape, zeroGradients } from "@praxis/nn";
import { z } from "zod";
import { computeGroupAdvantages, hasZeroVariance } from "./advantages.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { checkOrigin } from "./checkpoint-origin.ts";
import { outcomeMetrics } from "./episode-outcome.ts";
import { collectGroups, type GroupBatch, type GroupPlan, type GroupStart, hashGroups } from "./groups.ts";
import { prefixed, restoreParameters, tensorsOf, unprefixed } from "./model-tensors.ts";
import type { DecisionSequence, DecisionTask, SmallPolicy } from "./small-policy.ts";
import { clippedSurrogate, klK3 } from "./surrogate.ts";

/** Settings of GRPO. */
export const grpoSettings = z.strictObject({
  iterations: z.int().min(1).default(100),
  groupsPerIteration: z.int().min(1).default(8),
  groupSize: z.int().min(2).default(8).describe("completions of one environment state"),
  forkAt: z
    .enum(["start", "anywhere"])
    .default("start")
    .describe("the common state: an episode's first, or any that the policy meets while it plays one"),
  continuation: z
    .enum(["sampled", "likeliest"])
    .default("sampled")
    .describe(
      "after a completion's first decision: draws, all learnt from, or likeliest choices, the first alone learnt",
    ),
  gamma: z.number().min(0).max(1).default(1).describe("discount of the rewards after the common state"),
  horizon: z.int().min(1).nullable().default(null).describe("steps after the common state; none: to the end"),
  returns: z
    .enum(["rewards", "task"])
    .default("rewards")
    .describe("what a completion came to: the sum of its rewards, or what the task says of the whole episode"),
  epochs: z.int().min(1).default(1),
  minibatchSize: z.int().min(1).default(64).describe("completions of a minibatch"),
  learningRate: z.number().positive().default(1e-3),
  learningRateSchedule: z.enum(["constant", "linear"]).default("constant").describe("linear goes to 0 at iterations"),
  advantage: z.enum(["grpo", "drGrpo", "leaveOneOut"]).default("grpo"),
  lossNormalization: z
    .enum(["sample", "decision"])
    .default("sample")
    .describe("mean over a completion's decisions first, or over all decisions at once"),
  clipLow: z.number().positive().default(0.2),
  clipHigh: z.number().positive().default(0.2),
  klCoef: z.number().min(0).default(0).describe("weight of the KL to the reference policy"),
  entropyCoef: z.number().min(0).default(0),
  maxGradNorm: z.number().positive().default(1),
  partialGroups: z.enum(["refill", "drop"]).default("refill"),
  maxAttempts: z.int().min(1).default(3).describe("tries of a failed completion under refill"),
});

export type GrpoSettings = z.output<typeof grpoSettings>;

/** What a {@link Grpo} is made of. */
export interface GrpoOptions<Decision> {
  readonly definition: EnvDefinition;
  readonly policy: SmallPolicy<Decision>;
  /** Frozen; needed with a `klCoef` above 0. */
  readonly referencePolicy?: SmallPolicy<Decision>;
  readonly task: DecisionTask<Decision>;
  readonly kernels: Kernels;
  readonly seed: number;
  readonly settings: z.input<typeof grpoSettings>;
  readonly resetOptions?: Readonly<Record<string, unknown>>;
  /** Collects elsewhere (worker threads) with the weights as they are then. Default: in this thread. */
  readonly collector?: GroupCollector<Decision>;
}

/** Plays the groups of a plan; the same for the same plan and weights, whoever does it. */
export interface GroupCollector<Decision> {
  collect(plan: GroupPlan, policy: Module): MaybePromise<GroupBatch<Decision>>;
}

/** Numbers of one iteration; `note` says why an iteration learnt nothing. */
export interface GrpoMetrics {
  readonly values: Readonly<Record<string, number>>;
  readonly batchHash: string;
  readonly note: string | null;
}

/** One completion that is learnt from. */
interface Sample<Decision> {
  readonly label: string;
  readonly sequence: DecisionSequence<Decision>;
  readonly advantage: number;
  readonly logProbs: Float64Array;
  readonly referenceLogProbs: Float64Array | null;
}

interface GrpoState {
  readonly iteration: number;
  readonly optimizerSteps: number;
  readonly rng: RngState;
}

/**
 * Group relative policy optimisation (Shao et al. 2024) for small policies: groups by forking one environment state,
 * advantages within the group, a clipped ratio, and the KL to a frozen reference.
 */
export class Grpo<Decision> {
  readonly settings: GrpoSettings;
  readonly #options: GrpoOptions<Decision>;
  readonly #adam: Adam;
  readonly #tape: Tape;
  readonly #root: Rng;
  #rng: Rng;
  #learningRate: number;
  #iteration = 0;

  constructor(options: GrpoOptions<Decision>) {
    const parsed = grpoSettings.safeParse(options.settings);
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0]!;
      throw new PraxisError("INVALID_CONFIG", `GRPO setting '${path.join(".")}': ${message}.`);
    }
    if (parsed.data.klCoef > 0 && options.referencePolicy === undefined)
      throw new PraxisError("INVALID_CONFIG", `klCoef is ${parsed.data.klCoef}, but there is no referencePolicy.`);
    this.settings = parsed.data;
    this.#options = options;
    this.#learningRate = this.settings.learningRate;
    this.#adam = new Adam(options.kernels, options.policy.parameters(), {
      learningRate: () => this.#learningRate,
      maxGradNorm: this.settings.maxGradNorm,
    });
    this.#tape = new Tape(options.kernels);
    this.#root = Rng.fromSeed(options.seed, "grpo");
    this.#rng = this.#root.split("minibatches");
  }

  get iteration(): number {
    return this.#iteration;
  }

  get isDone(): boolean {
    return this.#iteration >= this.settings.iterations;
  }

  /**
   * One batch of groups and its update. An iteration counts also when every group was dropped, so that schedules and file
   * names stay in step. Throws NON_FINITE_NUMBER naming group and completion; weights are then as before the step.
   */
  async iterate(): Promise<GrpoMetrics> {
    const { settings } = this;
    const { definition, policy, task, kernels, resetOptions = {} } = this.#options;
    const share = this.#iteration / settings.iterations;
    this.#learningRate = settings.learningRate * (settings.learningRateSchedule === "linear" ? 1 - share : 1);

    // 1. Groups: the stream of an iteration depends on its number only.
    const rng = this.#root.split(`iteration-${this.#iteration}`);
    const { groupSize, forkAt, continuation, gamma, horizon, returns, partialGroups, maxAttempts } = settings;
    const startOf = (index: number): Omit<GroupStart, "index"> => {
      const stream = rng.split(`seed-${index}`);
      return definition.learningEpisode?.(stream, share, "train") ?? { seed: stream.uint32() };
    };
    const plan: GroupPlan = {
      ...{ groupSize, forkAt, continuation, gamma, horizon, returns, partialGroups, maxAttempts, resetOptions, rng },
      groups: Array.from({ length: settings.groupsPerIteration }, (_, index) => ({ index, ...startOf(index) })),
    };
    const batch =
      (await this.#options.collector?.collect(plan, policy)) ??
      collectGroups({ definition, policy, task, kernels }, plan);

    // 2. Advantages within each group; equal rewards teach nothing.
    const samples = this.#samplesOf(batch);

    // 3. Clipped ratio over minibatches of completions.
    const sums = { policy: 0, kl: 0, referenceKl: 0, entropy: 0, clipped: 0, decisions: 0, norm: 0, steps: 0 };
    for (let epoch = 0; epoch < settings.epochs && samples.length > 0; epoch++) {
      const shuffled = this.#rng.shuffled(samples);
      for (let from = 0; from < shuffled.length; from += settings.minibatchSize) {
        this.#lossAndGradient(shuffled.slice(from, from + settings.minibatchSize), sums);
        sums.norm += this.#step();
        sums.steps++;
      }
    }
    this.#iteration++;

    const zeroVariance = batch.groups.filter(({ completions }) =>
      hasZeroVariance(completions.map(({ reward }) => reward)),
    );
    const perDecision = (sum: number): number => sum / Math.max(1, sums.decisions);
    return {
      values: {
        iteration: this.#iteration,
        "charts/learning_rate": this.#learningRate,
        ...completionMeans(batch),
        "health/groups": batch.groups.length,
        "health/dropped_groups": batch.droppedGroups,
        "health/failed_completions": batch.failedCompletions,
        // Of the whole groups; dropped ones are not in the denominator.
        "health/frac_zero_std": batch.groups.length === 0 ? 0 : zeroVariance.length / batch.groups.length,
        "health/optimizer_steps": sums.steps,
        "losses/policy_loss": sums.steps === 0 ? 0 : sums.policy / sums.steps,
        "losses/approx_kl": perDecision(sums.kl),
        "losses/reference_kl": perDecision(sums.referenceKl),
        "losses/entropy": perDecision(sums.entropy),
        "losses/clip_fraction": perDecision(sums.clipped),
        "losses/gradient_norm": sums.steps === 0 ? 0 : sums.norm / sums.steps,
      },
      batchHash: hashGroups(batch.groups),
      note: samples.length > 0 ? null : whyNothing(batch),
    };
  }

  #samplesOf(batch: GroupBatch<Decision>): Sample<Decision>[] {
    return batch.groups.flatMap(({ completions, memory }, g) => {
      const rewards = completions.map(({ reward }) => reward);
      if (hasZeroVariance(rewards)) return [];
      const advantages = computeGroupAdvantages(rewards, this.settings.advantage);
      const sequences = completions.map(({ steps }) => ({
        decisions: steps.map(({ decision }) => decision),
        choices: steps.map(({ choice }) => choice),
        memory,
      }));
      const { policy, referencePolicy } = this.#options;
      const now = this.#logProbsOf(policy, sequences);
      const reference = referencePolicy === undefined ? null : this.#logProbsOf(referencePolicy, sequences);
      return completions.map(
        ({ member }, i): Sample<Decision> => ({
          label: `group ${g}, completion ${member}`,
          sequence: sequences[i]!,
          advantage: advantages[i]!,
          logProbs: now[i]!,
          referenceLogProbs: reference?.[i] ?? null,
        }),
      );
    });
  }

  /** Log-probabilities of a group's choices, one list a sequence. */
  #logProbsOf(policy: SmallPolicy<Decision>, sequences: readonly DecisionSequence<Decision>[]): Float64Array[] {
    this.#tape.reset();
    const { logProbs } = policy.evaluate(this.#tape, sequences);
    let at = 0;
    return sequences.map(({ decisions }) => {
      at += decisions.length;
      return logProbs.slice(at - decisions.length, at);
    });
  }

  /** Leaves the gradient of the minibatch in the parameters and adds its numbers to `sums`. */
  #lossAndGradient(samples: readonly Sample<Decision>[], sums: Record<LossSum, number>): void {
    const { settings } = this;
    const { policy } = this.#options;
    this.#tape.reset();
    zeroGradients(policy.parameters());
    const evaluation = policy.evaluate(
      this.#tape,
      samples.map(({ sequence }) => sequence),
    );
    const total = evaluation.logProbs.length;
    const dLogProbs = new Float64Array(total);
    const dEntropies = new Float64Array(total);
    let at = 0;
    for (const sample of samples) {
      const n = sample.sequence.decisions.length;
      const weight = settings.lossNormalization === "sample" ? 1 / (n * samples.length) : 1 / total;
      for (let j = 0; j < n; j++, at++) {
        const logProb = evaluation.logProbs[at]!;
        const logRatio = logProb - sample.logProbs[j]!;
        const referenceRatio = sample.referenceLogProbs === null ? 0 : sample.referenceLogProbs[j]! - logProb;
        if (!Number.isFinite(logRatio + referenceRatio))
          throw new PraxisError(
            "NON_FINITE_NUMBER",
            `GRPO iteration ${this.#iteration + 1}: the log-probability of ${sample.label}, decision ${j}, is ${logProb} (was ${sample.logProbs[j]}).`,
          );
        const surrogate = clippedSurrogate(logRatio, sample.advantage, settings);
        const kl = klK3(referenceRatio);
        // d k3 / d logProb = 1 − e^(log ref − log π)
        dLogProbs[at] = weight * (surrogate.slope - settings.klCoef * Math.expm1(referenceRatio));
        dEntropies[at] = -weight * settings.entropyCoef;
        sums.policy += weight * (surrogate.loss + settings.klCoef * kl);
        sums.kl += klK3(logRatio);
        sums.referenceKl += kl;
        sums.entropy += evaluation.entropies[at]!;
        sums.clipped += surrogate.clipped ? 1 : 0;
      }
    }
    sums.decisions += total;
    evaluation.backward(dLogProbs, dEntropies);
  }

  #step(): number {
    try {
      return this.#adam.step().gradientNorm;
    } catch (error) {
      if (!(error instanceof NnError)) throw error;
      throw new PraxisError("NON_FINITE_NUMBER", `GRPO iteration ${this.#iteration + 1}: ${error.message}`, {
        cause: error,
      });
    }
  }

  /** Everything that the next iteration depends on, the reference policy included. */
  save(): Checkpoint {
    const optimizer = this.#adam.save();
    const state: GrpoState = {
      iteration: this.#iteration,
      optimizerSteps: optimizer.steps,
      rng: this.#rng.save(),
    };
    const { policy, referencePolicy } = this.#options;
    return {
      algorithm: "grpo",
      envId: this.#options.definition.id,
      weights: tensorsOf(policy),
      optimizer: new Map([
        ...prefixed("adam.", optimizer.tensors),
        ...(referencePolicy === undefined ? [] : prefixed("reference.", tensorsOf(referencePolicy))),
      ]),
      state,
      environments: null,
    };
  }

  /** Continues from a checkpoint of the same environment and settings; throws VALIDATION_ERROR for one of something else. */
  restore(checkpoint: Checkpoint): void {
    const { definition, policy, referencePolicy } = this.#options;
    checkOrigin(checkpoint, ["grpo"], definition.id);
    const saved = checkpoint.state as GrpoState;
    restoreParameters(policy.parameters(), checkpoint.weights);
    if (referencePolicy !== undefined)
      restoreParameters(referencePolicy.parameters(), unprefixed("reference.", checkpoint.optimizer));
    this.#adam.restore({ steps: saved.optimizerSteps, tensors: unprefixed("adam.", checkpoint.optimizer) });
    this.#rng = Rng.restore(saved.rng);
    this.#iteration = saved.iteration;
  }
}

type LossSum = "policy" | "kl" | "referenceKl" | "entropy" | "clipped" | "decisions" | "norm" | "steps";

/** Mean return, length and start of the completions that count, the return by component, and what the environment told. */
function completionMeans({ groups }: GroupBatch<unknown>): Record<string, number> {
  const completions = groups.flatMap((group) => group.completions);
  if (completions.length === 0) return {};
  const fork = groups.reduce((sum, { forkStep }) => sum + forkStep, 0) / groups.length;
  const means: Record<string, number> = { "charts/fork_step": fork };
  const add = (name: string, value: number): void => {
    means[name] = (means[name] ?? 0) + value / completions.length;
  };
  for (const { reward, length, rewardComponents } of completions) {
    add("charts/completion_return", reward);
    add("charts/completion_length", length);
    for (const [name, value] of Object.entries(rewardComponents)) add(`rewards/${name}`, value);
  }
  return { ...means, ...outcomeMetrics(completions.map(({ outcome }) => outcome)) };
}

function whyNothing({ groups, droppedGroups, firstFailure }: GroupBatch<unknown>): string {
  if (groups.length > 0) return `Nothing was learnt: the rewards are equal within each of ${groups.length} groups.`;
  return `Nothing was learnt: all ${droppedGroups} groups were dropped. First failure: ${firstFailure ?? "none"}.`;
}
