import type { CourseContext } from "./course/context.ts";
import { computeFinishedJ, computeJ, rollKeepJ } from "./course/j.ts";
import type { EpisodeState } from "./episode.ts";
import type { Ending } from "./reward/endings.ts";
import { meanStepReward, trainingReturn } from "./reward/training-return.ts";

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
 * Report of an ended episode. J_keep is rolled out once a scenario, on the same event numbers.
 * @param criteria of the success, null where the episode ended before they were judged
 * @param bestJ J of the best course; null = not asked for
 */
export function finalInfo(
  state: EpisodeState,
  ending: Ending,
  criteria: readonly boolean[] | null,
  bestJ: number | null,
): FinalInfo {
  const { context, evaluator, sub } = state;
  const { scenario } = context;
  let keepJ = keepCache.get(scenario);
  if (keepJ === undefined) {
    keepJ = rollKeepJ(context, evaluator, scenario.initial);
    keepCache.set(scenario, keepJ);
  }
  const computeLivedJ = state.hasSevereEvent ? computeJ : computeFinishedJ;
  const j = computeLivedJ(context, evaluator, state.segments, state.world);
  const success = criteria?.every(Boolean) ?? false;
  return {
    success,
    criteria,
    j,
    keep_j: keepJ,
    best_j: bestJ,
    task_score: sub.taskScore(state, { j, keepJ, bestJ }),
    mean_step_reward: meanStepReward(state.records),
    training_return: trainingReturn(
      withVoidedCredit(state.records),
      { j, keepJ, isSuccess: success, isFailure: FAILURES.includes(ending.reason) },
      { stepCost: sub.stepCost },
    ),
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
