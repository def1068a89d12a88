import type { FieldError, PraxisError } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseLax } from "../src/lax-parse.ts";

const fieldsOf = (schema: z.ZodType, value: unknown): readonly FieldError[] => {
  try {
    parseLax(schema, value);
    return [];
  } catch (error) {
    return (error as PraxisError).fields;
  }
};
const one = (schema: z.ZodType, value: unknown): FieldError => {
  const [field] = fieldsOf(z.strictObject({ x: schema }), { x: value });
  return field!;
};

describe("lax coercions", () => {
  test.each([
    [z.int(), "3", 3],
    [z.int(), 3.0, 3],
    [z.int(), true, 1],
    [z.int().min(2), " 7 ", 7],
    [z.number(), "2.5", 2.5],
    [z.number(), "1e2", 100],
    [z.number(), false, 0],
    [z.boolean(), 1, true],
    [z.boolean(), "off", false],
    [z.boolean(), "Yes", true],
    [z.int().nullable(), null, null],
    [z.union([z.literal("auto"), z.int()]), "4", 4],
  ])("%# a value of another kind is read as Pydantic reads it", (schema, given, wanted) => {
    expect(parseLax(z.strictObject({ x: schema as z.ZodType }), { x: given })).toEqual({ x: wanted });
  });

  test("repairs deep inside leave the input itself unchanged", () => {
    const input = { list: [{ n: "1" }, { n: 2 }] };
    expect(parseLax(z.strictObject({ list: z.array(z.strictObject({ n: z.int() })) }), input)).toEqual({
      list: [{ n: 1 }, { n: 2 }],
    });
    expect(input).toEqual({ list: [{ n: "1" }, { n: 2 }] });
  });

  test("strings are never made from numbers, nor null where it is not declared", () => {
    expect(one(z.string(), 5).type).toBe("string_type");
    expect(one(z.int(), null).type).toBe("int_type");
  });
});

describe("field errors in Pydantic's words", () => {
  test.each<[z.ZodType, unknown, string, string, unknown]>([
    [z.string(), 1, "string_type", "Input should be a valid string", undefined],
    [z.string().min(1), "", "string_too_short", "String should have at least 1 character", { min_length: 1 }],
    [z.string().max(2), "abc", "string_too_long", "String should have at most 2 characters", { max_length: 2 }],
    [
      z.string().regex(/^a+$/),
      "b",
      "string_pattern_mismatch",
      "String should match pattern '^a+$'",
      { pattern: "^a+$" },
    ],
    [z.int(), {}, "int_type", "Input should be a valid integer", undefined],
    [z.int(), "x", "int_parsing", "Input should be a valid integer, unable to parse string as an integer", undefined],
    [z.int(), "3.5", "int_parsing", "Input should be a valid integer, unable to parse string as an integer", undefined],
    [z.int(), 3.5, "int_from_float", "Input should be a valid integer, got a number with a fractional part", undefined],
    [z.number(), [], "float_type", "Input should be a valid number", undefined],
    [z.number(), "x", "float_parsing", "Input should be a valid number, unable to parse string as a number", undefined],
    [z.number(), Number.POSITIVE_INFINITY, "finite_number", "Input should be a finite number", undefined],
    [z.boolean(), [], "bool_type", "Input should be a valid boolean", undefined],
    [z.boolean(), "maybe", "bool_parsing", "Input should be a valid boolean, unable to interpret input", undefined],
    [z.number().gt(0), 0, "greater_than", "Input should be greater than 0", { gt: 0 }],
    [z.number().min(1), 0, "greater_than_equal", "Input should be greater than or equal to 1", { ge: 1 }],
    [z.number().lt(1), 1, "less_than", "Input should be less than 1", { lt: 1 }],
    [z.number().max(1), 2, "less_than_equal", "Input should be less than or equal to 1", { le: 1 }],
    [z.strictObject({}), 1, "dict_type", "Input should be a valid dictionary", undefined],
    [z.array(z.int()), 1, "list_type", "Input should be a valid list", undefined],
    [
      z.array(z.int()).min(1),
      [],
      "too_short",
      "List should have at least 1 item after validation, not 0",
      { field_type: "List", min_length: 1, actual_length: 0 },
    ],
    [z.enum(["a", "b", "c"]), "d", "literal_error", "Input should be 'a', 'b' or 'c'", { expected: "'a', 'b' or 'c'" }],
    [z.literal("a"), "d", "literal_error", "Input should be 'a'", { expected: "'a'" }],
    [
      z.number().refine((n) => n > 3, "too little"),
      1,
      "value_error",
      "Value error, too little",
      { error: "too little" },
    ],
  ])("%# the type, text and context are those of the table", (schema, value, type, msg, ctx) => {
    const { type: gotType, msg: gotMsg, ctx: gotCtx, loc, input } = one(schema, value);
    expect({ type: gotType, msg: gotMsg, ctx: gotCtx }).toEqual({ type, msg, ctx });
    expect(loc).toEqual(["x"]);
    expect(input).toEqual(value);
  });

  test("fields come in the order of the model, unknown ones last, missing ones with their parent as input", () => {
    const schema = z.strictObject({ a: z.int(), b: z.string(), c: z.boolean() });
    const input = { zz: 1, c: "maybe", a: "x" };
    expect(fieldsOf(schema, input).map(({ type, loc }) => [type, ...loc])).toEqual([
      ["int_parsing", "a"],
      ["missing", "b"],
      ["bool_parsing", "c"],
      ["extra_forbidden", "zz"],
    ]);
    expect(fieldsOf(schema, input)[1]!.input).toEqual(input);
  });

  test("a discriminated union names its tags", () => {
    const schema = z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("a"), x: z.int() }),
      z.strictObject({ kind: z.literal("b") }),
    ]);
    expect(fieldsOf(schema, { kind: "c" })[0]).toMatchObject({
      type: "union_tag_invalid",
      msg: "Input tag 'c' found using 'kind' does not match any of the expected tags: 'a', 'b'",
    });
    expect(fieldsOf(schema, {})[0]).toMatchObject({ type: "union_tag_not_found", loc: [] });
    expect(fieldsOf(schema, { kind: "a", x: "q" })[0]).toMatchObject({ type: "int_parsing", loc: ["x"] });
  });

  test("a plain union adds the branch to the path", () => {
    const fields = fieldsOf(z.strictObject({ u: z.union([z.string(), z.int()]) }), { u: [] });
    expect(fields.map(({ loc }) => loc)).toEqual([
      ["u", "str"],
      ["u", "float"],
    ]);
  });
});
