import { execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** An official OpenEnv package in its virtual environment. */
export interface Peer {
  readonly name: string;
  readonly distribution: string;
  readonly version: string;
  readonly python: string;
  /** Its `openenv` command. */
  readonly command: string;
  /** Why it cannot be used, or null. */
  readonly missing: string | null;
}

const root = fileURLToPath(new URL("..", import.meta.url));

/** The official packages, whether they are installed or not. */
export function findPeers(): readonly Peer[] {
  const run = () =>
    execFileSync(process.execPath, ["scripts/python-peers.mjs", "--json"], { cwd: root, encoding: "utf8" });
  try {
    return JSON.parse(run()) as Peer[];
  } catch (error) {
    // Exit code 1 says that one is missing; the list is there all the same.
    return JSON.parse((error as { readonly stdout: string }).stdout) as Peer[];
  }
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. Never throws for an exit code. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly input?: string; readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: options.cwd ?? root, env: options.env ?? process.env });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(options.input ?? "");
  });
}

/** Runs a script of `python/tests` with a peer's Python and returns the JSON that it prints. Throws with its error output. */
export async function runScript(
  peer: Peer,
  script: string,
  args: readonly string[],
  input?: unknown,
): Promise<unknown> {
  const ended = await runProgram(peer.python, [`python/tests/${script}`, ...args], {
    ...(input === undefined ? {} : { input: JSON.stringify(input) }),
  });
  if (ended.code !== 0) throw new Error(`${script} ended with ${ended.code}:\n${ended.stderr}`);
  return JSON.parse(ended.stdout);
}

/** A server process that answered `/health`. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a program that serves on `port` and waits until it is healthy. Throws with its error output if it ends before. */
export async function startServerProcess(
  program: string,
  args: readonly string[],
  { port, cwd, env = process.env }: { readonly port: number; readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
): Promise<ServerProcess> {
  const child = spawn(program, args, { cwd: cwd ?? root, env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  while (true) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}:\n${stderr}`);
    try {
      if ((await fetch(`${url}/health`)).ok) break;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    pid: child.pid!,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
