import {
  type EpisodeStart,
  type Info,
  type RngStreams,
  type Simulator,
  SimulatorEnv,
  type Transition,
  type Violation,
} from "@praxis/env";
import { judgeChoice, readAction, type SpindleFlowAction } from "../action.ts";
import type { CallRecord } from "../engine/log.ts";
import type { Masks } from "../engine/masks.ts";
import { type Decision, META_ACTIONS, MODES } from "../names.ts";
import { EMBEDDING_LENGTH, observationLayout, type SpindleFlowObservation, writeEdges } from "../observation.ts";
import { readAnswer } from "./answer.ts";
import type { EmbeddedTable } from "./knn.ts";
import { argMaxKey } from "./routers.ts";
import type { RoutingSplit } from "./table.ts";

/** Id of the environment on recorded outcomes. */
export const ROUTING_ID = "SpindleFlow-Routing-v0";
/** Slots of the roster: the observation of SpindleFlow-v0, so that one policy plays both. */
export const ROUTING_SLOTS = 6;
/** Steps of a task at most. */
const MAX_STEPS = 10;
/** Penalty of an illegal choice. Source: as in SpindleFlow-v0. */
const VIOLATION = 0.02;

/** Settings of the environment. */
export interface RoutingSettings {
  /** Queries of one family in a shift. */
  readonly tasksPerEpisode: number;
  /** Price of a unit of cost, in score. */
  readonly lambda: number;
  readonly split: RoutingSplit;
}

/** Reset options. */
export interface RoutingOptions {
  readonly split?: RoutingSplit | undefined;
  readonly tasksPerEpisode?: number | undefined;
}

/** State of an episode. Plain data; never changed in place. */
export interface RoutingState {
  readonly lambda: number;
  /** Indices into the table's queries. */
  readonly queries: readonly number[];
  /** Per slot the model; −1 = empty. */
  readonly roster: readonly number[];
  readonly taskIndex: number;
  readonly tasksEnded: number;
  readonly steps: number;
  /** Readings of this task's answers as [slot, reading], in the order of the calls. */
  readonly readings: readonly (readonly [slot: number, reading: number])[];
  readonly cost: number;
  readonly lastReading: number;
  readonly masks: Masks;
  readonly vector: Float32Array;
}

/** The routing environment in process. */
export type RoutingEnv = SimulatorEnv<RoutingState, SpindleFlowAction, SpindleFlowObservation, RoutingOptions>;

const layout = observationLayout(ROUTING_SLOTS);
/** Recorded answers can't be joined or reworked: modes that would are not offered. */
const LEGAL_MODES: readonly boolean[] = MODES.map((mode) => mode !== "fanOutReduce" && mode !== "priorityQueue");
const NOBODY: readonly boolean[] = new Array<boolean>(ROUTING_SLOTS).fill(false);
const clip01 = (x: number): number => Math.min(1, Math.max(0, x));

function masksOf(state: Pick<RoutingState, "roster" | "readings">): Masks {
  const slots = state.roster.map((model, slot) => model >= 0 && !state.readings.some(([called]) => called === slot));
  const any = slots.includes(true);
  return {
    meta: META_ACTIONS.map((meta) => meta === "stop" || (meta === "callSpecialist" && any)),
    slots,
    modes: any ? LEGAL_MODES : MODES.map(() => false),
    leads: NOBODY,
    consult: NOBODY.map(() => NOBODY),
  };
}

/** A shift of recorded queries of one family; calls return what was recorded, `stop` answers with the best reading. */
class RoutingSimulator implements Simulator<RoutingState, SpindleFlowAction, SpindleFlowObservation, RoutingOptions> {
  readonly #embedded: EmbeddedTable;
  readonly #settings: RoutingSettings;
  /** Queries by split and family. */
  readonly #families: Readonly<Record<RoutingSplit, readonly (readonly number[])[]>>;

  constructor(embedded: EmbeddedTable, settings: RoutingSettings) {
    this.#embedded = embedded;
    this.#settings = settings;
    const familiesOf = (split: RoutingSplit): (readonly number[])[] => {
      const families = new Map<string, number[]>();
      embedded.table.queries.forEach((query, i) => {
        if (query.split === split) families.set(query.task, [...(families.get(query.task) ?? []), i]);
      });
      return [...families.values()];
    };
    this.#families = { train: familiesOf("train"), test: familiesOf("test") };
  }

  begin({ options }: EpisodeStart<RoutingOptions>, streams: RngStreams) {
    const rng = streams.keyed("task");
    const families = this.#families[options.split ?? this.#settings.split];
    // A query is as likely in a large family as in a small one.
    const family = families[rng.weightedIndex(families.map((each) => each.length))]!;
    const count = options.tasksPerEpisode ?? this.#settings.tasksPerEpisode;
    const queries = Array.from({ length: count }, (_, i) => streams.keyed("task", i).choice(family));
    const models = streams.keyed("roster").shuffled(this.#embedded.table.models.map((_, m) => m));
    const roster = Array.from({ length: ROUTING_SLOTS }, (_, slot) => models[slot] ?? -1);
    const vector = new Float32Array(layout.length);
    roster.forEach((model, slot) => {
      if (model >= 0) vector.set(this.#embedded.modelVectors[model]!, layout.roster + slot * EMBEDDING_LENGTH);
    });
    vector.set(this.#embedded.queryVectors[queries[0]!]!, layout.task);
    const bare = { roster, readings: [] as const };
    const state: RoutingState = {
      ...{ ...bare, lambda: this.#settings.lambda, queries, taskIndex: 0, tasksEnded: 0, steps: 0, cost: 0 },
      ...{ lastReading: 0, masks: masksOf(bare), vector },
    };
    this.#writeProgress(state);
    const info: Info = { task: this.#query(state).task, slots: this.#slotIds(state), actionMask: { ...state.masks } };
    return { state, observation: this.#observe(state, []), info };
  }

  transition(
    state: RoutingState,
    action: SpindleFlowAction,
    streams: RngStreams,
  ): Transition<RoutingState, SpindleFlowObservation> {
    const choice = readAction(action, { size: ROUTING_SLOTS, slaMs: 1, normalized: false });
    const { decision, violation } = judgeChoice(choice, state.masks);
    const violations: Violation[] = violation === null ? [] : [violation];
    const { scores, costs } = this.#query(state);
    const calls: CallRecord[] = [];
    const readings = [...state.readings];
    let { cost } = state;
    if (decision?.meta === "callSpecialist") {
      const mode = this.#legalMode(decision, violations);
      const slots = mode === "iterative" ? decision.slots.slice(0, 1) : decision.slots;
      for (const slot of slots) {
        const model = state.roster[slot]!;
        const reading = readAnswer(streams, state.taskIndex, model, scores[model]!);
        readings.push([slot, reading]);
        cost += costs[model]!;
        const at = readings.length - 1;
        calls.push({
          ...{ caller: "orchestrator", callee: slot, mode, depth: 1, status: "ok", reason: "none" },
          // No table records times for every model: a call is one unit, those at once share it.
          ...{
            startMs: mode === "sequential" || mode === "conditional" ? at : 0,
            endMs: at + 1,
            score: clip01(reading),
          },
        });
        if (mode === "conditional" && clip01(reading) >= decision.parameters.threshold) break;
      }
    }
    let reward = 0 - VIOLATION * violations.length;
    const steps = state.steps + 1;
    const vector = new Float32Array(state.vector);
    writeEdges(vector, layout, calls);
    let next: RoutingState = { ...state, steps, readings, cost, vector };
    let ended: Info = {};
    if (decision?.meta === "stop" || steps >= MAX_STEPS) {
      const { cheapest } = this.#embedded.table;
      const standing = readings.length === 0 ? cheapest : state.roster[argMaxKey(new Map(readings))]!;
      // Without a call the generalist, the cheapest model, answers, and is paid.
      const paid = readings.length === 0 ? costs[cheapest]! : cost;
      const rewardComponents = {
        scoreDelta: scores[standing]! - scores[cheapest]!,
        costPenalty: 0 - state.lambda * paid,
      };
      const taskReward = rewardComponents.scoreDelta + rewardComponents.costPenalty;
      reward += taskReward;
      ended = {
        taskEnded: { index: state.taskIndex, by: decision?.meta === "stop" ? "stop" : "limit", reward: taskReward },
        rewardComponents,
        answer: { model: this.#embedded.table.models[standing]!.id, score: scores[standing]!, cost: paid },
      };
      const lastReading = readings.length === 0 ? 0 : clip01(Math.max(...readings.map(([, reading]) => reading)));
      const isLast = state.tasksEnded + 1 === state.queries.length;
      next = { ...next, tasksEnded: state.tasksEnded + 1, lastReading };
      if (!isLast) {
        next = { ...next, taskIndex: state.taskIndex + 1, steps: 0, readings: [], cost: 0 };
        vector.fill(0, layout.called, layout.scratchpad);
        vector.fill(0, layout.adjacency, layout.calledMask);
        vector.set(this.#embedded.queryVectors[next.queries[next.taskIndex]!]!, layout.task);
      }
    }
    const terminated = next.tasksEnded === next.queries.length;
    next = { ...next, masks: masksOf(next) };
    this.#writeProgress(next);
    const info: Info = {
      ...{ action: decision, calls, violations, actionMask: { ...next.masks }, costUnits: cost, ...ended },
      ...(terminated ? { terminationReason: "last task answered" } : {}),
    };
    return { state: next, observation: this.#observe(next, violations), reward, terminated, truncated: false, info };
  }

  view({ taskIndex, roster, readings }: RoutingState) {
    return {
      task_number: taskIndex + 1,
      called_slots: readings.map(([slot]) => slot),
      empty_slots: roster.filter((m) => m < 0).length,
    };
  }

  #legalMode(decision: Decision, violations: Violation[]): Decision["mode"] {
    if (LEGAL_MODES[MODES.indexOf(decision.mode)] === true) return decision.mode;
    violations.push({
      kind: "illegalMode",
      message: `Mode ${decision.mode} joins or schedules work, which recorded answers can't show; it was run as sequential.`,
    });
    return "sequential";
  }

  #query(state: RoutingState) {
    return this.#embedded.table.queries[state.queries[state.taskIndex]!]!;
  }

  #slotIds(state: RoutingState): readonly (string | null)[] {
    return state.roster.map((model) => this.#embedded.table.models[model]?.id ?? null);
  }

  /** Called rows and mask, and the scalars that mean something here: no SLA, no conflicts, no failures. */
  #writeProgress({ vector, roster, readings, steps, tasksEnded, queries, lastReading }: RoutingState): void {
    const called = new Set(readings.map(([slot]) => slot));
    roster.forEach((model, slot) => {
      vector[layout.calledMask + slot] = model < 0 || called.has(slot) ? 1 : 0;
      const from = layout.roster + slot * EMBEDDING_LENGTH;
      if (called.has(slot)) vector.copyWithin(layout.called + slot * EMBEDDING_LENGTH, from, from + EMBEDDING_LENGTH);
    });
    const s = layout.scalars;
    vector[s] = steps / MAX_STEPS;
    vector[s + 1] = called.size > 0 ? 1 / 3 : 0;
    vector[s + 2] = called.size / ROUTING_SLOTS;
    vector[s + 4] = tasksEnded / queries.length;
    vector[s + 7] = readings.length === 0 ? lastReading : clip01(Math.max(...readings.map(([, reading]) => reading)));
  }

  #observe(state: RoutingState, violations: readonly Violation[]): SpindleFlowObservation {
    const { models } = this.#embedded.table;
    return {
      vector: state.vector,
      action_mask: state.masks,
      violations,
      summary: {
        task: this.#query(state).text,
        task_number: state.taskIndex + 1,
        tasks: state.queries.length,
        elapsed_ms: state.readings.length,
        measured_quality: state.vector[layout.scalars + 7]!,
        roster: state.roster.map((model, slot) => ({
          slot,
          role: models[model]?.id ?? "",
          text: models[model]?.text ?? "",
          status: model < 0 ? "empty" : state.masks.slots[slot]! ? "free" : "delivered",
        })),
      },
    };
  }
}

/** Makes environments of one table. */
export function makeRoutingEnvs(embedded: EmbeddedTable, settings: RoutingSettings): (seed?: number) => RoutingEnv {
  const simulator = new RoutingSimulator(embedded, settings);
  return (seed) =>
    new SimulatorEnv<RoutingState, SpindleFlowAction, SpindleFlowObservation, RoutingOptions>(
      ROUTING_ID,
      simulator,
      seed,
    );
}
