import {
  type EnvDefinition,
  type Info,
  LocalVectorEnv,
  PraxisError,
  Rng,
  type RngState,
  type SyncEnvDefinition,
  type VectorEnv,
  type VectorReset,
} from "@praxis/env";
import { Adam, type FactoredGradient, type Kernels, type NamedArray, Tape } from "@praxis/nn";
import type { ActionHead } from "./action-head.ts";
import { readActionMask } from "./action-mask.ts";
import type { ActorCritic, PolicyState } from "./actor-critic.ts";
import { computeGae, normalizeAdvantages } from "./advantages.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { checkOrigin } from "./checkpoint-origin.ts";
import { ConstantCache } from "./constant-cache.ts";
import { EpisodeStatistics, type EpisodeStatisticsState } from "./episode-statistics.ts";
import { prefixed, restoreParameters, tensorsOf, unprefixed } from "./model-tensors.ts";
import { placeNonFinite } from "./non-finite.ts";
import { ObservationNormalizer, RewardNormalizer, type RewardNormalizerState } from "./normalizers.ts";
import { checkConstant } from "./observation-layout.ts";
import { finiteValue, LossMeans, ppoLoss } from "./ppo-loss.ts";
import { makePpoPolicy } from "./ppo-policy.ts";
import { type PpoSettingsInput, resolvePpoSettings } from "./ppo-settings.ts";
import { gatherInto, RolloutBuffer } from "./rollout-buffer.ts";
import { explainedVariance } from "./surrogate.ts";
import { turnOfEvents } from "./turn-of-events.ts";

/** What a {@link Ppo} is made of. */
export interface PpoOptions {
  /** Has a box `observationSpace` and an `actionSpace`; its environments do not wait. */
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly seed: number;
  readonly settings: PpoSettingsInput;
  /** Reset options of every episode. */
  readonly resetOptions?: Readonly<Record<string, unknown>>;
  /**
   * Environments that run elsewhere (worker threads), `sameStep`, as many as the settings say and of the same seed, so that
   * the numbers are those of the default: in this thread.
   */
  readonly vectorEnv?: VectorEnv;
}

/** Numbers of one iteration by the names everybody plots; without clock times, so that equal runs give equal rows. */
export type PpoMetrics = Readonly<Record<string, number>>;

/** The saved part of a {@link Ppo} that is not tensors. */
interface PpoState {
  readonly iteration: number;
  readonly steps: number;
  readonly optimizerSteps: number;
  readonly rng: { readonly actions: RngState; readonly minibatches: RngState };
  readonly episodeStarts: readonly number[];
  readonly episodes: EpisodeStatisticsState;
  readonly observationMoments: ReturnType<ObservationNormalizer["moments"]["save"]> | null;
  readonly rewards: RewardNormalizerState | null;
}

/**
 * Proximal policy optimisation (Schulman et al. 2017) with masks and memory. One {@link Ppo.iterate} is a rollout and its
 * update; {@link Ppo.save} and {@link Ppo.restore} continue the same curve bit for bit.
 */
export class Ppo {
  readonly settings: ReturnType<typeof resolvePpoSettings>;
  readonly policy: ActorCritic;
  readonly observationNormalizer: ObservationNormalizer | null;
  readonly #head: ActionHead;
  readonly #options: PpoOptions;
  readonly #envs: VectorEnv;
  readonly #buffer: RolloutBuffer;
  readonly #adam: Adam;
  readonly #rewardNormalizer: RewardNormalizer | null;
  readonly #acting: Tape;
  readonly #learning: Tape;
  readonly #episodes: EpisodeStatistics;
  #actionRng: Rng;
  #minibatchRng: Rng;
  #learningRate: number;
  #iteration = 0;
  #steps = 0;
  /** What the next step is chosen from; null before the first reset. */
  #current: VectorReset | null = null;
  #episodeStarts: Uint8Array;
  #state: PolicyState;

  constructor(options: PpoOptions) {
    const { definition, kernels, seed } = options;
    const settings = resolvePpoSettings(options.settings);
    const { numEnvs } = settings;
    this.#options = options;
    this.settings = settings;
    // An environment that answers asynchronously is refused at its first reset.
    this.#envs = options.vectorEnv ?? new LocalVectorEnv(definition as SyncEnvDefinition, { numEnvs, seed });
    if (this.#envs.numEnvs !== numEnvs || this.#envs.autoreset !== "sameStep")
      throw new PraxisError("INVALID_CONFIG", `PPO needs ${numEnvs} environments with autoreset 'sameStep'.`);

    const rng = Rng.fromSeed(seed, "ppo");
    this.#actionRng = rng.split("actions");
    this.#minibatchRng = rng.split("minibatches");
    this.policy = makePpoPolicy({ definition, kernels, settings, rng: rng.split("weights") });
    this.#head = this.policy.head;
    this.#learningRate = settings.learningRate;
    this.#adam = new Adam(kernels, this.policy.parameters(), {
      learningRate: () => this.#learningRate,
      epsilon: 1e-5,
      maxGradNorm: settings.maxGradNorm,
    });
    this.observationNormalizer = settings.normalizeObservations ? new ObservationNormalizer(this.policy.inputs) : null;
    this.#rewardNormalizer = settings.normalizeRewards ? new RewardNormalizer(numEnvs, settings.gamma) : null;
    this.#buffer = new RolloutBuffer({
      ...{ numSteps: settings.numSteps, numEnvs, sequenceLength: settings.sequenceLength },
      ...{ observationSize: this.policy.inputs, actionSize: this.#head.actionSize, maskSize: this.#head.maskSize },
    });
    this.#acting = new Tape(kernels, { recording: false });
    this.#learning = new Tape(kernels);
    this.#episodes = new EpisodeStatistics(numEnvs);
    this.#episodeStarts = new Uint8Array(numEnvs).fill(1);
    this.#state = this.policy.initialState(numEnvs);
  }

  /** Iterations done. */
  get iteration(): number {
    return this.#iteration;
  }

  /** Environment steps done. */
  get steps(): number {
    return this.#steps;
  }

  get isDone(): boolean {
    return this.#steps >= this.settings.totalSteps;
  }

  /**
   * One rollout and its update. Throws NON_FINITE_NUMBER naming tensor and step when a number stops being finite; the weights
   * are then those of the last good optimiser step.
   */
  async iterate(): Promise<PpoMetrics> {
    try {
      const rollout = await this.#rollout();
      const update = await this.#update(rollout);
      this.#iteration++;
      return {
        iteration: this.#iteration,
        steps: this.#steps,
        "charts/policy_version": rollout.policyVersion,
        ...this.#episodes.metrics(),
        ...update,
      };
    } catch (error) {
      const where = `PPO iteration ${this.#iteration + 1}, environment step ${this.#steps}`;
      throw placeNonFinite(error, where, this.policy.parameters());
    }
  }

  // 1. Rollout -------------------------------------------------------------------------------------------------------

  async #rollout() {
    const { numSteps, numEnvs, sequenceLength } = this.settings;
    const buffer = this.#buffer;
    const { sizes } = buffer;
    // The number of optimiser steps behind the policy that acts: after a resume it is the checkpoint's.
    const policyVersion = this.#adam.steps;
    buffer.clear();
    this.#episodes.beginIteration();
    this.#current ??= await this.#firstReset();
    const cache = new ConstantCache();
    const actions = new Float32Array(numEnvs * sizes.actionSize);
    const masks = new Uint8Array(numEnvs * sizes.maskSize);
    let firstRows = this.#rawObservations(this.#current);

    for (let t = 0; t < numSteps; t++) {
      const raw = this.#rawObservations(this.#current);
      const observations = this.observationNormalizer?.apply(raw) ?? raw;
      if (this.policy.blocks !== null) {
        firstRows = this.#checkLayout(firstRows, raw);
      }
      if (t % sequenceLength === 0) buffer.states.push(...this.policy.packState(this.#state, numEnvs));
      this.#readMasks(this.#current.infos, masks);

      this.#acting.reset();
      const output = this.policy.forward(this.#acting, {
        ...{ steps: 1, batch: numEnvs, observations: this.#acting.copy(observations), starts: this.#episodeStarts },
        ...{ state: this.#state, cache },
      });
      const row0 = t * numEnvs;
      for (let env = 0; env < numEnvs; env++) {
        const head = this.#headRow(output.logits.data, masks, env);
        buffer.logProbs[row0 + env] = this.#head.sample(head, this.#actionRng, actions);
        buffer.values[row0 + env] = finiteValue(output.values.data[env]!, env);
      }
      buffer.observations.set(observations, row0 * sizes.observationSize);
      buffer.actions.set(actions, row0 * sizes.actionSize);
      buffer.masks.set(masks, row0 * sizes.maskSize);
      buffer.episodeStarts.set(this.#episodeStarts, row0);

      const step = await this.#envs.step(
        Array.from({ length: numEnvs }, (_, env) => this.#head.toSpaceValue(actions, env)),
      );
      this.#state = output.state;
      const ended = step.terminated.map((terminated, env) => (terminated || step.truncated[env] ? 1 : 0));
      this.#episodes.step(step.rewards, ended);
      const scaled = this.#rewardNormalizer?.step(step.rewards, ended) ?? step.rewards;
      buffer.rewards.set(scaled, row0);
      buffer.terminated.set(step.terminated, row0);
      buffer.truncated.set(step.truncated, row0);
      for (let env = 0; env < numEnvs; env++) {
        const info = step.finalInfos[env] ?? step.infos[env]!;
        if (info.infraError !== undefined) buffer.excluded[row0 + env] = 1;
      }
      this.#bootstrapTruncated(step.finalObservations, step.truncated, row0);
      this.observationNormalizer?.update(step.observations as Float32Array);
      this.#episodeStarts = step.episodeStarts;
      this.#current = step;
      this.#steps += numEnvs;
    }

    const last = this.#rawObservations(this.#current);
    const lastValues = this.#valuesOf(
      this.observationNormalizer?.apply(last) ?? last,
      this.#state,
      this.#episodeStarts,
    );
    return { lastValues, policyVersion };
  }

  /** A time limit is no failure: the value of the final observation stands for what would have followed. */
  #bootstrapTruncated(finalObservations: readonly unknown[], truncated: Uint8Array, row0: number): void {
    const cut = Array.from(truncated.keys()).filter((env) => truncated[env] === 1);
    if (cut.length === 0) return;
    const size = this.#buffer.sizes.observationSize;
    const rows = new Float32Array(cut.length * size);
    cut.forEach((env, i) => {
      rows.set(finalObservations[env] as Float32Array, i * size);
    });
    const memories = this.policy.packState(this.#state, truncated.length);
    const state = this.policy.unpackState(cut.map((env) => memories[env]!));
    const values = this.#valuesOf(this.observationNormalizer?.apply(rows) ?? rows, state, new Uint8Array(cut.length));
    cut.forEach((env, i) => {
      this.#buffer.finalValues[row0 + env] = values[i]!;
    });
  }

  #valuesOf(observations: Float32Array, state: PolicyState, starts: Uint8Array): Float64Array {
    this.#acting.reset();
    const rows = { steps: 1, batch: starts.length, observations: this.#acting.copy(observations), starts, state };
    return Float64Array.from(this.policy.forwardCritic(this.#acting, rows).data, finiteValue);
  }

  async #firstReset(): Promise<VectorReset> {
    const { seed, resetOptions = {} } = this.#options;
    const first = await this.#envs.reset({ seed, options: resetOptions });
    this.observationNormalizer?.update(this.#rawObservations(first));
    return first;
  }

  #rawObservations({ observations }: VectorReset): Float32Array {
    return observations as Float32Array;
  }

  #readMasks(infos: readonly Info[], masks: Uint8Array): void {
    for (const [env, info] of infos.entries()) readActionMask(this.#head.space, info, masks, env);
  }

  #headRow(inputs: Float32Array, masks: Uint8Array, row: number) {
    return { inputs, masks, logDeviations: this.policy.logDeviations?.data ?? NO_NUMBERS, row };
  }

  /** First row of each running episode, refreshed where one starts; the others must keep their constant columns. */
  #checkLayout(firstRows: Float32Array, now: Float32Array): Float32Array {
    const size = this.#buffer.sizes.observationSize;
    const row = (rows: Float32Array, env: number) => rows.subarray(env * size, (env + 1) * size);
    const next = firstRows.slice();
    this.#episodeStarts.forEach((isStart, env) => {
      if (isStart) row(next, env).set(row(now, env));
      else checkConstant(this.policy.blocks!, row(firstRows, env), row(now, env), env);
    });
    return next;
  }

  // 2. Advantages and update -----------------------------------------------------------------------------------------

  async #update({ lastValues }: { readonly lastValues: Float64Array }): Promise<Record<string, number>> {
    const { settings } = this;
    const buffer = this.#buffer;
    const { gamma, gaeLambda, sequenceLength } = settings;
    const { advantages, returns } = computeGae({
      ...{ numSteps: settings.numSteps, numEnvs: settings.numEnvs, gamma, gaeLambda, lastValues },
      ...{ rewards: buffer.rewards, values: buffer.values, finalValues: buffer.finalValues },
      ...{ terminated: buffer.terminated, truncated: buffer.truncated, excluded: buffer.excluded },
    });
    // Rollout r of n is learnt from at 1 − (r − 1) / n of the rate.
    const done = (this.#steps - settings.numSteps * settings.numEnvs) / settings.totalSteps;
    const left = Math.max(0, 1 - done);
    this.#learningRate = settings.learningRate * (settings.learningRateSchedule === "linear" ? left : 1);
    const clipRange = settings.clipRange * (settings.clipRangeSchedule === "linear" ? left : 1);

    const losses = new LossMeans();
    let epochs = 0;
    let stopped = false;
    for (; epochs < settings.epochs && !stopped; epochs++) {
      // Signals and timers are heard between epochs, so that a second Ctrl-C need not wait for the iteration.
      await turnOfEvents();
      const sequences = this.#minibatchRng.shuffled(buffer.sequences());
      const perMinibatch = settings.minibatchSize / sequenceLength;
      for (let from = 0; from < sequences.length && !stopped; from += perMinibatch) {
        const chosen = buffer.gather(sequences.slice(from, from + perMinibatch));
        const minibatch = this.#lossAndGradient(chosen, { advantages, returns, clipRange });
        if (minibatch === null) continue;
        const limit = settings.targetKl === null ? Number.POSITIVE_INFINITY : 1.5 * settings.targetKl;
        stopped = minibatch.kl > limit;
        losses.add(minibatch, stopped ? 0 : this.#adam.step(minibatch.deferred).gradientNorm);
      }
    }
    return {
      "charts/learning_rate": this.#learningRate,
      ...losses.metrics(),
      "losses/explained_variance": explainedVariance(buffer.values, returns),
      "losses/epochs": epochs,
      "health/excluded_steps": buffer.excluded.reduce((sum, x) => sum + x, 0),
    };
  }

  /** Leaves the minibatch's gradient in the parameters; null when every row is excluded. */
  #lossAndGradient(
    { rows, states }: ReturnType<RolloutBuffer["gather"]>,
    batch: { readonly advantages: Float64Array; readonly returns: Float64Array; readonly clipRange: number },
  ) {
    const { settings, policy } = this;
    const buffer = this.#buffer;
    const { observationSize, actionSize, maskSize, sequenceLength } = buffer.sizes;
    const counted = Array.from(rows.keys()).filter((i) => buffer.excluded[rows[i]!] === 0);
    if (counted.length === 0) return null;
    const tape = this.#learning;
    tape.reset();
    policy.zeroGradients(rows.length);
    const deferred: FactoredGradient[] = [];
    const output = policy.forward(tape, {
      ...{ steps: sequenceLength, batch: states.length, state: policy.unpackState(states) },
      observations: gatherInto(buffer.observations, observationSize, rows, tape.floats(rows.length * observationSize)),
      starts: Uint8Array.from(rows, (row) => buffer.episodeStarts[row]!),
      deferred,
    });
    const actions = gatherInto(buffer.actions, actionSize, rows, new Float32Array(rows.length * actionSize));
    const masks = gatherInto(buffer.masks, maskSize, rows, new Uint8Array(rows.length * maskSize));
    const own = Float64Array.from(counted, (i) => batch.advantages[rows[i]!]!);
    if (settings.normalizeAdvantages) normalizeAdvantages(own);
    const advantages = new Float64Array(rows.length);
    counted.forEach((i, position) => {
      advantages[i] = own[position]!;
    });

    const dInputs = tape.zeros(output.logits.data.length);
    const dValues = tape.zeros(output.values.data.length);
    const of = (values: Float64Array) => Float64Array.from(rows, (row) => values[row]!);
    const losses = ppoLoss(
      {
        ...{ distribution: this.#head, logits: output.logits.data, newValues: output.values.data, actions, masks },
        ...{ logDeviations: policy.logDeviations?.data ?? NO_NUMBERS, counted, advantages },
        ...{ logProbs: of(buffer.logProbs), values: of(buffer.values), returns: of(batch.returns) },
        ...{ clipRange: batch.clipRange, valueClipRange: settings.valueClipRange },
        ...{ entropyCoef: settings.entropyCoef, valueCoef: settings.valueCoef },
      },
      { dInputs, dValues, dLogDeviations: policy.logDeviations?.gradient ?? NO_NUMBERS },
    );
    tape.giveGradient(output.logits, dInputs);
    tape.giveGradient(output.values, dValues);
    tape.backward();
    return { ...losses, deferred };
  }

  // 3. Saving --------------------------------------------------------------------------------------------------------

  /** Everything that the next iteration depends on. Throws NOT_SUPPORTED when an environment's snapshot is no plain data. */
  async save(): Promise<Checkpoint> {
    const environments = this.#current === null ? null : await this.#envs.save();
    const optimizer = this.#adam.save();
    const memories: [string, NamedArray][] = this.policy
      .packState(this.#state, this.settings.numEnvs)
      .map((data, env) => [String(env), { shape: [data.length], data }]);
    const state: PpoState = {
      iteration: this.#iteration,
      steps: this.#steps,
      optimizerSteps: optimizer.steps,
      rng: { actions: this.#actionRng.save(), minibatches: this.#minibatchRng.save() },
      episodeStarts: [...this.#episodeStarts],
      episodes: this.#episodes.save(),
      observationMoments: this.observationNormalizer?.moments.save() ?? null,
      rewards: this.#rewardNormalizer?.save() ?? null,
    };
    return {
      algorithm: "ppo",
      envId: this.#options.definition.id,
      weights: tensorsOf(this.policy),
      optimizer: new Map([...prefixed("adam.", optimizer.tensors), ...prefixed("memory.", new Map(memories))]),
      state,
      environments,
    };
  }

  /**
   * Continues from a checkpoint of the same environment and settings. Throws VALIDATION_ERROR for one of something else.
   * Call before the first {@link Ppo.iterate}.
   */
  async restore(checkpoint: Checkpoint): Promise<void> {
    const { id } = this.#options.definition;
    checkOrigin(checkpoint, ["ppo"], id);
    const saved = checkpoint.state as PpoState;
    restoreParameters(this.policy.parameters(), checkpoint.weights);
    this.#adam.restore({ steps: saved.optimizerSteps, tensors: unprefixed("adam.", checkpoint.optimizer) });
    const memories = unprefixed("memory.", checkpoint.optimizer);
    this.#state = this.policy.unpackState(
      Array.from({ length: this.settings.numEnvs }, (_, env) => memories.get(String(env))!.data),
    );
    this.#actionRng = Rng.restore(saved.rng.actions);
    this.#minibatchRng = Rng.restore(saved.rng.minibatches);
    this.#iteration = saved.iteration;
    this.#steps = saved.steps;
    this.#episodeStarts = Uint8Array.from(saved.episodeStarts);
    this.#episodes.restore(saved.episodes);
    if (saved.observationMoments !== null) this.observationNormalizer?.moments.restore(saved.observationMoments);
    if (saved.rewards !== null) this.#rewardNormalizer?.restore(saved.rewards);
    if (checkpoint.environments !== null) this.#current = await this.#envs.restore(checkpoint.environments);
  }

  async close(): Promise<void> {
    await this.#envs.close();
  }
}

const NO_NUMBERS = new Float32Array(0);
