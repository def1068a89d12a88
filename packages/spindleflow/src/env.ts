import {
  didYouMean,
  type EpisodeStart,
  hashJson,
  PraxisError,
  Rng,
  type RngStreams,
  type Simulator,
  SimulatorEnv,
  type SyncEnv,
} from "@praxis/env";
import type { SpindleFlowAction } from "./action.ts";
import { beginChain } from "./audit/chain.ts";
import type { BankIndex } from "./bank/bank-index.ts";
import { makeConfig, type SpindleFlowConfig, type SpindleFlowSettings } from "./config.ts";
import { beginEpisode, type EpisodeState, embeddingRows, seatSummary, transitionEpisode } from "./episode.ts";
import { EMPTY_LEARNING, type LearningState } from "./learning-state.ts";
import { observe, type SpindleFlowObservation } from "./observation.ts";
import { type ResetOptions, resetSchema } from "./reset-options.ts";
import { drawShift, type ForeignTask, type ShiftRequest, taskText } from "./shift/shift.ts";
import { measureSpawnThreshold } from "./shift/spawn.ts";
import type { Tier } from "./tiers.ts";

/** Id of the environment. */
export const SPINDLEFLOW_ID = "SpindleFlow-v0";

/** What an environment is put together from. */
export interface SpindleFlowParts {
  readonly index: BankIndex;
  /** Settings of every episode; a reset may lay a preset, phase, tier or task count over them. */
  readonly settings: SpindleFlowSettings;
  /** Turns a text that is not of the bank into a task with vectors; without it foreign texts are refused. */
  readonly foreignTask?: (text: string) => ForeignTask;
}

/** SpindleFlow-v0 as a {@link Simulator}. */
export type SpindleFlowEnv = SimulatorEnv<EpisodeState, SpindleFlowAction, SpindleFlowObservation, ResetOptions>;

/** The pure core: shifts drawn by seed and options, steps by {@link transitionEpisode}. */
class SpindleFlowSimulator implements Simulator<EpisodeState, SpindleFlowAction, SpindleFlowObservation, ResetOptions> {
  readonly #parts: SpindleFlowParts;
  readonly #configs = new Map<string, SpindleFlowConfig>();
  #spawnThreshold: number | null = null;

  constructor(parts: SpindleFlowParts) {
    this.#parts = parts;
  }

  begin(start: EpisodeStart<ResetOptions>, streams: RngStreams) {
    const { index } = this.#parts;
    const options = parseOptions(start.options);
    const config = this.#configFor(options);
    const shift = drawShift(index, config, streams, this.#request(options));
    const learning = (options.learningState as LearningState | undefined) ?? EMPTY_LEARNING;
    const state = beginEpisode(index, {
      config,
      shift,
      learning,
      encoding: options.encoding ?? "array",
      spawnThreshold: config.spawn.enabled
        ? (config.spawn.threshold ?? index.bank.thresholds?.spawn ?? this.#threshold())
        : -1,
      audit:
        options.audit === true
          ? beginChain({
              episodeId: start.episodeId,
              seed: start.seed,
              options: { ...options },
              configHash: hashJson(config),
              catalogHash: index.bank.hash,
              learningHash: hashJson(learning),
            })
          : null,
    });
    const { task } = taskText(index, shift.tasks[0]!);
    const info = {
      taskText: task.text,
      class: task.class,
      tier: shift.tier,
      slots: seatSummary(index, state),
      slaMs: shift.tasks[0]!.world.slaMs,
      actionMask: { ...state.masks },
      embeddingRows: embeddingRows(index, state),
      ...(state.audit === null ? {} : { auditHead: state.audit.head }),
    };
    return { state, observation: observe(index, state, []), info };
  }

  transition(state: EpisodeState, action: SpindleFlowAction, streams: RngStreams) {
    return transitionEpisode(this.#parts.index, state, action, streams);
  }

  view(state: EpisodeState) {
    const { config, shift, run } = state;
    return {
      phase: config.phase,
      tier: shift.tier,
      elapsed_ms: run.elapsedMs,
      task_number: state.taskIndex + 1,
      called_slots: run.called.flatMap((called, slot) => (called === 1 && slot < config.maxSpecialists ? [slot] : [])),
    };
  }

  /** The threshold belongs to the bank and its vectors; measuring it once is half a second at most. */
  #threshold(): number {
    this.#spawnThreshold ??= measureSpawnThreshold(
      this.#parts.index,
      makeConfig(this.#parts.settings),
      Rng.fromSeed(0, "spawn-threshold"),
    );
    return this.#spawnThreshold;
  }

  #configFor({ preset, phase, tasksPerEpisode }: ResetOptions): SpindleFlowConfig {
    const key = `${preset}|${phase}|${tasksPerEpisode}`;
    let config = this.#configs.get(key);
    if (config === undefined) {
      const claim = this.#parts.index.bank.thresholds?.claim;
      config = makeConfig(
        {
          // What counts as a claim depends on the embedder; a bank's own measure stands before the general default.
          ...(claim === undefined ? {} : { claimCosine: claim }),
          ...this.#parts.settings,
          ...(phase === undefined ? {} : { phase }),
          ...(tasksPerEpisode === undefined ? {} : { tasksPerEpisode }),
        },
        preset,
      );
      this.#configs.set(key, config);
    }
    return config;
  }

  #request({ taskText: one, taskTexts, class: only, rosterIds, tier }: ResetOptions): ShiftRequest {
    const { index, foreignTask } = this.#parts;
    const texts = taskTexts ?? (one === undefined ? null : [one]);
    return {
      tasks:
        texts?.map((text) => {
          const known = index.taskWithText(text);
          if (known !== null) return known;
          if (foreignTask !== undefined) return foreignTask(text);
          throw new PraxisError(
            "PRECONDITION_FAILED",
            `The task text '${text.slice(0, 60)}' is not of the bank, and no embedder was handed in to read it. Use a text of the bank, or make the environment with an embedder.`,
          );
        }) ?? null,
      class: only ?? null,
      roster:
        rosterIds?.map((id) => {
          const known = index.specialistWithId(id);
          if (known !== null) return known;
          throw new PraxisError(
            "UNKNOWN_NAME",
            `Unknown specialist '${id}'.${didYouMean(
              id,
              index.bank.specialists.map((each) => each.id),
            )}`,
          );
        }) ?? null,
      tier: (tier as Tier | undefined) ?? null,
    };
  }
}

function parseOptions(options: ResetOptions): ResetOptions {
  const parsed = resetSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  const field = path.join(".");
  throw new PraxisError("VALIDATION_ERROR", `Reset option '${field}': ${message}.`, {
    fields: [{ type: "value_error", loc: path.map(String), msg: message }],
  });
}

/** The core of each set of parts: it holds no episode, only settings and thresholds worked out once. */
const simulators = new WeakMap<SpindleFlowParts, SpindleFlowSimulator>();

function simulatorOf(parts: SpindleFlowParts): SpindleFlowSimulator {
  let simulator = simulators.get(parts);
  if (simulator === undefined) {
    simulator = new SpindleFlowSimulator(parts);
    simulators.set(parts, simulator);
  }
  return simulator;
}

/** The parts that each environment was made from. */
const partsOf = new WeakMap<object, SpindleFlowParts>();

/** Bank and present state of an environment, for scripts that play in its process. Throws NOT_SUPPORTED for any other environment. */
export function playedBy(env: SyncEnv): { readonly index: BankIndex; readonly state: EpisodeState | null } {
  const parts = partsOf.get(env);
  if (parts === undefined)
    throw new PraxisError(
      "NOT_SUPPORTED",
      `Only an environment of ${SPINDLEFLOW_ID} made in this process can be read.`,
    );
  return { index: parts.index, state: (env as unknown as SpindleFlowEnv).latentState() };
}

/** Makes the environment. @param seed of the sequence of resets without a seed */
export function makeSpindleFlowEnv(parts: SpindleFlowParts, seed?: number): SpindleFlowEnv {
  const env = new SimulatorEnv<EpisodeState, SpindleFlowAction, SpindleFlowObservation, ResetOptions>(
    SPINDLEFLOW_ID,
    simulatorOf(parts),
    seed,
  );
  partsOf.set(env, parts);
  return env;
}
