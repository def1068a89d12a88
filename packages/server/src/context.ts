import type { EnvDefinition, ServerMode } from "@praxis/env";
import type { Logger } from "pino";
import type { ActionParser } from "./action.ts";
import type { Clock } from "./clock.ts";
import type { Counters } from "./counters.ts";
import type { ResetParser } from "./reset-keywords.ts";
import type { SessionStore } from "./sessions.ts";

/** What the routes of one mounted environment need. */
export interface ServerContext {
  readonly definition: EnvDefinition;
  /** Path in front of its routes: empty at the root, else like `/polyguard`. */
  readonly prefix: string;
  readonly mode: ServerMode;
  readonly sessions: SessionStore;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
  /** Largest request body and socket message in bytes. */
  readonly maxMessageBytes: number;
}

/** A context with the parsers of its environment, made once at start-up. */
export interface MountedContext extends ServerContext {
  readonly parseAction: ActionParser;
  readonly parseReset: ResetParser;
}
