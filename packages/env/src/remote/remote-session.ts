import { PraxisError } from "../errors.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { isRecord } from "./remote-error.ts";
import type { RemoteServer } from "./remote-server.ts";

/** How a session is kept. Times in ms. */
export interface SessionOptions {
  /** `ws(s)://…/ws`, without query. */
  readonly url: string;
  /** Token for the query, where the socket class can't send headers. */
  readonly queryToken: string | undefined;
  readonly server: RemoteServer;
  readonly sessionId: string | undefined;
  readonly messageTimeoutMs: number | null;
  readonly capacityWaitMs: number;
  readonly resumeWaitMs: number;
  readonly connection: ConnectionOptions;
}

/** What a server can do beyond OpenEnv; nothing of it is used before the server has said so. */
interface Features {
  readonly requestId: boolean;
  readonly resume: boolean;
}

/** A frame of the OpenEnv protocol. */
type Message =
  | { readonly type: "reset" | "step" | "mcp"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: "state" };

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 2_000;

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * One session over as many sockets as it takes. Where the server hands out a resume token, a lost socket is replaced and the
 * unanswered request sent again under its id, which the server answers once. Elsewhere the loss is told: the call that meets
 * it and every later one throws CONNECTION_LOST, until a reset begins an episode on a new socket.
 */
export class RemoteSession {
  readonly #options: SessionOptions;
  #connection: Connection | null = null;
  #features: Promise<Features> | null = null;
  #resumeToken: string | null = null;
  /** True once the server holds something that a new socket would not have. */
  #hasEpisode = false;
  #isClosed = false;
  #nextRequest = 1;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Opens a socket, if none is open and nothing is lost by it. */
  open(): Promise<void> {
    return this.#inTurn(() => this.#attempt(false, async () => undefined));
  }

  /** Sends `message` after all earlier ones and gives the reply's `data`. */
  exchange(
    message: Message,
    options: { readonly timeoutMs?: number | null; readonly signal?: AbortSignal },
  ): Promise<unknown> {
    return this.#inTurn(() => this.#exchange(message, options));
  }

  /** Ends the session for good, at once: a call in progress throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(run);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  async #exchange(
    message: Message,
    options: { readonly timeoutMs?: number | null; readonly signal?: AbortSignal },
  ): Promise<unknown> {
    const requestId = `r${this.#nextRequest++}`;
    const timeoutMs = options.timeoutMs === undefined ? this.#options.messageTimeoutMs : options.timeoutMs;
    return this.#attempt(message.type === "reset", async (connection) => {
      const { requestId: canCorrelate } = await this.#detect();
      const data = await connection.exchange(
        { ...message },
        { timeoutMs, signal: options.signal, requestId: canCorrelate ? requestId : undefined },
      );
      this.#hasEpisode = true;
      return data;
    });
  }

  /** Runs `act` on a connection; again after a refusal for want of a slot, and once after a loss that can be resumed. */
  async #attempt<T>(isReset: boolean, act: (connection: Connection) => Promise<T>): Promise<T> {
    let hasResent = false;
    let delayMs = FIRST_DELAY_MS;
    let waitedMs = 0;
    for (;;) {
      try {
        return await act(await this.#connected(isReset));
      } catch (error) {
        if (!(error instanceof PraxisError) || this.#isClosed) throw error;
        if (error.code === "CAPACITY_REACHED" && waitedMs < this.#options.capacityWaitMs) {
          // Refused at the door: nothing was done, so the same message may be sent again.
          await sleep(delayMs);
          waitedMs += delayMs;
          delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
        } else if (error.code === "CONNECTION_LOST" && this.#resumeToken !== null && !hasResent) {
          hasResent = true;
        } else {
          throw error;
        }
      }
    }
  }

  /** The open connection, or a new one where that loses nothing. @param isReset true when the next message begins an episode */
  async #connected(isReset: boolean): Promise<Connection> {
    if (this.#isClosed) throw new PraxisError("CONNECTION_LOST", "The client is closed. Connect again.");
    const old = this.#connection;
    if (old !== null && old.failure === null) return old;
    await old?.closed;
    if (this.#resumeToken !== null) {
      const resumed = await this.#resume(this.#resumeToken, isReset);
      if (resumed !== null) return resumed;
    }
    if (this.#hasEpisode && !isReset)
      throw new PraxisError(
        "CONNECTION_LOST",
        `The connection broke and the episode with it${old?.failure ? ` (${old.failure.message})` : ""}. Reset to begin another.`,
        { cause: old?.failure },
      );
    this.#hasEpisode = false;
    const { sessionId } = this.#options;
    return this.#open(sessionId === undefined ? {} : { session_id: sessionId });
  }

  async #open(query: Readonly<Record<string, string>>): Promise<Connection> {
    const url = new URL(this.#options.url);
    const { queryToken } = this.#options;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    if (queryToken !== undefined) url.searchParams.set("access_token", queryToken);
    const [connection, features] = await Promise.all([
      Connection.open(url.href, this.#options.connection),
      this.#detect(),
    ]);
    this.#connection = connection;
    if (features.resume) {
      // On a resumed socket this also tells whether the session is still there.
      const session = await connection.exchange({ type: "session" }, { timeoutMs: this.#options.messageTimeoutMs });
      if (isRecord(session) && typeof session.resume_token === "string") this.#resumeToken = session.resume_token;
    }
    return connection;
  }

  /** A socket on the old session, or null when that is gone and a reset may begin afresh. */
  async #resume(token: string, isReset: boolean): Promise<Connection | null> {
    let delayMs = FIRST_DELAY_MS;
    for (let waitedMs = 0; ; waitedMs += delayMs, delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
      try {
        return await this.#open({ resume: token });
      } catch (error) {
        if (
          !(error instanceof PraxisError) ||
          error.code !== "CONNECTION_LOST" ||
          waitedMs >= this.#options.resumeWaitMs
        ) {
          this.#resumeToken = null;
          if (isReset) return null;
          throw error;
        }
        await sleep(delayMs);
      }
    }
  }

  /** Asks `/health` once what the server can do. A server that does not answer there is taken as a plain OpenEnv server. */
  #detect(): Promise<Features> {
    this.#features ??= this.#options.server.health().then(
      ({ praxis }) => ({
        requestId: isRecord(praxis) && praxis.request_id === true,
        resume: isRecord(praxis) && praxis.resume === true,
      }),
      () => ({ requestId: false, resume: false }),
    );
    return this.#features;
  }
}
