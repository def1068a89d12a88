import { type ErrorCode, PraxisError, toPraxisError } from "../errors.ts";
import { errorFromClose, errorFromFrame, isRecord } from "./remote-error.ts";
import type { SocketClass, SocketEvent, SocketLike } from "./web-socket.ts";

/** How one socket is opened. */
export interface ConnectionOptions {
  readonly socketClass: SocketClass;
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly maxMessageBytes: number;
  /** Interval of ping frames in ms, null for none; only where the class can send them. */
  readonly pingIntervalMs: number | null;
}

/** What one request is sent with. */
export interface ExchangeOptions {
  /** Longest wait for the reply in ms, null for no limit. */
  readonly timeoutMs: number | null;
  readonly signal?: AbortSignal | undefined;
  /** Sent and expected back when the server is known to answer with it; other servers refuse unknown keys. */
  readonly requestId?: string | undefined;
}

interface Pending {
  readonly requestId: string | undefined;
  resolve(data: unknown): void;
  reject(error: PraxisError): void;
}

/** How long a closing handshake may take before the socket is cut. */
const CLOSE_TIMEOUT_MS = 2_000;
/** Close code of a socket given up; 3000 to 4999 are free for applications, and the only ones browsers allow beside 1000. */
const DROPPED = 4000;
const SESSION_CODES: ReadonlySet<string> = new Set(["SESSION_ERROR", "CAPACITY_REACHED", "FACTORY_ERROR"]);

/** Bytes of `text` in UTF-8, at least whether it is above `limit`: short texts are not encoded to be measured. */
function isLongerThan(text: string, limit: number): boolean {
  if (text.length * 3 <= limit) return false;
  return text.length > limit || new TextEncoder().encode(text).byteLength > limit;
}

function parseFrame(raw: unknown, maxMessageBytes: number): Readonly<Record<string, unknown>> {
  if (typeof raw !== "string") throw new PraxisError("CONNECTION_LOST", "The server sent a binary frame.");
  if (isLongerThan(raw, maxMessageBytes)) throw tooLarge(maxMessageBytes);
  let frame: unknown;
  try {
    frame = JSON.parse(raw);
  } catch (cause) {
    throw new PraxisError("CONNECTION_LOST", `The server sent text that is not JSON: ${raw.slice(0, 60)}`, { cause });
  }
  if (!isRecord(frame))
    throw new PraxisError("CONNECTION_LOST", `The server sent JSON that is no object: ${raw.slice(0, 60)}`);
  return frame;
}

const tooLarge = (limit: number): PraxisError =>
  new PraxisError("MESSAGE_TOO_LARGE", `The reply is above ${limit} bytes; raise maxMessageBytes.`);

/**
 * One socket, one request at a time, one reply each. The first thing that makes replies unsure (timeout, abort, a foreign
 * frame, a session error, loss) ends the connection for good, so a late reply is never taken for the next call's.
 */
export class Connection {
  /** Resolves once the socket is closed or given up; a new connection should wait for it, else the server may count two. */
  readonly closed: Promise<void>;
  readonly #socket: SocketLike;
  readonly #maxMessageBytes: number;
  #markClosed: () => void = () => {};
  #pending: Pending | null = null;
  #failure: PraxisError | null = null;
  #hasReplied = false;
  #lastSocketError = "";
  #pings: ReturnType<typeof setInterval> | undefined;

  private constructor(socket: SocketLike, maxMessageBytes: number) {
    this.#socket = socket;
    this.#maxMessageBytes = maxMessageBytes;
    this.closed = new Promise((resolve) => {
      this.#markClosed = resolve;
    });
  }

  /** Opens a socket. Throws CONNECTION_LOST, CLIENT_TIMEOUT, or UNAUTHORIZED and FORBIDDEN for a refused handshake. */
  static open(url: string, options: ConnectionOptions): Promise<Connection> {
    const { socketClass, headers, maxMessageBytes, connectTimeoutMs, pingIntervalMs } = options;
    return new Promise((resolve, reject) => {
      const socket = new socketClass(url, [], {
        headers: { ...headers },
        maxPayload: maxMessageBytes,
        perMessageDeflate: false,
      });
      const connection = new Connection(socket, maxMessageBytes);
      const timer = setTimeout(() => {
        connection.#fail(
          new PraxisError("CLIENT_TIMEOUT", `${url.replace(/\?.*/, "")} did not open within ${connectTimeoutMs} ms.`),
        );
      }, connectTimeoutMs);
      // Until the handshake is done, any failure is the failure of opening.
      connection.#pending = {
        requestId: undefined,
        resolve: () => {
          clearTimeout(timer);
          connection.#startPings(pingIntervalMs);
          resolve(connection);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      socket.addEventListener("open", () => connection.#settle()?.resolve(undefined));
      socket.addEventListener("message", (event) => connection.#receive(event.data));
      socket.addEventListener("error", (event) => {
        connection.#lastSocketError = event.message ?? "";
      });
      socket.addEventListener("close", (event) => connection.#end(event));
    });
  }

  /** Why the connection ended, or null while it is usable. */
  get failure(): PraxisError | null {
    return this.#failure;
  }

  /** Sends `message` and gives the `data` of the reply. One call at a time. */
  exchange(message: Readonly<Record<string, unknown>>, options: ExchangeOptions): Promise<unknown> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const { timeoutMs, signal, requestId } = options;
    if (signal?.aborted === true)
      return Promise.reject(new PraxisError("CLIENT_TIMEOUT", "The call was aborted before it was sent."));
    const text = JSON.stringify(requestId === undefined ? message : { ...message, request_id: requestId });
    if (isLongerThan(text, this.#maxMessageBytes))
      return Promise.reject(
        new PraxisError("MESSAGE_TOO_LARGE", `The message is above ${this.#maxMessageBytes} bytes; it was not sent.`),
      );
    return new Promise((resolve, reject) => {
      const drop = (why: string, cause?: unknown): void =>
        this.#fail(new PraxisError("CLIENT_TIMEOUT", `${why} The socket was dropped.`, { cause }));
      const timer =
        timeoutMs === null
          ? undefined
          : setTimeout(() => drop(`No reply to '${message.type}' within ${timeoutMs} ms.`), timeoutMs);
      const onAbort = (): void => drop(`The call '${message.type}' was aborted.`, signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      const release = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      this.#pending = {
        requestId,
        resolve: (data) => {
          release();
          resolve(data);
        },
        reject: (error) => {
          release();
          reject(error);
        },
      };
      this.#socket.send(text);
    });
  }

  /** Says goodbye and waits for the socket to end. */
  close(): Promise<void> {
    if (this.#failure === null && this.#socket.readyState === 1) this.#socket.send('{"type":"close"}');
    this.#fail(new PraxisError("CONNECTION_LOST", "The client closed the connection."), true);
    return this.closed;
  }

  #receive(raw: unknown): void {
    if (this.#failure !== null) return;
    let frame: Readonly<Record<string, unknown>>;
    try {
      frame = parseFrame(raw, this.#maxMessageBytes);
    } catch (error) {
      this.#fail(toPraxisError(error, "CONNECTION_LOST"));
      return;
    }
    const isExpected = this.#pending !== null && this.#pending.requestId === (frame.request_id ?? undefined);
    if (frame.type === "error") {
      const error = errorFromFrame(frame.data, !this.#hasReplied);
      // Session errors end the connection whether asked for or not: at capacity, the frame comes right after the handshake.
      if (SESSION_CODES.has(error.row.wsCode)) this.#fail(error);
      else if (isExpected) this.#settle()?.reject(error);
      return;
    }
    // OpenEnv servers send nothing unasked; what comes nevertheless is no answer to anybody.
    if (!isExpected) return;
    this.#hasReplied = true;
    this.#settle()?.resolve(frame.data ?? {});
  }

  #settle(): Pending | null {
    const pending = this.#pending;
    this.#pending = null;
    return pending;
  }

  #fail(error: PraxisError, isGoodbye = false): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    clearInterval(this.#pings);
    this.#settle()?.reject(error);
    if (this.#socket.readyState === 3) {
      this.#markClosed();
      return;
    }
    const timer = setTimeout(() => {
      this.#socket.terminate?.();
      this.#markClosed();
    }, CLOSE_TIMEOUT_MS);
    void this.closed.then(() => clearTimeout(timer));
    // Any code but the ordinary ones says that this was no goodbye: a server that can resume keeps the session.
    this.#socket.close(isGoodbye ? 1000 : DROPPED);
  }

  #end(event: SocketEvent): void {
    this.#markClosed();
    this.#fail(this.#closeError(event));
  }

  #closeError(event: SocketEvent): PraxisError {
    const refused = /unexpected server response: (\d+)/i.exec(this.#lastSocketError)?.[1];
    const code: ErrorCode | undefined =
      refused === "401" ? "UNAUTHORIZED" : refused === "403" ? "FORBIDDEN" : undefined;
    if (code !== undefined)
      return new PraxisError(code, `The server refused the handshake with ${refused}.`, {
        details: { status: refused },
      });
    // `ws` reports its own limit as an error before an abnormal close.
    if (/max payload size exceeded/i.test(this.#lastSocketError))
      return new PraxisError(
        "MESSAGE_TOO_LARGE",
        `The reply is above ${this.#maxMessageBytes} bytes; raise maxMessageBytes.`,
      );
    return errorFromClose(event.code, event.reason ?? "", this.#lastSocketError);
  }

  #startPings(intervalMs: number | null): void {
    const socket = this.#socket;
    if (intervalMs === null || socket.ping === undefined) return;
    this.#pings = setInterval(() => {
      if (socket.readyState === 1) socket.ping?.();
    }, intervalMs);
  }
}
