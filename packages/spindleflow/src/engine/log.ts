import type { Mode } from "../names.ts";

/** Callers and callees outside the roster. */
export type Party = number | "orchestrator" | "generalist" | "mediator" | "requester";

/** One call along an edge of the delegation graph. Plain data. */
export interface CallRecord {
  readonly caller: Party;
  readonly callee: Party;
  readonly mode: Mode | "consult" | "deepen" | "floor" | "part" | "retry" | "mediate" | "clarify";
  readonly depth: number;
  readonly status: "ok" | "timeout" | "error";
  readonly startMs: number;
  readonly endMs: number;
  /** Own score of the output on the whole task at the locked tier; null without an output of its own. */
  readonly score: number | null;
  /** Why it was made, from facts: `claims`, `answersFailure`, `answersConflict`, `consultation`, `none`. */
  readonly reason: "claims" | "answersFailure" | "answersConflict" | "consultation" | "none";
}

/** What an action did, for observation, audit and people; planners keep none. */
export interface StepLog {
  readonly calls: CallRecord[];
}
