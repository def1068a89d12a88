import { type EnvDefinition, EnvRegistry, type ServerMode } from "@praxis/env";
import { createServer } from "../src/index.ts";
import type { SessionStore } from "../src/sessions.ts";
import { ManualClock } from "./manual-clock.ts";

/** A server of one environment on a loopback port. */
export interface McpTestServer {
  /** Address of `/mcp`. */
  readonly url: URL;
  readonly sessions: SessionStore;
  readonly clock: ManualClock;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** Starts one. Time stands still until the test moves it. */
export async function startMcpServer(
  definition: EnvDefinition,
  options: { readonly mode?: ServerMode; readonly maxSessions?: number } = {},
): Promise<McpTestServer> {
  const clock = new ManualClock();
  const server = createServer({
    registry: new EnvRegistry([definition]),
    port: 0,
    mode: options.mode ?? "simulation",
    maxSessions: options.maxSessions ?? 4,
    sessionTimeoutMs: 60_000,
    pingIntervalMs: null,
    clock,
    seed: 0,
  });
  const { url } = await server.listen();
  const mcp = new URL("/mcp", url);
  return {
    url: mcp,
    sessions: server.sessions,
    clock,
    post: (body, headers = {}) =>
      fetch(mcp, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    async close() {
      let isClosed = false;
      const closing = server.close().then(() => {
        isClosed = true;
      });
      // A shutdown waits by the clock for what still runs.
      while (!isClosed) {
        await clock.advance(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await closing;
    },
  };
}
