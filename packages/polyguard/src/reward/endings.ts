/** Why an episode ended. */
type TerminationReason =
  | "success"
  | "finished"
  | "course_complete"
  | "justified_review"
  | "patient_destabilised"
  | "exploit_detection"
  | "invalid_action_limit"
  | "safety_veto_limit"
  | "step_budget_exhausted"
  | "wall_clock_timeout"
  | "step_timeout";

/** How a step ended the episode, or that it did not. */
export interface Ending {
  readonly reason: TerminationReason;
  /** The task ended; otherwise a limit outside it cut it. */
  readonly kind: "terminated" | "truncated";
}

/** Limits of an episode. */
export interface EpisodeLimits {
  /** Unparsable or illegal actions in a row that end the episode. */
  readonly invalidInARow: number;
  /** Unparsable or illegal actions in all that end the episode. */
  readonly invalidInAll: number;
  /** Agent timeouts in a row that end the episode. */
  readonly timeoutsInARow: number;
  /** Critic vetoes in all, where a pipeline drives the episode. */
  readonly vetoes: number;
  /** H of the moment over H at reset that counts as destabilised. */
  readonly harmRatio: number;
}

/** assumption: limits of the published environment. */
const DEFAULT_LIMITS: EpisodeLimits = {
  invalidInARow: 3,
  invalidInAll: 5,
  timeoutsInARow: 2,
  vetoes: 3,
  harmRatio: 3,
};

/** Wall clock limits in milliseconds. The environment keeps no time: `withTimeouts` or a server does. */
export const DEFAULT_TIMEOUTS_MS = {
  environmentStep: 2500,
  agentDecision: 30_000,
  scriptedDecision: 2500,
  episode: 600_000,
  scriptedEpisode: 45_000,
} as const;

/** Invalid actions and timeouts so far. Plain data. */
export interface EndingCounters {
  readonly invalidInARow: number;
  readonly invalidInAll: number;
  readonly timeoutsInARow: number;
  readonly timeoutsInAll: number;
  readonly vetoes: number;
}

/** Counters at reset. */
export const NO_COUNTS: EndingCounters = {
  invalidInARow: 0,
  invalidInAll: 0,
  timeoutsInARow: 0,
  timeoutsInAll: 0,
  vetoes: 0,
};

/** Counters after a step. A timed-out step is no invalid action, and breaks no row of them. */
export function countStep(
  counters: EndingCounters,
  step: { readonly isInvalid: boolean; readonly isTimeout: boolean; readonly isVeto: boolean },
): EndingCounters {
  return {
    invalidInARow: step.isInvalid ? counters.invalidInARow + 1 : step.isTimeout ? counters.invalidInARow : 0,
    invalidInAll: counters.invalidInAll + Number(step.isInvalid),
    timeoutsInARow: step.isTimeout ? counters.timeoutsInARow + 1 : 0,
    timeoutsInAll: counters.timeoutsInAll + Number(step.isTimeout),
    vetoes: counters.vetoes + Number(step.isVeto),
  };
}

/** What decides whether the episode ends with this step. */
export interface EndingInput {
  readonly isExploit: boolean;
  /** An event of this step was severe enough to end the episode. */
  readonly hasSevereEvent: boolean;
  readonly harmNow: number;
  readonly harmAtReset: number;
  readonly counters: EndingCounters;
  /** A legal FINISH. */
  readonly isFinish: boolean;
  /** A legal REQUEST_REVIEW with need for abstention and no further candidate better. */
  readonly isJustifiedReview: boolean;
  /** The success criterion holds at the end of the task. */
  readonly isSuccess: boolean;
  readonly visitsLeft: number;
  readonly stepsLeft: number;
  readonly isWallClockOver: boolean;
}

/**
 * The ending of a step, or null; the first that applies of: exploit, patient, invalid actions, vetoes, timeouts, finish,
 * review, last visit, step budget, wall clock. A finished task is reported as `success` when its criterion holds.
 */
export function judgeEnding(input: EndingInput, limits: EpisodeLimits = DEFAULT_LIMITS): Ending | null {
  const { counters } = input;
  const terminated = (reason: TerminationReason): Ending => ({ reason, kind: "terminated" });
  const truncated = (reason: TerminationReason): Ending => ({ reason, kind: "truncated" });
  if (input.isExploit) return terminated("exploit_detection");
  if (input.hasSevereEvent || input.harmNow > limits.harmRatio * input.harmAtReset)
    return terminated("patient_destabilised");
  if (counters.invalidInARow >= limits.invalidInARow || counters.invalidInAll >= limits.invalidInAll)
    return terminated("invalid_action_limit");
  if (counters.vetoes >= limits.vetoes) return terminated("safety_veto_limit");
  if (counters.timeoutsInARow >= limits.timeoutsInARow) return truncated("step_timeout");
  if (input.isFinish) return terminated(input.isSuccess ? "success" : "finished");
  if (input.isJustifiedReview) return terminated(input.isSuccess ? "success" : "justified_review");
  if (input.visitsLeft <= 0) return terminated(input.isSuccess ? "success" : "course_complete");
  if (input.stepsLeft <= 0) return truncated("step_budget_exhausted");
  if (input.isWallClockOver) return truncated("wall_clock_timeout");
  return null;
}
