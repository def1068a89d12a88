import type { EnvSnapshot, EnvState, Info, ResetRequest, ResetResult, StepResult, SyncEnv } from "./env.ts";
import { PraxisError } from "./errors.ts";
import { checkFinite } from "./json.ts";
import { Rng, RngStreams, type RngStreamsState } from "./rng.ts";
import { checkSeed } from "./seed.ts";

/** What an episode of a simulator is begun with. */
export interface EpisodeStart<Options> {
  readonly seed: number;
  readonly episodeId: string;
  readonly options: Options;
}

/** A simulator's transition. */
export interface Transition<State, Observation> extends StepResult<Observation> {
  readonly state: State;
}

/**
 * The pure core of an environment: no clock, no network, no fields. States are values: `begin` and `transition` return new
 * ones and never change one they were given, so a snapshot is a reference and a failed step leaves nothing behind.
 */
export interface Simulator<State, Action, Observation, Options = Readonly<Record<string, unknown>>> {
  begin(
    start: EpisodeStart<Options>,
    streams: RngStreams,
  ): { readonly state: State; readonly observation: Observation; readonly info?: Info };
  transition(state: State, action: Action, streams: RngStreams, stepCount: number): Transition<State, Observation>;
  /** Public fields for `state()`, beside episode id and step count. Default none. */
  view?(state: State): Readonly<Record<string, unknown>>;
}

interface Episode<State> {
  readonly id: string;
  readonly stepCount: number;
  readonly ended: boolean;
  readonly state: State;
}

interface SavedEnv<State> {
  readonly episode: Episode<State> | null;
  readonly streams: RngStreamsState | null;
  readonly seeds: ReturnType<Rng["save"]>;
}

/**
 * The thin shell that turns a {@link Simulator} into a {@link SyncEnv}: seed sequence, episode id, RESET_NEEDED, snapshot
 * and restore, and the check that observation, reward and info are finite before the new state is kept.
 */
export class SimulatorEnv<State, Action, Observation, Options = Readonly<Record<string, unknown>>>
  implements SyncEnv<Action, Observation>
{
  readonly #envId: string;
  readonly #simulator: Simulator<State, Action, Observation, Options>;
  #seeds: Rng;
  #streams: RngStreams | null = null;
  #episode: Episode<State> | null = null;
  #closed = false;

  /** @param envId versioned id, prefix of default episode ids @param seed of the sequence for resets without a seed */
  constructor(envId: string, simulator: Simulator<State, Action, Observation, Options>, seed = 0) {
    this.#envId = envId;
    this.#simulator = simulator;
    this.#seeds = Rng.fromSeed(seed, "episode-seeds");
  }

  reset(request: ResetRequest = {}): ResetResult<Observation> {
    this.#checkOpen();
    const given = request.seed;
    if (given !== undefined) checkSeed(given);
    // The sequence moves on only once the episode has begun, so that a failed reset changes nothing.
    const seeds = given === undefined ? Rng.restore(this.#seeds.save()) : Rng.fromSeed(given, "episode-seeds");
    const seed = given ?? seeds.uint32();
    const id = request.episodeId ?? `${this.#envId}-${seed}`;
    const streams = new RngStreams(Rng.fromSeed(seed, this.#envId));
    const begun = this.#simulator.begin({ seed, episodeId: id, options: (request.options ?? {}) as Options }, streams);
    this.#checkFinite(begun.observation, null, begun.info);
    this.#seeds = seeds;
    this.#streams = streams;
    this.#episode = { id, stepCount: 0, ended: false, state: begun.state };
    return { observation: begun.observation, info: { ...begun.info, seed } };
  }

  step(action: Action): StepResult<Observation> {
    this.#checkOpen();
    const episode = this.#episode;
    const streams = this.#streams;
    if (episode === null || streams === null)
      throw new PraxisError("RESET_NEEDED", "No episode has begun. Call reset first.");
    if (episode.ended)
      throw new PraxisError(
        "RESET_NEEDED",
        `Episode '${episode.id}' ended at step ${episode.stepCount}. Call reset to begin another.`,
      );
    const before = streams.save();
    try {
      const { state, observation, reward, terminated, truncated, info } = this.#simulator.transition(
        episode.state,
        action,
        streams,
        episode.stepCount,
      );
      this.#checkFinite(observation, reward, info);
      this.#episode = { id: episode.id, stepCount: episode.stepCount + 1, ended: terminated || truncated, state };
      return { observation, reward, terminated, truncated, info };
    } catch (error) {
      this.#streams = RngStreams.restore(before);
      throw error;
    }
  }

  state(): EnvState {
    const episode = this.#episode;
    if (episode === null) return { episodeId: null, stepCount: 0 };
    return { episodeId: episode.id, stepCount: episode.stepCount, ...this.#simulator.view?.(episode.state) };
  }

  /** The simulator's own state, latent fields included: for oracles and tests in process, never for the wire. Null before the first reset. */
  latentState(): State | null {
    return this.#episode?.state ?? null;
  }

  snapshot(): EnvSnapshot {
    const data: SavedEnv<State> = {
      episode: this.#episode,
      streams: this.#streams?.save() ?? null,
      seeds: this.#seeds.save(),
    };
    return { envId: this.#envId, data };
  }

  restore(snapshot: EnvSnapshot): void {
    this.#checkOpen();
    if (snapshot.envId !== this.#envId)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `The snapshot is of '${snapshot.envId}', this environment is '${this.#envId}'.`,
      );
    const saved = snapshot.data as SavedEnv<State>;
    this.#episode = saved.episode;
    this.#streams = saved.streams === null ? null : RngStreams.restore(saved.streams);
    this.#seeds = Rng.restore(saved.seeds);
  }

  close(): void {
    this.#closed = true;
    this.#episode = null;
    this.#streams = null;
  }

  #checkOpen(): void {
    if (this.#closed) throw new PraxisError("RESET_NEEDED", "The environment is closed. Make a new one.");
  }

  #checkFinite(observation: Observation, reward: number | null, info: Info | undefined): void {
    if (reward !== null) checkFinite(reward, "reward");
    checkFinite(observation, "observation");
    checkFinite(info, "info");
  }
}
