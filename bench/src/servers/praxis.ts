import { EnvRegistry } from "@praxis/env";
import { counterEnv } from "@praxis/env/testing";
import { loadPolyGuard } from "@praxis/polyguard";
import { createServer } from "@praxis/server";

/**
 * The server under measurement, as a child process: `praxis.js ENV PORT CAPACITY`. Over the IPC channel it answers
 * `"memory"` with its memory after a full collection and the sessions it holds.
 */
const [name = "counter", port = "0", capacity = "4096"] = process.argv.slice(2);
const registry = new EnvRegistry([counterEnv, loadPolyGuard()]);
const server = createServer({
  registry,
  root: name,
  host: "127.0.0.1",
  port: Number(port),
  maxSessions: Number(capacity),
  seed: 1,
});
await server.listen();

process.on("message", (message) => {
  if (message !== "memory") return;
  globalThis.gc?.();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.send?.({ rss, heapUsed, external, arrayBuffers });
});
process.on("SIGTERM", () => process.exit(0));
