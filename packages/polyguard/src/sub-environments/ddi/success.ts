import type { CourseContext } from "../../course/context.ts";
import type { CourseEvaluator } from "../../course/evaluator.ts";
import { isReviewed } from "../../course/project.ts";
import { carryOverAfterStop, timingOf } from "../../course/time-constants.ts";
import { trueFacts } from "../../interactions/facts.ts";
import { isManaged, type ManagedSide, managementOf } from "../../interactions/managed.ts";
import { findPairHits } from "../../interactions/pair-hits.ts";
import { findRegimenHits } from "../../interactions/regimen-rules.ts";
import { drugAt } from "../../kb/lookup.ts";
import type { WorldState } from "../../world/types.ts";

/** A stopped drug above this carry-over weight still counts as there. */
const LEFT_ABOVE = 0.25;
/** Rise of the settled LamDis that counts as a lost therapy. */
const THERAPY_LOSS = 0.01;

/** What the success of an episode depends on. */
export interface SuccessInput {
  readonly world: WorldState;
  readonly hadIllegalAction: boolean;
  readonly hasSevereEvent: boolean;
}

/** Which of the four success criteria of DDI hold, in the order of the task's list. */
export function judgeCriteria(
  context: CourseContext,
  evaluator: CourseEvaluator,
  input: SuccessInput,
): readonly [noHitLeft: boolean, noTherapyLost: boolean, noIllegalAction: boolean, noSevereEvent: boolean] {
  const before = evaluator.settled(context, context.scenario.initial).dis;
  const after = evaluator.settled(context, input.world).dis;
  return [
    !hasOpenHit(context, input.world),
    after - before <= THERAPY_LOSS,
    !input.hadIllegalAction,
    !input.hasSevereEvent,
  ];
}

/** True while a contraindicated or major hit, or any hit of an injected hazard, is there and not managed. */
export function hasOpenHit(context: CourseContext, world: WorldState): boolean {
  const { kb, scenario } = context;
  const sides = sidesOf(context, world);
  const facts = trueFacts(scenario.patient, world);
  const orders = new Set(world.orders.map((order) => order.code));
  const management = managementOf(
    kb,
    world.medications.filter((each) => each.isTaken).map((each) => each.drugIndex),
    orders,
  );
  const sideOf = (index: number): ManagedSide => sides.find((side) => side.drugIndex === index)!;
  for (const hit of findPairHits(kb, sides, facts, { unknownCountsAs: true })) {
    const isInjected = scenario.hazards.some(
      (hazard) =>
        hazard.drugIndexes.includes(hit.aIndex) &&
        hazard.drugIndexes.includes(hit.bIndex) &&
        hazard.ruleIds.includes(hit.ruleId),
    );
    if (hit.severity === "moderate" && !isInjected) continue;
    if (!isManaged(kb, hit.entry, sideOf(hit.aIndex), sideOf(hit.bIndex), management)) return true;
  }
  const day = world.clock.day;
  const regimen = world.medications
    .filter((each) => each.isTaken)
    .map((each) => ({
      drugIndex: each.drugIndex,
      daysOfUse: day - each.startDay,
      crossOverFromDrugIndex: each.crossOverFromDrugIndex,
    }));
  return findRegimenHits(kb, regimen, facts, { orders, unknownCountsAs: true }).some(
    (hit) => hit.severity !== "moderate",
  );
}

/** Drugs that count as there: those taken, and stopped ones whose carry-over is above .25. */
function sidesOf({ kb }: CourseContext, world: WorldState): readonly ManagedSide[] {
  const day = world.clock.day;
  const sides: ManagedSide[] = world.medications
    .filter((each) => each.isTaken)
    .map((each) => ({
      drugIndex: each.drugIndex,
      dosePerDay: each.dosePerDay,
      startDay: each.startDay,
      doseHistory: each.doseHistory,
      lastInRangeLevelDay: each.lastInRangeLevelDay,
      isTapering: each.taperPlan !== null && !each.taperPlan.isPaused,
      isReviewed: isReviewed(world, each.drugIndex),
    }));
  for (const stopped of world.stopped) {
    const left = carryOverAfterStop(
      timingOf(drugAt(kb, stopped.drugIndex)),
      stopped.carryOverAtStop,
      day - stopped.stopDay,
    );
    if (left <= LEFT_ABOVE || sides.some((side) => side.drugIndex === stopped.drugIndex)) continue;
    sides.push({
      drugIndex: stopped.drugIndex,
      dosePerDay: stopped.dosePerDay,
      startDay: stopped.startDay,
      doseHistory: [],
      lastInRangeLevelDay: null,
      isTapering: false,
      isReviewed: false,
    });
  }
  return sides;
}
