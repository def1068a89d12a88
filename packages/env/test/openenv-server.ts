import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

type Json = Record<string, unknown>;

/** What of OpenEnv the server in the test plays. */
export interface OpenEnvServerOptions {
  /** Steps are answered without a reward. */
  readonly isUnscored?: boolean;
  readonly generation: "0.3.0" | "0.10.0" | "praxis";
  readonly maxSessions?: number;
  /** Path in front of every route. */
  readonly prefix?: string;
  /** Bearer token asked for at the handshake. */
  readonly token?: string;
  readonly failFactory?: boolean;
}

/** A counting environment: `{ add }` adds to a total, each step is rewarded with the total, 10 ends the episode. */
interface Counter {
  total: number;
  stepCount: number;
  episodeId: string | null;
}

interface Session {
  readonly id: string;
  readonly counter: Counter;
  socket: WebSocket | null;
  lastReply: { readonly requestId: string; readonly text: string } | null;
}

const TOOL_SCHEMA = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

/** A server on loopback that answers as the released Python servers do, strict about unknown keys as they are. */
export class OpenEnvServer {
  readonly url: string;
  /** Every text frame received, parsed. */
  readonly frames: Json[] = [];
  /** Path and query of every handshake. */
  readonly handshakes: string[] = [];
  readonly sessions = new Map<string, Session>();
  /** Ping frames received. */
  pings = 0;
  /** Steps are answered only after {@link release} while this is true. */
  holdSteps = false;
  readonly #options: OpenEnvServerOptions;
  readonly #http = createServer(
    (request, response) =>
      void this.#answerHttp(request).then(([status, body]) => {
        response.writeHead(status, { "content-type": typeof body === "string" ? "text/plain" : "application/json" });
        response.end(typeof body === "string" ? body : JSON.stringify(body));
      }),
  );
  readonly #sockets: WebSocketServer;
  #held: (() => unknown)[] = [];
  #nextId = 1;

  private constructor(options: OpenEnvServerOptions, port: number) {
    this.#options = options;
    this.url = `http://127.0.0.1:${port}${options.prefix ?? ""}`;
    this.#sockets = new WebSocketServer({ noServer: true });
    this.#http.on("upgrade", (request, socket, head) => {
      this.handshakes.push(request.url ?? "");
      const { token, prefix = "" } = options;
      const isKnown = request.url?.split("?")[0] === `${prefix}/ws`;
      if (!isKnown || (token !== undefined && request.headers.authorization !== `Bearer ${token}`)) {
        socket.end(`HTTP/1.1 ${isKnown ? "401 Unauthorized" : "403 Forbidden"}\r\ncontent-length: 0\r\n\r\n`);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket, request));
    });
  }

  static async start(options: OpenEnvServerOptions, port = 0): Promise<OpenEnvServer> {
    const probe = new OpenEnvServer(options, 0);
    await new Promise<void>((resolve) => probe.#http.listen(port, "127.0.0.1", resolve));
    const { port: bound } = probe.#http.address() as AddressInfo;
    Object.assign(probe, { url: `http://127.0.0.1:${bound}${options.prefix ?? ""}` });
    return probe;
  }

  /** Answers the steps held so far. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  /** Steps waiting for {@link release}. */
  get held(): number {
    return this.#held.length;
  }

  /** Cuts every socket without a closing handshake. */
  cut(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** Sends text to every open socket unasked. */
  push(text: string): void {
    for (const socket of this.#sockets.clients) socket.send(text);
  }

  #makeSession(socket: WebSocket | null): Session {
    const session: Session = {
      id: `s${this.#nextId++}`,
      counter: { total: 0, stepCount: 0, episodeId: null },
      socket,
      lastReply: null,
    };
    this.sessions.set(session.id, session);
    return session;
  }

  #accept(socket: WebSocket, request: IncomingMessage): unknown {
    const query = new URL(request.url ?? "/", "http://x").searchParams;
    const refuse = (data: Json): void => {
      socket.send(JSON.stringify({ type: "error", data }));
      socket.close(1000);
    };
    const { generation, maxSessions = 8, failFactory } = this.#options;
    const attachTo = generation === "0.3.0" ? null : query.get("session_id");
    const resumed = generation === "praxis" ? query.get("resume") : null;
    let session: Session | undefined;
    if (resumed !== null) {
      session = this.sessions.get(resumed);
      if (session === undefined)
        return refuse({ message: "The session is gone.", code: "SESSION_ERROR", praxis_code: "UNKNOWN_SESSION" });
    } else if (attachTo) {
      session = this.sessions.get(attachTo);
      if (session === undefined) return refuse({ message: `Unknown session_id: ${attachTo}`, code: "SESSION_ERROR" });
    } else if (this.sessions.size >= maxSessions)
      return refuse({
        message: `Server at capacity: ${this.sessions.size}/${maxSessions} sessions active. Cannot accept new connections.`,
        code: "CAPACITY_REACHED",
        active_sessions: this.sessions.size,
        max_sessions: maxSessions,
      });
    else if (failFactory)
      return refuse({
        message: "Environment factory 'Counter' failed to create instance.",
        code: "FACTORY_ERROR",
        factory_name: "Counter",
      });
    const owned = session ?? this.#makeSession(null);
    owned.socket = socket;
    socket.on("message", (data, isBinary) => this.#receive(owned, isBinary ? null : data.toString()));
    socket.on("ping", () => {
      this.pings++;
    });
    return socket.on("close", () => {
      if (owned.socket === socket) owned.socket = null;
      if (generation !== "praxis" && !attachTo) this.sessions.delete(owned.id);
    });
  }

  #receive(session: Session, text: string | null): unknown {
    const socket = session.socket;
    const frame = JSON.parse(text ?? "null") as Json;
    this.frames.push(frame);
    const isPraxis = this.#options.generation === "praxis";
    const requestId = isPraxis && typeof frame.request_id === "string" ? frame.request_id : undefined;
    if (requestId !== undefined && session.lastReply?.requestId === requestId)
      return socket?.send(session.lastReply.text);
    const reply = (type: string, data: unknown): void => {
      const out = JSON.stringify({ type, data, ...(requestId === undefined ? {} : { request_id: requestId }) });
      if (requestId !== undefined) session.lastReply = { requestId, text: out };
      session.socket?.send(out);
    };
    const known = new Set(frame.type === "state" || frame.type === "close" ? ["type"] : ["type", "data"]);
    if (isPraxis) known.add("request_id");
    const extra = Object.keys(frame).find((key) => !known.has(key));
    if (extra !== undefined) {
      const entry = {
        type: "extra_forbidden",
        loc: [extra],
        msg: "Extra inputs are not permitted",
        input: frame[extra],
      };
      return reply("error", { message: "Invalid message", code: "VALIDATION_ERROR", errors: [entry] });
    }
    switch (frame.type) {
      case "reset":
        return reply("observation", this.#reset(session.counter, frame.data as Json));
      case "step": {
        const act = (): unknown => this.#step(session.counter, frame.data as Json, reply);
        if (!this.holdSteps) return act();
        return this.#held.push(act);
      }
      case "state": {
        const { episodeId, stepCount, total } = session.counter;
        return reply("state", { episode_id: episodeId, step_count: stepCount, total });
      }
      case "mcp":
        return reply("mcp", this.#rpc(frame.data as Json, session));
      case "close":
        this.sessions.delete(session.id);
        return socket?.close(1000);
      default:
        if (isPraxis && frame.type === "session") return reply("session", { resume_token: session.id });
        return reply("error", { message: `Unknown message type: ${frame.type}`, code: "UNKNOWN_TYPE" });
    }
  }

  #observe(counter: Counter, reward: number | null, info: Json): Json {
    const done = counter.total >= 10;
    const observation: Json = { total: counter.total, name: "Zoë 李 👩‍⚕️" };
    if (this.#options.generation === "0.3.0") return { observation, reward, done };
    const metadata = Object.keys(info).length === 0 ? {} : { metadata: info };
    return { observation: { metadata: info, ...observation }, reward, done, ...metadata };
  }

  #reset(counter: Counter, data: Json): Json {
    Object.assign(counter, { total: 0, stepCount: 0, episodeId: data.episode_id ?? null });
    return this.#observe(counter, null, {});
  }

  #step(counter: Counter, action: Json, reply: (type: string, data: unknown) => void): unknown {
    if (typeof action.crash === "string")
      return reply("error", { message: action.crash, code: action.code ?? "EXECUTION_ERROR" });
    if (typeof action.add !== "number") {
      const entry = { type: "missing", loc: ["add"], msg: "Field required", input: action };
      return reply("error", { message: "Invalid message", code: "VALIDATION_ERROR", errors: [entry] });
    }
    counter.total += action.add;
    counter.stepCount += 1;
    return reply(
      "observation",
      this.#observe(counter, this.#options.isUnscored === true ? null : counter.total / 10, {
        reward_components: { total: counter.total },
      }),
    );
  }

  #rpc(request: Json, session: Session | null): Json {
    const params = (request.params ?? {}) as Json;
    const answer = (result: unknown): Json => ({ jsonrpc: "2.0", id: request.id ?? null, result });
    const fail = (code: number, message: string, data: unknown = null): Json => ({
      jsonrpc: "2.0",
      id: request.id ?? null,
      error: { code, message, data },
    });
    if (request.method === "openenv/session/create") {
      const { maxSessions = 8 } = this.#options;
      if (this.sessions.size >= maxSessions)
        return fail(-32000, "Server at capacity", { active_sessions: this.sessions.size, max_sessions: maxSessions });
      return answer({ session_id: this.#makeSession(null).id });
    }
    const target = typeof params.session_id === "string" ? this.sessions.get(params.session_id) : session;
    if (target === undefined) return fail(-32602, `Unknown session_id: ${params.session_id}`);
    switch (request.method) {
      case "openenv/session/close": {
        this.sessions.delete(String(params.session_id));
        return answer({ session_id: params.session_id, closed: true });
      }
      case "tools/list": {
        const spelling = this.#options.generation === "0.3.0" ? "input_schema" : "inputSchema";
        return answer({ tools: [{ name: "peek", description: null, [spelling]: TOOL_SCHEMA }] });
      }
      case "tools/call": {
        if (params.name !== "peek") return fail(-32603, `Unknown tool: ${params.name}`);
        const data = { total: target?.counter.total ?? 0 };
        return answer({ content: [], structured_content: data, meta: null, data, is_error: false });
      }
      default:
        return fail(-32601, `Method not found: ${request.method}`);
    }
  }

  async #answerHttp(request: IncomingMessage): Promise<[number, unknown]> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { generation, prefix = "" } = this.#options;
    const body = chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Json);
    const schema = { type: "object", properties: {} };
    switch (`${request.method} ${(request.url ?? "").slice(prefix.length)}`) {
      case "GET /health":
        return [
          200,
          { status: "healthy", ...(generation === "praxis" ? { praxis: { request_id: true, resume: true } } : {}) },
        ];
      case "GET /metadata":
        return [200, { name: "Counter", description: "Counter environment", readme_content: null, version: "1.0.0" }];
      case "GET /schema":
        return [200, { action: schema, observation: schema, state: schema }];
      case "POST /mcp":
        return [200, this.#rpc(body, null)];
      case "GET /list_environments":
        return generation === "0.3.0" ? [404, { detail: "Not Found" }] : [200, ["Counter"]];
      case "GET /Counter/splits":
        return [200, [{ name: "hard", type: "validation" }]];
      case "POST /Counter/num_tasks":
        return [200, { num_tasks: 2 }];
      case "POST /Counter/task":
        return body.index === 9 ? [400, { detail: "Invalid task index" }] : [200, { task: { goal: body.index } }];
      case "POST /Counter/task_range":
        return [200, { tasks: [body.start ?? 0, body.stop ?? 2] }];
      case "GET /Nobody/splits":
        return [404, { detail: "unknown environment 'Nobody'" }];
      case "GET /crash/splits":
        return [500, "Internal Server Error"];
      default:
        return [404, { detail: "Not Found" }];
    }
  }
}
