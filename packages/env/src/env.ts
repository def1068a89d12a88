import type { z } from "zod";
import type { Rng } from "./rng.ts";
import type { SceneProvider } from "./scene.ts";
import type { Space, SpaceValue } from "./spaces.ts";

/** A value or a promise of it. In-process trainers take {@link SyncEnv}, the server takes either. */
export type MaybePromise<T> = T | Promise<T>;

/** An illegal choice inside the task: a transition with a reward, never an error. */
export interface Violation {
  readonly kind: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** What a step or reset tells beside the observation. Keys below have a fixed meaning; an environment may add its own. */
export interface Info {
  /** Reward by named component, unweighted, as the rubric scored it. */
  readonly rewardComponents?: Readonly<Record<string, number>>;
  /** Illegal choices of this step. */
  readonly violations?: readonly Violation[];
  /** Which actions are legal now: one entry per discrete action, or the environment's own documented shape. */
  readonly actionMask?:
    | readonly boolean[]
    | Readonly<Record<string, readonly boolean[] | readonly (readonly boolean[])[]>>;
  /** Why the episode ended, on its last step only. */
  readonly terminationReason?: string;
  /** Set when a verifier or back end failed: the step's reward must not be trained on. */
  readonly infraError?: { readonly code: string; readonly message: string };
  readonly [key: string]: unknown;
}

/** Public state of an episode; an environment adds its own public fields, never latent ones. */
export interface EnvState {
  readonly episodeId: string | null;
  /** Steps since the last reset. */
  readonly stepCount: number;
  readonly [key: string]: unknown;
}

/** What a reset may be told. `options` fits the environment's reset schema. */
export interface ResetRequest<Options = Readonly<Record<string, unknown>>> {
  /** Integer 0 … 2^53 − 1. Left out: the next seed of the sequence that the last given seed began. */
  readonly seed?: number;
  readonly episodeId?: string;
  readonly options?: Options;
}

/** What a step may be told beside the action. */
export interface StepRequest {
  /** Aborted when the caller's deadline passes; asynchronous environments should stop then. */
  readonly signal?: AbortSignal;
}

/** Beginning of an episode. */
export interface ResetResult<Observation> {
  readonly observation: Observation;
  readonly info: Info;
}

/** One transition. `terminated`: the task ended. `truncated`: a limit outside the task cut it. */
export interface StepResult<Observation> {
  readonly observation: Observation;
  readonly reward: number;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly info: Info;
}

/** Whole state of an environment with its random streams: opaque, in process only, may share structure with the environment. */
export interface EnvSnapshot {
  readonly envId: string;
  readonly data: unknown;
}

/**
 * One environment instance runs one episode at a time.
 *
 * Contract (each rule is a check of `checkEnv`): the same seed, options and actions give equal trajectories; `reset()` without a
 * seed goes on in the sequence begun by the last seed; `step` before the first reset or after the end throws RESET_NEEDED;
 * a call that throws leaves state as before; an illegal choice is a transition with a violation, not an error; `restore`
 * brings back exactly the state of `snapshot`; `close` twice is harmless.
 */
export interface Env<Action = unknown, Observation = unknown, State extends EnvState = EnvState> {
  reset(request?: ResetRequest): MaybePromise<ResetResult<Observation>>;
  step(action: Action, request?: StepRequest): MaybePromise<StepResult<Observation>>;
  /** Public state; callable at any time. */
  state(): State;
  snapshot(): EnvSnapshot;
  restore(snapshot: EnvSnapshot): void;
  close(): MaybePromise<void>;
}

/** An {@link Env} that never waits: what vector environments, trainers and evaluation need. */
export interface SyncEnv<Action = unknown, Observation = unknown, State extends EnvState = EnvState>
  extends Env<Action, Observation, State> {
  reset(request?: ResetRequest): ResetResult<Observation>;
  step(action: Action, request?: StepRequest): StepResult<Observation>;
  close(): void;
}

/** Where a tool may be seen. `simulation`: trainers drive the server; `production`: only agents reach it. */
export type ServerMode = "simulation" | "production";

/** What a tool gets: the episode's last result and a way to act that counts as a step like any other. */
export interface ToolContext<Action = unknown, Observation = unknown> {
  readonly mode: ServerMode;
  /** Last result of reset or step. */
  readonly last: ResetResult<Observation> | StepResult<Observation>;
  step(action: Action): Promise<StepResult<Observation>>;
}

/** A tool that agents call over MCP. Its name must not be reset, step, state or close. */
export interface EnvTool<E = Env, Arguments = Record<string, unknown>> {
  readonly name: string;
  readonly title?: string;
  /** Never empty: clients drop a whole tool list for one missing description. */
  readonly description: string;
  /** A strict object; it is the parser and, as JSON Schema, the tool's published input. */
  readonly input: z.ZodType<Arguments>;
  /** True when the tool changes nothing. */
  readonly readOnly: boolean;
  /** Arguments that show its use; checks call read-only tools with them (without any: with `{}` if the schema takes it). */
  readonly examples?: readonly Arguments[];
  /** Modes that offer it; default both. */
  readonly modes?: readonly ServerMode[];
  call(env: E, args: Arguments, context: ToolContext): MaybePromise<unknown>;
}

/** A stateless HTTP service of an environment, served under its prefix beside the OpenEnv routes. */
export interface EnvService {
  readonly method: "GET" | "POST";
  /** Path after the prefix, `/review`. */
  readonly path: string;
  /** One sentence, shown in the API description. */
  readonly description: string;
  /** Takes the body as text (empty for GET) and returns what is sent as JSON. Throws PraxisError for bad input. */
  call(body: string): MaybePromise<unknown>;
}

/** A named part of the task set. */
export interface TaskSplit {
  readonly name: string;
  readonly type: "train" | "validation" | "test";
}

/** The task set of an environment; a task is JSON and is chosen by the reset keywords `split` and `index`. */
export interface TaskProvider {
  splits(): readonly TaskSplit[];
  /** Tasks of a split. Throws UNKNOWN_NAME for an unknown split. */
  count(split: string): number;
  /** Task at `index`, 0 ≤ index < count. Pure: the same index always gives an equal task. */
  get(split: string, index: number): Readonly<Record<string, unknown>>;
}

/** The zod schemas of one environment: parser, type and JSON Schema at once. */
export interface EnvSchemas<Action, Observation, State> {
  /** A strict object. */
  readonly action: z.ZodType<Action>;
  /** What `observation` holds, without reward, done, terminated, truncated and metadata, which the wire adds. */
  readonly observation: z.ZodType<Observation>;
  readonly state: z.ZodType<State>;
  /** Reset options besides seed and episode id, as an object of optional fields. */
  readonly reset: z.ZodObject;
}

/** What `makeEnv` may be told. */
export interface MakeEnvOptions {
  /** Seed of the sequence used by resets without a seed; default 0. A server hands each session another one. */
  readonly seed?: number;
}

/** An action that may be taken, described by numbers. */
export interface CandidateAction<Action = unknown> {
  readonly action: Action;
  readonly features: ArrayLike<number>;
}

/** The actions worth considering, for policies that score them instead of choosing from a fixed space. */
export interface CandidateProvider<Action = unknown, Observation = unknown> {
  /** Numbers that describe a candidate. */
  readonly features: number;
  /** The legal candidates in the state of `last`, in a fixed order, at least one while the episode goes on. Pure. */
  offer(last: ResetResult<Observation> | StepResult<Observation>): readonly CandidateAction<Action>[];
}

/** Everything that is known of an environment without building one. `E` is {@link SyncEnv} for simulators. */
export interface EnvDefinition<
  Action = unknown,
  Observation = unknown,
  State extends EnvState = EnvState,
  E extends Env<Action, Observation, State> = Env<Action, Observation, State>,
> {
  /** Versioned id, `PolyGuard-v0`; raised by any change that alters a trajectory or reward. */
  readonly id: string;
  /** Short name in commands and path prefixes, `polyguard`. */
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  readonly version: string;
  readonly author?: string;
  readonly documentationUrl?: string;
  /** README text for `/metadata`. */
  readonly readme?: string;
  /** Shown wherever the environment is; e.g. "research simulation, not medical advice". */
  readonly notice?: string;
  readonly schemas: EnvSchemas<Action, Observation, State>;
  /** Closed interval that holds every step reward. */
  readonly rewardRange: readonly [low: number, high: number];
  /** Longest episode, if the environment has a limit. */
  readonly maxEpisodeSteps?: number;
  /** True if seeds change nothing. */
  readonly isDeterministic?: boolean;
  /** Spaces for policies on arrays. Observations and actions are their members, unless the two functions below translate. */
  readonly observationSpace?: Space;
  readonly actionSpace?: Space;
  readonly candidates?: CandidateProvider<Action, Observation>;
  /** Candidates among items that stand in relations, for policies with sets, a graph and a memory. */
  readonly scenes?: SceneProvider<Action, Observation>;
  readonly tasks?: TaskProvider;
  readonly tools?: readonly EnvTool<E>[];
  readonly services?: readonly EnvService[];
  /** More keys for `/metadata`, e.g. reward weights. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /**
   * An action that is schema-valid in the state of `last`: for checks, random play and examples.
   * Draws from `rng` only.
   */
  sampleAction(rng: Rng, last: ResetResult<Observation> | StepResult<Observation>): Action;
  /**
   * An episode to learn from, or one to see by how far learning has come: the same for the same stream. Default: a seed drawn from it.
   * @param progress share of the training that is done, 0-1: harder episodes may come later
   */
  learningEpisode?(
    rng: Rng,
    progress: number,
    use: "train" | "validate",
  ): { readonly seed: number; readonly options: Readonly<Record<string, unknown>> };
  /** Member of `observationSpace` that stands for an observation. */
  encodeObservation?(observation: Observation, info: Info): SpaceValue;
  /** Action that a member of `actionSpace` stands for, chosen in the state of `last`. */
  decodeAction?(choice: SpaceValue, last: ResetResult<Observation> | StepResult<Observation>): Action;
  /**
   * A schema-valid action that is illegal in the state of `last`, or null if there is none: `checkEnv` sees that it earns a
   * violation. A discrete `actionSpace` with an `actionMask` is checked without it.
   */
  illegalAction?(rng: Rng, last: ResetResult<Observation> | StepResult<Observation>): Action | null;
  makeEnv(options?: MakeEnvOptions): E;
}

/**
 * Plays an environment: gets what the agent sees, gives an action. Stateless policies ignore `reset`.
 * Lives here so that evaluation, servers and trainers share it.
 */
export interface Policy<Action = unknown, Observation = unknown> {
  readonly name: string;
  /** Called at the start of each episode with a stream of its own. */
  reset(rng: Rng): void;
  act(observation: Observation, info: Info): MaybePromise<Action>;
}
