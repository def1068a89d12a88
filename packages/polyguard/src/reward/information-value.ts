import { levelWindowDays } from "../actions/dose-limits.ts";
import { effectOf } from "../actions/effect.ts";
import type { LegalityContext } from "../actions/legality-context.ts";
import { STALE_AFTER_DAYS } from "../actions/legality-context.ts";
import { monitorItem } from "../actions/start-rules.ts";
import type { ActionPayload, OfferedCandidate } from "../actions/types.ts";
import { applyAction } from "../course/apply.ts";
import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator } from "../course/evaluator.ts";
import type { Drug } from "../kb/types.ts";
import type { WorldState } from "../world/types.ts";
import { type PossibleState, possibleExposures, possibleStates, possibleUse } from "./beliefs.ts";

/** Most candidates that one field is judged over, the first offered ones. */
const MOST_CANDIDATES = 6;

/** One thing an information action may tell: the states it tells apart and the decisions that hang on it. */
interface Question {
  readonly states: readonly PossibleState[];
  readonly decisions: readonly ActionPayload[];
}

/**
 * Value of information of an information action: what deciding after the answer is worth over deciding before it,
 * E[max U | after] - max E[U | before], at least 0; over KEEP and the candidates that touch the field, summed over its
 * fields. An order of a value that is known and fresh is worth nothing.
 */
export function valueOfInformation(
  course: CourseContext,
  evaluator: CourseEvaluator,
  world: WorldState,
  legality: LegalityContext,
  payload: ActionPayload,
  offered: readonly OfferedCandidate[],
): number {
  let sum = 0;
  for (const { states, decisions } of questionsOf(course, world, legality, payload, offered)) {
    if (decisions.length === 0) continue;
    const options: (ActionPayload | null)[] = [null, ...decisions];
    const expected = options.map(() => 0);
    let after = 0;
    for (const state of states) {
      let best = Number.NEGATIVE_INFINITY;
      for (const [i, option] of options.entries()) {
        const changed = option === null ? state : applyAction(course, state, option).state;
        const { utility } = evaluator.valueOfState(course, changed);
        expected[i]! += utility / states.length;
        best = Math.max(best, utility);
      }
      after += best / states.length;
    }
    sum += Math.max(0, after - Math.max(...expected));
  }
  return sum;
}

function questionsOf(
  course: CourseContext,
  world: WorldState,
  legality: LegalityContext,
  payload: ActionPayload,
  offered: readonly OfferedCandidate[],
): Question[] {
  const { patient } = course.scenario;
  const { known } = legality;
  const questions: Question[] = [];
  const ask = (states: readonly PossibleState[] | null, decisions: readonly ActionPayload[]): void => {
    if (states !== null) questions.push({ states, decisions });
  };
  if (payload.type === "ORDER_MONITORING") {
    for (const code of payload.orders) {
      if (isFresh(legality, code)) continue;
      ask(
        possibleStates(known, patient, world, code),
        touching(legality, offered, (drug) => dependsOn(drug, code)),
      );
      for (const { medRef, drugIndex } of legality.listed) {
        const drug = legality.kb.drugs[drugIndex]!;
        if (!drug.isNarrowTi || monitorItem(drug) !== code) continue;
        ask(
          possibleExposures(world, medRef),
          touching(legality, offered, (other) => other.index === drugIndex),
        );
      }
    }
  } else if (payload.type === "RECONCILE_ITEM") {
    const gap = known.discrepancies.find(({ id }) => id === payload.target);
    const medRef = gap?.medRef ?? payload.target;
    const isOpen =
      gap !== undefined || known.medications.some((each) => each.medRef === medRef && each.status === "unreconciled");
    const drugIndex = world.medications.find((each) => each.medRef === medRef)?.drugIndex;
    if (isOpen && drugIndex !== undefined) {
      ask(
        possibleUse(world, medRef),
        touching(legality, offered, (drug) => drug.index === drugIndex),
      );
    }
  }
  return questions;
}

function isFresh({ known }: LegalityContext, code: string): boolean {
  if (code === "WEIGHT") return known.weightKg !== null;
  const value = known.values[code];
  if (value === undefined) return false;
  const window = code === "INR" || code === "TSH" || code.endsWith("_LEVEL") ? levelWindowDays(code) : STALE_AFTER_DAYS;
  return known.clock.day - value.measuredDay <= window;
}

/** Decisions among the candidates whose started or target drug fits. */
function touching(
  legality: LegalityContext,
  offered: readonly OfferedCandidate[],
  fits: (drug: Drug) => boolean,
): ActionPayload[] {
  const decisions: ActionPayload[] = [];
  for (const { payload } of offered) {
    if (decisions.length === MOST_CANDIDATES) break;
    const { started, target, leaves, adjustedTo } = effectOf(legality, payload);
    const isDecision = started !== null || leaves !== null || adjustedTo !== null || payload.type === "START_TAPER";
    if (!isDecision) continue;
    const isTouched =
      (started !== null && fits(legality.kb.drugs[started.drugIndex]!)) ||
      (target !== null && fits(legality.kb.drugs[target.drugIndex]!));
    if (isTouched) decisions.push(payload);
  }
  return decisions;
}

/** True for drugs whose harm or dose hangs on the value. */
function dependsOn(drug: Drug, code: string): boolean {
  switch (code) {
    case "CREAT":
    case "WEIGHT":
      return drug.renalRule.clauses.length > 0 || (drug.feRenal ?? 0) >= 0.5 || drug.risk.nephrotoxic > 0;
    case "K":
      return drug.risk.hyperkalemia > 0 || drug.risk.hypokalemia > 0 || drug.qtRisk === "KR";
    case "NA":
      return drug.risk.hyponatremia > 0;
    case "QTC":
      return drug.qtRisk !== null && drug.qtRisk !== "none";
    case "HR":
      return drug.risk.bradycardia > 0;
    default:
      return false;
  }
}
