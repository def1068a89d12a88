import type { HumanStep } from "../../config/plan.ts";
import { type Frame, type Outcome, renderIn } from "../frame.ts";

/** Asks a person and goes on with the answer. */
export async function runHuman(step: HumanStep, frame: Frame): Promise<Outcome> {
  const answer = await frame.run.askHuman({
    path: frame.path,
    stepId: step.id,
    prompt: renderIn(frame, step.prompt),
    schema: step.schema,
    timeoutMs: step.timeoutMs,
    fallback: step.fallback,
    scope: frame.scope,
  });
  return {
    status: "completed",
    text: typeof answer === "string" ? answer : JSON.stringify(answer),
    json: typeof answer === "string" ? null : answer,
  };
}
