import { randomInt, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo, ListenOptions } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type EnvDefinition, PraxisError, Rng } from "@praxis/env";
import type { Hono } from "hono";
import { makeActionParser } from "./action.ts";
import { makeApp } from "./app.ts";
import type { MountedContext } from "./context.ts";
import { Counters } from "./counters.ts";
import { Forwarder } from "./forward.ts";
import { checkTools } from "./mcp/index.ts";
import { makeMetrics } from "./metrics.ts";
import { type ResolvedOptions, resolveOptions, type ServerOptions } from "./options.ts";
import { RecentEpisodes } from "./recent-episodes.ts";
import { makeResetParser } from "./reset-keywords.ts";
import { SessionStore } from "./sessions.ts";
import { DoorKeeper } from "./tokens.ts";
import { WebPlay } from "./web-play.ts";
import { newWorkerId, socketPath, type WorkerPlace } from "./worker-place.ts";
import { Sockets } from "./ws/sockets.ts";

/** Waiting connections that the system keeps: a training run opens hundreds at once. */
const BACKLOG = 4096;
const SHUTDOWN_POLL_MS = 10;
/** How long connections that are still answered may take after the end of all sessions. */
const LAST_CONNECTIONS_MS = 1_000;
/** Short names that would hide a route of the root. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(
  "docs episodes flow health list_environments mcp metadata metrics redoc reset schema sessions state step web ws".split(
    " ",
  ),
);

/** A server that is made, and listens once told to. */
export interface PraxisServer {
  /** Its HTTP routes, callable without a socket. */
  readonly app: Hono;
  readonly sessions: SessionStore;
  /** Starts listening. */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Stops: no new sessions, running steps are answered, sockets close with 1001, environments are closed. */
  close(): Promise<void>;
}

/**
 * Makes an OpenEnv server for the environments of a registry: HTTP, WebSocket and MCP. Throws INVALID_CONFIG for a wrong or
 * unknown option, UNKNOWN_ENVIRONMENT for an unknown `root`.
 */
export function createServer(options: ServerOptions): PraxisServer {
  return new NodeServer(resolveOptions(options), null);
}

/** {@link createServer} for one of several worker processes: ids tell their owner, others' sessions are passed on to it. */
export function createWorkerServer(options: ServerOptions, place: WorkerPlace): PraxisServer {
  return new NodeServer(resolveOptions(options), place);
}

class NodeServer implements PraxisServer {
  readonly app: Hono;
  readonly sessions: SessionStore;
  readonly #options: ResolvedOptions;
  readonly #place: WorkerPlace | null;
  readonly #forwarder: Forwarder | null;
  /** One server for the port, and in a worker one for its siblings. */
  readonly #servers: Server[];
  readonly #sockets: Sockets;
  readonly #plays: ReadonlyMap<string, WebPlay>;
  #closing: Promise<void> | null = null;

  constructor(options: ResolvedOptions, place: WorkerPlace | null) {
    this.#options = options;
    this.#place = place;
    this.#forwarder = place === null ? null : new Forwarder(place);
    const newId = place === null ? randomUUID : () => newWorkerId(place.index);
    const counters = new Counters();
    const seeds = Rng.fromSeed(options.seed ?? randomInt(2 ** 47), "session-seeds");
    const recent = new RecentEpisodes();
    const sessions = new SessionStore({
      ...options,
      counters,
      recent,
      newId,
      nextSeed: () => seeds.uint32(),
      report: (error, { id, definition }) =>
        options.logger.error({ err: error, session: id, env: definition.id }, "an environment failed"),
    });
    this.sessions = sessions;
    const mounts = makeMounts(options, sessions, counters);
    const plays = new Map<string, WebPlay>();
    for (const [prefix, context] of mounts) {
      const same = [...mounts].find(([, other]) => other.definition === context.definition)![0];
      plays.set(prefix, plays.get(same) ?? new WebPlay(context));
    }
    this.#plays = plays;
    const keeper = new DoorKeeper(options.tokens);
    this.app = makeApp({
      options,
      mounts,
      plays,
      sessions,
      keeper,
      metrics: makeMetrics(counters, sessions),
      recent,
      forwarder: this.#forwarder,
    });
    this.#sockets = new Sockets({
      ...options,
      mounts,
      plays,
      sessions,
      keeper,
      counters,
      newToken: newId,
      log: options.logger,
      origins: options.cors,
    });
    this.#servers = place === null ? [this.#makeHttp()] : [this.#makeHttp(), this.#makeHttp()];
  }

  async listen(): Promise<{ readonly url: string; readonly port: number }> {
    const { host, port } = this.#options;
    const [main, local] = this.#servers;
    if (local !== undefined && this.#place !== null) {
      const path = socketPath(this.#place, this.#place.index);
      await rm(path, { force: true }); // left by a worker that died
      // exclusive: a cluster would share the socket of the first worker with all others.
      await listening(local, { path, exclusive: true });
    }
    await listening(main!, { host, port, backlog: BACKLOG });
    const bound = (main!.address() as AddressInfo).port;
    const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
    return { url: `http://${shown}:${bound}`, port: bound };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { clock, shutdownTimeoutMs } = this.#options;
    this.sessions.stopOpening();
    const closed = Promise.all(
      this.#servers
        .filter((server) => server.listening)
        .map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
    this.#sockets.shutDown(new PraxisError("SHUTTING_DOWN", "The server is shutting down."));
    const deadline = clock.now() + shutdownTimeoutMs;
    while ((this.#sockets.isBusy || this.sessions.isBusy) && clock.now() < deadline)
      await new Promise<void>((resolve) => clock.after(SHUTDOWN_POLL_MS, resolve));
    this.sessions.endAll();
    for (const play of this.#plays.values()) play.close();
    this.#sockets.stop();
    for (const server of this.#servers) server.closeIdleConnections();
    const cut = clock.after(LAST_CONNECTIONS_MS, () => {
      for (const server of this.#servers) server.closeAllConnections();
    });
    await closed;
    cut();
  }

  #makeHttp(): Server {
    const server = createAdaptorServer({ fetch: this.app.fetch }) as Server;
    server.on("upgrade", (request, socket, head) => {
      const answer = (): void => this.#sockets.upgrade(request, socket, head);
      if (this.#forwarder?.upgrade(request, socket, head, answer) !== true) answer();
    });
    return server;
  }
}

function listening(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(listenError(error));
    server.once("error", refuse);
    server.listen(options, () => {
      server.off("error", refuse);
      resolve();
    });
  });
}

/** Why listening failed, in words; the usual case is a port that is taken. */
function listenError(error: NodeJS.ErrnoException): PraxisError {
  const why =
    error.code === "EADDRINUSE"
      ? "It is in use; choose another port, or 0 for any free one."
      : error.code === "EACCES"
        ? "This user may not; ports from 1024 on are free to all."
        : "";
  return new PraxisError("INVALID_CONFIG", `The server can't listen: ${error.message}. ${why}`.trimEnd(), {
    cause: error,
  });
}

function makeMounts(
  options: ResolvedOptions,
  sessions: SessionStore,
  counters: Counters,
): ReadonlyMap<string, MountedContext> {
  const definitions = options.registry.list();
  if (definitions.length === 0)
    throw new PraxisError("INVALID_CONFIG", "The registry holds no environment. Register one first.");
  const only = definitions.length === 1 ? definitions[0] : undefined;
  const root = options.root === undefined ? only : options.registry.get(options.root);
  const mounts = new Map<string, MountedContext>();
  const mount = (definition: EnvDefinition, prefix: string): void => {
    if (RESERVED_NAMES.has(definition.name))
      throw new PraxisError("INVALID_CONFIG", `An environment can't be named '${definition.name}': that is a route.`);
    checkTools(definition);
    mounts.set(prefix, {
      definition,
      prefix,
      mode: options.mode,
      sessions,
      clock: options.clock,
      counters,
      log: options.logger,
      maxMessageBytes: options.maxMessageBytes,
      parseAction: makeActionParser(definition),
      parseReset: makeResetParser(definition),
    });
  };
  if (root !== undefined) mount(root, "");
  for (const definition of definitions) mount(definition, `/${definition.name}`);
  return mounts;
}
