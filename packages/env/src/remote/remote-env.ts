import type { EnvState, ResetRequest, StepResult } from "../env.ts";
import { PraxisError } from "../errors.ts";
import { decodeResult, decodeState, encodeReset, type WireStep } from "../wire.ts";
import { parseAddress } from "./address.ts";
import { isRecord } from "./remote-error.ts";
import { makeHeaders, RemoteServer, type ServerOptions } from "./remote-server.ts";
import { RemoteSession } from "./remote-session.ts";
import { parseTools, type RemoteTool, unwrapRpc, unwrapToolResult } from "./remote-tools.ts";
import { findSocketClass, type SocketClass, sendsHeaders } from "./web-socket.ts";

/** How {@link connect} reaches and drives a server. */
export interface ConnectOptions extends ServerOptions {
  /** WebSocket class; needed on Node 20, where the default export of `ws` does. Default the runtime's own. */
  readonly webSocket?: SocketClass | undefined;
  /** Attach to this MCP session instead of opening one (OpenEnv 0.10 and Praxis). */
  readonly sessionId?: string | undefined;
  /** Longest wait for the handshake in ms; default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Longest wait for each reply in ms, null for no limit; default 60,000. */
  readonly messageTimeoutMs?: number | null | undefined;
  /** Largest message in either direction, in bytes; default 100 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Interval of ping frames in ms, null for none; default 20,000. Browsers send none themselves. */
  readonly pingIntervalMs?: number | null | undefined;
  /** How long a full server is asked again before CAPACITY_REACHED is thrown, in ms; default 0. */
  readonly capacityWaitMs?: number | undefined;
  /** How long a lost socket is tried again where the server can resume the session, in ms; default 10,000. */
  readonly resumeWaitMs?: number | undefined;
}

/** What a remote call may be told. */
export interface CallOptions {
  /** Longest wait for this reply in ms, null for no limit; default that of the connection. */
  readonly timeoutMs?: number | null;
  /** Aborting drops the socket: the server may still do what was asked. */
  readonly signal?: AbortSignal;
}

/** A result of any OpenEnv server in local form; `done` = terminated or truncated. A reset has reward 0. */
export type RemoteResult = StepResult<Readonly<Record<string, unknown>>> & { readonly done: boolean };

/**
 * An environment behind `/ws` of any OpenEnv server (0.2.2 to 0.10 and Praxis). Calls are sent one after another. A lost
 * episode is never silently replaced: after CONNECTION_LOST only `reset` goes on. See {@link connect}.
 */
export class RemoteEnv {
  /** The server's HTTP side. */
  readonly server: RemoteServer;
  readonly #session: RemoteSession;
  #rpcId = 0;

  constructor(options: ConnectOptions) {
    const socketClass = findSocketClass(options.webSocket);
    if (socketClass === null)
      throw new PraxisError(
        "INVALID_CONFIG",
        "This runtime has no WebSocket. Hand one in: connect({ webSocket }) with the default export of 'ws'.",
      );
    const address = parseAddress(options.baseUrl);
    this.server = new RemoteServer(options);
    this.#session = new RemoteSession({
      url: `${address.ws}/ws`,
      queryToken: sendsHeaders(socketClass) ? undefined : options.token,
      server: this.server,
      sessionId: options.sessionId,
      messageTimeoutMs: options.messageTimeoutMs === undefined ? 60_000 : options.messageTimeoutMs,
      capacityWaitMs: options.capacityWaitMs ?? 0,
      resumeWaitMs: options.resumeWaitMs ?? 10_000,
      connection: {
        socketClass,
        headers: makeHeaders(options),
        connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
        maxMessageBytes: options.maxMessageBytes ?? 100 * 1024 ** 2,
        pingIntervalMs: options.pingIntervalMs === undefined ? 20_000 : options.pingIntervalMs,
      },
    });
  }

  /** Opens the socket now instead of at the first call. A full server may answer only at the first call. */
  open(): Promise<void> {
    return this.#session.open();
  }

  async reset(request: ResetRequest = {}, options: CallOptions = {}): Promise<RemoteResult> {
    return readResult(await this.#session.exchange({ type: "reset", data: encodeReset(request) }, options));
  }

  /** `action` travels as it is, in the environment's wire form. */
  async step(action: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<RemoteResult> {
    const data = await this.#session.exchange({ type: "step", data: action }, options);
    const result = readResult(data);
    if (isRecord(data) && typeof data.reward !== "object" && data.reward !== undefined) return result;
    // Unscored is not 0: the step is marked, so that means and training leave it out.
    const infraError = {
      code: "VERIFIER_ERROR",
      message: "The server sent no reward for this step; it is unscored, not 0.",
    };
    return { ...result, info: { infraError, ...result.info } };
  }

  async state(options: CallOptions = {}): Promise<EnvState> {
    const data = await this.#session.exchange({ type: "state" }, options);
    if (!isRecord(data)) throw new PraxisError("CONNECTION_LOST", "The server's state is not an object.");
    return decodeState(data);
  }

  /** Tools of this very session, not of another one; the same frames work on every OpenEnv generation. */
  async listTools(options: CallOptions = {}): Promise<RemoteTool[]> {
    return parseTools(await this.#callMcp("tools/list", {}, options));
  }

  /** Calls a tool in this session and gives its plain value. */
  async callTool(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
  ): Promise<unknown> {
    return unwrapToolResult(await this.#callMcp("tools/call", { name, arguments: args }, options));
  }

  /** Ends the session; twice is harmless, later calls throw. */
  close(): Promise<void> {
    return this.#session.close();
  }

  async #callMcp(method: string, params: Readonly<Record<string, unknown>>, options: CallOptions): Promise<unknown> {
    const data = { jsonrpc: "2.0", method, params, id: ++this.#rpcId };
    return unwrapRpc(await this.#session.exchange({ type: "mcp", data }, options));
  }
}

/** Reward and done are read beside the observation and nowhere else. */
function readResult(data: unknown): RemoteResult {
  if (!isRecord(data) || !isRecord(data.observation))
    throw new PraxisError("CONNECTION_LOST", "The server's reply holds no observation; is this an OpenEnv server?");
  const { observation, reward, done, metadata } = data;
  const frame: WireStep = {
    observation: observation as Readonly<Record<string, unknown>>,
    // Older servers may send a boolean reward.
    reward: typeof reward === "number" ? reward : typeof reward === "boolean" ? Number(reward) : null,
    done: done === true,
  };
  return decodeResult(isRecord(metadata) ? { ...frame, metadata } : frame);
}

/** Opens an environment on an OpenEnv server. Throws what opening throws; see {@link RemoteEnv}. */
export async function connect(options: ConnectOptions): Promise<RemoteEnv> {
  const env = new RemoteEnv(options);
  await env.open();
  return env;
}
