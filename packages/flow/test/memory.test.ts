import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { Scope } from "../src/engine/scope.ts";
import { makeHttpEmbedder } from "../src/memory/http-embedder.ts";
import { makeInMemoryStore } from "../src/memory/in-memory-store.ts";
import type { MemoryNote } from "../src/memory/memory.ts";
import { makePineconeStore } from "../src/memory/pinecone-store.ts";
import { makeMemory } from "../src/memory/service.ts";
import type { MemoryRecord, MemoryStore } from "../src/memory/store.ts";
import { openLocalStore } from "../src/node/local-store.ts";
import { wordEmbedder } from "./support/embedder.ts";
import { planOf, team } from "./support/files.ts";
import { json, loopback } from "./support/loopback.ts";
import { eventsOf, runScript } from "./support/run.ts";

const DAY = 86_400_000;
const embedder = wordEmbedder();
const folder = mkdtempSync(join(tmpdir(), "flow-memory-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let spaces = 0;
const local = (namespace = `n${spaces++}`, keys: object = {}): Promise<MemoryStore> =>
  openLocalStore({
    dir: folder,
    namespace,
    embedder: embedder.id,
    dimension: embedder.dim,
    now: () => Date.now(),
    ...keys,
  });

const record = (id: string, text: string, time = 0): { record: MemoryRecord; vector: Float32Array } => ({
  record: {
    id,
    agentId: "a",
    role: "r",
    insights: [],
    decisions: [],
    artifacts: [],
    excerpt: text,
    taskHash: "h",
    runId: "run",
    time,
    metadata: {},
  },
  vector: embedder.embedSync!(text),
});
const note = (text: string, extra: Partial<MemoryNote> = {}): MemoryNote => ({
  agentId: "a",
  role: "writer",
  task: "storage",
  text,
  runId: "run",
  path: text,
  timeMs: 0,
  ...extra,
});
const ask = (text: string, extra: object = {}) => ({
  agentId: "a",
  text,
  topK: 5,
  minScore: 0.2,
  scope: "namespace" as const,
  ...extra,
});

describe.each([
  ["in memory", async () => makeInMemoryStore({ embedder: embedder.id, dimension: embedder.dim })],
  ["local files", () => local()],
])("the store %s", (_, make) => {
  test("finds the closest first, replaces an id, deletes by filter", async () => {
    const store = await make();
    await store.upsert([record("1", "row storage"), record("2", "onion soup"), record("3", "column storage")]);
    const find = async () =>
      (await store.query({ vector: embedder.embedSync!("row storage"), topK: 2 })).map((hit) => hit.record.id);
    expect(await find()).toEqual(["1", "3"]);
    await store.upsert([record("1", "tomato soup")]);
    expect([(await store.stats()).count, await find()]).toEqual([3, ["3", expect.any(String)]]);
    expect(await store.delete({ filter: { ids: ["3"] } })).toBe(1);
    expect((await store.stats()).count).toBe(2);
  });

  test("agrees with a plain search over all vectors", async () => {
    const store = await make();
    const words = ["red", "blue", "row", "column", "soup", "storage", "query"];
    const texts = fc
      .sample(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }), { numRuns: 40, seed: 3 })
      .map((list) => list.join(" "));
    await store.upsert(texts.map((text, i) => record(`id${i}`, text)));
    const question = embedder.embedSync!("row storage query");
    const dot = (a: Float32Array): number => a.reduce((sum, value, i) => sum + value * question[i]!, 0);
    const want = texts
      .map((text) => dot(embedder.embedSync!(text)))
      .sort((a, b) => b - a)
      .slice(0, 10);
    const have = (await store.query({ vector: question, topK: 10 })).map((hit) => hit.similarity);
    for (const [i, value] of have.entries()) expect(value).toBeCloseTo(want[i]!, 5);
  });
});

describe("local files", () => {
  test("what one process writes another reads, also while both are open", async () => {
    const one = await local("shared");
    const two = await local("shared");
    await one.upsert([record("1", "row storage")]);
    await two.upsert([record("2", "onion soup")]);
    expect([(await one.stats()).count, (await two.stats()).count]).toEqual([2, 2]);
    expect((await one.query({ vector: embedder.embedSync!("onion soup"), topK: 1 }))[0]!.record.id).toBe("2");
  });

  test("another embedder or dimension is refused and nothing is deleted", async () => {
    await (await local("kept")).upsert([record("1", "row storage")]);
    const before = readFileSync(join(folder, "kept.jsonl"), "utf8");
    await expect(local("kept", { embedder: "minilm" })).rejects.toMatchObject({ code: "E242" });
    await expect(local("kept", { dimension: 128 })).rejects.toMatchObject({ code: "E242" });
    expect(readFileSync(join(folder, "kept.jsonl"), "utf8")).toBe(before);
  });

  test("a line that a kill has torn loses that record only", async () => {
    const store = await local("torn");
    await store.upsert([record("1", "row storage")]);
    appendFileSync(join(folder, "torn.jsonl"), '{"kind":"upsert","index":1,"rec');
    const again = await local("torn");
    await again.upsert([record("2", "onion soup")]);
    expect((await (await local("torn")).list()).map((entry) => entry.id)).toEqual(["1", "2"]);
  });

  test("files that are mostly dead are written anew, with the same content", async () => {
    const store = await local("compact");
    for (let i = 0; i < 120; i++) await store.upsert([record(`id${i % 5}`, `row storage ${i}`)]);
    for (let i = 0; i < 120; i++) await store.touch(["id1"], i + 1);
    await store.upsert([record("last", "onion soup")]);
    const lines = readFileSync(join(folder, "compact.jsonl"), "utf8").trim().split("\n");
    expect(lines.length).toBeLessThan(60);
    expect(readdirSync(folder).filter((name) => name.startsWith("compact.") && name.endsWith(".f32"))).toHaveLength(1);
    expect((await (await local("compact")).list()).map((entry) => entry.id).sort()).toEqual([
      "id0",
      "id1",
      "id2",
      "id3",
      "id4",
      "last",
    ]);
  });

  test("a lock whose owner is gone is taken over, one whose owner lives is waited for and then named", async () => {
    const store = await local("locked");
    writeFileSync(join(folder, "locked.jsonl.lock"), "999999999");
    await store.upsert([record("1", "row storage")]);
    writeFileSync(join(folder, "locked.jsonl.lock"), "1");
    let time = 0;
    const impatient = await local("other", { now: () => (time += 2_000) });
    writeFileSync(join(folder, "other.jsonl.lock"), String(process.ppid));
    await expect(impatient.upsert([record("1", "x")])).rejects.toMatchObject({ code: "E409" });
    rmSync(join(folder, "other.jsonl.lock"));
    rmSync(join(folder, "locked.jsonl.lock"));
  });
});

describe("recall and remember", () => {
  const memory = (
    store: MemoryStore,
    time = 0,
    retention = { maxRecords: 10_000, ttlDays: undefined as number | undefined },
  ) => makeMemory(store, embedder, retention, () => time);
  const fresh = () => makeInMemoryStore({ embedder: embedder.id, dimension: embedder.dim });

  test("newer notes come before equal older ones, and a low score is nothing", async () => {
    const store = fresh();
    await store.upsert([record("old", "row storage notes one", 0), record("new", "row storage notes two", 60 * DAY)]);
    const hits = await memory(store, 60 * DAY).recall(ask("row storage notes"), new Scope());
    expect(hits.map((hit) => hit.id)).toEqual(["new", "old"]);
    expect(hits[0]!.score - hits[1]!.score).toBeCloseTo(0.2 - 0.2 / 4, 2);
    expect(await memory(store, 400 * DAY).recall(ask("entirely different subject"), new Scope())).toEqual([]);
  });

  test("near-duplicates count once", async () => {
    const store = fresh();
    await store.upsert([record("1", "row storage"), record("2", "storage row"), record("3", "row storage cost")]);
    expect((await memory(store).recall(ask("row storage"), new Scope())).map((hit) => hit.id)).toHaveLength(2);
  });

  test("scope agent sees the agent's own notes only", async () => {
    const store = fresh();
    const service = memory(store);
    await service.remember(note("row storage of a"), new Scope());
    await service.remember(note("row storage of b", { agentId: "b" }), new Scope());
    expect(
      (await service.recall(ask("row storage", { scope: "agent" }), new Scope())).map((hit) => hit.agentId),
    ).toEqual(["a"]);
  });

  test("a text without features is not stored; a failing embedder stores nothing", async () => {
    const store = fresh();
    expect(await memory(store).remember(note("…", { role: "", task: "" }), new Scope())).toBeNull();
    const broken = makeMemory(
      store,
      { ...embedder, embed: async () => Promise.reject(new Error("no model")) },
      { maxRecords: 10, ttlDays: undefined },
      () => 0,
    );
    await expect(broken.remember(note("row storage"), new Scope())).rejects.toMatchObject({ code: "E409" });
    const wrong = makeMemory(
      store,
      { ...embedder, embed: async () => [new Float32Array(3)] },
      { maxRecords: 10, ttlDays: undefined },
      () => 0,
    );
    await expect(wrong.remember(note("row storage"), new Scope())).rejects.toMatchObject({ code: "E409" });
    expect((await store.stats()).count).toBe(0);
  });

  test("beyond the limit the oldest that nobody read goes first; past its days all goes", async () => {
    const store = fresh();
    await store.upsert([
      record("read", "row storage", 1),
      record("old", "onion soup", 2),
      record("young", "tomato salad", 3),
    ]);
    await store.touch(["read"], 50);
    await memory(store, 100, { maxRecords: 2, ttlDays: undefined }).remember(
      note("brand new thing", { timeMs: 100 }),
      new Scope(),
    );
    const ids = (await store.list()).map((entry) => entry.id);
    expect([ids.length, ids.includes("read"), ids.includes("old"), ids.includes("young")]).toEqual([
      2,
      true,
      false,
      false,
    ]);
    await memory(store, 40 * DAY, { maxRecords: 10, ttlDays: 30 }).remember(
      note("later", { timeMs: 40 * DAY, path: "later" }),
      new Scope(),
    );
    expect((await store.stats()).count).toBe(1);
  });

  test("excerpts are at most 2,000 characters", async () => {
    const store = fresh();
    await memory(store).remember(note("row storage ".repeat(500)), new Scope());
    expect(
      (await store.query({ vector: embedder.embedSync!("row storage"), topK: 1 }))[0]!.record.excerpt,
    ).toHaveLength(2_000);
  });
});

describe("agents with memory", () => {
  const flow = `${team("a").replace("id: a,", "id: a, enable_persistent_memory: true,")}workflow: { type: sequential, steps: [a] }\n`;

  test("what one run remembers the next is shown, quoted, found by role, goal and the run's input", async () => {
    const store = makeInMemoryStore({ embedder: embedder.id, dimension: embedder.dim });
    const memory = async () => makeMemory(store, embedder, { maxRecords: 10, ttlDays: undefined }, () => 0);
    const first = await runScript(flow, [{ text: "Row stores favour writes. We decided on rows." }], { memory });
    expect(eventsOf(first, "memory.stored")).toHaveLength(1);
    const second = await runScript(flow, [{ includes: "Notes from earlier runs", text: "x" }], { memory, seed: "2" });
    expect(eventsOf(second, "memory.queried")[0]!.data.count).toBe(1);
    expect(JSON.stringify(second.model.calls[0]!.prompt)).toContain("Row stores favour writes");
  });

  test("a memory that can't be written is told and the work is kept", async () => {
    const store = makeInMemoryStore({ embedder: embedder.id, dimension: embedder.dim });
    const memory = async () =>
      makeMemory(
        { ...store, upsert: async () => Promise.reject(new Error("disk full")) },
        embedder,
        { maxRecords: 10, ttlDays: undefined },
        () => 0,
      );
    const ran = await runScript(flow, [{ text: "done" }], { memory });
    expect(ran.result.status).toBe("completed");
    expect(eventsOf(ran, "log").some((event) => String(event.data.message).includes("disk full"))).toBe(true);
  });
});

test("Pinecone: records go out and come back in its form; it is never emptied", async () => {
  const kept = record("1", "row storage");
  const server = await loopback(
    json({ upsertedCount: 1 }),
    json({
      matches: [
        {
          id: "1",
          score: 0.9,
          values: [...kept.vector],
          metadata: { agentId: "a", time: 0, record: JSON.stringify(kept.record) },
        },
      ],
    }),
    json({ dimension: 64, namespaces: { ns: { vectorCount: 7 } } }),
    json({}, 500),
  );
  const store = makePineconeStore({
    host: server.url,
    apiKey: "KEY",
    namespace: "ns",
    embedder: embedder.id,
    dimension: 64,
    fetch: globalThis.fetch,
  });
  await store.upsert([kept]);
  const [hit] = await store.query({ vector: kept.vector, topK: 3, filter: { agentId: "a" } });
  expect([hit!.record, hit!.similarity]).toEqual([kept.record, 0.9]);
  expect((await store.stats()).count).toBe(7);
  await expect(store.query({ vector: kept.vector, topK: 1 })).rejects.toThrow("500");
  expect(server.seen.map((seen) => [seen.url, seen.headers["api-key"]])).toEqual(
    ["/vectors/upsert", "/query", "/describe_index_stats", "/query"].map((url) => [url, "KEY"]),
  );
  expect(server.seen[1]!.body).toMatchObject({ topK: 3, namespace: "ns", filter: { agentId: { $eq: "a" } } });
  await server.close();
});

test("an OpenAI-compatible server embeds; its dimension is learned from it", async () => {
  const server = await loopback(
    json({
      object: "list",
      data: [{ index: 0, embedding: [3, 4] }],
      model: "e",
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }),
  );
  const plan = await planOf(
    `models:\n  e: { provider: openai_compatible, model: e, base_url: "${server.url}" }\nagents:\n  - { id: a, role: r, goal: g }\nworkflow: { type: sequential, steps: [a] }\n`,
  );
  const made = await makeHttpEmbedder(plan.models.get("e")!, globalThis.fetch);
  expect([made.dim, [...(await made.embed(["x"]))[0]!].map((value) => value.toFixed(1))]).toEqual([2, ["0.6", "0.8"]]);
  expect(server.seen[0]).toMatchObject({ url: "/embeddings", body: { model: "e", input: ["dimension"] } });
  await server.close();
});
