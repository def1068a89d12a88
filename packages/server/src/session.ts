import {
  type EnvDefinition,
  type EnvTool,
  type MaybePromise,
  PraxisError,
  type ResetRequest,
  type ResetResult,
  type ServerMode,
  type StepResult,
} from "@praxis/env";
import { EnvRunner, type RunnerHost, type SessionReply, type StateReply, type ToolReply } from "./env-runner.ts";

/** What a session was opened for. */
export type SessionKind = "ws" | "ws-mcp" | "http" | "http-mcp" | "mcp-stream" | "temporary" | "web";

/** The other end of a session: told when the session ends without having asked for it. */
export interface SessionOwner {
  /** `reason.row.closeCode` is the code to close a socket with. */
  sessionEnded(reason: PraxisError): void;
}

/** What all sessions of a server share. */
export interface SessionHost extends RunnerHost {
  /** Takes a session off the list and gives its slot back, if it still has one. */
  released(session: Session): void;
}

/**
 * An environment with an id, a slot, an owner and an end. Operations are those of {@link EnvRunner}: synchronous
 * environments answer or throw at once, others by a promise.
 */
export class Session {
  readonly id: string;
  readonly kind: SessionKind;
  readonly definition: EnvDefinition;
  readonly #host: SessionHost;
  readonly #runner: EnvRunner;
  #owner: SessionOwner | null = null;
  #attached: SessionOwner | null = null;
  #closeRequested = false;
  #closed = false;
  #heldUntil: number | null = null;

  /** Builds the environment; throws FACTORY_ERROR when that fails. */
  constructor(id: string, kind: SessionKind, definition: EnvDefinition, seed: number, host: SessionHost) {
    this.id = id;
    this.kind = kind;
    this.definition = definition;
    this.#host = host;
    this.#runner = new EnvRunner(id, definition, seed, host);
  }

  /** Last result of reset or step, null before the first. */
  get last(): ResetResult<unknown> | StepResult<unknown> | null {
    return this.#runner.last;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get isBusy(): boolean {
    return this.#runner.isBusy;
  }

  get isAttached(): boolean {
    return this.#attached !== null;
  }

  /** True while the session waits for a lost client to come back. */
  get isHeld(): boolean {
    return this.#heldUntil !== null;
  }

  /** Begins an episode. `warnings` (say, of unknown options) are added to the info. */
  reset(request?: ResetRequest, warnings?: readonly string[]): MaybePromise<SessionReply> {
    return this.#runner.reset(request, warnings);
  }

  /** One step with an action that fits the schema; resets first (unseeded) if no episode was ever begun. */
  step(action: unknown, timeoutMs?: number): MaybePromise<SessionReply> {
    return this.#runner.step(action, timeoutMs);
  }

  /** Public state of the episode. */
  state(): MaybePromise<StateReply> {
    return this.#runner.state();
  }

  /** Runs a tool with arguments that fit its schema, as one operation: if it fails, its steps are undone too. */
  callTool(
    tool: EnvTool,
    args: Record<string, unknown>,
    mode: ServerMode,
    timeoutMs?: number,
  ): MaybePromise<ToolReply> {
    return this.#runner.callTool(tool, args, mode, timeoutMs);
  }

  /** Counts the present moment as activity: the idle time starts again. */
  touch(): void {
    this.#runner.touch();
  }

  /** Names the one to tell when the session is ended from elsewhere. */
  setOwner(owner: SessionOwner): void {
    this.#owner = owner;
  }

  /** Attaches a second socket. Throws SESSION_BUSY if there is one already. */
  attach(owner: SessionOwner): void {
    if (this.#closed) throw new PraxisError("UNKNOWN_SESSION", `Unknown session_id: ${this.id}`);
    if (this.#attached !== null)
      throw new PraxisError("SESSION_BUSY", `Session ${this.id} already has an attached WebSocket`);
    this.#attached = owner;
    this.touch();
  }

  /** Ends the attachment of `owner`, and the session if its close was asked for meanwhile. */
  detach(owner: SessionOwner): void {
    if (this.#attached !== owner) return;
    this.#attached = null;
    if (this.#closeRequested) this.#release();
  }

  /** Keeps the session alive without a socket until that clock time; null once a socket is back. */
  hold(until: number | null): void {
    this.#heldUntil = until;
    if (until === null) this.touch();
  }

  /**
   * The owner is done: the slot is free at once, even mid-step. "closing" while a socket is attached: the end comes when
   * that socket leaves.
   */
  close(): "closed" | "closing" {
    if (this.#attached !== null) {
      this.#closeRequested = true;
      return "closing";
    }
    this.#release();
    return "closed";
  }

  /** Gives the slot back though operations asked for earlier still run; `close` must follow. */
  freeSlot(): void {
    if (this.#attached === null) this.#host.released(this);
  }

  /** Ends the session whatever is attached, and tells owner and attached socket why. */
  end(reason: PraxisError): void {
    if (this.#closed) return;
    const owner = this.#owner;
    const attached = this.#attached;
    this.#attached = null;
    this.#release();
    owner?.sessionEnded(reason);
    if (attached !== owner) attached?.sessionEnded(reason);
  }

  /** Milliseconds without activity if the idle limit applies now: not while busy, attached or held for a lost socket. */
  idleMs(now: number): number {
    if (this.isBusy || this.isAttached || this.isHeld) return 0;
    return now - this.#runner.lastActiveAt;
  }

  /** True once the time that a lost socket had for coming back is over. */
  isHoldOver(now: number): boolean {
    return this.#heldUntil !== null && now >= this.#heldUntil;
  }

  #release(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#host.released(this);
    this.#runner.close();
  }
}
