import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LoadRequest, LoadResult } from "./load/generator.ts";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");

/** A server under load; `stop` waits for its end. */
export interface Running {
  readonly port: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** Memory of a Praxis server after a collection, in bytes. */
export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
}

/** A loopback port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

async function waitForHealth(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`the server on port ${port} ended with code ${child.exitCode}`);
    try {
      const reply = await fetch(`http://127.0.0.1:${port}/health`);
      if (reply.ok) return;
    } catch {
      // not listening yet
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the server on port ${port} did not become healthy`);
}

const pinned = (cpu: number | null, command: string, args: readonly string[]): [string, string[]] =>
  cpu === null ? [command, [...args]] : ["taskset", ["-c", String(cpu), command, ...args]];

async function run(
  command: string,
  args: readonly string[],
  port: number,
  stderr: "inherit" | "ignore" = "inherit",
): Promise<Running> {
  const child = spawn(command, args, {
    cwd: root,
    stdio: ["ignore", "ignore", stderr, "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await waitForHealth(port, child);
  return {
    port,
    child,
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 3000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Starts our server with one environment at the root. @param cpu core to pin to, null for none */
export async function startPraxis(
  options: { readonly env?: string; readonly capacity?: number; readonly cpu?: number | null } = {},
): Promise<Running> {
  const port = await freePort();
  const { env = "counter", capacity = 16_384, cpu = null } = options;
  return run(
    ...pinned(cpu, process.execPath, [
      "--expose-gc",
      join(here, "servers", "praxis.js"),
      env,
      String(port),
      String(capacity),
    ]),
    port,
  );
}

/** Starts `praxis serve` itself, for what only the command offers (`--workers`). */
export async function startCommand(args: readonly string[]): Promise<Running> {
  const port = await freePort();
  return run(
    process.execPath,
    [join(root, "packages", "cli", "dist", "main.js"), "serve", ...args, "--host", "127.0.0.1", "--port", String(port)],
    port,
    "ignore",
  );
}

/** Python of the virtual environment with the official server of that version, or null where it is not installed. */
export function officialPython(version: "0.10" | "core-0.3"): string | null {
  const path = join(root, ".venv", version === "0.10" ? "openenv-0.10" : "openenv-core-0.3", "bin", "python");
  return existsSync(path) ? path : null;
}

/** Starts the official Python server with the trivial environment. */
export async function startOfficial(python: string, options: { readonly cpu?: number | null } = {}): Promise<Running> {
  const port = await freePort();
  return run(
    ...pinned(options.cpu ?? null, python, [join(root, "python", "peers", "echo_server.py"), "--port", String(port)]),
    port,
    // It prints a stack trace for every client that leaves without a goodbye.
    "ignore",
  );
}

/** Runs the load generator in a process of its own. */
export function load(request: LoadRequest, cpu: number | null = null): Promise<LoadResult> {
  const [command, args] = pinned(cpu, process.execPath, [join(here, "load", "generator.js"), JSON.stringify(request)]);
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: 1 << 20 }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`load generator: ${error.message} ${stderr}`));
      else resolve(JSON.parse(stdout) as LoadResult);
    });
  });
}

/** Asks one of our servers for its memory after a collection. */
export function memoryOf(server: Running): Promise<Memory> {
  return new Promise((resolve) => {
    server.child.once("message", (message) => resolve(message as Memory));
    server.child.send("memory");
  });
}
