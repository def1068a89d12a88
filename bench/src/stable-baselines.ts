import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const VERSION = "2.9.2";
const folder = join(root, ".venv", `stable-baselines3-${VERSION}`);
const python = join(folder, "bin", "python");
// With PyTorch this is some gigabytes.
const INSTALL_TIMEOUT_MS = 900_000;

/** One answer of a peer, in seconds. */
export interface PeerAnswer {
  /** Environment steps, null where the goal was not reached. */
  readonly steps: number | null;
  readonly wall: number;
  /** Processor time of all its threads. */
  readonly cpu: number;
}

/** A Python process that does one piece of work for each line it is sent. */
export interface Peer {
  readonly versions: string;
  ask(line: string): Promise<PeerAnswer>;
  stop(): void;
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore", timeout: INSTALL_TIMEOUT_MS }).status === 0;
}

/** Installs Stable-Baselines3 and sb3-contrib into a virtual environment of their own if need be; says why it can't. */
export function installStableBaselines(): string | null {
  const check = ["-c", "import sb3_contrib, stable_baselines3"];
  if (existsSync(python) && succeeds(python, check)) return null;
  console.log(`Installing stable-baselines3 and sb3-contrib ${VERSION} into .venv (once, some minutes) …`);
  if (!succeeds("python3", ["-m", "venv", "--clear", folder])) return "python3 with venv is not installed";
  const packages = ["stable-baselines3", "sb3-contrib"].map((name) => `${name}==${VERSION}`);
  if (!succeeds(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages]))
    return `pip could not install ${packages.join(" and ")}`;
  return succeeds(python, check) ? null : "stable-baselines3 was installed but does not import";
}

/** Starts a script of bench/peers/ppo and waits until it is ready. */
export async function startPeer(script: string, args: readonly string[]): Promise<Peer> {
  const child: ChildProcess = spawn(python, [join(root, "bench", "peers", "ppo", script), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { done, value } = await answers.next();
    if (done) throw new Error(`${script} ended without an answer`);
    return JSON.parse(value);
  };
  const { ready } = (await next()) as { readonly ready: string };
  return {
    versions: `${VERSION}, ${ready}`,
    async ask(line) {
      child.stdin!.write(`${line}\n`);
      return (await next()) as PeerAnswer;
    },
    stop() {
      child.stdin!.end();
    },
  };
}
