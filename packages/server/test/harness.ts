import { fileURLToPath } from "node:url";
import { type EnvDefinition, EnvRegistry } from "@praxis/env";
import { WebSocket } from "ws";
import type { ServerOptions } from "../src/options.ts";
import { createServer, type PraxisServer } from "../src/server.ts";

const PAGE = fileURLToPath(new URL("./fixtures/page/", import.meta.url));

/** A listening server of a test. */
export interface TestServer {
  readonly server: PraxisServer;
  readonly url: string;
  readonly ws: string;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port; the first definition is at the root. */
export async function startServer(
  definitions: readonly EnvDefinition[],
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const server = makeServer(definitions, options);
  const { url } = await server.listen();
  return { server, url, ws: url.replace("http", "ws"), close: () => server.close() };
}

/** A server that does not listen: for `app.request`. */
export function makeServer(definitions: readonly EnvDefinition[], options: Partial<ServerOptions> = {}): PraxisServer {
  return createServer({
    registry: new EnvRegistry(definitions),
    root: definitions[0]!.name,
    port: 0,
    seed: 1,
    page: PAGE,
    ...options,
  });
}

export type Json = Record<string, unknown>;

/** A socket that hands out frames one by one. */
export class TestSocket {
  readonly socket: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly frames: string[] = [];
  #waiting: ((text: string) => void)[] = [];
  #ended = false;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: Buffer) => {
      const next = this.#waiting.shift();
      if (next === undefined) this.frames.push(data.toString());
      else next(data.toString());
    });
    socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        this.#ended = true;
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  /** Resolves once the handshake is done; rejects with the HTTP status of a refusal. */
  static open(url: string, headers: Record<string, string> = {}): Promise<TestSocket> {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: 200 * 1024 * 1024 });
    const opened = new TestSocket(socket);
    return new Promise((resolve, reject) => {
      socket.on("open", () => resolve(opened));
      socket.on("unexpected-response", (_request, response) => {
        reject(new Error(String(response.statusCode)));
        socket.terminate();
      });
      socket.on("error", reject);
    });
  }

  /** The next frame that was not handed out yet. Rejects if the socket closes first. */
  next(): Promise<string> {
    const first = this.frames.shift();
    if (first !== undefined) return Promise.resolve(first);
    if (this.#ended) return Promise.reject(new Error("The socket is closed."));
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      void this.closed.then(({ code, reason }) => reject(new Error(`The socket closed: ${code} ${reason}`)));
    });
  }

  /** Sends a frame and gives the parsed reply. */
  async ask(message: unknown): Promise<{ type: string; data: Json; request_id?: unknown }> {
    this.send(message);
    return JSON.parse(await this.next());
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.socket.close(1000);
    await this.closed;
  }
}

/** Sends JSON by HTTP to an app and gives status and parsed body. */
export async function call(
  server: PraxisServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Json; headers: Headers }> {
  const response = await server.app.request(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : { text },
    headers: response.headers,
  };
}

/** Waits, turn by turn of the event loop, until `isDone`; fails after five seconds. */
export async function until(isDone: () => boolean): Promise<void> {
  const end = performance.now() + 5_000;
  while (!isDone()) {
    if (performance.now() > end) throw new Error("It did not come to be within five seconds.");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
