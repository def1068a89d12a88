import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { flowJsonSchema } from "../src/config/flow-schema.ts";
import { team } from "./support/files.ts";

const check = new Ajv({ strict: false }).compile(flowJsonSchema());

test("the schema for editors accepts a right flow and free keys, and refuses an unknown key", () => {
  const text = `${team("a", "b")}x-note: 1\nworkflow:\n  type: parallel\n  branches: [a, { type: sequential, steps: [b] }]\n`;
  expect(check(parse(text))).toBe(true);
  expect(check(parse(text.replace("branches", "branchs")))).toBe(false);
});

test("the schema for editors explains keys", () => {
  expect(JSON.stringify(flowJsonSchema())).toContain("Output limit, always sent");
});
