import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { type Duplex, Readable } from "node:stream";
import type { Context } from "hono";
import { isRecord } from "./action.ts";
import { ownerOf, socketPath, type WorkerPlace } from "./worker-place.ts";

/** Marks what another worker has passed on: it is answered where it arrives, whatever its id says. */
const FORWARDED_HEADER = "x-praxis-forwarded";
/** Headers of one connection, not of the message. */
const HOP_HEADERS: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade"]);

/**
 * Passes requests for sessions of other workers to their owners. When an owner can't be reached the request stays here, where its
 * session is unknown: the truth, as a worker that went down took its sessions with it.
 */
export class Forwarder {
  readonly #place: WorkerPlace;

  constructor(place: WorkerPlace) {
    this.#place = place;
  }

  /** The owner's response to an HTTP request, or null when it is to be answered here. */
  async http(c: Context): Promise<Response | null> {
    if (c.req.header(FORWARDED_HEADER) !== undefined) return null;
    const id = await namedSession(c);
    const owner = id === null ? null : this.#foreignOwner(id);
    if (owner === null) return null;
    const body = c.req.method === "POST" ? await c.req.text() : "";
    return this.#request(owner, c.req.raw, body).catch(() => null);
  }

  /** Pipes an upgrade request to its owner; false when it is to be answered here. `answer` answers here if the owner is gone. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, answer: () => void): boolean {
    if (request.headers[FORWARDED_HEADER] !== undefined) return false;
    const query = new URLSearchParams((request.url ?? "").split("?", 2)[1]);
    const owner = this.#foreignOwner(query.get("session_id") ?? query.get("resume") ?? "");
    if (owner === null) return false;
    const upstream = connect(socketPath(this.#place, owner));
    upstream.once("error", answer);
    upstream.once("connect", () => {
      upstream.off("error", answer);
      const lines = [`GET ${request.url} HTTP/1.1`, `${FORWARDED_HEADER}: 1`];
      for (let i = 0; i < request.rawHeaders.length; i += 2)
        lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
      upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
      upstream.write(head);
      const end = (): void => {
        socket.destroy();
        upstream.destroy();
      };
      for (const side of [socket, upstream]) {
        side.on("error", end);
        side.on("close", end);
      }
      socket.pipe(upstream).pipe(socket);
    });
    return true;
  }

  /** Text of a GET of every other worker that answers well. */
  async gather(path: string, authorization: string | undefined): Promise<string[]> {
    const request = new Request(`http://localhost${path}`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    const others = Array.from({ length: this.#place.workers }, (_, index) => index).filter(
      (index) => index !== this.#place.index,
    );
    const texts = await Promise.all(
      others.map((index) =>
        this.#request(index, request, "").then(
          (response) => (response.ok ? response.text() : null),
          () => null,
        ),
      ),
    );
    return texts.filter((text) => text !== null);
  }

  #foreignOwner(id: string): number | null {
    const owner = ownerOf(id, this.#place.workers);
    return owner === this.#place.index ? null : owner;
  }

  #request(owner: number, request: Request, body: string): Promise<Response> {
    const url = new URL(request.url);
    const headers: OutgoingHttpHeaders = { [FORWARDED_HEADER]: "1", "content-length": Buffer.byteLength(body) };
    for (const [name, value] of request.headers)
      if (!HOP_HEADERS.has(name) && name !== "content-length") headers[name] = value;
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        {
          socketPath: socketPath(this.#place, owner),
          method: request.method,
          path: url.pathname + url.search,
          headers,
          signal: request.signal,
        },
        (incoming) => resolve(toResponse(incoming)),
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }
}

// Node's and the page's types of a stream differ by name only.
type ReplyBody = ConstructorParameters<typeof Response>[0];

function toResponse(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined && !HOP_HEADERS.has(name))
      headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  const status = incoming.statusCode ?? 502;
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? (Readable.toWeb(incoming) as ReplyBody) : null, { status, headers });
}

/** The session that a request names, in whatever place its route allows. */
async function namedSession(c: Context): Promise<string | null> {
  const named =
    c.req.header("x-session-id") ??
    c.req.header("mcp-session-id") ??
    c.req.query("session_id") ??
    /\/sessions\/([^/]+)$/.exec(c.req.path)?.[1];
  if (named !== undefined) return named;
  if (c.req.method !== "POST" || !/\/(?:reset|step|mcp)$/.test(c.req.path)) return null;
  const text = await c.req.text();
  if (!text.includes('"session_id"')) return null;
  try {
    const body: unknown = JSON.parse(text);
    if (!isRecord(body)) return null;
    const id = body.session_id ?? (isRecord(body.params) ? body.params.session_id : undefined);
    return typeof id === "string" ? id : null;
  } catch {
    return null; // the route says what is wrong with it
  }
}
