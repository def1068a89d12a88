import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
}

/** Answers one request. */
export type Handler = (request: Seen, response: ServerResponse) => void | Promise<void>;

/** A server on the loopback address that answers each request with the next handler; the last one stays. */
export async function loopback(...handlers: readonly Handler[]) {
  const seen: Seen[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      const entry: Seen = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
      };
      seen.push(entry);
      const handler = handlers[Math.min(seen.length, handlers.length) - 1]!;
      void Promise.resolve(handler(entry, response)).catch((error: unknown) => response.destroy(error as Error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with JSON. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Handler {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  };
}

/** Answers with text as it is. */
export function raw(text: string, status = 200, type = "application/json"): Handler {
  return (_, response) => void response.writeHead(status, { "content-type": type }).end(text);
}

/** Answers with server-sent events; `cut` breaks the connection after them. */
export function sse(
  events: readonly (unknown | { readonly event: string; readonly data: unknown })[],
  options: { readonly named?: boolean; readonly cut?: boolean; readonly done?: boolean } = {},
): Handler {
  return async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const entry of events) {
      const name = options.named === true ? `event: ${(entry as { type: string }).type}\n` : "";
      response.write(`${name}data: ${JSON.stringify(entry)}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    if (options.cut === true) {
      response.destroy();
      return;
    }
    if (options.done === true) response.write("data: [DONE]\n\n");
    response.end();
  };
}
