import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

// Signals and kills need a process of their own, which runs compiled code: `npm run build` first.
const PRAXIS = fileURLToPath(new URL("../bin/praxis.js", import.meta.url));
const LIMIT_MS = 240_000;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "praxis-process-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const SHARED = ["--kernels", "wasm", "--checkpoint-every", "3", "--evaluate-every", "4", "--evaluate-episodes", "3"];
const PPO = ["train", "grid", ...SHARED, "--total-steps", "6144", "--epochs", "2"];
const GRPO = ["grpo", "grid", ...SHARED, "--iterations", "24", "--fork-at", "anywhere", "--kl-coef", "0.01"];

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly err: string;
}

/** A command in a process; `onRow` gets each row of metrics while it runs. */
function start(args: readonly string[], onRow: (row: number, child: ChildProcess) => void = () => {}): Promise<Ended> {
  const child = spawn(process.execPath, [PRAXIS, ...args, "--json"], { stdio: ["ignore", "pipe", "pipe"] });
  let rows = 0;
  let err = "";
  createInterface({ input: child.stdout }).on("line", () => onRow(++rows, child));
  child.stderr.on("data", (text: Buffer) => {
    err += text.toString();
  });
  return new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, err })));
}

/** Path of the only run below a folder. */
function onlyRun(root: string): string {
  const names = readdirSync(root);
  expect(names).toHaveLength(1);
  return join(root, names[0]!);
}

/** Everything that equal runs have in common: metrics, and the files of the last checkpoint. */
function outcomeOf(run: string): Record<string, string> {
  const newest = readdirSync(join(run, "checkpoints")).sort().at(-1)!;
  const files = readdirSync(join(run, "checkpoints", newest)).map((name) => join("checkpoints", newest, name));
  return Object.fromEntries(
    ["metrics.jsonl", ...files].map((name) => [name, readFileSync(join(run, name)).toString("base64")]),
  );
}

/** Processes that a process has started, on Linux; undefined elsewhere. */
function childrenOf(pid: number): string | undefined {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

for (const [name, args] of [
  ["PPO", PPO],
  ["GRPO", GRPO],
] as const)
  test(
    `${name} stopped by Ctrl-C saves and says how to go on, killed by -9 leaves nothing running, and resumed after both equals a run that was not`,
    async () => {
      const whole = join(folder, `${name}-whole`);
      const stopped = join(folder, `${name}-stopped`);
      const killed = join(folder, `${name}-killed`);
      expect(await start([...args, "--runs", whole])).toMatchObject({ code: 0 });

      const interrupted = await start([...args, "--runs", stopped, "--workers", "2"], (row, child) => {
        if (row === 2) child.kill("SIGINT");
      });
      expect(interrupted).toMatchObject({ code: 0, err: expect.stringContaining("Stopped and saved after") });
      expect(interrupted.err).toContain(`--resume ${onlyRun(stopped)}`);

      let pid = 0;
      let children: string | undefined;
      const ended = await start([...args, "--runs", killed, "--workers", "2"], (row, child) => {
        if (row !== 5) return;
        pid = child.pid!;
        children = childrenOf(pid);
        child.kill("SIGKILL");
      });
      expect(ended.signal).toBe("SIGKILL");
      expect(isAlive(pid)).toBe(false);
      // Workers are threads of the one process, so that nothing is left to outlive it.
      if (children !== undefined) expect(children).toBe("");

      const verb = args[0]!;
      for (const [root, workers] of [
        [stopped, "1"],
        [killed, "0"],
      ] as const) {
        const resumed = await start([verb, ...SHARED, "--resume", onlyRun(root), "--workers", workers]);
        expect(resumed).toMatchObject({ code: 0, err: expect.stringContaining("Done after") });
        expect(outcomeOf(onlyRun(root))).toEqual(outcomeOf(onlyRun(whole)));
      }
    },
    LIMIT_MS,
  );

test(
  "a second Ctrl-C leaves at once, in the middle of an iteration, and keeps what was saved",
  async () => {
    const root = join(folder, "twice");
    // An iteration of 100 epochs, longer than anybody waits, after one that is saved.
    const long = ["--checkpoint-every", "1", "--runs", root, "--num-steps", "256", "--epochs", "100"];
    const ended = await start(
      ["train", "grid", "--kernels", "wasm", ...long, "--hidden-sizes", "[8]"],
      (row, child) => {
        if (row !== 1) return;
        child.stderr!.on("data", (text: Buffer) => {
          if (text.toString().includes("press Ctrl-C again")) child.kill("SIGINT");
        });
        setTimeout(() => child.kill("SIGINT"), 300);
      },
    );
    expect(ended).toMatchObject({ code: null, signal: "SIGINT", err: expect.stringContaining("Ctrl-C again") });
    expect(readdirSync(join(onlyRun(root), "checkpoints"))).toEqual(["step-000002048"]);
  },
  LIMIT_MS,
);

test("a run is resumed by the command of its own algorithm only", () => {
  const run = onlyRun(join(folder, "PPO-whole"));
  const { status, stderr } = spawnSync(process.execPath, [PRAXIS, "grpo", "--resume", run, "--kernels", "wasm"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining("is a run of ppo. Resume it with praxis train.")]);
});
