import type { Branch, WireObject } from "../../play/branch.ts";
import { isObject } from "../../schema/json-schema.ts";

/** Meta-actions in the order of the mask. */
export const META_ACTIONS = [
  "callSpecialist",
  "stop",
  "callMediator",
  "clarifyTask",
  "delegateSubtask",
  "retryFailed",
  "parallelSpawn",
  "spawnSpecialist",
] as const;
/** Name of a meta-action. */
export type MetaAction = (typeof META_ACTIONS)[number];

/** Modes in the order of the mask. */
export const MODES = [
  "sequential",
  "parallel",
  "fanOutReduce",
  "iterative",
  "conditional",
  "priorityQueue",
  "broadcast",
] as const;

/** Whoever calls or is called: a slot, or one outside the roster. */
export type Party = number | string;

/** One call, as the environment tells it. */
export interface Call {
  readonly caller: Party;
  readonly callee: Party;
  readonly mode: string;
  readonly status: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly score: number | null;
  readonly reason: string;
}

/** One seat of the roster. */
export interface Seat {
  readonly slot: number;
  readonly role: string;
  readonly text: string;
  readonly status: "empty" | "free" | "delivered" | "failed";
}

/** The part of SpindleFlow's observation that the page draws; the wire's own names. */
interface SpindleFlowObservation {
  readonly action_mask: {
    readonly meta: readonly boolean[];
    readonly slots: readonly boolean[];
    readonly leads: readonly boolean[];
    readonly consult: readonly (readonly boolean[])[];
  };
  readonly summary: {
    readonly task: string;
    readonly task_number: number;
    readonly tasks: number;
    readonly elapsed_ms: number;
    readonly measured_quality: number;
    readonly roster: readonly Seat[];
  };
}

/** An observation as SpindleFlow's; its server has checked it, so that only its name is looked at here. */
export function asSpindleFlow(observation: WireObject): SpindleFlowObservation {
  return observation as unknown as SpindleFlowObservation;
}

/** What the end of a task paid. */
export interface TaskEnd {
  readonly index: number;
  readonly by: string;
  readonly reward: number;
  readonly noOutput: boolean;
  readonly components: Readonly<Record<string, number>>;
  readonly inputs: Readonly<Record<string, number>>;
}

/** The end of a task in a step's info; null where none ended. */
export function taskEndOf(info: WireObject): TaskEnd | null {
  const { taskEnded, reward } = info;
  if (!isObject(taskEnded) || !isObject(reward)) return null;
  const numbers = (value: unknown): Readonly<Record<string, number>> =>
    isObject(value) ? (value as Readonly<Record<string, number>>) : {};
  return {
    index: Number(taskEnded.index),
    by: String(taskEnded.by),
    reward: Number(taskEnded.reward),
    noOutput: reward.noOutput === true,
    components: numbers(reward.components),
    inputs: numbers(reward.inputs),
  };
}

/** Calls of one step. */
export function callsOf(info: WireObject): readonly Call[] {
  return Array.isArray(info.calls) ? (info.calls as readonly Call[]) : [];
}

/** Work on one task up to a step. */
export interface TaskWork {
  /** Counted from 1. */
  readonly taskNumber: number;
  /** First and last step of it that were taken; `last` < `first` when none was. */
  readonly first: number;
  readonly last: number;
  readonly calls: readonly (Call & { readonly step: number })[];
  readonly end: TaskEnd | null;
}

/** The work on the task that the step belongs to: a step that ends a task still belongs to it. */
export function workAt(branch: Branch, step: number): TaskWork {
  let first = step;
  const infoOf = (at: number): WireObject => (branch.resultAt(at)?.info ?? {}) as WireObject;
  while (first > 1 && taskEndOf(infoOf(first - 1)) === null) first--;
  const end = step === 0 ? null : taskEndOf(infoOf(step));
  const calls: (Call & { step: number })[] = [];
  for (let at = Math.max(1, first); at <= step; at++)
    for (const call of callsOf(infoOf(at))) calls.push({ ...call, step: at });
  const seen = branch.resultAt(step)?.observation;
  const taskNumber = end === null ? (seen === undefined ? 1 : asSpindleFlow(seen).summary.task_number) : end.index + 1;
  return { taskNumber, first: Math.max(1, first), last: step, calls, end };
}

/** Milliseconds as seconds with unit. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const OTHERS: Readonly<Record<string, string>> = {
  orchestrator: "Orchestrator",
  generalist: "Generalist",
  mediator: "Mediator",
  requester: "Requester",
};

/** A party in words. */
export const partyName = (party: Party): string =>
  typeof party === "number" ? `Slot ${party}` : (OTHERS[party] ?? party);

const META_WORDS: Readonly<Record<MetaAction, string>> = {
  callSpecialist: "Call specialists",
  stop: "Stop: hand in the work",
  callMediator: "Call the mediator",
  clarifyTask: "Ask the requester",
  delegateSubtask: "Let one lead and consult others",
  retryFailed: "Retry the failed call",
  parallelSpawn: "Split the task among several",
  spawnSpecialist: "Take on somebody new",
};

/** A meta-action in words. */
export const metaName = (meta: string): string => META_WORDS[meta as MetaAction] ?? meta;

const MODE_WORDS: Readonly<Record<string, string>> = {
  sequential: "one after another",
  parallel: "all at once",
  fanOutReduce: "all at once, then merged",
  iterative: "in several passes",
  conditional: "until it is good enough",
  priorityQueue: "best fit first, until good enough",
  broadcast: "all at once, best one kept",
};

/** A mode in words. */
export const modeName = (mode: string): string => MODE_WORDS[mode] ?? mode;

/** An action in one line, from what was decided or, before that is known, what was sent. */
export function describeAction(action: WireObject, info: WireObject = {}): string {
  const said = isObject(info.action) ? info.action : action;
  if (typeof said.meta !== "string") return Array.isArray(action.vector) ? "Illegal choice (as numbers)" : "Unreadable";
  const { meta, mode } = said;
  const slots = Array.isArray(said.slots) ? said.slots : [];
  if (slots.length === 0) return metaName(meta);
  const called = `${metaName(meta)}: slot${slots.length > 1 ? "s" : ""} ${slots.join(", ")}`;
  return meta === "callSpecialist" && typeof mode === "string" ? `${called}, ${modeName(mode)}` : called;
}
