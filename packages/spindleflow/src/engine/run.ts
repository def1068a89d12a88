import type { World } from "./world.ts";

/** A call that did not deliver. */
export interface Failure {
  readonly slot: number;
  readonly kind: "timeout" | "error";
  /** `silent`: made good by somebody beside it in a broadcast, which earns no bonus. */
  recovery: "none" | "recovered" | "silent";
  /** Substitutes tried. */
  hops: number;
}

/** State of a skill's dispute in the team's output. */
export type Dispute = 0 | 1 | 2;
/** Values of {@link Dispute}. */
export const DISPUTE = { none: 0, open: 1, resolved: 2 } as const;

/** Work on one task so far. Plain data; the engine changes it in place, callers hand it a {@link cloneRun}. */
export interface TaskRun {
  /** Team coverage of each needed skill. */
  q: number[];
  /** Outputs merged into it. */
  outputs: number;
  /** Merged outputs that helped with next to nothing. */
  useless: number;
  synthesised: boolean;
  consulted: boolean;
  /** Stance fixed per needed skill: −1 none, else the school. */
  stance: number[];
  dispute: Dispute[];
  /** Per slot and generalist: 1 = called in this task, 1 = delivered, calls made (also those of consultation). */
  called: number[];
  delivered: number[];
  calls: number[];
  /** What each delivered on the needed skills. */
  own: (readonly number[] | null)[];
  failures: Failure[];
  elapsedMs: number;
  /** Steps used, and those of them that called somebody. */
  steps: number;
  callSteps: number;
  costUnits: number;
  clarified: boolean;
  /** Counts the changes of the team's output; keys the tier's noise. */
  version: number;
  /** How often open disputes were put to a synthesis or to the mediator; keys whether they are settled. */
  hearings: number;
  /** Quality measured at `measuredVersion`; drawn once per version. */
  measured: number;
  measuredVersion: number;
  /** Delegation graph: per node (0 orchestrator, 1 … S slots, S + 1 generalist) the nodes it called, as bits. */
  edges: number[];
  /** Distinct invoked; calls made; calls with a reason (see reward). */
  invoked: number;
  callCount: number;
  reasoned: number;
  /** Bit k: an earlier successful call's text claims skill k. */
  claimedBits: number;
  /** `meta/mode:[nearest skills]` of each step that acted. */
  path: string[];
}

/** Work on a task that has just come in. */
export function beginRun(world: World): TaskRun {
  const needs = world.task.skills.length;
  const people = world.members.length;
  return {
    q: new Array<number>(needs).fill(0),
    outputs: 0,
    useless: 0,
    synthesised: false,
    consulted: false,
    stance: new Array<number>(needs).fill(-1),
    dispute: new Array<Dispute>(needs).fill(DISPUTE.none),
    called: new Array<number>(people).fill(0),
    delivered: new Array<number>(people).fill(0),
    calls: new Array<number>(people).fill(0),
    own: new Array<readonly number[] | null>(people).fill(null),
    failures: [],
    elapsedMs: 0,
    steps: 0,
    callSteps: 0,
    costUnits: 0,
    clarified: false,
    version: 0,
    hearings: 0,
    measured: 0,
    measuredVersion: 0,
    edges: new Array<number>(people + 1).fill(0),
    invoked: 0,
    callCount: 0,
    reasoned: 0,
    claimedBits: 0,
    path: [],
  };
}

/** A copy that shares nothing that the engine changes. */
export function cloneRun(run: TaskRun): TaskRun {
  return {
    q: run.q.slice(),
    outputs: run.outputs,
    useless: run.useless,
    synthesised: run.synthesised,
    consulted: run.consulted,
    stance: run.stance.slice(),
    dispute: run.dispute.slice(),
    called: run.called.slice(),
    delivered: run.delivered.slice(),
    calls: run.calls.slice(),
    own: run.own.slice(),
    failures: run.failures.length === 0 ? [] : run.failures.map((failure) => ({ ...failure })),
    elapsedMs: run.elapsedMs,
    steps: run.steps,
    callSteps: run.callSteps,
    costUnits: run.costUnits,
    clarified: run.clarified,
    version: run.version,
    hearings: run.hearings,
    measured: run.measured,
    measuredVersion: run.measuredVersion,
    edges: run.edges.slice(),
    invoked: run.invoked,
    callCount: run.callCount,
    reasoned: run.reasoned,
    claimedBits: run.claimedBits,
    path: run.path.slice(),
  };
}

/** Disputes that nobody has settled. */
export function openConflicts(run: TaskRun): number {
  let open = 0;
  for (const dispute of run.dispute) if (dispute === DISPUTE.open) open++;
  return open;
}

/** Failures that nobody has made good. */
export function openFailures(run: TaskRun): number {
  let open = 0;
  for (const failure of run.failures) if (failure.recovery === "none") open++;
  return open;
}
