import { expect, test } from "vitest";
import { offersOf, plainAction } from "../src/play/offers.ts";
import { fieldOf, readField } from "../src/schema/field-value.ts";
import { exampleOf, type JsonSchema, variantsOf } from "../src/schema/json-schema.ts";

const field = (schema: JsonSchema, isRequired = true) => fieldOf("x", schema, schema, isRequired);

test.each([
  [{ type: "integer" }, "1.5", "Write a whole number."],
  [{ type: "integer", minimum: 0 }, "-1", "Write 0 or more."],
  [{ type: "number" }, "many", "'many' is not a number."],
  [{ type: "string", maxLength: 3 }, "long", "Write at most 3 characters."],
  [{ type: "array" }, "{}", "Write a list: [ … ]."],
])("a value that does not fit %j is refused in words", (schema, text, message) => {
  expect(() => readField(field(schema), text)).toThrow(message);
});

test("an empty optional field is left out, and a required one that may be null is null", () => {
  expect(readField(field({ type: "number" }, false), "")).toBeUndefined();
  expect(readField(field({ anyOf: [{ type: "number" }, { type: "null" }] }), "")).toBeNull();
});

test("references are followed, also through a union with null", () => {
  const root: JsonSchema = { $defs: { kind: { enum: ["a", "b"] } }, properties: {} };
  expect(fieldOf("x", { anyOf: [{ $ref: "#/$defs/kind" }, { type: "null" }] }, root, true)).toMatchObject({
    kind: "choice",
    values: ["a", "b"],
    isOptional: true,
  });
});

test("a union of objects is one form each, and an example fits its required fields", () => {
  const schema: JsonSchema = {
    anyOf: [
      { type: "object", properties: { a: { type: "integer", minimum: 2 }, b: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { c: { type: "boolean" } } },
    ],
  };
  expect(variantsOf(schema)).toHaveLength(2);
  expect(exampleOf(variantsOf(schema)[0]!, schema)).toEqual({ a: 2 });
});

test("candidates are offered with the nonce of the observation, and the mask says which are legal before they are sent", () => {
  const offers = offersOf({
    observation: { step_nonce: "n1", candidates: [{ text: "Water", payload: { litres: 1 } }, { text: "Wait" }] },
    info: { actionMask: [true, false] },
    actionSchema: {},
    toAction: plainAction,
  });
  expect(offers.map(({ text, action, isLegal }) => [text, action, isLegal])).toEqual([
    ["Water", { step_nonce: "n1", litres: 1 }, true],
    ["Wait", { step_nonce: "n1", text: "Wait" }, false],
  ]);
});

test("an action of one field with few values is offered value by value", () => {
  const schema = {
    type: "object",
    properties: { move: { type: "integer", minimum: 0, maximum: 2 } },
    required: ["move"],
  };
  const offers = offersOf({
    observation: {},
    info: { actionMask: [false, true, true] },
    actionSchema: schema,
    toAction: plainAction,
  });
  expect(offers.map(({ action, isLegal }) => [action, isLegal])).toEqual([
    [{ move: 0 }, false],
    [{ move: 1 }, true],
    [{ move: 2 }, true],
  ]);
});
