/** A member of a roster as a policy sees it. */
export interface RosterMember {
  readonly id: string;
  /** Role, goal and speciality. */
  readonly description: string;
  /** Cosine of the task and the description; word overlap where no embedder is handed in. */
  readonly similarity: number;
  readonly called: boolean;
  readonly failed: boolean;
  /** False where the budget leaves no room for its worst case. */
  readonly allowed: boolean;
}

/** What a policy decides on. */
export interface DelegationState {
  readonly task: string;
  readonly roster: readonly RosterMember[];
  /** What was delivered so far, in the order of the calls; calls that failed have none. */
  readonly outputs: readonly { readonly id: string; readonly text: string }[];
  /** Steps done. */
  readonly step: number;
  readonly maxSteps: number;
  readonly elapsedMs: number;
  readonly slaMs: number | undefined;
  /** Place of the step in the run, for draws that repeat. */
  readonly path: string;
}

/** One decision: whom to call now, and how; or to stop. */
export interface DelegationDecision {
  readonly meta: "stop" | "call";
  readonly mode: "sequential" | "parallel";
  /** Members to call, in order. */
  readonly members: readonly string[];
  readonly probabilities?: readonly number[];
  readonly valueEstimate?: number;
  readonly reason: string;
}

/** Chooses whom to call, step by step, until it stops. */
export interface DelegationPolicy {
  decide(state: DelegationState): DelegationDecision | Promise<DelegationDecision>;
}

/**
 * The most similar member that has not been called; after the first only those at least half as similar as the best, and
 * never more steps than allowed or past the time limit.
 */
export const greedyPolicy: DelegationPolicy = {
  decide(state) {
    const stop = (reason: string): DelegationDecision => ({ meta: "stop", mode: "sequential", members: [], reason });
    if (state.step >= state.maxSteps) return stop("max_steps is reached");
    if (state.slaMs !== undefined && state.elapsedMs >= state.slaMs) return stop("the time limit is reached");
    const best = Math.max(0, ...state.roster.map((member) => member.similarity));
    const open = state.roster.filter((member) => !member.called && member.allowed);
    const next = [...open].sort((a, b) => b.similarity - a.similarity)[0];
    if (next === undefined) return stop("nobody is left");
    const isFirst = state.roster.every((member) => !member.called || member.failed);
    if (!isFirst && next.similarity < best / 2) return stop("nobody else fits the task");
    return {
      meta: "call",
      mode: "sequential",
      members: [next.id],
      reason: `closest to the task (${next.similarity.toFixed(2)})`,
    };
  },
};

/** Everybody at once, then stop. */
export const allPolicy: DelegationPolicy = {
  decide(state) {
    const open = state.roster.filter((member) => !member.called && member.allowed).map((member) => member.id);
    if (open.length === 0 || state.step >= state.maxSteps)
      return { meta: "stop", mode: "parallel", members: [], reason: "all were called" };
    return { meta: "call", mode: "parallel", members: open, reason: "everybody" };
  },
};

/** A uniform draw among those left and stopping. @param uniform draw in [0, 1) that depends on its name only */
export function makeRandomPolicy(uniform: (name: string) => number): DelegationPolicy {
  return {
    decide(state) {
      const open = state.roster.filter((member) => !member.called && member.allowed);
      const isFirst = state.roster.every((member) => !member.called);
      const choices = isFirst ? open.length : open.length + 1;
      const stop: DelegationDecision = { meta: "stop", mode: "sequential", members: [], reason: "drawn" };
      if (choices === 0 || state.step >= state.maxSteps) return stop;
      const member = open[Math.floor(uniform(`${state.path} ${state.step}`) * choices)];
      return member === undefined ? stop : { meta: "call", mode: "sequential", members: [member.id], reason: "drawn" };
    },
  };
}
