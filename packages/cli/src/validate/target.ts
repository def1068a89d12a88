import { CheckSkip, show } from "./check.ts";
import { sampleJson } from "./sample-json.ts";
import { HandshakeRefused, SocketProbe } from "./socket-probe.ts";

/** What a URL is checked with. */
export interface TargetOptions {
  /** Limit of each request in milliseconds. */
  readonly timeoutMs: number;
  /** Bearer token for guarded servers. */
  readonly token?: string;
  /** Action to step with; default: one made from the server's action schema. */
  readonly action?: Readonly<Record<string, unknown>>;
  /** Sessions opened side by side by the capacity check. */
  readonly sessions: number;
}

/** A reply over HTTP. `json` is undefined when the body is not JSON. */
export interface HttpReply {
  readonly status: number;
  readonly json: unknown;
  readonly headers: Headers;
}

/** A JSON object, or undefined for anything else. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** A field of a JSON object, undefined when there is no such object or field. */
export const field = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => asRecord(inner)?.[key], value);

/** A running server under validation; answers that several checks need are asked for once. */
export class Target {
  /** Base URL without a slash at the end. */
  readonly base: string;
  readonly options: TargetOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #asked = new Map<string, Promise<HttpReply>>();
  #action: Promise<Readonly<Record<string, unknown>>> | null = null;

  constructor(base: string, options: TargetOptions) {
    this.base = base.replace(/\/+$/, "");
    this.options = options;
    this.#headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  }

  /** A request with the time limit of the run. @param body sent as it is when text, else as JSON */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpReply> {
    let response: Response;
    try {
      response = await fetch(this.base + path, {
        method,
        headers: {
          ...this.#headers,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.options.timeoutMs),
      });
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new Error(`${method} ${path} got no answer: ${cause}.`, { cause: error });
    }
    const text = await response.text();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, json, headers: response.headers };
  }

  /** GET, asked once. */
  get(path: string): Promise<HttpReply> {
    let reply = this.#asked.get(path);
    if (reply === undefined) {
      reply = this.request("GET", path);
      this.#asked.set(path, reply);
    }
    return reply;
  }

  /** Simulation when the OpenAPI document lists `/reset`, else production. */
  async mode(): Promise<"simulation" | "production"> {
    const paths = asRecord(field((await this.get("/openapi.json")).json, "paths")) ?? {};
    return "/reset" in paths ? "simulation" : "production";
  }

  /** Opens a socket without waiting for anything from it. */
  openSocket(path = "/ws"): Promise<SocketProbe> {
    return SocketProbe.open(this.base.replace(/^http/, "ws") + path, this.options.timeoutMs, this.#headers);
  }

  /** Opens a session on `/ws`. Skips the check when the server keeps agents out of it, as a production server may. */
  async openSession(): Promise<SocketProbe> {
    try {
      return await this.openSocket();
    } catch (error) {
      if (error instanceof HandshakeRefused && (await this.mode()) === "production")
        throw new CheckSkip(`in production mode /ws is closed (HTTP ${error.status})`);
      throw error;
    }
  }

  /** Runs with a session of its own that has been reset, and ends it afterwards. */
  async withSession<T>(
    use: (socket: SocketProbe, reset: unknown) => Promise<T>,
    reset: unknown = { seed: 7 },
  ): Promise<T> {
    const socket = await this.openSession();
    try {
      return await use(socket, await socket.ask({ type: "reset", data: reset }));
    } finally {
      await socket.finish();
    }
  }

  /** An action that the server accepts right after a reset. Skips the check when none was found. */
  action(): Promise<Readonly<Record<string, unknown>>> {
    this.#action ??= this.#findAction();
    return this.#action;
  }

  async #findAction(): Promise<Readonly<Record<string, unknown>>> {
    const given = this.options.action;
    const schema = field((await this.get("/schema")).json, "action");
    const candidates = given === undefined ? [...sampleJson(schema), { type: "list_tools" }] : [given];
    let refusal = "";
    for (const candidate of candidates) {
      const action = asRecord(candidate);
      if (action === undefined) continue;
      const reply = await this.withSession((socket) => socket.ask({ type: "step", data: action }));
      if (field(reply, "type") === "observation") return action;
      refusal = show(field(reply, "data"));
    }
    throw new CheckSkip(`no action was accepted (last answer ${refusal}); give one with --action '{…}'`);
  }
}
