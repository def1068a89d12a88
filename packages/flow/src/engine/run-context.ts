import { compileJsonSchema } from "../config/json-schema.ts";
import type { FlowPlan, ModelPlan, RateLimitPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import { hash64 } from "../hash.ts";
import type { Embedder } from "../memory/embedder.ts";
import type { Memory } from "../memory/memory.ts";
import type { LanguageModel, ModelExtras, ModelFactory } from "../providers/model.ts";
import type { ToolSource } from "../tools/tool.ts";
import { afterMicrotasks, type Clock } from "./clock.ts";
import type { Features } from "./context.ts";
import type { DelegationPolicy } from "./delegation-policy.ts";
import { type EventType, type FlowEvent, Redactor } from "./events.ts";
import { findInjection, type InjectionFlag } from "./fence.ts";
import type { Journal, LogEntry } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Quoted } from "./prompts.ts";
import { RateLimiter } from "./rate-limiter.ts";
import type { Scope } from "./scope.ts";
import type { StepRecord } from "./store.ts";

/** Seeded randomness; handed in. Streams depend on seed and name only. */
export interface FlowRng {
  split(name: string): FlowRng;
  /** Uniform in [0, 1). */
  uniform(): number;
}

/** A question to a person. */
export interface HumanRequest {
  readonly token: string;
  readonly prompt: string;
  /** JSON Schema of the answer; undefined for free text. */
  readonly schema: unknown;
  readonly stepId: string;
}

/** What the parts of a run share. */
export interface RunEnvironment {
  readonly clock: Clock;
  readonly rng: FlowRng;
  readonly models: ModelFactory;
  readonly tools: ToolSource;
  readonly embedder: Embedder | undefined;
  /** Memory of a flow; undefined where it has none. */
  readonly memory: (plan: FlowPlan) => Promise<Memory | undefined>;
  readonly policies: (name: string, plan: FlowPlan) => Promise<DelegationPolicy | undefined>;
  readonly onEvent: (event: FlowEvent) => void;
  /** Whether anybody listens: without it events are counted, not made. */
  readonly isWatched: () => boolean;
  /** Asks a person now; undefined as answer leaves the question open. */
  readonly onHuman: ((request: HumanRequest) => Promise<unknown>) | undefined;
  readonly recordContent: boolean;
  /** Whether model calls are streamed, with an event a piece. */
  readonly stream: boolean;
  /** Ends every wait for a person at once when nothing else runs. */
  readonly replay: boolean;
  /** Real time in ms since 1970, for dates that providers send. */
  readonly wallNow: () => number;
}

/** A model in use. */
export interface ModelHandle {
  readonly plan: ModelPlan;
  readonly model: LanguageModel & ModelExtras;
  readonly limiter: RateLimiter | undefined;
  /** Largest ratio of real to estimated prompt tokens seen; estimates are raised by it. */
  estimateRatio: number;
}

/** Leaves an agent or step that waits for a person. */
export class SuspendSignal extends Error {
  override readonly name = "SuspendSignal";
  readonly token: string;
  constructor(token: string) {
    super(`Waiting for an answer to ${token}.`);
    this.token = token;
  }
}

type EventData = Readonly<Record<string, unknown>>;

interface Waiter {
  readonly resolve: (value: unknown) => void;
  readonly suspend: () => void;
}

/** assumption: calls at the same time that an HTTP provider bears where the file sets no limit. */
const DEFAULT_HTTP_CONCURRENCY = 16;

/** One run: what all its steps share. Nothing of it is global. */
export class RunContext {
  readonly env: RunEnvironment;
  readonly plan: FlowPlan;
  readonly runId: string;
  /** Random tag of the fences of this run. */
  readonly fenceTag: string;
  readonly seed: string;
  readonly journal: Journal;
  readonly redactor: Redactor;
  readonly scope: Scope;
  readonly ledger: Ledger;
  /** What is worked out once for each record that agents are shown. */
  readonly shown = {
    quoted: new Map<StepRecord, Quoted>(),
    fences: new Map<Quoted, string>(),
    features: new Map<StepRecord, Features>(),
  };
  readonly #handles = new Map<ModelPlan, Promise<ModelHandle>>();
  readonly #ready = new Map<ModelPlan, ModelHandle>();
  readonly #limiters = new Map<string, RateLimiter>();
  readonly #waiters = new Map<string, Waiter>();
  readonly #flags = new Map<string, readonly InjectionFlag[]>();
  #lateAnswers = false;
  #memories = new Map<FlowPlan, Promise<Memory | undefined>>();
  #seq: number;
  #active = 0;
  #checking = false;

  constructor(options: {
    readonly env: RunEnvironment;
    readonly plan: FlowPlan;
    readonly runId: string;
    readonly fenceTag: string;
    readonly seed: string;
    readonly journal: Journal;
    readonly scope: Scope;
    readonly ledger: (run: RunContext) => Ledger;
    readonly firstSeq: number;
  }) {
    this.env = options.env;
    this.plan = options.plan;
    this.runId = options.runId;
    this.fenceTag = options.fenceTag;
    this.seed = options.seed;
    this.journal = options.journal;
    this.scope = options.scope;
    this.redactor = new Redactor(options.plan.secrets);
    this.#seq = options.firstSeq;
    this.ledger = options.ledger(this);
  }

  get clock(): Clock {
    return this.env.clock;
  }

  /** Tells an event; secrets are taken out. Data given as a function is made only when somebody listens. */
  emit(type: EventType, spanId: string, data: EventData | (() => EventData)): void {
    const seq = this.#seq++;
    if (!this.env.isWatched()) return;
    this.env.onEvent({
      v: 1,
      seq,
      time: this.clock.now(),
      runId: this.runId,
      spanId,
      parentSpanId: parentSpan(spanId),
      type,
      data: this.redactor.data(typeof data === "function" ? data() : data),
    });
  }

  /** Length and hash of a text, and the text itself where content is recorded. */
  content(name: string, text: string): Record<string, unknown> {
    const brief = { [`${name}Chars`]: text.length, [`${name}Hash`]: hash64(text) };
    return this.env.recordContent ? { ...brief, [name]: text } : brief;
  }

  /** Adds to the log, secrets taken out of errors. */
  log(entry: LogEntry): void {
    this.journal.append(entry);
  }

  /** Signs of injection in a text; the same text is shown to many agents and looked at once. */
  injectionFlags(text: string): readonly InjectionFlag[] {
    let flags = this.#flags.get(text);
    if (flags === undefined) {
      flags = findInjection(text);
      this.#flags.set(text, flags);
    }
    return flags;
  }

  warn(spanId: string, message: string, data: Readonly<Record<string, unknown>> = {}): void {
    this.emit("log", spanId, { level: "warn", message, ...data });
  }

  /** Uniform draw that depends on the seed and its name only. */
  uniform(stream: string, name: string): number {
    return this.env.rng.split(stream).split(name).uniform();
  }

  /** The model of a plan where it is made already. */
  readyModel(plan: ModelPlan): ModelHandle | undefined {
    return this.#ready.get(plan);
  }

  /** The model of a plan, made at first use. */
  model(plan: ModelPlan): Promise<ModelHandle> {
    let handle = this.#handles.get(plan);
    if (handle === undefined) {
      handle = this.clock.hold(
        this.env.models(plan, { clock: this.clock, seed: this.seed }).then((model) => {
          const made: ModelHandle = { plan, model, limiter: this.#limiter(plan), estimateRatio: 1 };
          this.#ready.set(plan, made);
          return made;
        }),
      );
      this.#handles.set(plan, handle);
    }
    return handle;
  }

  /** Models made so far, once they are ready. */
  async models(): Promise<readonly ModelHandle[]> {
    const settled = await Promise.allSettled(this.#handles.values());
    return settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }

  memory(plan: FlowPlan): Promise<Memory | undefined> {
    let memory = this.#memories.get(plan);
    if (memory === undefined) {
      memory = this.clock.hold(this.env.memory(plan));
      this.#memories.set(plan, memory);
    }
    return memory;
  }

  /** Marks work on which the run does not stand still: while there is any, nobody is suspended. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    this.#active++;
    try {
      return await work();
    } finally {
      this.#active--;
      this.#lookForStandstill();
    }
  }

  /**
   * Asks a person. Answers that the log holds are returned at once; else waits until an answer comes or nothing else
   * runs.
   *
   * @throws SuspendSignal when the run has to stop for the answer
   */
  async askHuman(question: {
    readonly path: string;
    readonly stepId: string;
    readonly prompt: string;
    readonly schema: unknown;
    readonly timeoutMs: number | undefined;
    readonly fallback: { readonly value: unknown } | undefined;
    readonly scope: Scope;
  }): Promise<unknown> {
    const token = `h_${hash64(`${this.runId} ${question.path}`)}`;
    const known = this.journal.answer(token);
    if (known !== undefined) return known.value;
    if (this.journal.human(token) === undefined) {
      this.log({
        kind: "human",
        path: question.path,
        token,
        prompt: question.prompt,
        schema: question.schema ?? null,
        at: this.env.wallNow(),
      });
      this.emit("human.requested", question.path, {
        token,
        stepId: question.stepId,
        prompt: question.prompt,
        schema: question.schema ?? null,
      });
    }
    const deadline = question.timeoutMs === undefined ? undefined : this.journal.human(token)!.at + question.timeoutMs;
    const overdue = (): unknown => {
      if (question.fallback === undefined)
        throw new FlowError("E406", "timeout", `Nobody answered '${question.stepId}' within ${question.timeoutMs} ms.`);
      this.#record(token, question.fallback.value, question.path, true);
      return question.fallback.value;
    };
    if (deadline !== undefined && this.env.wallNow() >= deadline) return overdue();
    if (this.env.onHuman !== undefined) {
      const given = await question.scope.race(
        this.busy(() =>
          this.clock.hold(
            this.env.onHuman!({ token, prompt: question.prompt, schema: question.schema, stepId: question.stepId }),
          ),
        ),
      );
      if (given !== undefined) {
        this.#accept(token, given);
        return given;
      }
    }
    return this.#wait(token, question.scope, deadline, question.fallback === undefined ? undefined : overdue);
  }

  #wait(
    token: string,
    scope: Scope,
    deadline: number | undefined,
    overdue: (() => unknown) | undefined,
  ): Promise<unknown> {
    const timer = scope.child();
    const answered = new Promise((resolve, reject) => {
      this.#waiters.set(token, { resolve, suspend: () => reject(new SuspendSignal(token)) });
      this.#lookForStandstill();
    });
    const waits: Promise<unknown>[] = [scope.race(answered)];
    // With a default the run can go on by itself: the wait counts as activity.
    if (deadline !== undefined && overdue !== undefined)
      waits.push(this.busy(() => this.clock.sleep(deadline - this.env.wallNow(), timer)).then(overdue));
    return Promise.race(waits).finally(() => {
      this.#waiters.delete(token);
      timer.cancel(new FlowError("E408", "cancelled", "The wait is over."));
      timer.close();
      for (const wait of waits) wait.catch(() => undefined);
    });
  }

  /** Takes an answer. @throws FlowError E411 for an unknown or answered token, E405 for an answer that does not fit */
  answer(token: string, value: unknown): void {
    this.#accept(token, value);
    const waiter = this.#waiters.get(token);
    if (waiter === undefined) this.#lateAnswers = true;
    else waiter.resolve(value);
  }

  #accept(token: string, value: unknown): void {
    const human = this.journal.human(token);
    if (human === undefined) throw new FlowError("E411", "invalid_request", `No question has the token '${token}'.`);
    if (this.journal.answer(token) !== undefined)
      throw new FlowError("E411", "invalid_request", `The question '${token}' was answered before.`);
    if (typeof human.schema === "object" && human.schema !== null) {
      const fault = compileJsonSchema(human.schema as Readonly<Record<string, unknown>>)(value);
      if (fault !== null)
        throw new FlowError("E405", "bad_output", `The answer does not fit the question's schema: ${fault}.`);
    }
    this.#record(token, value, human.path, false);
  }

  /** Whether answers came since the last call that no step was waiting for any more. */
  takeLateAnswers(): boolean {
    const late = this.#lateAnswers;
    this.#lateAnswers = false;
    return late;
  }

  #record(token: string, value: unknown, path: string, byDefault: boolean): void {
    this.log({ kind: "answer", token, value, at: this.clock.now() });
    this.emit("human.answered", path, { token, byDefault });
  }

  /** Whether a tool with `approval: first` was allowed before in this run. */
  wasApproved(tool: string): boolean {
    return this.journal.effect(`approved/${tool}`) !== undefined;
  }

  approve(tool: string): void {
    if (!this.wasApproved(tool)) this.log({ kind: "effect", path: `approved/${tool}`, value: true });
  }

  /** When nothing runs but people are waited for, the waits end. */
  #lookForStandstill(): void {
    if (this.#checking || this.#active > 0 || this.#waiters.size === 0) return;
    this.#checking = true;
    afterMicrotasks(() => {
      this.#checking = false;
      if (this.#active > 0) return;
      for (const waiter of [...this.#waiters.values()]) waiter.suspend();
    });
  }

  #limiter(plan: ModelPlan): RateLimiter | undefined {
    const { rateLimits } = this.plan;
    const key = rateLimits.has(plan.id) ? `model ${plan.id}` : `provider ${plan.provider} ${plan.baseUrl ?? ""}`;
    const known = this.#limiters.get(key);
    if (known !== undefined) return known;
    const isHttp = !["simulated", "scripted", "gguf"].includes(plan.provider);
    const fallback: RateLimitPlan | undefined = isHttp
      ? { requestsPerMinute: undefined, tokensPerMinute: undefined, maxConcurrency: DEFAULT_HTTP_CONCURRENCY }
      : undefined;
    const limits = rateLimits.get(plan.id) ?? rateLimits.get(plan.provider) ?? fallback;
    if (limits === undefined) return undefined;
    const limiter = new RateLimiter(limits, this.clock, this.scope);
    this.#limiters.set(key, limiter);
    return limiter;
  }
}

/** The span around a span: rounds, items and attempts are parts of a path, but no spans. */
function parentSpan(spanId: string): string | null {
  let end = spanId.lastIndexOf("/");
  while (end > 0 && "#[~".includes(spanId[spanId.lastIndexOf("/", end - 1) + 1]!))
    end = spanId.lastIndexOf("/", end - 1);
  return end <= 0 ? null : spanId.slice(0, end);
}
