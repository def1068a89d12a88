import { didYouMean, EnvRegistry, type EnvService, PraxisError, type ServerMode } from "@praxis/env";
import pino, { type Logger } from "pino";
import { z } from "zod";
import { type Clock, systemClock } from "./clock.ts";

const milliseconds = z
  .number()
  .gt(0)
  .max(2 ** 31 - 1);
const tokenList = z.union([z.string().min(8), z.array(z.string().min(8))]).transform((given) => [given].flat());

/** Every option of a server, its check and its default. Times in ms, sizes in bytes. */
const optionsSchema = z.strictObject({
  /** Environments, each under `/<name>`. */
  registry: z.instanceof(EnvRegistry),
  /** Environment served at `/` too, by name or id. Default: the only one registered, else none. */
  root: z.string().optional(),
  host: z.string().min(1).default("127.0.0.1"),
  /** 0: any free port. */
  port: z.int().min(0).max(65_535).default(8000),
  /** `production` takes reset, step and state off HTTP. */
  mode: z
    .string()
    .transform((name) => name.toLowerCase())
    .pipe(z.enum(["simulation", "production"]))
    .default("simulation"),
  /** Sessions at once. */
  maxSessions: z.int().min(1).default(256),
  stepTimeoutMs: milliseconds.default(2_500),
  resetTimeoutMs: milliseconds.default(30_000),
  toolTimeoutMs: milliseconds.default(30_000),
  /** Idle time after which a session ends; null: never. */
  sessionTimeoutMs: milliseconds.nullable().default(15 * 60_000),
  /** How long the session of a lost socket waits for a client that asked to be able to resume. */
  resumeGraceMs: milliseconds.default(30_000),
  /** Ping interval of sockets; null: no pings, and silence is no reason to drop. */
  pingIntervalMs: milliseconds.nullable().default(20_000),
  /** Silence after which a socket is dropped; any frame counts as life. */
  pingTimeoutMs: milliseconds.default(300_000),
  /** How long a shutdown waits for running steps. */
  shutdownTimeoutMs: milliseconds.default(10_000),
  maxMessageBytes: z
    .int()
    .min(1024)
    .max(512 * 1024 * 1024)
    .default(100 * 1024 * 1024),
  /** Origins of pages on other hosts that may call; `*`: any. */
  cors: z.array(z.string()).default([]),
  /** Bearer tokens by role; without any, every door is open. */
  tokens: z
    .strictObject({ trainer: tokenList.optional(), agent: tokenList.optional(), viewer: tokenList.optional() })
    .default({}),
  /** Folder of the built page that `/` and `/web` serve; false: none. */
  page: z.union([z.literal(false), z.string().min(1)]).default(false),
  /** Services of the whole server, at its root. */
  services: z
    .array(z.custom<EnvService>((value) => typeof value === "object" && value !== null && "call" in value))
    .default([]),
  logger: z.custom<Logger>((value) => typeof value === "object" && value !== null && "child" in value).optional(),
  clock: z.custom<Clock>((value) => typeof value === "object" && value !== null && "after" in value).optional(),
  /** Seed of the sequence from which each session's environment gets its own; default: a random one. */
  seed: z.int().min(0).optional(),
});

/** What `createServer` takes. */
export type ServerOptions = z.input<typeof optionsSchema>;

/** Options with their defaults. */
export type ResolvedOptions = Omit<z.output<typeof optionsSchema>, "mode" | "logger" | "clock"> & {
  readonly mode: ServerMode;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** Checks options and fills in defaults. Throws INVALID_CONFIG naming the option, with the nearest name for an unknown one. */
export function resolveOptions(options: ServerOptions): ResolvedOptions {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw new PraxisError("INVALID_CONFIG", parsed.error.issues.map(describe).join(" "));
  const { logger, clock, ...rest } = parsed.data;
  return { ...rest, logger: logger ?? pino({ level: "silent" }), clock: clock ?? systemClock };
}

function describe(issue: z.core.$ZodIssue): string {
  const where = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const known = where === "tokens" ? ["trainer", "agent", "viewer"] : Object.keys(optionsSchema.shape);
    return issue.keys
      .map((key) => `Unknown server option '${where === "" ? key : `${where}.${key}`}'.${didYouMean(key, known)}`)
      .join(" ");
  }
  return `Server option '${where}': ${issue.message}.`;
}
