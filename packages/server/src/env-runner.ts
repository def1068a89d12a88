import {
  type Env,
  type EnvDefinition,
  type EnvSnapshot,
  type EnvTool,
  encodeResult,
  encodeState,
  findNonFinite,
  type MaybePromise,
  PraxisError,
  type ResetRequest,
  type ResetResult,
  type ServerMode,
  type StepResult,
  type ToolContext,
  toPlainJson,
  toPraxisError,
  type WireStep,
} from "@praxis/env";
import type { Clock } from "./clock.ts";
import type { Counters } from "./counters.ts";
import { Deadline } from "./deadline.ts";
import { OperationQueue } from "./operation-queue.ts";
import type { EpisodeEntry, RecentEpisodes } from "./recent-episodes.ts";

/** How long after its deadline an aborted operation may still settle before its environment is replaced. */
const SETTLE_GRACE_MS = 250;

/** What the environments of a server share. */
export interface RunnerHost {
  readonly clock: Clock;
  readonly counters: Counters;
  /** Where episodes are noted; null = nowhere. */
  readonly recent: RecentEpisodes | null;
  readonly stepTimeoutMs: number;
  readonly resetTimeoutMs: number;
  readonly toolTimeoutMs: number;
  /** Logs a fault of an environment; the client gets the message only. */
  report(error: unknown, where: { readonly id: string; readonly definition: EnvDefinition }): void;
}

/** Answer to reset and step. */
export interface SessionReply {
  readonly result: ResetResult<unknown> | StepResult<unknown>;
  readonly wire: WireStep;
  /** `wire` as JSON text. */
  readonly json: string;
}

/**
 * Answer to a tool call: the tool's plain return value as JSON text (undefined becomes null) and the results of the steps that
 * the tool took.
 */
export interface ToolReply {
  readonly json: string;
  readonly steps: readonly StepResult<unknown>[];
}

/** Answer to state, in the names of the wire. */
export interface StateReply {
  readonly wire: Readonly<Record<string, unknown>>;
  readonly json: string;
}

/** All that has to come back when an operation fails. */
interface Before {
  readonly snapshot: EnvSnapshot;
  readonly begun: boolean;
  readonly last: ResetResult<unknown> | StepResult<unknown> | null;
}

/** One tool call: once over, its context can't step any more. */
interface ToolTurn {
  over: boolean;
  readonly steps: StepResult<unknown>[];
}

const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> => value instanceof Promise;

/**
 * One environment instance and its operations, one at a time in the order they were asked for.
 *
 * With a synchronous environment every operation answers (or throws) at once, without promise or timer. Otherwise it
 * answers with a promise that keeps the deadline: at the deadline the caller gets STEP_TIMEOUT, the signal is aborted, and
 * before the next operation the state of before is brought back, in a new environment if the old one stays stuck. Any
 * failure leaves the state as it was.
 */
export class EnvRunner {
  readonly id: string;
  readonly definition: EnvDefinition;
  readonly #host: RunnerHost;
  readonly #seed: number;
  #env: Env;
  #isClosed = false;
  #isEnvClosed = false;
  readonly #operations = new OperationQueue();
  #deadline = new Deadline();
  #begun = false;
  #lost = false;
  #last: ResetResult<unknown> | StepResult<unknown> | null = null;
  #lastActiveAt: number;
  #entry: EpisodeEntry | null = null;

  /** Builds the environment; throws FACTORY_ERROR when that fails. @param id of the session, for messages and the log */
  constructor(id: string, definition: EnvDefinition, seed: number, host: RunnerHost) {
    this.id = id;
    this.definition = definition;
    this.#seed = seed;
    this.#host = host;
    this.#lastActiveAt = host.clock.now();
    this.#env = this.#makeEnv();
  }

  /** Last result of reset or step, null before the first. */
  get last(): ResetResult<unknown> | StepResult<unknown> | null {
    return this.#last;
  }

  get isBusy(): boolean {
    return this.#operations.isHeld;
  }

  /** Clock time of the last reset, step, tool call or {@link touch}. */
  get lastActiveAt(): number {
    return this.#lastActiveAt;
  }

  /** Begins an episode. `warnings` (say, of unknown options) are added to the info. */
  reset(request: ResetRequest = {}, warnings: readonly string[] = []): MaybePromise<SessionReply> {
    return this.#operations.run(() => this.#reset(request, warnings));
  }

  /** One step with an action that fits the schema; resets first (unseeded) if no episode was ever begun. */
  step(action: unknown, timeoutMs = this.#host.stepTimeoutMs): MaybePromise<SessionReply> {
    return this.#operations.run(() => this.#step(action, timeoutMs));
  }

  /** Public state of the episode. */
  state(): MaybePromise<StateReply> {
    return this.#operations.run(() => this.#state());
  }

  /** Runs a tool with arguments that fit its schema, as one operation: if it fails, its steps are undone too. */
  callTool(
    tool: EnvTool,
    args: Record<string, unknown>,
    mode: ServerMode,
    timeoutMs = this.#host.toolTimeoutMs,
  ): MaybePromise<ToolReply> {
    return this.#operations.run(() => this.#callTool(tool, args, mode, timeoutMs));
  }

  /** Counts the present moment as activity. */
  touch(): void {
    this.#lastActiveAt = this.#host.clock.now();
  }

  /** Refuses further operations, aborts the one in progress and closes the environment, at the latest when that is over. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#entry?.leave();
    if (this.isBusy) this.#deadline.abort(new PraxisError("UNKNOWN_SESSION", "The session was closed."));
    else this.#closeEnv();
  }

  #reset(request: ResetRequest, warnings: readonly string[]): MaybePromise<SessionReply> {
    this.#checkOpen();
    const before = this.#save();
    try {
      const begun = this.#env.reset(request);
      if (isPromise(begun))
        return this.#wait(begun, before, this.#host.resetTimeoutMs, "Reset", (result) =>
          this.#keepReset(result, warnings, request.seed),
        );
      return this.#keepReset(begun, warnings, request.seed);
    } catch (error) {
      throw this.#undo(before, error);
    }
  }

  #keepReset(result: ResetResult<unknown>, warnings: readonly string[], seed: number | undefined): SessionReply {
    const told = warnings.length === 0 ? result : { ...result, info: { ...result.info, warnings } };
    const wire = encodeResult(told);
    const json = JSON.stringify(wire);
    this.#begin(told, seed);
    this.touch();
    return { result: told, wire, json };
  }

  #begin(result: ResetResult<unknown>, seed?: number): void {
    const { recent, clock } = this.#host;
    if (recent !== null) {
      this.#entry?.leave();
      this.#entry = recent.begin(this.definition, this.#env.state().episodeId, seed, clock.timestamp());
    }
    this.#begun = true;
    this.#lost = false;
    this.#last = result;
    this.#host.counters.resets++;
  }

  #step(action: unknown, timeoutMs: number): MaybePromise<SessionReply> {
    this.#checkOpen();
    this.#checkEpisode();
    const startedAt = this.#host.clock.now();
    const before = this.#save();
    try {
      if (!this.#begun) {
        const begun = this.#env.reset();
        if (isPromise(begun)) {
          const stepped = begun.then((result) => {
            this.#begin(result);
            return this.#env.step(action, this.#deadline);
          });
          return this.#wait(stepped, before, timeoutMs, "Step", (result) => this.#keepStep(result, startedAt));
        }
        this.#begin(begun);
      }
      const stepped = this.#env.step(action, this.#deadline);
      if (isPromise(stepped))
        return this.#wait(stepped, before, timeoutMs, "Step", (result) => this.#keepStep(result, startedAt));
      const reply = this.#keepStep(stepped, startedAt);
      if (this.#lastActiveAt - startedAt > timeoutMs) this.#host.counters.overruns++;
      return reply;
    } catch (error) {
      throw this.#undo(before, error);
    }
  }

  #keepStep(result: StepResult<unknown>, startedAt: number): SessionReply {
    const wire = encodeResult(result);
    const json = JSON.stringify(wire);
    this.#last = result;
    this.#entry?.add(result);
    this.#lastActiveAt = this.#host.clock.now();
    this.#host.counters.addStep(this.#lastActiveAt - startedAt);
    return { result, wire, json };
  }

  #state(): StateReply {
    this.#checkOpen();
    try {
      const wire = encodeState(this.#env.state());
      const path = findNonFinite(wire);
      if (path !== null)
        throw new PraxisError(
          "NON_FINITE_NUMBER",
          `The environment's state has a number that is not finite in ${path}.`,
        );
      this.#host.counters.stateReads++;
      return { wire, json: JSON.stringify(wire) };
    } catch (error) {
      throw this.#fault(error);
    }
  }

  #callTool(
    tool: EnvTool,
    args: Record<string, unknown>,
    mode: ServerMode,
    timeoutMs: number,
  ): MaybePromise<ToolReply> {
    this.#checkOpen();
    this.#checkEpisode();
    const before = this.#save();
    const turn: ToolTurn = { over: false, steps: [] };
    const keep = (value: unknown): ToolReply => {
      turn.over = true;
      const path = findNonFinite(value);
      if (path !== null)
        throw new PraxisError(
          "NON_FINITE_NUMBER",
          `Tool '${tool.name}' returned a number that is not finite: ${path || "the result"}.`,
        );
      const reply = { json: JSON.stringify(toPlainJson(value)) ?? "null", steps: turn.steps };
      this.touch();
      this.#host.counters.toolCalls++;
      for (const step of turn.steps) this.#entry?.add(step);
      return reply;
    };
    const call = (): MaybePromise<unknown> => tool.call(this.#env, args, this.#toolContext(mode, turn));
    try {
      let returned: MaybePromise<unknown>;
      const begun = this.#begun ? null : this.#env.reset();
      if (begun !== null && isPromise(begun))
        returned = begun.then((result) => {
          this.#begin(result);
          return call();
        });
      else {
        if (begun !== null) this.#begin(begun);
        returned = call();
      }
      if (!isPromise(returned)) return keep(returned);
      return this.#wait(returned, before, timeoutMs, `Tool '${tool.name}'`, keep, turn);
    } catch (error) {
      turn.over = true;
      throw this.#undo(before, error);
    }
  }

  #toolContext(mode: ServerMode, turn: ToolTurn): ToolContext {
    const session = this;
    const env = this.#env;
    const deadline = this.#deadline;
    return {
      mode,
      get last() {
        return session.#last!;
      },
      async step(action) {
        if (turn.over) throw new PraxisError("STEP_TIMEOUT", "The tool call is over; its context can't step any more.");
        const startedAt = session.#host.clock.now();
        const result = await env.step(action, deadline);
        if (turn.over) throw new PraxisError("STEP_TIMEOUT", "The tool call ended during its step.");
        session.#keepStep(result, startedAt);
        turn.steps.push(result);
        return result;
      },
    };
  }

  /** Waits for an operation that did not answer at once; until it is over, further operations queue. */
  #wait<T, R>(
    pending: Promise<T>,
    before: Before,
    timeoutMs: number,
    what: string,
    keep: (value: T) => R,
    turn?: ToolTurn,
  ): Promise<R> {
    this.#operations.hold();
    const deadline = this.#deadline;
    return new Promise<R>((resolve, reject) => {
      let phase: "running" | "late" | "over" = "running";
      const abandon = (): void => {
        phase = "over";
        this.#replaceEnv(before);
        this.#next();
      };
      let cancel = this.#host.clock.after(timeoutMs, () => {
        phase = "late";
        if (turn !== undefined) turn.over = true;
        this.#host.counters.timeouts++;
        const error = new PraxisError(
          "STEP_TIMEOUT",
          `${what} timed out after ${timeoutMs / 1000} seconds; the state is as before. Retry, reset, or raise the deadline.`,
        );
        cancel = this.#host.clock.after(SETTLE_GRACE_MS, abandon);
        deadline.abort(error);
        reject(error);
      });
      const settle = (finish: () => void): void => {
        if (phase === "over") return;
        cancel();
        const late = phase === "late";
        phase = "over";
        this.#deadline = new Deadline();
        if (late) this.#restore(before);
        else finish();
        this.#next();
      };
      pending.then(
        (value) =>
          settle(() => {
            try {
              resolve(keep(value));
            } catch (error) {
              reject(this.#undo(before, error));
            }
          }),
        (error: unknown) =>
          settle(() => {
            if (turn !== undefined) turn.over = true;
            reject(this.#undo(before, error));
          }),
      );
    });
  }

  /** The operation under way is over: what waits goes on, each of a closed session with UNKNOWN_SESSION to its caller. */
  #next(): void {
    if (this.#isClosed) this.#closeEnv();
    this.#operations.release();
  }

  #save(): Before {
    return { snapshot: this.#env.snapshot(), begun: this.#begun, last: this.#last };
  }

  #restore(before: Before): void {
    try {
      this.#env.restore(before.snapshot);
      this.#begun = before.begun;
      this.#last = before.last;
    } catch (error) {
      this.#host.report(error, this);
      this.#loseEpisode();
    }
  }

  #undo(before: Before, error: unknown): PraxisError {
    this.#restore(before);
    return this.#fault(error);
  }

  /** The error for the caller; an unexpected one is logged with its stack, which stays here. */
  #fault(error: unknown): PraxisError {
    const known = toPraxisError(error);
    if (known.row.fault !== "caller") {
      this.#host.counters.failures++;
      this.#host.report(error, this);
    }
    return known;
  }

  /** A step that ignores its abort signal may still change its environment, so the session goes on in another one. */
  #replaceEnv(before: Before): void {
    const stuck = this.#env;
    this.#deadline = new Deadline();
    if (this.#isClosed) return;
    try {
      this.#env = this.#makeEnv();
    } catch (error) {
      this.#host.report(error, this);
      this.close();
      return;
    }
    this.#restore(before);
    this.#discard(stuck);
  }

  #makeEnv(): Env {
    try {
      return this.definition.makeEnv({ seed: this.#seed });
    } catch (cause) {
      throw new PraxisError("FACTORY_ERROR", `Environment factory '${this.definition.id}' failed to create instance.`, {
        cause,
        details: { factory_name: this.definition.id },
      });
    }
  }

  #loseEpisode(): void {
    this.#entry?.leave();
    this.#begun = false;
    this.#last = null;
    this.#lost = true;
  }

  #checkEpisode(): void {
    if (this.#lost)
      throw new PraxisError(
        "RESET_NEEDED",
        "The episode was lost when an operation failed. Call reset to begin another.",
      );
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new PraxisError("UNKNOWN_SESSION", `Unknown session_id: ${this.id}`);
  }

  #closeEnv(): void {
    if (this.#isEnvClosed) return;
    this.#isEnvClosed = true;
    this.#last = null;
    this.#discard(this.#env);
  }

  #discard(env: Env): void {
    try {
      const closing = env.close();
      if (isPromise(closing)) closing.catch((error: unknown) => this.#host.report(error, this));
    } catch (error) {
      this.#host.report(error, this);
    }
  }
}
