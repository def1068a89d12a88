import type { EnvDefinition, EnvTool } from "@praxis/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkTools } from "../src/mcp/index.ts";
import { parseToolArguments, toolsOf } from "../src/mcp/tools.ts";
import { counterDefinition, toollessDefinition } from "./mcp-env.ts";

const tool = (change: Partial<EnvTool>): EnvTool => ({
  name: "look",
  description: "Looks",
  input: z.strictObject({}),
  readOnly: true,
  call: () => null,
  ...change,
});
const withTools = (...tools: readonly EnvTool[]): EnvDefinition => ({ ...counterDefinition, tools });

describe("tools of an environment", () => {
  test.each(["reset", "step", "state", "close", "Reset", "STATE"])("can't be called %s", (name) => {
    expect(() => checkTools(withTools(tool({ name })))).toThrow(
      expect.objectContaining({
        code: "INVALID_CONFIG",
        message: `Tool '${name}' of 'Counter-v0' bears a reserved name: reset, step, state, close belong to the trainer. Rename it.`,
      }),
    );
  });

  test.each([
    ["an empty name", [tool({ name: "" })], "needs a name of 1 to 128"],
    ["a name with a space", [tool({ name: "look around" })], "needs a name of 1 to 128"],
    ["a name that occurs twice", [tool({}), tool({ name: "Look" })], "is declared twice"],
    ["no description", [tool({ description: " " })], "needs a description"],
    ["arguments that are no object", [tool({ input: z.string() as never })], "needs an input schema"],
    ["arguments that JSON can't carry", [tool({ input: z.strictObject({ at: z.date() }) })], "needs an input schema"],
  ])("are refused with %s", (_what, tools, message) => {
    expect(() => checkTools(withTools(...tools))).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", message: expect.stringContaining(message) }),
    );
  });

  test("may be none", () => {
    expect(() => checkTools(toollessDefinition)).not.toThrow();
    expect(toolsOf(toollessDefinition, "production")).toMatchObject({ isSupported: false, listings: [] });
    expect(() => checkTools(counterDefinition)).not.toThrow();
  });

  test("are listed and found in their modes only", () => {
    const names = (mode: "simulation" | "production") =>
      toolsOf(counterDefinition, mode).listings.map((listed) => listed.name);
    const both = ["add", "increment", "look", "echo", "fail", "not_a_number", "never"];
    expect(names("simulation")).toEqual([...both, "hint"]);
    expect(names("production")).toEqual([...both, "submit"]);
    expect(toolsOf(counterDefinition, "production").find("hint")).toBeUndefined();
    expect(toolsOf(counterDefinition, "simulation").find("submit")).toBeUndefined();
  });

  test("are supported even where a mode offers none", () => {
    const set = toolsOf(withTools(tool({ modes: ["production"] })), "simulation");
    expect([set.isSupported, set.listings]).toEqual([true, []]);
  });
});

describe("arguments of a call", () => {
  const add = toolsOf(counterDefinition, "simulation").find("add")!;

  test("that fit are handed on", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (a, b) => {
        expect(parseToolArguments(add, { a, b })).toEqual({ a, b });
      }),
    );
  });

  test("that do not fit are refused by the path of every field", () => {
    expect(() => parseToolArguments(add, { a: 1.5, extra: 0 })).toThrow(
      expect.objectContaining({
        code: "VALIDATION_ERROR",
        fields: [
          expect.objectContaining({ loc: ["a"], type: "int_from_float" }),
          expect.objectContaining({ loc: ["b"], type: "missing" }),
          expect.objectContaining({ loc: ["extra"], type: "extra_forbidden" }),
        ],
      }),
    );
  });

  test("left out count as none", () => {
    const look = tool({});
    expect(parseToolArguments(look, undefined)).toEqual({});
    expect(parseToolArguments(look, null)).toEqual({});
  });

  test("of any other type than an object are refused", () => {
    const notAnObject = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.anything()));
    fc.assert(
      fc.property(notAnObject, (given) => {
        expect(() => parseToolArguments(tool({}), given)).toThrow(
          expect.objectContaining({
            code: "VALIDATION_ERROR",
            fields: [expect.objectContaining({ type: "dict_type", loc: ["arguments"] })],
          }),
        );
      }),
    );
  });
});
