import { type EnvDefinition, PraxisError } from "@praxis/env";
import type { Clock } from "./clock.ts";
import type { Counters } from "./counters.ts";
import type { RecentEpisodes } from "./recent-episodes.ts";
import { Session, type SessionHost, type SessionKind } from "./session.ts";

/** Longest time between two looks for idle sessions. */
const REAP_PERIOD_MS = 1000;

/** What a {@link SessionStore} is made of. */
export interface SessionStoreOptions {
  readonly maxSessions: number;
  /** Idle time after which a session without attached socket ends; null: never. */
  readonly sessionTimeoutMs: number | null;
  readonly stepTimeoutMs: number;
  readonly resetTimeoutMs: number;
  readonly toolTimeoutMs: number;
  readonly clock: Clock;
  readonly counters: Counters;
  /** Where the episodes of sessions are noted. */
  readonly recent: RecentEpisodes;
  /** A new session id: a version 4 UUID that can't be guessed. */
  newId(): string;
  /** Seed for the next environment, 0 … 2^32 − 1. */
  nextSeed(): number;
  /** Logs a fault of an environment. */
  report(error: unknown, where: { readonly id: string; readonly definition: EnvDefinition }): void;
}

/** All sessions of a server, whatever door they came by: one space of ids, one count of slots, one reaper. */
export class SessionStore {
  readonly maxSessions: number;
  readonly #options: SessionStoreOptions;
  readonly #host: SessionHost;
  /** For single calls over HTTP, whose episodes never go on: not worth noting. */
  readonly #unnotedHost: SessionHost;
  readonly #sessions = new Map<string, Session>();
  readonly #stopReaper: () => void;
  #reserved = 0;
  #shuttingDown = false;

  constructor(options: SessionStoreOptions) {
    this.maxSessions = options.maxSessions;
    this.#options = options;
    this.#host = {
      clock: options.clock,
      counters: options.counters,
      recent: options.recent,
      stepTimeoutMs: options.stepTimeoutMs,
      resetTimeoutMs: options.resetTimeoutMs,
      toolTimeoutMs: options.toolTimeoutMs,
      report: options.report,
      released: (session) => {
        if (this.#sessions.delete(session.id)) this.#reserved--;
      },
    };
    this.#unnotedHost = { ...this.#host, recent: null };
    const period = Math.max(10, Math.min(REAP_PERIOD_MS, (options.sessionTimeoutMs ?? REAP_PERIOD_MS) / 4));
    this.#stopReaper = options.clock.every(period, () => this.reap());
  }

  /** Slots in use. */
  get active(): number {
    return this.#reserved;
  }

  /**
   * Takes a slot and builds an environment in it. Throws CAPACITY_REACHED (details `active_sessions`, `max_sessions`),
   * FACTORY_ERROR (details `factory_name`) or SHUTTING_DOWN; a failure gives the slot back.
   */
  open(definition: EnvDefinition, kind: SessionKind): Session {
    this.#checkRunning();
    if (this.#reserved >= this.maxSessions) {
      this.#options.counters.sessionsRefused++;
      throw new PraxisError(
        "CAPACITY_REACHED",
        `Server at capacity: ${this.#reserved}/${this.maxSessions} sessions active. Cannot accept new connections.`,
        { details: { active_sessions: this.#reserved, max_sessions: this.maxSessions } },
      );
    }
    this.#reserved++;
    try {
      const session = this.#build(definition, kind);
      this.#sessions.set(session.id, session);
      this.#options.counters.sessionsOpened++;
      return session;
    } catch (error) {
      this.#reserved--;
      throw error;
    }
  }

  /** A session for one call, without slot or place on the list; the caller closes it. */
  temporary(definition: EnvDefinition, kind: "temporary" | "web" = "temporary"): Session {
    this.#checkRunning();
    return this.#build(definition, kind);
  }

  /** The live session of that id. Throws UNKNOWN_SESSION, also when it belongs to another environment. */
  get(id: string, definition: EnvDefinition): Session {
    const session = this.#sessions.get(id);
    if (session === undefined || session.definition !== definition)
      throw new PraxisError("UNKNOWN_SESSION", `Unknown session_id: ${id}`);
    return session;
  }

  /**
   * Ends a session by its id for a caller that is not its owner; an owning socket is told. "closing": a socket is attached,
   * the end comes when it leaves. Throws UNKNOWN_SESSION.
   */
  requestClose(id: string, definition: EnvDefinition): "closed" | "closing" {
    const session = this.get(id, definition);
    if (session.isAttached) return session.close();
    session.end(new PraxisError("UNKNOWN_SESSION", "The session was closed by request."));
    return "closed";
  }

  /** Ends sessions that were idle too long or whose lost socket did not come back. One shared timer calls it. */
  reap(): void {
    const now = this.#host.clock.now();
    const limit = this.#options.sessionTimeoutMs;
    for (const session of this.#sessions.values()) {
      if (session.isHoldOver(now))
        session.end(new PraxisError("CONNECTION_LOST", "The connection was lost and not resumed in time."));
      else if (limit !== null && session.idleMs(now) >= limit) {
        this.#options.counters.sessionsExpired++;
        session.end(new PraxisError("SESSION_EXPIRED", `The session was idle for ${limit / 1000} seconds.`));
      }
    }
  }

  /** Refuses new sessions from now on; those that are open go on. */
  stopOpening(): void {
    this.#shuttingDown = true;
    this.#stopReaper();
  }

  /** True while an operation runs in any session. */
  get isBusy(): boolean {
    for (const session of this.#sessions.values()) if (session.isBusy) return true;
    return false;
  }

  /** Ends every session with SHUTTING_DOWN. */
  endAll(): void {
    for (const session of [...this.#sessions.values()])
      session.end(new PraxisError("SHUTTING_DOWN", "The server is shutting down."));
  }

  #build(definition: EnvDefinition, kind: SessionKind): Session {
    return new Session(
      this.#options.newId(),
      kind,
      definition,
      this.#options.nextSeed(),
      kind === "temporary" ? this.#unnotedHost : this.#host,
    );
  }

  #checkRunning(): void {
    if (this.#shuttingDown) throw new PraxisError("SHUTTING_DOWN", "The server is shutting down.");
  }
}
