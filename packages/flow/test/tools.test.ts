import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtInTools } from "../src/node/built-in-tools.ts";
import { calculator, compute } from "../src/tools/calculator.ts";
import { makeCodeTool } from "../src/tools/code.ts";
import { jsonQuery } from "../src/tools/json-query.ts";
import { makeToolSource, narrow } from "../src/tools/source.ts";
import { makeBraveSearch, makeSearchTool } from "../src/tools/web-search.ts";
import { planOf, team } from "./support/files.ts";

const context = { signal: new AbortController().signal, runId: "r", agentId: "a", stepId: "s" };

describe("calculator", () => {
  test.each([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["2 ^ 3 ^ 2", 512],
    ["-2 ^ 2", -4],
    ["10 % 4 - 1.5e1", -13],
    ["--3", 3],
  ])("%s is %i", async (expression, value) => {
    expect(await calculator.execute({ expression }, context)).toEqual({ ok: true, content: String(value) });
  });

  test.each(["1 / 0", "2 +", "(1", "1 2", "process.exit()", "9^9^9", "", "a"])(
    "%j is an error with a reason",
    (expression) => {
      expect(compute(expression)).toHaveProperty("fault");
    },
  );

  test("no text runs anything or hangs", () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => ["number", "object"].includes(typeof compute(text))));
  });
});

test("json_query reads data with the expression language, from data or from its JSON text", async () => {
  const data = { items: [{ name: "a" }, { name: "b" }] };
  expect(await jsonQuery.execute({ data, query: "data.items[1].name" }, context)).toEqual({ ok: true, content: "b" });
  expect(await jsonQuery.execute({ data: JSON.stringify(data), query: "len(data.items) == 2" }, context)).toEqual({
    ok: true,
    content: "true",
  });
  expect((await jsonQuery.execute({ data, query: "data.items[" }, context)).content).toContain("Column");
});

describe("code", () => {
  const tool = makeCodeTool({ timeoutMs: 200, memoryMb: 16, approval: "never" }, () => performance.now());
  const run = (code: string, input?: unknown) =>
    tool.execute({ code, ...(input === undefined ? {} : { input }) }, context);

  test("the last value is the result, log lines come first, data goes in as JSON", async () => {
    expect(await run("console.log('n', input.length); input.map((x) => x * 2)", [1, 2])).toEqual({
      ok: true,
      content: "n 2\n[2,4]",
    });
    expect(await run("Promise.resolve(7)")).toEqual({ ok: true, content: "7" });
  });

  test("an exception is an error with its name", async () => {
    expect(await run("null.x")).toMatchObject({ ok: false, content: expect.stringContaining("TypeError") as string });
    expect(await run("}{")).toMatchObject({ ok: false, content: expect.stringContaining("SyntaxError") as string });
    expect(await run("Promise.reject(new Error('no'))")).toEqual({ ok: false, content: "Error: no" });
  });

  test.each([
    "process",
    "require",
    "fetch",
    "globalThis.process",
    "import('fs')",
    "new Function('return process')()",
    "this.constructor.constructor('return process')()",
    "setTimeout",
  ])("%s leads to nothing of the host", async (code) => {
    const { content } = await run(
      `(() => { try { const v = ${code}; return v === undefined ? 'none' : typeof v; } catch (e) { return 'none'; } })()`,
    );
    expect(["none", "object"]).toContain(content.replace(/"/g, ""));
    expect(await run("typeof process + typeof require + typeof fetch")).toEqual({
      ok: true,
      content: "undefinedundefinedundefined",
    });
  });

  test("endless loops, endless memory and endless recursion end", async () => {
    expect((await run("for (;;) {}")).content).toContain("longer than 200 ms");
    expect((await run("const a = []; for (;;) a.push(new Array(10000).fill(1))")).ok).toBe(false);
    expect((await run("const f = () => f(); f()")).ok).toBe(false);
  });

  test("calls do not see each other", async () => {
    await run("globalThis.left = 1; Array.prototype.map = null");
    expect(await run("typeof left + typeof [].map")).toEqual({ ok: true, content: "undefinedfunction" });
  });
});

test("a search shows title, address and text of each hit; the key goes in its header only", async () => {
  const seen: [string, unknown][] = [];
  const fetch = async (url: unknown, init?: RequestInit) => {
    seen.push([String(url), new Headers(init?.headers).get("x-subscription-token")]);
    return Response.json({ web: { results: [{ title: "T", url: "https://e.org", description: "D" }] } });
  };
  const tool = makeSearchTool(makeBraveSearch({ apiKey: "KEY", baseUrl: "https://s.test", fetch }), {
    limit: 3,
    approval: "never",
  });
  expect(await tool.execute({ query: "a b" }, context)).toEqual({ ok: true, content: "T\nhttps://e.org\nD" });
  expect(seen).toEqual([["https://s.test/res/v1/web/search?q=a%20b&count=3", "KEY"]]);
});

test("without a key or adapter there is no search, and it says so", async () => {
  const tools = makeToolSource({ builtIns: builtInTools({ now: () => 0, fetch: globalThis.fetch }) });
  const plan = await planOf(
    `${team("a").replace("id: a,", "id: a, tools: [web_search],")}workflow: { type: sequential, steps: [a] }\n`,
  );
  await expect(tools.resolve(plan, plan.agents.get("a")!)).rejects.toMatchObject({ code: "E403" });
});

test("an agent's settings narrow lists, numbers and approval, and never widen them", () => {
  expect(
    narrow(
      { allow: ["read", "write"], max_bytes: 100, approval: "first" },
      { allow: ["read", "delete"], max_bytes: 1_000, approval: "never" },
    ),
  ).toEqual({ allow: ["read"], max_bytes: 100, approval: "first" });
  expect(narrow({ approval: "never" }, { approval: "always", extensions: [".md"] })).toEqual({
    approval: "always",
    extensions: [".md"],
  });
});
