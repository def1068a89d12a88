/** Types of event. */
export const EVENT_TYPES = [
  "run.started",
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.suspended",
  "run.resumed",
  "step.started",
  "step.completed",
  "step.failed",
  "step.skipped",
  "step.retrying",
  "agent.started",
  "agent.progress",
  "agent.completed",
  "subagents.planned",
  "llm.requested",
  "llm.delta",
  "llm.completed",
  "llm.failed",
  "tool.called",
  "tool.completed",
  "tool.denied",
  "memory.queried",
  "memory.stored",
  "context.selected",
  "context.summarized",
  "feedback.iteration",
  "delegation.decided",
  "conflict.found",
  "conflict.resolved",
  "budget.warned",
  "budget.exceeded",
  "rate.waited",
  "human.requested",
  "human.answered",
  "checkpoint.saved",
  "log",
] as const;

/** A type of event. */
export type EventType = (typeof EVENT_TYPES)[number];

/** One event; one JSON object a line in `events.ndjson`. */
export interface FlowEvent {
  readonly v: 1;
  /** From 0 without gaps. */
  readonly seq: number;
  /** Ms of the run's clock. */
  readonly time: number;
  readonly runId: string;
  /** Path of the step, agent or call. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Removes secrets from text and from data that may hold them. */
export class Redactor {
  readonly #secrets: readonly string[];

  /** @param secrets values that must not be shown; those shorter than 4 characters are left, as they occur by chance */
  constructor(secrets: readonly string[]) {
    const all = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
    // Longest first: a secret that contains another must not leave its rest.
    this.#secrets = [...new Set(all.filter((secret) => secret.length >= 4))].sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, "[redacted]");
    return clean;
  }

  data<T>(value: T): T {
    return this.#secrets.length === 0 ? value : (this.#deep(value) as T);
  }

  #deep(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#deep(item));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.text(key), this.#deep(inner)]));
    return value;
  }
}
