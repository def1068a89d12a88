import { closeVisit } from "../../course/visit.ts";
import type { Standing } from "../sub-environment.ts";
import { type DeprescribingProgress, type Progressed, progressThrough } from "./progress.ts";

/**
 * Where the targets stand at the end of the episode's days: an agent that finishes early leaves its plans to themselves, and
 * nothing is spared the patient by it.
 */
export function runOn({ context, evaluator, world, special }: Standing<null, DeprescribingProgress>): Progressed {
  let at: Progressed = { world, progress: special };
  for (let left = world.clock.stepsLeft; left > 0; left--) {
    const closed = closeVisit(context, evaluator, at.world);
    at = progressThrough(context, at.world, { world: closed.state, segments: closed.segments }, at.progress);
    if (closed.hasSevereEvent) break;
  }
  return at;
}
