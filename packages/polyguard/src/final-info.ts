import type { CourseContext } from "./course/context.ts";
import { computeFinishedJ, computeJ, rollKeepJ } from "./course/j.ts";
import type { EpisodeState } from "./episode.ts";
import type { Ending } from "./reward/endings.ts";
import { meanStepReward, trainingReturn } from "./reward/training-return.ts";
import type { Finished, Yardsticks } from "./sub-environments/sub-environment.ts";

/** Endings that are failures in the training return. */
const FAILURES: readonly Ending["reason"][] = ["exploit_detection", "invalid_action_limit", "patient_destabilised"];

/** What the last step of an episode tells: criteria, J, task score and returns. Snake case: it travels as it is. */
export interface FinalInfo {
  readonly success: boolean;
  readonly criteria: readonly boolean[] | null;
  readonly j: number;
  readonly keep_j: number;
  readonly best_j: number | null;
  readonly task_score: number | null;
  readonly mean_step_reward: number;
  readonly training_return: number;
  readonly admissions: number;
}

const keepCache = new WeakMap<CourseContext["scenario"], number>();

/**
 * J values of an episode that is over, worked out when first asked for. J_keep is rolled out once a scenario, on the same
 * event numbers. @param bestJ J of the best course; null = not to be told
 */
export function makeYardsticks(at: Finished, bestJ: () => number | null): () => Yardsticks {
  let yardsticks: Yardsticks | null = null;
  return () => {
    yardsticks ??= measureYardsticks(at, bestJ());
    return yardsticks;
  };
}

function measureYardsticks(at: Finished, bestJ: number | null): Yardsticks {
  const { context, evaluator } = at;
  const { scenario } = context;
  let keepJ = keepCache.get(scenario);
  if (keepJ === undefined) {
    keepJ = rollKeepJ(context, evaluator, scenario.initial);
    keepCache.set(scenario, keepJ);
  }
  const computeLivedJ = at.hasSevereEvent ? computeJ : computeFinishedJ;
  return { j: computeLivedJ(context, evaluator, at.segments, at.world), keepJ, bestJ };
}

/** How an episode ended. */
export interface EndedEpisode {
  readonly ending: Ending;
  /** Of the success; null where the episode ended before they were judged. */
  readonly criteria: readonly boolean[] | null;
  readonly yardsticks: () => Yardsticks;
}

/** Report of an ended episode. */
export function finalInfo(state: EpisodeState, { ending, criteria, yardsticks }: EndedEpisode): FinalInfo {
  const { sub } = state;
  const measured = yardsticks();
  const { j, keepJ, bestJ } = measured;
  const success = criteria?.every(Boolean) ?? false;
  const steps = withVoidedCredit(state.records);
  const end = { j, keepJ, isSuccess: success, isFailure: FAILURES.includes(ending.reason) };
  return {
    success,
    criteria,
    j,
    keep_j: keepJ,
    best_j: bestJ,
    task_score: sub.taskScore(state, measured),
    mean_step_reward: meanStepReward(state.records),
    training_return: sub.trainingReturn?.(state, steps, end) ?? trainingReturn(steps, end, { stepCost: sub.stepCost }),
    admissions: state.world.events.filter((event) => event.kind === "admission" || event.kind === "severe").length,
  };
}

/** The steps with the credit of those voided that an A11 flag names. */
function withVoidedCredit(records: EpisodeState["records"]): EpisodeState["records"] {
  const voided = new Set(
    records.flatMap(({ flags }) => flags.filter(({ id }) => id === "A11").flatMap(({ steps }) => steps)),
  );
  return voided.size === 0
    ? records
    : records.map((record) => (voided.has(record.step) ? { ...record, reward: record.voidedReward } : record));
}
