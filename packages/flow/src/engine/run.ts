import type { FlowPlan } from "../config/plan.ts";
import { type ErrorData, FlowError, toFlowError } from "../errors.ts";
import { hash64 } from "../hash.ts";
import type { Embedder } from "../memory/embedder.ts";
import type { Memory } from "../memory/memory.ts";
import type { ModelFactory } from "../providers/model.ts";
import type { ToolSource } from "../tools/tool.ts";
import type { Clock } from "./clock.ts";
import { restoreLedger } from "./delegation.ts";
import type { DelegationPolicy } from "./delegation-policy.ts";
import type { FlowEvent } from "./events.ts";
import { type Frame, letsGoOn, type Outcome } from "./frame.ts";
import { Journal, type LogEntry, type LogSink, type PendingHuman } from "./journal.ts";
import { BudgetError, Ledger } from "./ledger.ts";
import { PROMPT_VERSION } from "./prompts.ts";
import { type FlowRng, type HumanRequest, RunContext, type RunEnvironment } from "./run-context.ts";
import { Scope } from "./scope.ts";
import { executeStep, wallExceeded } from "./steps/execute.ts";
import { finalizeStep } from "./steps/finalize.ts";
import { computeOutputs, fitInput } from "./steps/subflow.ts";
import { type StepRecord, Store } from "./store.ts";
import type { Usage } from "./usage.ts";

/** What a run needs; everything that reaches out of it is handed in. */
export interface RunOptions {
  readonly plan: FlowPlan;
  readonly input: unknown;
  readonly models: ModelFactory;
  readonly rng: FlowRng;
  readonly clock: Clock;
  readonly tools?: ToolSource;
  readonly embedder?: Embedder;
  readonly memory?: (plan: FlowPlan) => Promise<Memory | undefined>;
  /** Loads the policy of a delegate step, or "learned" for sub-agents. */
  readonly policies?: (name: string, plan: FlowPlan) => Promise<DelegationPolicy | undefined>;
  /** Cancels the run. */
  readonly signal?: AbortSignal;
  /** Entries of an earlier part of the run, and where new ones go. */
  readonly log?: { readonly entries?: readonly LogEntry[]; readonly sink?: LogSink };
  /** Number of events that earlier parts wrote. */
  readonly firstSeq?: number;
  /** Takes a changed file in stride. */
  readonly force?: boolean;
  /** Answers to open questions, by token. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Plays the log: a call that it does not hold fails with E412. */
  readonly replay?: boolean;
  readonly onEvent?: (event: FlowEvent) => void;
  readonly onHuman?: (request: HumanRequest) => Promise<unknown>;
  readonly recordContent?: boolean;
  readonly stream?: boolean;
  /** Real time in ms since 1970; default the run's clock. */
  readonly wallNow?: () => number;
}

/** How a run ended. */
export type RunStatus = "completed" | "failed" | "suspended" | "cancelled" | "budget_exceeded";

/** What a run gave. */
export interface FlowResult {
  readonly status: RunStatus;
  readonly runId: string;
  /** Of a run that did not complete: what could be computed; the rest is null. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Texts of the steps that were completed, by step id, where the run was not. */
  readonly partial: Readonly<Record<string, string>>;
  readonly usage: Usage;
  /** Null when a call had no price. */
  readonly costUsd: number | null;
  readonly error: ErrorData | null;
  /** Questions that wait for an answer. */
  readonly pending: readonly PendingHuman[];
  readonly records: readonly StepRecord[];
}

/** A run in progress; iterating it gives its events from the moment the iteration is asked for. */
export interface FlowRun extends AsyncIterable<FlowEvent> {
  readonly runId: string;
  /** Never rejects for what happens in the run; only for a fault of ours. */
  readonly result: Promise<FlowResult>;
  /** @throws FlowError E411 or E405 */
  answer(token: string, value: unknown): void;
  cancel(reason?: string): void;
  pending(): readonly PendingHuman[];
}

// Reasons that nobody reads: they only take down what still waits.
const RUN_IS_OVER = new FlowError("E408", "cancelled", "The run is over.");
const PASS_IS_OVER = new FlowError("E408", "cancelled", "The pass is over.");
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const NO_TOOLS: ToolSource = {
  resolve: async (_, agent) =>
    agent.tools.length === 0
      ? []
      : Promise.reject(
          new FlowError("E403", "tool", `No tools are handed in; '${agent.id}' wants ${agent.tools.join(", ")}.`),
        ),
  close: async () => undefined,
};

/**
 * Starts a flow, or goes on with one whose log is handed in. Steps that the log has as done are not run again, and calls
 * that it holds are not paid again.
 *
 * @throws FlowError E405 for an input that does not fit, E412 for the log of another flow
 */
export function runFlow(options: RunOptions): FlowRun {
  const { plan, rng, clock } = options;
  const journal = new Journal(options.log?.entries ?? [], options.log?.sink);
  const { head } = journal;
  if (head !== undefined && head.configHash !== plan.hash && options.force !== true)
    throw new FlowError(
      "E412",
      "invalid_request",
      `The log belongs to another version of '${head.flow}' (${head.configHash}, the file is ${plan.hash}); --force goes on all the same.`,
    );
  const input = fitInput(head?.input ?? options.input, plan.inputSchema, plan.name);
  const ids = rng.split("ids");
  const runId =
    head?.runId ?? `run_${Array.from({ length: 26 }, () => BASE32[Math.floor(ids.uniform() * 32)]).join("")}`;
  const seed = head?.seed ?? hash64(`${rng.split("seed").uniform()}`);
  const scope = new Scope();
  const listeners = new Set<(event: FlowEvent) => void>();
  const ended: (() => void)[] = [];
  const env: RunEnvironment = {
    clock,
    rng,
    models: options.models,
    tools: options.tools ?? NO_TOOLS,
    embedder: options.embedder,
    memory: options.memory ?? (async () => undefined),
    policies: options.policies ?? (async () => undefined),
    isWatched: () => options.onEvent !== undefined || listeners.size > 0,
    onEvent: (event) => {
      options.onEvent?.(event);
      for (const listener of listeners) listener(event);
    },
    onHuman: options.onHuman,
    recordContent: options.recordContent ?? false,
    stream: options.stream ?? false,
    replay: options.replay ?? false,
    wallNow: options.wallNow ?? (() => clock.now()),
  };
  const run = new RunContext({
    env,
    plan,
    runId,
    seed,
    fenceTag: hash64(`fence ${seed}`).slice(0, 8),
    journal,
    scope,
    firstSeq: options.firstSeq ?? 0,
    ledger: (context) =>
      Ledger.root(plan.budget, {
        onWarn: (notice) => context.emit("budget.warned", "flow", { ...notice }),
        onExceeded: (notice) => context.emit("budget.exceeded", "flow", { ...notice }),
      }),
  });
  const onAbort = (): void => scope.cancel(new FlowError("E408", "cancelled", "The run was cancelled."));
  if (options.signal?.aborted === true) onAbort();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (
    head !== undefined &&
    journal.lastStatus !== undefined &&
    journal.lastStatus !== "suspended" &&
    options.replay !== true
  )
    journal.reopenFailures();

  const result = Promise.resolve()
    .then(() => drive(run, input, options))
    .finally(() => {
      options.signal?.removeEventListener("abort", onAbort);
      for (const end of ended) end();
    });
  return {
    runId,
    result,
    answer: (token, value) => run.answer(token, value),
    cancel: (reason) => scope.cancel(new FlowError("E408", "cancelled", reason ?? "The run was cancelled.")),
    pending: () => journal.pending(),
    [Symbol.asyncIterator]: () => iterate(listeners, ended),
  };
}

async function drive(run: RunContext, input: unknown, options: RunOptions): Promise<FlowResult> {
  const { journal, plan, clock } = run;
  if (journal.head === undefined) {
    run.log({
      kind: "run",
      v: 1,
      runId: run.runId,
      flow: plan.name,
      configHash: plan.hash,
      seed: run.seed,
      input,
      startedAt: clock.now(),
    });
    run.emit("run.started", "flow", {
      flow: plan.name,
      workflow: plan.workflow.kind,
      input: JSON.stringify(input).slice(0, 2_000),
      configHash: plan.hash,
      seed: run.seed,
      models: [...plan.models.keys()],
      promptVersion: PROMPT_VERSION,
    });
  } else run.emit("run.resumed", "flow", { flow: plan.name, configHash: plan.hash, promptVersion: PROMPT_VERSION });
  restoreLedger(run, run.ledger, "");
  let result: FlowResult;
  try {
    for (const [token, value] of Object.entries(options.answers ?? {})) run.answer(token, value);
    run.takeLateAnswers();
    result = await passes(run, input);
  } catch (error) {
    // Answers that do not fit come through here too: they end this part, not the run's log.
    result = resultOf(run, new Store(), "failed", {}, run.redactor.data(toFlowError(error).toData()));
  }
  run.log({ kind: "end", status: result.status, at: clock.now() });
  const type =
    result.status === "completed"
      ? "run.completed"
      : result.status === "suspended"
        ? "run.suspended"
        : result.status === "cancelled"
          ? "run.cancelled"
          : "run.failed";
  run.emit(type, "flow", {
    status: result.status,
    usage: result.usage,
    costUsd: result.costUsd,
    ...(result.error === null ? {} : { error: result.error }),
    ...(result.pending.length === 0 ? {} : { tokens: result.pending.map((human) => human.token) }),
  });
  run.scope.cancel(RUN_IS_OVER);
  await close(run);
  return result;
}

/** Passes over the workflow: another one when questions were answered after their branch had stopped for them. */
async function passes(run: RunContext, input: unknown): Promise<FlowResult> {
  for (let ledger = run.ledger; ; ) {
    const store = new Store();
    const scope = run.scope.child();
    const timer = new Scope();
    const wallMs = run.plan.budget?.maxWallMs;
    if (wallMs !== undefined)
      run.clock.sleep(wallMs, timer).then(
        () => scope.cancel(wallExceeded(ledger, wallMs)),
        () => undefined,
      );
    const frame: Frame = {
      run,
      plan: run.plan,
      store,
      scope,
      ledger,
      path: "flow",
      parentStepId: null,
      iteration: 0,
      input,
      defaultInput: input,
      items: {},
      files: [run.plan.file],
    };
    const outcome = await executeStep(run.plan.workflow, frame);
    timer.cancel(PASS_IS_OVER);
    if (outcome.status === "suspended") {
      // An answer may have come after its branch had stopped for it, while others still ran.
      if (run.takeLateAnswers()) {
        run.journal.beginPart();
        continue;
      }
    }
    return conclude(run, frame, outcome);
  }
}

async function conclude(run: RunContext, frame: Frame, outcome: Outcome): Promise<FlowResult> {
  const { store } = frame;
  if (outcome.status === "suspended") return resultOf(run, store, "suspended", tryOutputs(frame), null);
  if (letsGoOn(outcome)) {
    try {
      const outputs = computeOutputs(frame);
      for (const handle of await run.models()) handle.model.verifyFinished?.();
      return resultOf(run, store, "completed", outputs, null);
    } catch (error) {
      return resultOf(run, store, "failed", tryOutputs(frame), run.redactor.data(toFlowError(error).toData()));
    }
  }
  const { error } = outcome as Outcome & { readonly error: FlowError };
  const data = run.redactor.data(error.toData());
  if (error instanceof BudgetError) {
    const closing =
      error.ledger === frame.ledger && run.scope.reason === undefined
        ? await finalizeStep(run.plan.workflow, { ...frame, scope: run.scope.child() }, error)
        : undefined;
    const outputs =
      closing?.status === "completed" ? { ...tryOutputs(frame), result: closing.text } : tryOutputs(frame);
    return resultOf(run, store, "budget_exceeded", outputs, data);
  }
  return resultOf(run, store, run.scope.reason !== undefined ? "cancelled" : "failed", tryOutputs(frame), data);
}

function tryOutputs(frame: Frame): Record<string, unknown> {
  try {
    return computeOutputs(frame);
  } catch {
    return Object.fromEntries(frame.plan.outputs.map(([name]) => [name, null]));
  }
}

function resultOf(
  run: RunContext,
  store: Store,
  status: RunStatus,
  outputs: Record<string, unknown>,
  error: ErrorData | null,
): FlowResult {
  const records = store.all();
  const partial =
    status === "completed"
      ? {}
      : Object.fromEntries(
          records
            .filter((record) => record.status === "completed" && record.text !== "")
            .map((record) => [record.stepId, record.text]),
        );
  return {
    status,
    runId: run.runId,
    outputs,
    partial,
    usage: run.ledger.usage,
    costUsd: run.ledger.costUsd,
    error,
    pending: status === "suspended" ? run.journal.pending() : [],
    records,
  };
}

async function close(run: RunContext): Promise<void> {
  const handles = await run.models();
  await Promise.allSettled([...handles.map((handle) => handle.model.close?.()), run.env.tools.close()]);
}

/** Events as they come, until the run is over. */
function iterate(listeners: Set<(event: FlowEvent) => void>, ended: (() => void)[]): AsyncIterator<FlowEvent> {
  const queue: FlowEvent[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  const listen = (event: FlowEvent): void => {
    queue.push(event);
    wake?.();
  };
  listeners.add(listen);
  ended.push(() => {
    isOver = true;
    wake?.();
  });
  return {
    async next() {
      while (queue.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const event = queue.shift();
      return event === undefined ? { done: true, value: undefined } : { done: false, value: event };
    },
    async return() {
      listeners.delete(listen);
      return { done: true, value: undefined };
    },
  };
}
