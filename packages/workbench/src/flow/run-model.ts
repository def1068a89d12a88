/** One event of a run, as `events.ndjson` holds it. */
export interface FlowEvent {
  readonly seq: number;
  /** Ms of the run's clock. */
  readonly time: number;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a step is doing or came to. */
export type StepState = "running" | "completed" | "failed" | "skipped" | "retrying" | "stopped" | "waiting";

/** One stretch of time of a step. */
export interface Bar {
  readonly from: number;
  readonly to: number | null;
  readonly kind: "run" | "failed" | "wait";
}

/** One step of the run. */
export interface RunStep {
  readonly spanId: string;
  readonly parent: string | null;
  readonly depth: number;
  readonly id: string;
  readonly kind: string;
  readonly agent: string;
  readonly role: string;
  readonly state: StepState;
  readonly attempt: number;
  readonly durationMs: number | null;
  readonly tokens: number;
  readonly costUsd: number;
  readonly bars: readonly Bar[];
  readonly output: string | null;
  readonly problem: string | null;
}

/** One round of feedback: what was said of whose text, and the texts before and after. */
export interface Round {
  readonly k: number;
  readonly approved: boolean;
  readonly closing: boolean;
  readonly targets: readonly string[];
  readonly revisions: readonly { readonly stepId: string; readonly before: string; readonly after: string }[];
}

/** Everything that a run's page shows. */
export interface RunModel {
  readonly flow: string;
  readonly input: string;
  readonly state: string;
  readonly beginMs: number;
  readonly endMs: number;
  readonly steps: readonly RunStep[];
  readonly tools: readonly {
    readonly name: string;
    readonly calls: number;
    readonly failed: number;
    readonly ms: number;
  }[];
  readonly rounds: readonly Round[];
  readonly budgets: readonly {
    readonly name: string;
    readonly used: number;
    readonly limit: number;
    readonly isOver: boolean;
  }[];
  readonly questions: readonly { readonly token: string; readonly prompt: string }[];
  readonly conflicts: readonly string[];
  readonly totals: {
    readonly agents: number;
    readonly calls: number;
    readonly tokens: number;
    readonly usd: number;
    readonly errors: number;
  };
}

interface OpenStep extends Omit<RunStep, "bars"> {
  readonly bars: Bar[];
}

const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

/** Reads events in their order; a run that goes on is read as far as it is. */
export function readRun(events: readonly FlowEvent[]): RunModel {
  const steps = new Map<string, OpenStep>();
  const tools = new Map<string, { calls: number; failed: number; ms: number }>();
  const budgets = new Map<string, RunModel["budgets"][number]>();
  const questions = new Map<string, string>();
  const rounds: { k: number; approved: boolean; closing: boolean; targets: readonly string[]; at: number }[] = [];
  const outputs: { readonly stepId: string; readonly text: string; readonly at: number }[] = [];
  const conflicts: string[] = [];
  const totals = { agents: 0, calls: 0, tokens: 0, usd: 0, errors: 0 };
  const first = events[0];
  let state = first === undefined ? "empty" : "running";
  const change = (spanId: string, next: Partial<OpenStep>): void => {
    const step = steps.get(spanId);
    if (step !== undefined) steps.set(spanId, { ...step, ...next });
  };
  const close = (spanId: string, to: number, kind: Bar["kind"]): void => {
    const bars = steps.get(spanId)?.bars;
    const open = bars?.at(-1);
    if (bars !== undefined && open !== undefined && open.to === null) bars[bars.length - 1] = { ...open, to, kind };
  };
  for (const { type, data, time, spanId, parentSpanId, seq } of events) {
    switch (type) {
      case "run.started":
      case "run.resumed":
        state = "running";
        break;
      case "run.completed":
      case "run.failed":
      case "run.cancelled":
      case "run.suspended":
        state = type.slice(4);
        break;
      case "step.started": {
        const known = steps.get(spanId);
        const bar: Bar = { from: time, to: null, kind: "run" };
        if (known === undefined)
          steps.set(spanId, {
            spanId,
            parent: parentSpanId,
            depth: parentSpanId === null ? 0 : (steps.get(parentSpanId)?.depth ?? -1) + 1,
            id:
              numberOf(data.iteration) > 0
                ? `${textOf(data.stepId)}, round ${numberOf(data.iteration)}`
                : textOf(data.stepId),
            kind: textOf(data.kind),
            agent: textOf(data.agentId),
            role: "",
            state: "running",
            attempt: numberOf(data.attempt) || 1,
            durationMs: null,
            tokens: 0,
            costUsd: 0,
            bars: [bar],
            output: null,
            problem: null,
          });
        else {
          known.bars.push(bar);
          change(spanId, { state: "running", attempt: numberOf(data.attempt) || known.attempt });
        }
        break;
      }
      case "step.completed": {
        close(spanId, time, "run");
        const usage = (data.usage ?? {}) as Readonly<Record<string, unknown>>;
        change(spanId, {
          state: "completed",
          durationMs: numberOf(data.durationMs),
          tokens: numberOf(usage.inputTokens) + numberOf(usage.outputTokens),
          costUsd: numberOf(data.costUsd),
        });
        break;
      }
      case "step.failed": {
        close(spanId, time, "failed");
        totals.errors++;
        const error = data.error as { readonly message?: unknown } | null | undefined;
        change(spanId, {
          state: "failed",
          durationMs: numberOf(data.durationMs),
          problem: textOf(error?.message ?? data.reason),
        });
        break;
      }
      case "step.skipped":
        if (!steps.has(spanId))
          steps.set(spanId, {
            spanId,
            parent: parentSpanId,
            depth: parentSpanId === null ? 0 : (steps.get(parentSpanId)?.depth ?? -1) + 1,
            id: textOf(data.stepId),
            kind: textOf(data.kind),
            agent: textOf(data.agentId),
            role: "",
            state: "skipped",
            attempt: 0,
            durationMs: null,
            tokens: 0,
            costUsd: 0,
            bars: [],
            output: null,
            problem: textOf(data.reason),
          });
        break;
      case "step.retrying":
        close(spanId, time, "failed");
        steps.get(spanId)?.bars.push({ from: time, to: time + numberOf(data.durationMs), kind: "wait" });
        change(spanId, { state: "retrying", problem: textOf(data.reason) });
        break;
      case "agent.started":
        change(spanId, { role: textOf(data.role) });
        break;
      case "agent.completed":
        totals.agents++;
        if (typeof data.output === "string") {
          outputs.push({ stepId: textOf(data.stepId), text: data.output, at: seq });
          change(spanId, { output: data.output });
        }
        break;
      case "llm.completed":
        totals.calls++;
        totals.tokens += numberOf(data.promptTokens) + numberOf(data.outputTokens);
        totals.usd += numberOf(data.costUsd);
        break;
      case "llm.failed":
        totals.errors++;
        break;
      case "tool.completed":
      case "tool.denied": {
        const name = textOf(data.name);
        const tool = tools.get(name) ?? { calls: 0, failed: 0, ms: 0 };
        tools.set(name, {
          calls: tool.calls + 1,
          failed: tool.failed + (data.ok === true ? 0 : 1),
          ms: tool.ms + numberOf(data.durationMs),
        });
        break;
      }
      case "feedback.iteration":
        rounds.push({
          k: numberOf(data.k),
          approved: data.approved === true,
          closing: data.closing === true,
          targets: Array.isArray(data.targets) ? data.targets.map(textOf) : [],
          at: seq,
        });
        break;
      case "budget.warned":
      case "budget.exceeded": {
        const name = `${textOf(data.path) || "run"} ${textOf(data.which)}`;
        budgets.set(name, {
          name,
          used: numberOf(data.used),
          limit: numberOf(data.limit),
          isOver: type === "budget.exceeded",
        });
        break;
      }
      case "human.requested":
        questions.set(textOf(data.token), textOf(data.prompt));
        break;
      case "human.answered":
        questions.delete(textOf(data.token));
        break;
      case "conflict.found":
        conflicts.push(
          `${Array.isArray(data.agents) ? data.agents.map(textOf).join(", ") : ""} disagree on ${textOf(data.topic)}`,
        );
        break;
      default:
        break;
    }
  }
  const last = events.at(-1);
  const isOver = state !== "running";
  return {
    flow: textOf(first?.data.flow),
    input: textOf(first?.data.input),
    state,
    beginMs: first?.time ?? 0,
    endMs: Math.max(last?.time ?? 0, (first?.time ?? 0) + 1),
    steps: [...steps.values()].map((step) =>
      step.state === "running" && isOver ? { ...step, state: state === "suspended" ? "waiting" : "stopped" } : step,
    ),
    tools: [...tools].map(([name, tool]) => ({ name, ...tool })),
    rounds: rounds.map(({ at, ...round }, index) => ({
      ...round,
      revisions: round.targets.flatMap((stepId) => {
        const before = outputs.findLast((output) => output.stepId === stepId && output.at < at);
        const until = rounds[index + 1]?.at ?? Number.POSITIVE_INFINITY;
        const after = outputs.find((output) => output.stepId === stepId && output.at > at && output.at < until);
        return before === undefined || after === undefined ? [] : [{ stepId, before: before.text, after: after.text }];
      }),
    })),
    budgets: [...budgets.values()],
    questions: [...questions].map(([token, prompt]) => ({ token, prompt })),
    conflicts,
    totals,
  };
}
