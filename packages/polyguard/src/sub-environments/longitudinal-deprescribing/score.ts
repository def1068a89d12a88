import type { CourseContext } from "../../course/context.ts";
import type { TaskTarget } from "../../scenario/types.ts";
import type { WorldState } from "../../world/types.ts";
import type { DeprescribingProgress } from "./progress.ts";

/** What a severe withdrawal event costs in the task score. */
const SEVERE_COST = 0.2;

/** Dose of the drug that a target began with, 0 when it is gone. */
export function doseOfTarget({ scenario }: CourseContext, world: WorldState, { medRef }: TaskTarget): number {
  const drugIndex = scenario.initial.medications.find((each) => each.medRef === medRef)?.drugIndex;
  return world.medications.find((each) => each.drugIndex === drugIndex && each.isTaken)?.dosePerDay ?? 0;
}

/** Mean over the targets of the way down that was made, each times 1 - peak W, less .2 per severe event; 0-1. */
export function deprescribingScore(
  context: CourseContext,
  world: WorldState,
  { peaks, severeEvents }: DeprescribingProgress,
): number {
  const { targets = [], initial } = context.scenario;
  if (targets.length === 0) return 0;
  let sum = 0;
  for (const target of targets) {
    const before = initial.medications.find((each) => each.medRef === target.medRef)!.dosePerDay;
    const now = doseOfTarget(context, world, target);
    const way = Math.min(1, Math.max(0, (before - now) / (before - target.floorDosePerDay)));
    sum += way * (1 - Math.min(1, peaks[target.medRef] ?? 0));
  }
  return Math.min(1, Math.max(0, sum / targets.length - SEVERE_COST * severeEvents));
}
