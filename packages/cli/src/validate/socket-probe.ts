import { type RawData, WebSocket } from "ws";

/** A frame as it came: its text, and its JSON or undefined. */
export interface Frame {
  readonly text: string;
  readonly json: unknown;
}

/** How a socket ended. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

/** The server refused the handshake with an HTTP status. */
export class HandshakeRefused extends Error {
  override readonly name = "HandshakeRefused";
  readonly status: number;

  constructor(url: string, status: number) {
    super(`The handshake of ${url} was refused with HTTP ${status}.`);
    this.status = status;
  }
}

const textOf = (data: RawData): string =>
  Array.isArray(data) ? Buffer.concat(data).toString("utf8") : Buffer.from(data as Buffer).toString("utf8");

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A raw WebSocket for probing: any text goes out, frames come in one by one, and every wait has a limit. */
export class SocketProbe {
  readonly #socket: WebSocket;
  readonly #timeoutMs: number;
  readonly #frames: Frame[] = [];
  readonly #waiting: ((frame: Frame | null) => void)[] = [];
  #closing: Closing | null = null;
  readonly #closed: Promise<Closing>;

  private constructor(socket: WebSocket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.on("message", (data) => {
      const text = textOf(data);
      const frame = { text, json: parse(text) };
      const waiter = this.#waiting.shift();
      if (waiter === undefined) this.#frames.push(frame);
      else waiter(frame);
    });
    this.#closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        this.#closing = { code, reason: reason.toString("utf8") };
        for (const waiter of this.#waiting.splice(0)) waiter(null);
        resolve(this.#closing);
      });
    });
    socket.on("error", () => socket.terminate());
  }

  /** Opens a socket. Rejects with {@link HandshakeRefused} or after the time limit. */
  static open(url: string, timeoutMs: number, headers: Readonly<Record<string, string>>): Promise<SocketProbe> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { headers, handshakeTimeout: timeoutMs, perMessageDeflate: false });
      const probe = new SocketProbe(socket, timeoutMs);
      socket.once("open", () => resolve(probe));
      socket.once("unexpected-response", (_request, response) => {
        socket.terminate();
        reject(new HandshakeRefused(url, response.statusCode ?? 0));
      });
      socket.once("error", (error) => reject(new Error(`${url} can't be opened: ${error.message}.`, { cause: error })));
    });
  }

  /** Sends a value as JSON. */
  send(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Sends text as it is, or bytes as a binary frame. */
  sendRaw(data: string | Uint8Array): void {
    this.#socket.send(data);
  }

  /** Next frame. Rejects when the socket closes or the time is up. */
  async next(): Promise<Frame> {
    const frame = await this.#nextWithin(this.#timeoutMs);
    if (frame === "timeout") throw new Error(`No reply came within ${this.#timeoutMs} ms.`);
    if (frame === null)
      throw new Error(`The server closed the socket (${this.#closing?.code ?? 1006}) instead of answering.`);
    return frame;
  }

  /** The frame that arrives within `ms`, or null if none does. */
  async silentFor(ms: number): Promise<Frame | null> {
    const frame = await this.#nextWithin(ms);
    return frame === "timeout" ? null : frame;
  }

  #nextWithin(ms: number): Promise<Frame | null | "timeout"> {
    const ready = this.#frames.shift();
    if (ready !== undefined) return Promise.resolve(ready);
    if (this.#closing !== null) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiter = (frame: Frame | null): void => {
        clearTimeout(timer);
        resolve(frame);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        resolve("timeout");
      }, ms);
      this.#waiting.push(waiter);
    });
  }

  /** Sends a value and returns the reply's JSON. */
  async ask(message: unknown): Promise<unknown> {
    this.send(message);
    return (await this.next()).json;
  }

  /** How the server closed the socket. Rejects when it stays open. */
  async closed(): Promise<Closing> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`The socket was still open after ${this.#timeoutMs} ms.`)),
        this.#timeoutMs,
      );
    });
    try {
      return await Promise.race([this.#closed, limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Cuts the connection without a closing handshake, as a crashed client does. */
  cut(): void {
    this.#socket.terminate();
  }

  /** Says `close` and waits for the end, so that the slot is free afterwards. */
  async finish(): Promise<void> {
    if (this.#closing !== null) return;
    if (this.#socket.readyState === WebSocket.OPEN) this.send({ type: "close" });
    try {
      await this.closed();
    } catch {
      this.cut();
    }
  }
}
