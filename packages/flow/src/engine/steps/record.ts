import type { StepPlan } from "../../config/plan.ts";
import type { ErrorData } from "../../errors.ts";
import type { Frame } from "../frame.ts";
import type { StepRecord, StepStatus } from "../store.ts";
import { NO_USAGE, type Usage } from "../usage.ts";

/** What a record says beside who and where. */
export interface RecordFields {
  readonly status: StepStatus;
  readonly text?: string | undefined;
  readonly json?: unknown;
  readonly error?: ErrorData | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attempt: number;
  readonly usage?: Usage;
  readonly costUsd?: number | null;
}

/** The record of a step in its frame. */
export function makeRecord(step: StepPlan, frame: Frame, path: string, fields: RecordFields): StepRecord {
  const agentId = step.kind === "agent" ? step.agent : null;
  return {
    stepId: step.id,
    kind: step.kind,
    agentId,
    role: agentId === null ? null : (frame.plan.agents.get(agentId)?.role ?? null),
    iteration: frame.iteration,
    status: fields.status,
    text: fields.text ?? "",
    json: fields.json ?? null,
    error: fields.error ?? null,
    startedAt: fields.startedAt,
    endedAt: fields.endedAt,
    usage: fields.usage ?? NO_USAGE,
    costUsd: fields.costUsd === undefined ? 0 : fields.costUsd,
    parentStepId: frame.parentStepId,
    attempt: fields.attempt,
    path,
  };
}

/** Records a step that was never started. */
export function recordUnstarted(step: StepPlan, frame: Frame, status: "not_run" | "skipped"): void {
  const now = frame.run.clock.now();
  frame.store.append(
    makeRecord(step, frame, `${frame.path}/${step.id}`, { status, startedAt: now, endedAt: now, attempt: 0 }),
  );
}
