import { readFileSync } from "node:fs";
import { checkEnv, type EnvDefinition, Rng } from "@praxis/env";
import { hash384 } from "@praxis/llm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defineRouting } from "../src/routing/definition.ts";
import { averageQuality, evaluateRouters } from "../src/routing/evaluate.ts";
import { embedTable, knnExpected } from "../src/routing/knn.ts";
import { readCsv, readJsonLines } from "../src/routing/read-rows.ts";
import { ROUTERS } from "../src/routing/routers.ts";
import { makeRoutingTable, type RoutingTable } from "../src/routing/table.ts";

const example = new URL("../../../examples/routing/outcomes.csv", import.meta.url);
const embedder = { id: hash384.id, embed: (text: string) => hash384.embed(text) };
const table = makeRoutingTable("outcomes.csv", readCsv("outcomes.csv", readFileSync(example, "utf8")));
const embedded = embedTable(table, embedder);

/** A table in which words tell who can do what: `left` for the first model, `right` for the second. */
function separable(): RoutingTable {
  const rng = Rng.fromSeed(1, "routing-test");
  const queries = Array.from({ length: 200 }, (_, i) => {
    const isLeft = rng.bernoulli(0.5);
    return {
      text: `${isLeft ? "left hand" : "right foot"} case number ${i}`,
      ...{ task: "all", split: i % 4 === 0 ? ("test" as const) : ("train" as const) },
      ...{ scores: isLeft ? [1, 0, 0] : [0, 1, 0], costs: [1, 1, 0.1] },
    };
  });
  return { models: ["a", "b", "c"].map((id) => ({ id, text: id })), queries, incomplete: 0, cheapest: 2 };
}

describe("tables", () => {
  test("the example has 75 queries of three families and four models, the smallest the cheapest", () => {
    expect(table.queries).toHaveLength(75);
    expect(table.models.map(({ id }) => id)).toEqual(["small-3b", "coder-7b", "math-8b", "general-51b"]);
    expect([table.cheapest, table.incomplete]).toEqual([0, 0]);
  });

  test("CSV and JSON lines of the same rows make the same table", () => {
    const rows = readCsv("t", readFileSync(example, "utf8"));
    const lines = rows.map(({ cells }) => `${JSON.stringify(cells)}\n`).join("");
    expect(makeRoutingTable("t", readJsonLines("t", lines))).toEqual(table);
  });

  test("any cells come back from quoted CSV", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string({ minLength: 1 })), { minLength: 1 }), (cells) => {
        const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        const text = `a,b\n${cells.map((row) => row.map(quoted).join(",")).join("\n")}`;
        expect(readCsv("t", text).map((row) => [row.cells.a, row.cells.b])).toEqual(cells);
      }),
    );
  });

  test.each([
    ["query,model,score\nq,m,1.5\n", /line 2, column 'score': '1\.5' stands there/],
    ["query,model,score,cost\nq,m,1,-2\n", /line 2, column 'cost': '-2'/],
    ["query,model,score\nq,m,1\nq,m,0\n", /line 3, column 'model': 'm'.*line 2 already/],
    ["query,modle,score\nq,m,1\n", /column 'model' is missing. Did you mean 'modle'/],
    ["query,model,score\nq,,1\n", /line 2, column 'model': nothing/],
    ["query,model,score,split\nq,m,1,dev\n", /column 'split': 'dev'/],
    ['query,model,score\n"q,m,1\n', /line 2: the quote that opens there is never closed/],
    ["query,model,score\nq,m\n", /line 2 has 2 cells, the header 3/],
    ["query,model,score\nq,m,1\n", /knows only the model 'm'/],
    ["", /holds no rows/],
  ])("a bad table is refused with line, column and value: %j", (text, message) => {
    expect(() => makeRoutingTable("bad.csv", readCsv("bad.csv", text))).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", message: expect.stringMatching(message) }),
    );
  });

  test("a line that is no JSON object is named, and queries that lack a model are left out and counted", () => {
    expect(() => readJsonLines("t", '{"a":1}\n[1]\n')).toThrow(/line 2 is no object/);
    const rows = readCsv("t", readFileSync(example, "utf8")).slice(0, -1);
    expect(makeRoutingTable("t", rows).incomplete).toBe(1);
  });
});

describe("routers", () => {
  const split = embedTable(separable(), embedder);
  const results = new Map(evaluateRouters(split, ROUTERS).map((result) => [result.name, result]));
  const score = (name: string): number => {
    const { free } = results.get(name)!;
    return free.reduce((sum, each) => sum + each.score, 0) / free.length;
  };

  test("kNN learns from training queries who can do what, which no single model can", () => {
    expect(score("knn")).toBeGreaterThan(0.95);
    expect(score("bestSingle")).toBeLessThan(0.7);
    expect(score("cascade")).toBeGreaterThan(0.9);
    expect(score("oracle")).toBe(1);
  });

  test("a training query does not see its own outcome", () => {
    const only = {
      ...split.table,
      queries: split.table.queries.map((query, i) => (i === 1 ? { ...query, scores: [0, 0, 1] } : query)),
    };
    expect(knnExpected({ ...split, table: only }, 1, 20).scores[2]).toBe(0);
  });

  test("no router's area is above the oracle's, and a dearer price never buys more", () => {
    for (const { averageQuality: area, curve, name } of results.values()) {
      expect(area).toBeLessThanOrEqual(results.get("oracle")!.averageQuality + 1e-9);
      if (name !== "cascade")
        for (let i = 1; i < curve.length; i++) expect(curve[i]!.cost).toBeLessThanOrEqual(curve[i - 1]!.cost + 1e-9);
    }
  });

  test("the area under two points is the mean of the line between them, and points below the hull don't matter", () => {
    const point = (cost: number, quality: number) => ({ lambda: 0, cost, score: quality });
    expect(averageQuality([point(0, 0.2), point(1, 0.8)], 0, 1)).toBeCloseTo(0.5, 12);
    expect(averageQuality([point(0, 0.2), point(0.5, 0.3), point(1, 0.8), point(0.9, 0.1)], 0, 1)).toBeCloseTo(0.5, 12);
    expect(averageQuality([point(0, 0.2), point(0.5, 0.8)], 0, 1)).toBeCloseTo(0.65, 12);
  });
});

describe("SpindleFlow-Routing-v0", () => {
  test("keeps the contract of environments", async () => {
    const definition = defineRouting(embedded, { tasksPerEpisode: 2 }) as unknown as EnvDefinition;
    const checks = await checkEnv(definition, { seed: 7, steps: 6 });
    expect(checks.filter((check) => !check.ok)).toEqual([]);
  });

  test("a call pays nothing by itself; stop pays the answer with the best reading less the cheapest model's and the price", () => {
    const env = defineRouting(embedded, { lambda: 0.5, split: "test" }).makeEnv();
    for (let seed = 0; seed < 20; seed++) {
      env.reset({ seed });
      const { roster, queries } = env.latentState()!;
      const { scores, costs } = table.queries[queries[0]!]!;
      const slots = roster.flatMap((model, slot) => (model >= 0 ? [slot] : []));
      const called = env.step({ meta: "callSpecialist", slots: slots.slice(0, 2), mode: "parallel" });
      expect(called.reward).toBe(0);
      const readings = env.latentState()!.readings;
      const best = [...readings].sort((a, b) => b[1] - a[1])[0]![0];
      const paid = slots.slice(0, 2).reduce((sum, slot) => sum + costs[roster[slot]!]!, 0);
      const { reward, info } = env.step({ meta: "stop" });
      expect(reward).toBeCloseTo(scores[roster[best]!]! - scores[table.cheapest]! - 0.5 * paid, 12);
      expect(info.taskEnded).toMatchObject({ index: 0, by: "stop" });
    }
  });

  test("test shifts draw test queries of one family only, and a stop at once leaves it to the cheapest model", () => {
    const env = defineRouting(embedded).makeEnv();
    for (let seed = 0; seed < 30; seed++) {
      env.reset({ seed, options: { split: "test" } });
      const drawn = env.latentState()!.queries.map((query) => table.queries[query]!);
      expect(new Set(drawn.map(({ split, task }) => `${split} ${task}`)).size).toBe(1);
      expect(drawn[0]!.split).toBe("test");
      expect(env.step({ meta: "stop" }).reward).toBe(0);
    }
  });

  test("a cascade stops at the reading it was told is enough; a mode that joins is named and run one after another", () => {
    const env = defineRouting(embedded).makeEnv();
    let stoppedEarly = 0;
    for (let seed = 0; seed < 20; seed++) {
      env.reset({ seed });
      const slots = env.latentState()!.roster.flatMap((model, slot) => (model >= 0 ? [slot] : []));
      const { info } = env.step({ meta: "callSpecialist", slots, mode: "conditional", params: { threshold: 0.6 } });
      const calls = info.calls as readonly { readonly score: number }[];
      for (const { score } of calls.slice(0, -1)) expect(score).toBeLessThan(0.6);
      if (calls.length < slots.length) stoppedEarly++;
    }
    expect(stoppedEarly).toBeGreaterThan(5);
    env.reset({ seed: 1 });
    const slot = env.latentState()!.masks.slots.indexOf(true);
    const { info, reward } = env.step({ meta: "callSpecialist", slots: [slot], mode: "fanOutReduce" });
    expect([info.violations, reward]).toMatchObject([[{ kind: "illegalMode" }], -0.02]);
  });
});
