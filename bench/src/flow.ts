import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { Rng } from "@praxis/env";
import { bootstrap } from "@praxis/eval";
import {
  checkFlow,
  type FlowPlan,
  type FlowResult,
  makeRealClock,
  makeSimulatedModel,
  type RunOptions,
  runFlow,
} from "@praxis/flow";
import { readRunLog } from "@praxis/flow/node";
import type { Measurement } from "./figures.ts";
import { measureFlowPeers } from "./flow-peers.ts";

const HERE = fileURLToPath(import.meta.url);
const INSTANT =
  "models:\n  m: { provider: simulated, model: m, max_tokens: 200, price: { input: 1, output: 2 }, options: { latency_ms: LATENCY } }\n";
const KILLS = 50;

/** Text of a flow with so many agents; `workflow` gets their ids. */
function flowText(agents: number, latencyMs: number, workflow: (ids: readonly string[]) => string): string {
  const ids = Array.from({ length: agents }, (_, i) => `a${i}`);
  const list = ids
    .map((id) => `  - { id: ${id}, role: agent ${id}, goal: answer, context: { from: none } }\n`)
    .join("");
  return `${INSTANT.replace("LATENCY", String(latencyMs))}agents:\n${list}workflow: ${workflow(ids)}\n`;
}

async function planOf(text: string): Promise<FlowPlan> {
  const { plan, problems } = await checkFlow("bench.yml", {
    files: { resolve: (_, name) => name, read: async () => ({ kind: "text", text }) },
  });
  if (plan === null) throw new Error(problems.map((problem) => problem.message).join(" "));
  return plan;
}

async function run(plan: FlowPlan, extra: Partial<RunOptions> = {}): Promise<FlowResult> {
  return runFlow({
    plan,
    input: "Compare row and column storage",
    rng: Rng.fromSeed(1),
    clock: makeRealClock(() => performance.now()),
    models: async (model, context) => makeSimulatedModel(model, context),
    onEvent: () => undefined,
    ...extra,
  }).result;
}

/** Teams of agents: cost of scheduling, memory of wide fan-out, budgets, crash safety, and peers where they are installed. */
export async function measureFlow(report: (measurement: Measurement) => void): Promise<void> {
  await measureOverhead(report);
  measureParallel(report);
  await measureBudget(report);
  await measureCrash(report);
  measureFlowPeers(report);
}

async function measureOverhead(report: (measurement: Measurement) => void): Promise<void> {
  const steps = 200;
  const plan = await planOf(flowText(steps, 0, (ids) => `{ type: sequential, steps: [${ids.join(", ")}] }`));
  const perStep: number[] = [];
  for (let round = 0; round < 14; round++) {
    const began = performance.now();
    await run(plan);
    // The first rounds warm the compiler up.
    if (round >= 4) perStep.push((performance.now() - began) / steps);
  }
  const { mean, low, high } = bootstrap(perStep);
  report({
    id: "flow.overhead",
    value: mean,
    unit: "ms",
    goal: "< 0.3",
    peer: null,
    n: perStep.length,
    interval: [low, high],
    note: "an agent step in a sequence of 200 on the simulated provider, events made",
  });
}

/** Runs in a process of its own, as memory that was once taken is not given back. */
function measureParallel(report: (measurement: Measurement) => void): void {
  const { rssMb, most } = JSON.parse(execFileSync(process.execPath, [HERE, "parallel"], { encoding: "utf8" })) as {
    readonly rssMb: number;
    readonly most: number;
  };
  report({
    id: "flow.parallel",
    value: rssMb,
    unit: "MB",
    goal: "< 200",
    peer: null,
    n: 1_000,
    interval: null,
    note: "resident memory at its highest with 1,000 branches, cap of 64 calls at the same time",
  });
  report({
    id: "flow.parallel_cap",
    value: most,
    unit: "calls",
    goal: "= 64",
    peer: null,
    n: 1_000,
    interval: null,
    note: "most calls at the same time with 1,000 branches and a cap of 64",
  });
}

async function parallelChild(): Promise<void> {
  let active = 0;
  let most = 0;
  let rss = 0;
  const plan = await planOf(
    flowText(1_000, 5, (ids) => `{ type: parallel, max_concurrency: 64, branches: [${ids.join(", ")}] }`),
  );
  const result = await run(plan, {
    onEvent: (event) => {
      if (event.type === "llm.requested") most = Math.max(most, ++active);
      if (event.type === "llm.completed") active--;
      rss = Math.max(rss, process.memoryUsage.rss());
    },
  });
  if (result.status !== "completed") throw new Error(result.status);
  process.stdout.write(JSON.stringify({ rssMb: rss / 1e6, most }));
}

async function measureBudget(report: (measurement: Measurement) => void): Promise<void> {
  const limited = (keys: string): Promise<FlowPlan> =>
    planOf(
      `${flowText(100, 1, (ids) => `{ type: parallel, max_concurrency: 100, branches: [${ids.join(", ")}] }`)}budgets: { ${keys}, on_exceeded: stop }\n`,
    );
  const tokens = await run(await limited("max_tokens: 5000"));
  const money = await run(await limited("max_cost_usd: 0.005"));
  if (tokens.status !== "budget_exceeded" || money.status !== "budget_exceeded")
    throw new Error(`${tokens.status}, ${money.status}`);
  const overTokens = Math.max(0, tokens.usage.inputTokens + tokens.usage.outputTokens - 5_000);
  const overMoney = Math.max(0, (money.costUsd ?? 0) - 0.005);
  report({
    id: "flow.budget",
    value: overTokens + overMoney,
    unit: "tokens + USD",
    goal: "= 0",
    peer: null,
    n: 100,
    interval: null,
    note: `overshoot of 100 parallel branches; ${Object.keys(tokens.partial).length} and ${Object.keys(money.partial).length} partial results kept by name`,
  });
}

const CRASH_FLOW = flowText(
  12,
  0,
  (ids) =>
    `{ type: parallel, max_concurrency: 4, branches: [${ids.slice(0, 11).join(", ")}], then: { agent: ${ids[11]!} } }`,
);

/** Runs the flow in a process of its own and writes down each call that begins: the one that the tests kill, too. */
const CRASH_CHILD = fileURLToPath(new URL("../../packages/flow/test/support/crash-child.mjs", import.meta.url));
const CRASH_LATENCY_MS = 60;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls that the log of a run holds; −1 before there is a log. */
function countCalls(folder: string): number {
  const path = join(folder, "checkpoint.ndjson");
  return existsSync(path) ? readFileSync(path, "utf8").split('"kind":"call"').length - 1 : -1;
}

/** Kills a run without warning at random moments; counts resumes that differ or repeat a call that the log held. */
async function measureCrash(report: (measurement: Measurement) => void): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "flow-crash-"));
  const rng = Rng.fromSeed(9, "kills");
  const file = join(base, "flow.yml");
  writeFileSync(file, CRASH_FLOW);
  const child = (folder: string, latency: string): readonly string[] => [
    CRASH_CHILD,
    file,
    folder,
    `${folder}.calls`,
    latency,
  ];
  try {
    const whole = execFileSync(process.execPath, child(join(base, "whole"), "0"), { encoding: "utf8" });
    let wrong = 0;
    let midway = 0;
    for (let i = 0; i < KILLS; i++) {
      const folder = join(base, `run${i}`);
      const victim = spawn(process.execPath, child(folder, String(CRASH_LATENCY_MS)), { stdio: "ignore" });
      const ended = new Promise((resolve) => victim.on("exit", resolve));
      // After a random number of calls, and then a random time into the next ones: spread over the whole run on any machine.
      const calls = rng.integer(0, 11);
      while (countCalls(folder) < calls && victim.exitCode === null) await sleep(2);
      await sleep(rng.integer(0, CRASH_LATENCY_MS));
      victim.kill("SIGKILL");
      await ended;
      const held = readRunLog(folder).flatMap((entry) => (entry.kind === "call" ? [entry.path] : []));
      if (held.length > 0 && held.length < 12) midway++;
      appendFileSync(`${folder}.calls`, "resume\n");
      const resumed = execFileSync(process.execPath, child(folder, "0"), { encoding: "utf8" });
      const begun = readFileSync(`${folder}.calls`, "utf8").split("resume\n")[1]!.split("\n");
      const again = held.filter((path) => begun.includes(`begin ${path}`));
      if (resumed !== whole || again.length > 0) wrong++;
    }
    report({
      id: "flow.crash",
      value: wrong,
      unit: "runs",
      goal: "= 0",
      peer: null,
      n: KILLS,
      interval: null,
      note: `runs killed with SIGKILL whose resume differed from the uninterrupted result or repeated a call that had ended; ${midway} kills fell between the first and the last call`,
    });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (process.argv[1] === HERE && process.argv[2] === "parallel") await parallelChild();
