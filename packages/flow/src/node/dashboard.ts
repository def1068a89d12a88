import { randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type WebSocket, WebSocketServer } from "ws";
import type { FlowEvent } from "../engine/events.ts";
import { FlowError } from "../errors.ts";
import { dashboardPage } from "./dashboard-page.ts";
import { readRunEvents } from "./run-folder.ts";
import { listRuns, type RunCache, runFolder } from "./run-list.ts";

/** How the dashboard is served. */
export interface DashboardOptions {
  /** Folder that holds the folders of runs. */
  readonly runs: string;
  readonly port: number;
  /** Default 127.0.0.1; any other host needs a token. */
  readonly host?: string;
  readonly token?: string;
  /** How often files are looked at for new events; default 100 ms. */
  readonly pollMs?: number;
}

/** A dashboard that is served. */
export interface Dashboard {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]", "::1"];

/**
 * Serves runs of a folder: a page, `GET /api/runs`, `GET /api/runs/:id/events`, and a WebSocket `/events?run=&from=seq` that
 * first gives what is there from `from` on and then what comes, without gaps. It reads files only, so runs of any process
 * are seen.
 *
 * @throws FlowError E403 for a host beyond this machine without a token
 */
export async function serveDashboard(options: DashboardOptions): Promise<Dashboard> {
  const host = options.host ?? "127.0.0.1";
  const isLocal = LOOPBACK.includes(host);
  if (!isLocal && (options.token ?? "") === "")
    throw new FlowError("E403", "auth", `A dashboard on '${host}' can be reached from elsewhere and needs a token.`);
  const cache: RunCache = new Map();
  const server = createServer((request, response) => {
    const refusal = refuse(request, options, isLocal);
    if (refusal !== undefined)
      answer(response, refusal, { error: refusal === 401 ? "A token is needed." : "This host name is not served." });
    else route(request, response, options, cache);
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1_024, perMessageDeflate: false });
  server.on("upgrade", (request, socket, head) => {
    const url = new URL(request.url ?? "/", "http://x");
    if (url.pathname !== "/events" || refuse(request, options, isLocal) !== undefined || !isOwnOrigin(request)) {
      socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => follow(client, url, options));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}/`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Status of a refusal, else undefined. On this machine the host name is checked: a foreign page must not get in by its DNS. */
function refuse(request: IncomingMessage, options: DashboardOptions, isLocal: boolean): number | undefined {
  if (isLocal) {
    const name = (request.headers.host ?? "").replace(/:\d+$/, "");
    if (!LOOPBACK.includes(name)) return 403;
  }
  if (options.token === undefined || options.token === "") return undefined;
  const given =
    request.headers.authorization?.replace(/^Bearer /, "") ??
    new URL(request.url ?? "/", "http://x").searchParams.get("token") ??
    "";
  const a = Buffer.from(given);
  const b = Buffer.from(options.token);
  return a.length === b.length && timingSafeEqual(a, b) ? undefined : 401;
}

function isOwnOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  return origin === undefined || origin.replace(/^https?:\/\//, "") === host;
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    })
    .end(JSON.stringify(body));
}

function route(request: IncomingMessage, response: ServerResponse, options: DashboardOptions, cache: RunCache): void {
  const url = new URL(request.url ?? "/", "http://x");
  const id = /^\/api\/runs\/([^/]+)\/events$/.exec(url.pathname)?.[1];
  if (request.method !== "GET") answer(response, 405, { error: "Only GET is served." });
  else if (url.pathname === "/") sendPage(response);
  else if (url.pathname === "/api/runs") answer(response, 200, listRuns(options.runs, cache));
  else if (id === undefined) answer(response, 404, { error: "There is no such page." });
  else {
    const folder = runFolder(options.runs, decoded(id));
    if (folder === undefined) answer(response, 404, { error: `There is no run '${id}'.` });
    else answer(response, 200, readRunEvents(folder));
  }
}

function sendPage(response: ServerResponse): void {
  const nonce = randomBytes(16).toString("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self' ws: wss:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  response
    .writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": policy,
    })
    .end(dashboardPage(nonce));
}

/** A name from a URL; what is no valid encoding names nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** Sends the lines of a run's events from `from` on, then new ones as they are written. */
function follow(client: WebSocket, url: URL, options: DashboardOptions): void {
  const folder = runFolder(options.runs, url.searchParams.get("run") ?? "");
  const from = Number(url.searchParams.get("from") ?? 0);
  if (folder === undefined || !Number.isSafeInteger(from) || from < 0) {
    client.close(1008, "unknown run or bad 'from'");
    return;
  }
  const path = join(folder, "events.ndjson");
  let offset = 0;
  const pump = (): void => {
    if (!existsSync(path) || client.bufferedAmount > 4_000_000) return;
    const handle = openSync(path, "r");
    try {
      const { size } = fstatSync(handle);
      if (size <= offset) return;
      const bytes = Buffer.alloc(Math.min(size - offset, 1_000_000));
      const count = readSync(handle, bytes, 0, bytes.length, offset);
      // Cut at a line's end: a character may be split between two reads, a line end never is.
      const end = bytes.subarray(0, count).lastIndexOf(10) + 1;
      offset += end;
      for (const line of bytes.subarray(0, end).toString("utf8").split("\n"))
        if (line !== "" && (JSON.parse(line) as FlowEvent).seq >= from) client.send(line);
    } finally {
      closeSync(handle);
    }
  };
  pump();
  const timer = setInterval(pump, options.pollMs ?? 100);
  client.on("close", () => clearInterval(timer));
  client.on("error", () => clearInterval(timer));
}
