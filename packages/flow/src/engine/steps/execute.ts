import type { AgentStep, StepPlan } from "../../config/plan.ts";
import { assertNever, FlowError, fromErrorData, toFlowError } from "../../errors.ts";
import { openLedger } from "../delegation.ts";
import { type Frame, holdsIn, type Outcome } from "../frame.ts";
import { wholeJson } from "../json-text.ts";
import { BudgetError, type Ledger } from "../ledger.ts";
import { backoffMs } from "../model-call.ts";
import { SuspendSignal } from "../run-context.ts";
import { Scope } from "../scope.ts";
import type { StepRecord } from "../store.ts";
import { NO_USAGE } from "../usage.ts";
import { runAgentStep } from "./agent-step.ts";
import { runBranch, runForeach, runLoop } from "./control.ts";
import { runDag } from "./dag.ts";
import { runDelegate } from "./delegate.ts";
import { runFeedback } from "./feedback.ts";
import { finalizeStep } from "./finalize.ts";
import { runHuman } from "./human.ts";
import { runParallel } from "./parallel.ts";
import { makeRecord } from "./record.ts";
import { runSequential } from "./sequential.ts";
import { runSubflow } from "./subflow.ts";

/** Kinds whose inside is private: their record alone is restored on resume. Of other composites the parts are. */
const ATOMIC: readonly StepPlan["kind"][] = ["agent", "human", "subflow", "delegate", "foreach"];

/**
 * Runs a step: condition, limits, attempts, then `on_error`; writes its record. A step that the log has as done is not run
 * again. Never rejects but for a fault of ours.
 */
export async function executeStep(step: StepPlan, frame: Frame): Promise<Outcome> {
  const { run } = frame;
  const path = `${frame.path}/${step.id}`;
  if (frame.scope.reason !== undefined)
    return finish(step, frame, path, { status: "cancelled", error: frame.scope.reason }, run.clock.now(), undefined, 0);
  const restored = ATOMIC.includes(step.kind) ? run.journal.step(path) : undefined;
  if (restored !== undefined) return restore(step, frame, restored);
  const startedAt = run.clock.now();
  try {
    if (step.when !== undefined && !holdsIn(frame, step.when)) {
      run.emit("step.skipped", path, { stepId: step.id, kind: step.kind, reason: "condition" });
      return finish(step, frame, path, { status: "skipped" }, startedAt, undefined, 0);
    }
  } catch (error) {
    return finish(
      step,
      frame,
      path,
      { status: "failed", error: placed(error, step, 1), tolerated: false },
      startedAt,
      undefined,
      1,
    );
  }
  const ledger = openLedger(run, frame.ledger, path, step.budget);
  // An agent's own budget lies within that of its step.
  const own = step.kind === "agent" ? frame.plan.agents.get(step.agent)?.budget : undefined;
  const inner: Frame = { ...frame, ledger: own === undefined ? ledger : openLedger(run, ledger, path, own) };
  const { outcome, attempt } = await attempts(step, inner, path);
  const final = outcome.status === "failed" ? await recover(step, inner, path, outcome.error) : outcome;
  return finish(step, frame, path, final, startedAt, ledger, attempt);
}

/** Attempts by the step's retry policy; agents without one have their own. */
async function attempts(
  step: StepPlan,
  frame: Frame,
  path: string,
): Promise<{ readonly outcome: Outcome; readonly attempt: number }> {
  const { run } = frame;
  const agent = step.kind === "agent" ? frame.plan.agents.get(step.agent) : undefined;
  const retry = step.retry ?? agent?.retry;
  for (let attempt = 1; ; attempt++) {
    const attemptPath = attempt === 1 ? path : `${path}/~${attempt}`;
    const outcome = await attemptOnce(step, frame, attemptPath, path, attempt, agent?.timeoutMs);
    if (outcome.status !== "failed" || retry === undefined) return { outcome, attempt };
    const { error } = outcome;
    // Failures of the wire were tried again call by call; trying the whole agent again would multiply the attempts.
    const again =
      attempt < retry.maxAttempts &&
      retry.on.includes(error.class) &&
      (step.kind !== "agent" || error.class === "timeout" || error.class === "bad_output");
    if (!again || frame.scope.reason !== undefined) return { outcome, attempt };
    const waitMs = error.retryAfterMs ?? backoffMs(run, retry, attempt, path);
    run.emit("step.retrying", path, { stepId: step.id, attempt: attempt + 1, reason: error.class, durationMs: waitMs });
    try {
      if (waitMs > 0 && !run.env.replay) await run.busy(() => run.clock.sleep(waitMs, frame.scope));
    } catch (error) {
      return { outcome: cancelledOr(error, frame, step, attempt), attempt };
    }
  }
}

async function attemptOnce(
  step: StepPlan,
  frame: Frame,
  path: string,
  stepPath: string,
  attempt: number,
  agentTimeoutMs: number | undefined,
): Promise<Outcome> {
  const { run } = frame;
  const scope = frame.scope.child();
  const inner: Frame = { ...frame, scope, path, parentStepId: step.id };
  const stopTimer = startTimer(inner, step, agentTimeoutMs);
  run.emit("step.started", stepPath, () => ({
    stepId: step.id,
    kind: step.kind,
    attempt,
    ...(step.kind === "agent" ? { agentId: step.agent } : {}),
    ...(frame.iteration > 0 ? { iteration: frame.iteration } : {}),
  }));
  // A reason of this scope alone is a time limit of this step: a failure, not a cancellation from outside.
  const timedOut = (): Outcome | undefined =>
    scope.reason !== undefined && frame.scope.reason === undefined
      ? { status: "failed", error: placed(scope.reason, step, attempt), tolerated: false }
      : undefined;
  try {
    const outcome = await dispatch(step, inner);
    return outcome.status === "cancelled" ? (timedOut() ?? outcome) : outcome;
  } catch (error) {
    if (error instanceof SuspendSignal) return { status: "suspended" };
    return timedOut() ?? cancelledOr(error, frame, step, attempt);
  } finally {
    stopTimer();
    scope.close();
  }
}

function cancelledOr(error: unknown, frame: Frame, step: StepPlan, attempt: number): Outcome {
  const { reason } = frame.scope;
  if (reason !== undefined) return { status: "cancelled", error: reason };
  return { status: "failed", error: placed(error, step, attempt), tolerated: false };
}

function placed(error: unknown, step: StepPlan, attempt: number): FlowError {
  const known = toFlowError(error);
  if (known instanceof BudgetError) return known;
  return known.at({
    stepId: step.id,
    attempt,
    configPosition: step.position,
    ...(step.kind === "agent" ? { agentId: step.agent } : {}),
  });
}

function dispatch(step: StepPlan, frame: Frame): Promise<Outcome> {
  switch (step.kind) {
    case "agent":
      return runAgentStep(step, frame);
    case "sequential":
      return runSequential(step, frame, executeStep);
    case "parallel":
      return runParallel(step, frame, executeStep);
    case "feedback":
      return runFeedback(step, frame, executeStep);
    case "dag":
      return runDag(step, frame, executeStep);
    case "branch":
      return runBranch(step, frame, executeStep);
    case "loop":
      return runLoop(step, frame, executeStep);
    case "foreach":
      return runForeach(step, frame, executeStep);
    case "subflow":
      return runSubflow(step, frame, executeStep);
    case "human":
      return runHuman(step, frame);
    case "delegate":
      return runDelegate(step, frame, executeStep);
    default:
      return assertNever(step);
  }
}

/** Timers of the step's own time limit and of its budget's. */
function startTimer(frame: Frame, step: StepPlan, agentTimeoutMs: number | undefined): () => void {
  const { run, scope } = frame;
  // A person may take their time: a question has a limit of its own.
  const timeoutMs = step.kind === "human" ? undefined : (step.timeoutMs ?? agentTimeoutMs);
  const wallMs = step.budget?.maxWallMs;
  const timers: Scope[] = [];
  const arm = (ms: number, reason: () => FlowError): void => {
    const timer = new Scope();
    timers.push(timer);
    run.clock.sleep(ms, timer).then(
      () => scope.cancel(reason()),
      () => undefined,
    );
  };
  if (timeoutMs !== undefined)
    arm(timeoutMs, () => new FlowError("E406", "timeout", `The step '${step.id}' took longer than ${timeoutMs} ms.`));
  if (wallMs !== undefined) arm(wallMs, () => wallExceeded(frame.ledger, wallMs));
  return () => {
    for (const timer of timers) timer.cancel(new FlowError("E408", "cancelled", "The step is over."));
  };
}

/** The error of a time budget. */
export function wallExceeded(ledger: Ledger, limit: number): BudgetError {
  const where = ledger.path === "" ? "the run" : `'${ledger.path}'`;
  return new BudgetError(
    ledger,
    { path: ledger.path, which: "wall_ms", used: limit, limit },
    `The time budget of ${where} is used up: ${limit} ms.`,
  );
}

/** After the last attempt: the step's own budget may close with an answer; then the fallback agent, then `on_error`. */
async function recover(step: StepPlan, frame: Frame, path: string, error: FlowError): Promise<Outcome> {
  const { run } = frame;
  if (
    error instanceof BudgetError &&
    error.ledger !== undefined &&
    frame.ledger.isWithin(error.ledger) &&
    error.ledger.path === path
  ) {
    const closing = await finalizeStep(step, { ...frame, ledger: error.ledger }, error);
    if (closing !== undefined) return closing;
  }
  const failed: Outcome = { status: "failed", error, tolerated: false };
  // Budgets above and cancellations are not this step's to mend.
  if (error.class === "budget" && !(error instanceof BudgetError && error.notice.path.startsWith(path))) return failed;
  if (frame.scope.reason !== undefined) return { status: "cancelled", error: frame.scope.reason };
  const fallback = step.kind === "agent" ? frame.plan.agents.get(step.agent)?.fallbackAgent : undefined;
  const agents = [fallback, step.onError.kind === "agent" ? step.onError.agent : undefined].filter(
    (id) => id !== undefined,
  );
  for (const id of agents) {
    run.warn(path, `The step '${step.id}' failed (${error.class}); the agent '${id}' stands in.`, {
      agentId: id,
      class: error.class,
    });
    const outcome = await standIn(step, frame, path, id);
    if (outcome.status !== "failed") return outcome;
  }
  if (step.onError.kind === "use")
    return { status: "completed", text: step.onError.text, json: wholeJson(step.onError.text) ?? null };
  return { ...failed, tolerated: step.onError.kind === "continue" };
}

async function standIn(step: StepPlan, frame: Frame, path: string, agentId: string): Promise<Outcome> {
  const agent: AgentStep = {
    kind: "agent",
    id: step.id,
    agent: agentId,
    position: step.position,
    when: undefined,
    input: step.input,
    retry: undefined,
    timeoutMs: step.timeoutMs,
    budget: undefined,
    onError: { kind: "fail" },
    saveAs: undefined,
    model: undefined,
    temperature: undefined,
    maxTokens: undefined,
    context: step.kind === "agent" ? step.context : undefined,
  };
  return (await attempts(agent, { ...frame, path: frame.path }, `${path}/instead:${agentId}`)).outcome;
}

function restore(step: StepPlan, frame: Frame, record: StepRecord): Outcome {
  frame.store.append(record);
  switch (record.status) {
    case "completed":
      saveAs(step, frame, record.text, record.json);
      return { status: "completed", text: record.text, json: record.json };
    case "skipped":
      return { status: "skipped" };
    case "cancelled":
      return {
        status: "cancelled",
        error:
          record.error === null
            ? new FlowError("E408", "cancelled", "The step was cancelled.")
            : fromErrorData(record.error),
      };
    case "failed":
    case "not_run":
      return {
        status: "failed",
        error:
          record.error === null ? new FlowError("E499", "internal", "The step failed.") : fromErrorData(record.error),
        tolerated: step.onError.kind === "continue",
      };
  }
}

/** Writes the record, tells the end, and keeps the output under its name. */
function finish(
  step: StepPlan,
  frame: Frame,
  path: string,
  outcome: Outcome,
  startedAt: number,
  ledger: Ledger | undefined,
  attempt: number,
): Outcome {
  const { run } = frame;
  if (outcome.status === "suspended") return outcome;
  const isDone = outcome.status === "completed";
  const record = makeRecord(step, frame, path, {
    status: outcome.status,
    text: isDone ? outcome.text : undefined,
    json: isDone ? outcome.json : undefined,
    error: "error" in outcome ? run.redactor.data(outcome.error.toData()) : undefined,
    startedAt,
    endedAt: run.clock.now(),
    attempt,
    usage: ledger?.usage ?? NO_USAGE,
    costUsd: ledger === undefined ? 0 : ledger.costUsd,
  });
  frame.store.append(record);
  if (isDone) saveAs(step, frame, outcome.text, outcome.json);
  if (ATOMIC.includes(step.kind)) {
    run.log({ kind: "step", path, record });
    run.emit("checkpoint.saved", path, { stepId: step.id });
  } else run.log({ kind: "branch", path, status: outcome.status });
  if (outcome.status === "skipped") return outcome;
  run.emit(isDone ? "step.completed" : "step.failed", path, () => ({
    stepId: step.id,
    kind: step.kind,
    attempt,
    durationMs: record.endedAt - startedAt,
    ...(step.kind === "agent" ? { agentId: step.agent } : {}),
    ...(isDone
      ? { usage: record.usage, costUsd: record.costUsd, outputChars: record.text.length }
      : { status: outcome.status, reason: record.error?.class ?? null, error: record.error }),
  }));
  return outcome;
}

function saveAs(step: StepPlan, frame: Frame, text: string, json: unknown): void {
  if (step.saveAs !== undefined) frame.store.save(step.saveAs, json ?? text);
}
