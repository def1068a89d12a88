import {
  type EnvDefinition,
  LocalVectorEnv,
  PraxisError,
  Rng,
  type RngState,
  type SyncEnvDefinition,
  type VectorEnv,
  type VectorReset,
  type VectorStep,
} from "@praxis/env";
import { Adam, type Kernels, type NamedArray, Tape } from "@praxis/nn";
import type { z } from "zod";
import type { Checkpoint } from "./checkpoint.ts";
import { checkOrigin } from "./checkpoint-origin.ts";
import { type EpisodePpoSettings, type episodePpoSettings, resolveEpisodePpoSettings } from "./episode-ppo-settings.ts";
import { EpisodeStatistics, type EpisodeStatisticsState } from "./episode-statistics.ts";
import { learnEpisodes, targetsOf } from "./episode-targets.ts";
import { checkIdentity } from "./load-recorded.ts";
import { packMemories, unpackMemories } from "./memory-rows.ts";
import { prefixed, restoreParameters, tensorsOf, unprefixed } from "./model-tensors.ts";
import { placeNonFinite } from "./non-finite.ts";
import type { ObservationRecorder } from "./observation-record.ts";
import { finiteValue, LossMeans } from "./ppo-loss.ts";
import type { Memories, ProjectionCache, RecordedPolicy } from "./recorded-policy.ts";
import {
  type FinishedEpisode,
  plainOptions,
  type ReplayedEpisode,
  restoreEpisodes,
  type SavedEpisode,
  saveEpisodes,
} from "./replayed-episode.ts";
import type { RolloutHook } from "./rollout-hook.ts";
import { explainedVariance } from "./surrogate.ts";
import { turnOfEvents } from "./turn-of-events.ts";

/** What an {@link EpisodePpo} is made of. */
export interface EpisodePpoOptions {
  /** Has a box `observationSpace` and an end or a limit to every episode; its environments do not wait. */
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  /** With fresh weights, or such as were learnt otherwise; changed in place. */
  readonly policy: RecordedPolicy;
  readonly seed: number;
  readonly settings: z.input<typeof episodePpoSettings>;
  /** Reset options of every episode. */
  readonly resetOptions?: Readonly<Record<string, unknown>>;
  /** Changes the environments' inputs between rollouts. */
  readonly hook?: RolloutHook;
  /** Which parameters learn, by name; default all. The others stand still. */
  readonly trains?: (name: string) => boolean;
  /** More that a checkpoint must agree in, such as the embedder behind the observations. */
  readonly identity?: Readonly<Record<string, string | number | boolean>>;
  /** As for {@link Ppo}: environments that run elsewhere, with the numbers of those in this thread. */
  readonly vectorEnv?: VectorEnv;
}

/** The saved part of an {@link EpisodePpo} that is not tensors. */
interface EpisodePpoState {
  readonly identity: Readonly<Record<string, string | number | boolean>>;
  readonly iteration: number;
  readonly steps: number;
  readonly episodes: number;
  readonly optimizerSteps: number;
  readonly rng: { readonly actions: RngState; readonly minibatches: RngState };
  readonly episodeStarts: readonly number[];
  readonly statistics: EpisodeStatisticsState;
  readonly running: readonly SavedEpisode[];
  readonly hook: unknown;
}

/**
 * Proximal policy optimisation (Schulman et al. 2017) that learns from whole episodes: a rollout ends once episodes of
 * `batchSteps` steps have finished (unfinished ones go on into the next), and an update replays each episode of a minibatch from
 * empty memories, so that no stored state is ever stale. {@link EpisodePpo.save} and {@link EpisodePpo.restore} continue the same
 * curve bit for bit.
 */
export class EpisodePpo {
  readonly settings: EpisodePpoSettings;
  readonly policy: RecordedPolicy;
  readonly #options: EpisodePpoOptions;
  readonly #envs: VectorEnv;
  readonly #adam: Adam;
  readonly #recorder: ObservationRecorder;
  readonly #acting: Tape;
  readonly #learning: Tape;
  readonly #statistics: EpisodeStatistics;
  #actionRng: Rng;
  #minibatchRng: Rng;
  #learningRate: number;
  #iteration = 0;
  #steps = 0;
  #episodes = 0;
  /** What the next step is chosen from; null before the first reset. */
  #current: VectorReset | null = null;
  #starts: Uint8Array;
  #memories: Memories;
  /** By environment. */
  #running: ReplayedEpisode[];

  constructor(options: EpisodePpoOptions) {
    const { definition, kernels, policy, seed } = options;
    const settings = resolveEpisodePpoSettings(options.settings);
    const { numEnvs } = settings;
    if (definition.maxEpisodeSteps === undefined)
      throw new PraxisError("INVALID_CONFIG", `'${definition.id}' has no step limit; whole episodes need one.`);
    this.#options = options;
    this.settings = settings;
    this.policy = policy;
    // An environment that answers asynchronously is refused at its first reset.
    this.#envs = options.vectorEnv ?? new LocalVectorEnv(definition as SyncEnvDefinition, { numEnvs, seed });
    if (this.#envs.numEnvs !== numEnvs || this.#envs.autoreset !== "sameStep")
      throw new PraxisError("INVALID_CONFIG", `PPO needs ${numEnvs} environments with autoreset 'sameStep'.`);
    if (this.#envs.observationSize !== policy.inputs)
      throw new PraxisError(
        "INVALID_CONFIG",
        `Observations of '${definition.id}' have ${this.#envs.observationSize ?? "no"} numbers; the policy reads ${policy.inputs}.`,
      );
    const rng = Rng.fromSeed(seed, "ppo");
    this.#actionRng = rng.split("actions");
    this.#minibatchRng = rng.split("minibatches");
    this.#learningRate = settings.learningRate;
    const { trains = () => true } = options;
    const learning = policy.parameters().filter(({ name }) => trains(name));
    this.#adam = new Adam(kernels, learning, {
      ...{ learningRate: () => this.#learningRate, epsilon: 1e-5, maxGradNorm: settings.maxGradNorm },
    });
    this.#recorder = policy.makeRecorder();
    this.#acting = new Tape(kernels, { recording: false });
    this.#learning = new Tape(kernels);
    this.#statistics = new EpisodeStatistics(numEnvs);
    this.#starts = new Uint8Array(numEnvs).fill(1);
    this.#memories = policy.initialMemories(numEnvs);
    this.#running = [];
  }

  /** Iterations done. */
  get iteration(): number {
    return this.#iteration;
  }

  /** Environment steps done. */
  get steps(): number {
    return this.#steps;
  }

  /** Episodes that have been learnt from. */
  get episodes(): number {
    return this.#episodes;
  }

  get isDone(): boolean {
    return this.#steps >= this.settings.totalSteps;
  }

  /**
   * One rollout and its update. Throws NON_FINITE_NUMBER naming tensor and step when a number stops being finite; the weights
   * are then those of the last good optimiser step.
   */
  async iterate(): Promise<Readonly<Record<string, number>>> {
    try {
      const policyVersion = this.#adam.steps;
      // Rates follow the steps done before the rollout.
      const progress = Math.min(1, this.#steps / this.settings.totalSteps);
      const learnsPolicy = this.#steps >= this.settings.valueWarmupSteps;
      const rollout = await this.#rollout();
      this.#episodes += rollout.episodes.length;
      const update = await this.#update(rollout.episodes, { progress, learnsPolicy });
      const hooked = this.#options.hook?.update({
        ...{ episodes: rollout.episodes, steps: this.#steps, totalSteps: this.settings.totalSteps },
      });
      if (hooked !== undefined) await this.#envs.setResetOptions(this.#resetOptions());
      this.#iteration++;
      return {
        ...{ iteration: this.#iteration, steps: this.#steps, "charts/policy_version": policyVersion },
        ...this.#statistics.metrics(),
        ...rollout.shares,
        ...update,
        ...hooked,
      };
    } catch (error) {
      const where = `PPO iteration ${this.#iteration + 1}, environment step ${this.#steps}`;
      throw placeNonFinite(error, where, this.policy.parameters());
    }
  }

  // 1. Rollout -------------------------------------------------------------------------------------------------------

  async #rollout() {
    const { numEnvs, batchSteps } = this.settings;
    const { distribution } = this.policy;
    const logDeviations = this.policy.logDeviations?.data ?? NO_NUMBERS;
    this.#statistics.beginIteration();
    this.#recorder.clear();
    if (this.#current === null) await this.#firstReset();
    const projections: ProjectionCache = new Map();
    const actions = new Float32Array(numEnvs * distribution.actionSize);
    const masks = new Uint8Array(numEnvs * distribution.maskSize);
    const tags = new Map<string, number>();
    const finished: FinishedEpisode[] = [];

    for (let collected = 0; collected < batchSteps; ) {
      const { observations, infos } = this.#current!;
      const records = infos.map((info, env) => this.#recorder.record(this.#row(observations, env), info));
      infos.forEach((info, env) => {
        distribution.readMask(info, masks, env);
      });
      this.#acting.reset();
      const output = this.policy.forward(this.#acting, {
        ...{ steps: 1, batch: numEnvs, records, starts: this.#starts, memories: this.#memories, projections },
      });
      const logProbs = records.map((_, env) => {
        const head = { inputs: output.logits.data, masks, logDeviations, row: env };
        return distribution.sample(head, this.#actionRng, actions);
      });
      const values = records.map((_, env) => finiteValue(output.values.data[env]!, env));
      const step = await this.#envs.step(records.map((_, env) => distribution.toSpaceValue(actions, env)));
      this.#memories = output.memories;
      this.#steps += numEnvs;
      this.#statistics.step(
        step.rewards,
        step.terminated.map((terminated, env) => terminated | step.truncated[env]!),
      );
      const finalValues = this.#finalValues(step, projections);
      for (let env = 0; env < numEnvs; env++) {
        const info = step.finalInfos[env] ?? step.infos[env]!;
        const episode = this.#running[env]!;
        episode.steps.push({
          ...{ record: records[env]!, logProb: logProbs[env]!, value: values[env]!, reward: step.rewards[env]! },
          action: actions.slice(env * distribution.actionSize, (env + 1) * distribution.actionSize),
          mask: masks.slice(env * distribution.maskSize, (env + 1) * distribution.maskSize),
          ...{ isExcluded: info.infraError !== undefined, kept: this.#options.hook?.keep?.(info) ?? null },
        });
        for (const tag of distribution.tags?.(actions, env) ?? []) tags.set(tag, (tags.get(tag) ?? 0) + 1);
        if (step.episodeStarts[env] === 0) continue;
        finished.push({
          ...{ ...episode, terminated: step.terminated[env] === 1, finalInfo: info, finalValue: finalValues[env]! },
        });
        collected += episode.steps.length;
        this.#running[env] = this.#beginEpisode(env, episode.index + 1);
      }
      this.#starts = step.episodeStarts;
      this.#current = step;
    }
    const episodes = finished.sort((a, b) => a.env - b.env || a.index - b.index);
    const decisions = [...tags].reduce((sum, [name, n]) => sum + (name.startsWith("meta_") ? n : 0), 0) || 1;
    const shares = Object.fromEntries([...tags].sort().map(([name, n]) => [`policy/${name}`, n / decisions]));
    return { episodes, shares };
  }

  /** A limit outside the task is no failure: the value of the final observation stands for what would have followed. */
  #finalValues(step: VectorStep, projections: ProjectionCache): Float64Array {
    const values = new Float64Array(step.truncated.length);
    const cut = Array.from(values.keys()).filter((env) => step.truncated[env] === 1 && step.terminated[env] === 0);
    if (cut.length === 0) return values;
    const packed = packMemories(this.#memories, values.length);
    const memories = this.policy.initialMemories(cut.length);
    unpackMemories(
      memories,
      cut.map((env) => packed[env]!),
    );
    const records = cut.map((env) =>
      this.#recorder.record(step.finalObservations[env] as Float32Array, step.finalInfos[env]!),
    );
    this.#acting.reset();
    const rows = { steps: 1, batch: cut.length, records, starts: new Uint8Array(cut.length), memories, projections };
    const output = this.policy.forward(this.#acting, rows);
    cut.forEach((env, i) => {
      values[env] = finiteValue(output.values.data[i]!, env);
    });
    return values;
  }

  async #firstReset(): Promise<void> {
    this.#current = await this.#envs.reset({ seed: this.#options.seed, options: this.#resetOptions() });
    this.#running = Array.from({ length: this.settings.numEnvs }, (_, env) => this.#beginEpisode(env, 0));
  }

  #beginEpisode(env: number, index: number): ReplayedEpisode {
    return { env, index, resetOptions: plainOptions(this.#resetOptions()), steps: [] };
  }

  #resetOptions(): Readonly<Record<string, unknown>> {
    return { ...this.#options.resetOptions, ...this.#options.hook?.resetOptions() };
  }

  #row(observations: VectorReset["observations"], env: number): Float32Array {
    const size = this.policy.inputs;
    return (observations as Float32Array).subarray(env * size, (env + 1) * size);
  }

  // 2. Advantages and update -----------------------------------------------------------------------------------------

  async #update(
    episodes: readonly FinishedEpisode[],
    { progress, learnsPolicy }: { readonly progress: number; readonly learnsPolicy: boolean },
  ): Promise<Record<string, number>> {
    const { settings } = this;
    const between = (from: number, to: number): number => from + (to - from) * progress;
    this.#learningRate = between(settings.learningRate, settings.finalLearningRate);
    const entropyCoef = learnsPolicy ? between(settings.entropyCoef, settings.finalEntropyCoef) : 0;
    const targets = targetsOf(episodes, settings);
    // Without advantages the policy's loss is flat; a value that shares nothing then leaves the policy as it is.
    if (!learnsPolicy) for (const { advantages } of targets) advantages.fill(0);

    const losses = new LossMeans();
    const limit = settings.targetKl === null ? Number.POSITIVE_INFINITY : 1.5 * settings.targetKl;
    let epochs = 0;
    let stopped = false;
    for (; epochs < settings.epochs && !stopped; epochs++) {
      const shuffled = this.#minibatchRng.shuffled(targets);
      const count = Math.min(settings.minibatches, shuffled.length);
      for (let part = 0; part < count && !stopped; part++) {
        // Signals and timers are heard between minibatches, so that a second Ctrl-C need not wait for the iteration.
        await turnOfEvents();
        const at = (i: number): number => Math.floor((i * shuffled.length) / count);
        const minibatch = learnEpisodes(this.policy, this.#learning, shuffled.slice(at(part), at(part + 1)), {
          ...settings,
          entropyCoef,
        });
        if (minibatch === null) continue;
        stopped = minibatch.kl > limit;
        losses.add(minibatch, stopped ? 0 : this.#adam.step().gradientNorm);
      }
    }
    const steps = targets.flatMap(({ episode }) => episode.steps);
    const returns = targets.flatMap((target) => [...target.returns]);
    return {
      "charts/learning_rate": this.#learningRate,
      "charts/entropy_coef": entropyCoef,
      "charts/batch_steps": steps.length,
      ...losses.metrics(),
      "losses/explained_variance": explainedVariance(
        steps.map(({ value }) => value),
        returns,
      ),
      "losses/epochs": epochs,
      "health/excluded_steps": steps.filter(({ isExcluded }) => isExcluded).length,
    };
  }

  // 3. Saving --------------------------------------------------------------------------------------------------------

  /** Everything that the next iteration depends on. Throws NOT_SUPPORTED when an environment's snapshot is no plain data. */
  async save(): Promise<Checkpoint> {
    const environments = this.#current === null ? null : await this.#envs.save();
    const optimizer = this.#adam.save();
    const running = saveEpisodes(this.#running);
    const memories = packMemories(this.#memories, this.settings.numEnvs).map((data, env): [string, NamedArray] => [
      String(env),
      { shape: [data.length], data },
    ]);
    const state: EpisodePpoState = {
      identity: this.#identity(),
      ...{ iteration: this.#iteration, steps: this.#steps, episodes: this.#episodes, optimizerSteps: optimizer.steps },
      rng: { actions: this.#actionRng.save(), minibatches: this.#minibatchRng.save() },
      ...{ episodeStarts: [...this.#starts], statistics: this.#statistics.save(), running: running.state },
      hook: this.#options.hook?.save() ?? null,
    };
    return {
      ...{ algorithm: "ppo", envId: this.#options.definition.id, weights: tensorsOf(this.policy), state, environments },
      optimizer: new Map([
        ...prefixed("adam.", optimizer.tensors),
        ...prefixed("memory.", new Map(memories)),
        ...prefixed("running.", running.tensors),
      ]),
    };
  }

  /**
   * Continues from a checkpoint of the same environment, policy and settings. Throws VALIDATION_ERROR for one of something else.
   * Call before the first {@link EpisodePpo.iterate}.
   */
  async restore(checkpoint: Checkpoint): Promise<void> {
    const { id } = this.#options.definition;
    checkOrigin(checkpoint, ["ppo"], id);
    const saved = checkpoint.state as EpisodePpoState;
    if (saved.running === undefined)
      throw new PraxisError("VALIDATION_ERROR", "The checkpoint is of PPO over fixed steps, not over whole episodes.");
    checkIdentity(saved.identity, this.#identity());
    if (checkpoint.environments !== null && checkpoint.environments.length !== this.settings.numEnvs)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `The checkpoint has ${checkpoint.environments.length} environments; numEnvs is ${this.settings.numEnvs}.`,
      );
    restoreParameters(this.policy.parameters(), checkpoint.weights);
    this.#adam.restore({ steps: saved.optimizerSteps, tensors: unprefixed("adam.", checkpoint.optimizer) });
    const memories = unprefixed("memory.", checkpoint.optimizer);
    unpackMemories(
      this.#memories,
      Array.from({ length: this.settings.numEnvs }, (_, env) => memories.get(String(env))!.data),
    );
    this.#running = restoreEpisodes(saved.running, unprefixed("running.", checkpoint.optimizer));
    this.#actionRng = Rng.restore(saved.rng.actions);
    this.#minibatchRng = Rng.restore(saved.rng.minibatches);
    this.#iteration = saved.iteration;
    this.#steps = saved.steps;
    this.#episodes = saved.episodes;
    this.#starts = Uint8Array.from(saved.episodeStarts);
    this.#statistics.restore(saved.statistics);
    this.#options.hook?.restore(saved.hook);
    if (checkpoint.environments !== null) this.#current = await this.#envs.restore(checkpoint.environments);
  }

  #identity(): Readonly<Record<string, string | number | boolean>> {
    return { ...this.policy.identity, ...this.#options.identity };
  }

  async close(): Promise<void> {
    await this.#envs.close();
  }
}

const NO_NUMBERS = new Float32Array(0);
