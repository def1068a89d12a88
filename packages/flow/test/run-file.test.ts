import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { VirtualClock } from "../src/engine/clock.ts";
import { FlowError } from "../src/errors.ts";
import { graphFlow } from "../src/graph/graph-flow.ts";
import { newFlow } from "../src/node/new-flow.ts";
import { checkFlowFile, type RunFileOptions, readRunMeta, replayRun, runFlowFile } from "../src/node/run-file.ts";
import { readRunEvents, readRunLog } from "../src/node/run-folder.ts";
import { wordEmbedder } from "./support/embedder.ts";
import { planOf, team } from "./support/files.ts";
import { testRng } from "./support/run.ts";

const base = mkdtempSync(join(tmpdir(), "flow-run-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let files = 0;
const file = (text: string): string => {
  const path = join(base, `flow${files++}.yml`);
  writeFileSync(path, text);
  return path;
};
const options = (extra: Partial<RunFileOptions> = {}): RunFileOptions => ({
  now: () => 0,
  env: {},
  fetch: globalThis.fetch,
  embedders: { hash384: async () => wordEmbedder(384) },
  input: "Rows or columns?",
  rng: testRng("1"),
  seed: "1",
  clock: (start) => new VirtualClock(start),
  ...extra,
});

describe("a run's folder", () => {
  const text = `${team("a", "b")}workflow: { type: sequential, steps: [a, b] }\n`;

  test("holds events, log, result, a file a step, summary, graphs and the settings without secrets", async () => {
    const path = file(text.replace("model: sim-1", "model: sim-1, api_key: canary-0123456789"));
    const folder = join(base, "run1");
    const outcome = await runFlowFile(path, options({ folder, graphs: true }));
    expect(outcome).toMatchObject({ kind: "ran", result: { status: "completed" } });
    expect(readdirSync(folder).sort()).toEqual([
      "checkpoint.ndjson",
      "config.yml",
      "events.ndjson",
      "final.md",
      "graph.svg",
      "result.json",
      "run.json",
      "steps",
      "summary.md",
      "timing.svg",
    ]);
    expect(readdirSync(join(folder, "steps"))).toEqual(["01-a.md", "02-b.md"]);
    const all = [
      "checkpoint.ndjson",
      "config.yml",
      "events.ndjson",
      "final.md",
      "result.json",
      "run.json",
      "summary.md",
    ]
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
    expect(all).not.toContain("canary-0123456789");
    expect(readFileSync(join(folder, "config.yml"), "utf8")).toContain("[redacted]");
    expect(readFileSync(join(folder, "summary.md"), "utf8")).toContain("| a | a | completed |");
    expect(readRunEvents(folder).map((event) => event.seq)).toEqual(readRunEvents(folder).map((_, i) => i));
    expect(readRunMeta(folder)).toMatchObject({ file: path, seed: "1", model: null });
  });

  test("a replay of it makes no call and gives the same; a changed file is refused unless forced", async () => {
    const path = file(text);
    const folder = join(base, "run2");
    await runFlowFile(path, options({ folder }));
    expect(await replayRun(folder, options())).toMatchObject({ equal: true, result: { status: "completed" } });
    writeFileSync(path, text.replace("Do what b does", "Do something else"));
    await expect(replayRun(folder, options())).rejects.toMatchObject({ code: "E412" });
    expect((await replayRun(folder, { ...options(), force: true })).equal).toBe(true);
  });

  test("a torn last line of log or events is cut off and the run goes on", async () => {
    const path = file(
      `${team("a", "b")}workflow: { type: sequential, steps: [a, { type: human, id: q, prompt: 'Go?' }, b] }\n`,
    );
    const folder = join(base, "run3");
    const first = await runFlowFile(path, options({ folder }));
    expect(first).toMatchObject({ result: { status: "suspended" } });
    for (const name of ["checkpoint.ndjson", "events.ndjson"])
      writeFileSync(join(folder, name), '{"kind":"step","path":"flow/x","rec', { flag: "a" });
    const token = first.kind === "ran" ? first.result.pending[0]!.token : "";
    const second = await runFlowFile(path, options({ folder, answers: { [token]: "yes" } }));
    expect(second).toMatchObject({ result: { status: "completed" } });
    const events = readRunEvents(folder);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i));
    expect(events.map((event) => event.time)).toEqual([...events.map((event) => event.time)].sort((x, y) => x - y));
    expect(readRunLog(folder).filter((entry) => entry.kind === "call")).toHaveLength(2);
  });

  test("a run that another process is at can't be taken up, nor is its file touched by who only reads it", async () => {
    const path = file(text);
    const folder = join(base, "run5");
    await runFlowFile(path, options({ folder }));
    writeFileSync(join(folder, "run.lock"), String(process.ppid));
    await expect(runFlowFile(path, options({ folder }))).rejects.toMatchObject({
      code: "E412",
      message: expect.stringContaining(String(process.ppid)) as string,
    });
    writeFileSync(join(folder, "events.ndjson"), '{"seq":', { flag: "a" });
    const before = readFileSync(join(folder, "events.ndjson"), "utf8");
    readRunEvents(folder);
    expect(readFileSync(join(folder, "events.ndjson"), "utf8")).toBe(before);
    writeFileSync(join(folder, "run.lock"), "999999999");
    expect(await runFlowFile(path, options({ folder }))).toMatchObject({ result: { status: "completed" } });
  });

  test("a bad file is told with its problems and leaves no folder", async () => {
    const folder = join(base, "run4");
    const outcome = await runFlowFile(file(text.replace("steps: [a, b]", "steps: [a, bb]")), options({ folder }));
    expect(outcome).toMatchObject({ kind: "bad_file", text: expect.stringContaining('did you mean "b"') as string });
    expect(existsSync(folder)).toBe(false);
  });

  test("a folder without a run can't be replayed", async () => {
    await expect(replayRun(base, options())).rejects.toBeInstanceOf(FlowError);
  });
});

test("another default model and a cost limit can be given for one run; an unknown model is named", async () => {
  const path = file(
    "models:\n  one: { provider: simulated, model: first }\n  two: { provider: simulated, model: second, price: { input: 1000, output: 1000 }, max_tokens: 10 }\nagents:\n  - { id: a, role: r, goal: g }\nworkflow: { type: sequential, steps: [a] }\n",
  );
  const models: unknown[] = [];
  await runFlowFile(
    path,
    options({ model: "two", onEvent: (event) => event.type === "llm.requested" && models.push(event.data.model) }),
  );
  expect(models).toEqual(["second"]);
  expect(await runFlowFile(path, options({ model: "two", maxCostUsd: 0.000001 }))).toMatchObject({
    result: { status: "budget_exceeded" },
  });
  const checked = await checkFlowFile(path, { env: {}, model: "twoo" });
  expect(checked.problems[0]).toMatchObject({ code: "E204", suggestion: "two" });
});

test("memory is kept beside the flow file from run to run", async () => {
  const path = file(
    `${team("a").replace("id: a,", "id: a, enable_persistent_memory: true,")}workflow: { type: sequential, steps: [a] }\n`,
  );
  const counts: unknown[] = [];
  for (const seed of ["1", "2"])
    await runFlowFile(
      path,
      options({
        rng: testRng(seed),
        onEvent: (event) => event.type === "memory.queried" && counts.push(event.data.count),
      }),
    );
  expect(counts).toEqual([0, 1]);
  expect(readdirSync(join(base, ".flow-memory")).sort()).toEqual(["default.0.f32", "default.jsonl"]);
});

test("an embedder that is not at hand is an error, not another embedder", async () => {
  const path = file(
    `${team("a").replace("id: a,", "id: a, enable_persistent_memory: true,")}memory: { embedder: minilm, namespace: other }\nworkflow: { type: sequential, steps: [a] }\n`,
  );
  expect(await runFlowFile(path, options())).toMatchObject({ result: { status: "failed", error: { code: "E409" } } });
});

test("a new flow checks without a problem, runs, and is never written over", async () => {
  const path = join(base, "fresh", "my-flow.yml");
  newFlow(path);
  expect(await checkFlowFile(path, { env: {} })).toMatchObject({ problems: [] });
  expect(await runFlowFile(path, options())).toMatchObject({ result: { status: "completed" } });
  expect(() => newFlow(path)).toThrow("exists already");
});

test("graphs name every step, show needs and closing steps, and escape what agents are called", async () => {
  const plan = await planOf(
    `${team("a", "b", "z")}workflow:\n  type: sequential\n  steps:\n    - { type: parallel, branches: [a, b], then: { agent: z }, id: par }\n    - { type: dag, id: net, nodes: { one: { agent: a }, two: { agent: b, needs: [one] } } }\n`,
  );
  expect(graphFlow(plan, "ascii")).toBe(
    [
      "sequential",
      "├1 par (parallel)  join all, at most 8",
      "│  ├─ a (agent)",
      "│  ├─ b (agent)",
      "│  └▶ z (agent)",
      "└2 net (dag)",
      "   ├─ one (agent)  a",
      "   └─ two (agent)  b  ⇐ one",
    ].join("\n"),
  );
  const named = {
    ...plan,
    agents: new Map([...plan.agents, ["a", { ...plan.agents.get("a")!, tools: ["<script>alert(1)</script>"] }]]),
  };
  expect(graphFlow(named, "svg")).not.toContain("<script");
});

test("a memory that another embedder filled is an error of the check, before anything is run or paid", async () => {
  const dir = mkdtempSync(join(base, "filled-"));
  writeFileSync(
    join(dir, "team.jsonl"),
    `${JSON.stringify({ kind: "meta", v: 1, embedder: "other-embedder", dimension: 768, vectors: "team.0.f32" })}\n`,
  );
  const checked = await checkFlowFile(
    file(`${team("a")}workflow: { type: sequential, steps: [a] }\nmemory: { dir: ${dir}, namespace: team }\n`),
    { env: {} },
  );
  expect(checked.problems.map((problem) => [problem.code, problem.severity])).toEqual([["E242", "error"]]);
  expect(checked.text).toContain("filled by the embedder other-embedder (vectors of length 768), not by hash384 (384)");
  expect(checked.plan).toBeNull();
});

test("an input that does not fit is refused before a folder is made", async () => {
  const folder = join(base, "refused");
  const text = `${team("a")}workflow: { type: sequential, steps: [a] }\ninput: { type: array }\n`;
  await expect(runFlowFile(file(text), options({ folder, input: "words" }))).rejects.toThrow(/the value must be array/);
  expect(existsSync(folder)).toBe(false);
});
