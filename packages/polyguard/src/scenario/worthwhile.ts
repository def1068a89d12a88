import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator } from "../course/evaluator.ts";
import type { Drug } from "../kb/types.ts";
import { gainBounds, missingTherapies, startGain, watchGain } from "./bounds.ts";
import type { PlacedHazard } from "./inject.ts";

/** Least gain of the best single action: below it a scenario teaches nothing (assumption:). */
const MIN_GAIN = 0.004;
/** Least gain of each hazard that shows by what its end gains. */
const MIN_HAZARD_GAIN = 0.003;
/** Most that an action on a drug outside the hazards may gain: the base regimen is near its best. */
const MOST_ELSEWHERE = 0.01;
/** Most that two changes and all monitoring together may gain where no hazard is injected. */
const MOST_QUIET = 0.007;
/** Stopping everything may gain at most this share of the best action's gain. */
const STOP_ALL_SHARE = 0.5;

/**
 * There is something to gain from every hazard and little elsewhere, and stopping everything is no way to it. A hazard that
 * is a hit needs its share only where it is alone; one that shows by its gain must have one.
 */
export function isWorthwhile(
  context: CourseContext,
  evaluator: CourseEvaluator,
  placed: readonly PlacedHazard[],
  allowed: (drug: Drug) => boolean,
): boolean {
  const focus = new Set(placed.flatMap((hazard) => hazard.drugs.map((drug) => drug.index)));
  if (placed.length === 0 && watchGain(context, evaluator) > MOST_QUIET) return false;
  const most = placed.length === 0 ? MOST_QUIET : MOST_ELSEWHERE;
  const bounds = gainBounds(context, evaluator, focus, allowed, most);
  if (bounds.elsewhere > most) return false;
  const withheld = new Set(placed.map(({ missing }) => missing?.condition));
  const omitted = missingTherapies(context)
    .filter(({ condition }) => !withheld.has(condition))
    .map((omission) => startGain(context, evaluator, omission, allowed));
  if (omitted.some((gain) => gain > MOST_ELSEWHERE)) return false;
  if (placed.length === 0) {
    // Nothing is to be gained here, by several small steps neither.
    const gains = [...bounds.byDrug.values(), ...omitted].sort((a, b) => b - a).slice(0, 2);
    const sum = gains.reduce((total, gain) => total + Math.max(0, gain), watchGain(context, evaluator));
    return sum <= MOST_QUIET && bounds.stopAll <= STOP_ALL_SHARE * MOST_ELSEWHERE;
  }
  let best = bounds.best;
  for (const { sign, drugs, missing } of placed) {
    if (sign === "hit" || sign === "rule") continue;
    const gain =
      sign === "missing" && missing !== null
        ? startGain(context, evaluator, missing, allowed)
        : Math.max(...drugs.map((drug) => bounds.byDrug.get(drug.index) ?? 0));
    if (gain < MIN_HAZARD_GAIN) return false;
    best = Math.max(best, gain);
  }
  const isRuled = placed.some(({ sign }) => sign === "rule");
  return isRuled || (best >= MIN_GAIN && bounds.stopAll <= STOP_ALL_SHARE * best);
}
