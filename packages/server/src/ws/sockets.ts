import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { PraxisError } from "@praxis/env";
import type { Logger } from "pino";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../clock.ts";
import type { MountedContext } from "../context.ts";
import type { Counters } from "../counters.ts";
import { internalError, openErrorFrame } from "../error-body.ts";
import { rpcError } from "../mcp/index.ts";
import { findMount } from "../mounts.ts";
import type { SessionStore } from "../sessions.ts";
import type { DoorKeeper } from "../tokens.ts";
import type { WebPlay } from "../web-play.ts";
import { Channel, type ChannelHost, SessionSocket } from "./channel.ts";
import { FrameDoor } from "./frame-door.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Outbox } from "./outbox.ts";
import { RpcDoor } from "./rpc-door.ts";

/** What the sockets of a server need. */
export interface SocketsOptions {
  readonly mounts: ReadonlyMap<string, MountedContext>;
  readonly plays: ReadonlyMap<string, WebPlay>;
  readonly sessions: SessionStore;
  readonly keeper: DoorKeeper;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
  /** Origins that pages may connect from; empty: any. */
  readonly origins: readonly string[];
  readonly maxMessageBytes: number;
  readonly pingIntervalMs: number | null;
  readonly pingTimeoutMs: number;
  readonly resumeGraceMs: number;
  /** A new resume token, which can't be guessed. */
  newToken(): string;
}

const REFUSALS: Readonly<Record<number, string>> = { 401: "Unauthorized", 403: "Forbidden" };

/** All WebSockets of a server: `/ws`, `/mcp` and `/ws/ui` of every mounted environment. */
export class Sockets implements ChannelHost {
  readonly heartbeat: Heartbeat;
  readonly resumeGraceMs: number;
  readonly #options: SocketsOptions;
  readonly #server: InstanceType<typeof WebSocketServer<typeof SessionSocket>>;
  readonly #outbox = new Outbox();
  readonly #channels = new Set<Channel>();
  readonly #tokens = new Map<Channel, string>();
  readonly #resumable = new Map<string, Channel>();

  constructor(options: SocketsOptions) {
    this.#options = options;
    this.resumeGraceMs = options.resumeGraceMs;
    this.heartbeat = new Heartbeat(options.clock, options.pingIntervalMs, options.pingTimeoutMs);
    this.#server = new WebSocketServer<typeof SessionSocket>({
      noServer: true,
      WebSocket: SessionSocket,
      clientTracking: false,
      maxPayload: options.maxMessageBytes,
      // Compression costs hundreds of kilobytes a socket and gains nothing for messages of a few hundred bytes.
      perMessageDeflate: false,
    });
  }

  /** Sessions with a socket or waiting for one. */
  get size(): number {
    return this.#channels.size;
  }

  now(): number {
    return this.#options.clock.now();
  }

  ended(channel: Channel): void {
    this.heartbeat.remove(channel);
    this.#channels.delete(channel);
    const token = this.#tokens.get(channel);
    if (token === undefined) return;
    this.#tokens.delete(channel);
    this.#resumable.delete(token);
  }

  /** Answers an upgrade request: a socket, or an HTTP refusal. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    let open: (ws: SessionSocket) => void;
    try {
      open = this.#route(request);
    } catch (error) {
      const status = error instanceof PraxisError ? error.row.status : 400;
      socket.on("error", () => socket.destroy());
      socket.end(
        `HTTP/1.1 ${status} ${REFUSALS[status] ?? "Bad Request"}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      ws.stream = socket;
      ws.outbox = this.#outbox;
      ws.on("error", onError);
      try {
        open(ws);
      } catch (error) {
        this.#options.log.error({ err: error }, "a socket could not be opened");
        ws.close(1011);
      }
    });
  }

  /** Ends all sessions with a socket once each has answered what it was asked, and stops the pings. */
  shutDown(reason: PraxisError): void {
    for (const channel of [...this.#channels]) channel.shutDown(reason);
  }

  /** True while a request of some socket is being carried out. */
  get isBusy(): boolean {
    for (const channel of this.#channels) if (channel.isBusy) return true;
    return false;
  }

  stop(): void {
    this.heartbeat.stop();
    this.#server.close();
  }

  #route(request: IncomingMessage): (ws: SessionSocket) => void {
    const [path = "/", search] = (request.url ?? "/").split("?", 2);
    const query = new URLSearchParams(search);
    const { mount, door } = findMount(this.#options.mounts, path);
    if (mount === null || (door !== "/ws" && door !== "/mcp" && door !== "/ws/ui"))
      throw new PraxisError("FORBIDDEN", "There is no socket at this path.");
    const { origin, host, authorization } = request.headers;
    this.#checkOrigin(origin, host);
    this.#options.keeper.check(door, authorization, query.get("access_token"));
    if (door === "/ws/ui") return (ws) => this.#openViewer(ws, mount);
    if (door === "/mcp") return (ws) => this.#openRpc(ws, mount);
    const resume = query.get("resume") ?? "";
    if (resume !== "" && resume !== "1") return (ws) => this.#resume(ws, resume);
    const sessionId = query.get("session_id") ?? "";
    return (ws) => this.#openFrames(ws, mount, sessionId);
  }

  #checkOrigin(origin: string | undefined, host: string | undefined): void {
    const { origins } = this.#options;
    if (origin === undefined || origins.length === 0 || origins.includes("*") || origins.includes(origin)) return;
    if (URL.canParse(origin) && new URL(origin).host === host) return;
    throw new PraxisError("FORBIDDEN", `Pages of ${origin} may not connect.`);
  }

  #openFrames(ws: SessionSocket, mount: MountedContext, sessionId: string): void {
    try {
      const isAttached = sessionId !== "";
      const session = isAttached
        ? this.#options.sessions.get(sessionId, mount.definition)
        : this.#options.sessions.open(mount.definition, "ws");
      const channel = new Channel(ws, session, isAttached, this);
      channel.open(new FrameDoor(mount, channel, (resumable) => this.#makeToken(resumable)));
      this.#listen(ws, channel);
    } catch (error) {
      this.#refuse(ws, `${openErrorFrame(this.#told(error))}}`);
    }
  }

  #openRpc(ws: SessionSocket, mount: MountedContext): void {
    try {
      const session = this.#options.sessions.open(mount.definition, "ws-mcp");
      const channel = new Channel(ws, session, false, this);
      channel.open(new RpcDoor(mount, session));
      this.#listen(ws, channel);
    } catch (error) {
      this.#refuse(ws, JSON.stringify(rpcError(this.#told(error))));
    }
  }

  #resume(ws: SessionSocket, token: string): void {
    const channel = this.#resumable.get(token);
    if (channel === undefined) {
      const error = new PraxisError(
        "UNKNOWN_SESSION",
        "Unknown session: the resume token is not known or has expired.",
      );
      this.#refuse(ws, `${openErrorFrame(error)}}`);
      return;
    }
    channel.adopt(ws);
    this.#options.counters.sessionsResumed++;
    this.#options.log.debug({ session: channel.session.id }, "a lost socket came back");
    this.#listen(ws, channel);
  }

  #openViewer(ws: SessionSocket, mount: MountedContext): void {
    const play = this.#options.plays.get(mount.prefix)!;
    const viewer = {
      seenAt: 0,
      send: (text: string) => ws.send(text),
      beat: () => ws.ping(),
      lost: () => ws.terminate(),
    };
    const alive = (): void => {
      viewer.seenAt = this.heartbeat.tick;
    };
    this.heartbeat.add(viewer);
    ws.on("pong", alive);
    ws.on("message", alive);
    ws.on("close", () => {
      this.heartbeat.remove(viewer);
      play.unwatch(viewer);
    });
    play
      .watch(viewer)
      .catch((error: unknown) => this.#options.log.error({ err: error }, "a viewer could not be served"));
  }

  #listen(ws: SessionSocket, channel: Channel): void {
    this.#channels.add(channel);
    ws.on("message", onMessage);
    ws.on("pong", onLife);
    ws.on("ping", onLife);
    ws.on("close", onClose);
  }

  #refuse(ws: SessionSocket, text: string): void {
    ws.send(text);
    ws.close(1000);
  }

  #told(error: unknown): PraxisError {
    const known = internalError(error);
    if (known.row.fault === "environment") this.#options.log.error({ err: error }, "a session could not be opened");
    return known;
  }

  #makeToken(channel: Channel): string {
    const token = this.#options.newToken();
    this.#tokens.set(channel, token);
    this.#resumable.set(token, channel);
    return token;
  }
}

// One function for all sockets: closures for each would weigh on ten thousand idle sessions.
function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  (this as SessionSocket).channel?.receive(data, isBinary);
}

function onLife(this: WebSocket): void {
  (this as SessionSocket).channel?.heard();
}

function onClose(this: WebSocket, code: number): void {
  (this as SessionSocket).leave(code);
}

/** A broken frame or socket; `ws` closes it with the right code, 1009 for too large a message. */
function onError(): void {}
