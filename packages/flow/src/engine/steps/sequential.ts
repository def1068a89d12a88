import type { SequentialStep } from "../../config/plan.ts";
import { type Execute, type Frame, letsGoOn, type Outcome } from "../frame.ts";
import { recordUnstarted } from "./record.ts";

/** Steps one after another; after a failure those left are recorded as not run. */
export async function runSequential(step: SequentialStep, frame: Frame, execute: Execute): Promise<Outcome> {
  let last: Outcome = { status: "skipped" };
  let result: Outcome = { status: "completed", text: "", json: null };
  for (const [i, child] of step.steps.entries()) {
    last = await execute(child, frame);
    if (last.status === "completed") result = last;
    if (letsGoOn(last)) continue;
    if (last.status !== "suspended")
      for (const rest of step.steps.slice(i + 1)) recordUnstarted(rest, frame, "not_run");
    return last.status === "failed" ? { ...last, tolerated: false } : last;
  }
  return result;
}
