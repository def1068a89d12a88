import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRawAction, typedVerdict } from "../src/actions/parse.ts";
import { actionSchema, stepActionSchema } from "../src/actions/schema.ts";

const valid = {
  schema_version: "1.0",
  step_nonce: "n0",
  candidate_id: "c_1",
  action_type: "STOP_DRUG",
  target: "m1",
  rationale: "stop it",
  evidence_ids: ["m1"],
  confidence: 0.7,
};
const text = (changes: Record<string, unknown> = {}): string => JSON.stringify({ ...valid, ...changes });
const flagIds = (raw: string): string[] => parseRawAction(raw).flags.map(({ id }) => id);

describe("a model's own text", () => {
  test("strict JSON of the schema has format 1 and no flag", () => {
    const verdict = parseRawAction(text());
    expect(verdict).toMatchObject({ formatScore: 1, flags: [], reason: "" });
    expect(verdict.action).toEqual(valid);
  });

  test.each([
    ["surrounding white space", ` ${text()}\n`],
    ["a code fence", `\`\`\`json\n${text()}\n\`\`\``],
    ["a numeric string", text({ confidence: "0.7" })],
    ["numeric strings of a taper", text({ taper: { step_pct: "10", interval_days: "14" } })],
  ])("%s is repaired at half the format score", (_name, raw) => {
    const verdict = parseRawAction(raw);
    expect(verdict.formatScore).toBe(0.5);
    expect(verdict.action).not.toBeNull();
    expect(verdict.flags).toEqual([]);
  });

  test.each([
    ["an empty string", ""],
    ["white space", " \n\t"],
    ["an empty object", "{}"],
    ["a fenced empty object", "```\n{}\n```"],
  ])("%s is unparsable and no trick", (_name, raw) => {
    expect(parseRawAction(raw)).toMatchObject({ action: null, formatScore: 0, flags: [] });
  });

  test.each([
    ["prose before the object", `Here: ${text()}`],
    ["an object that is cut off", text().slice(0, -4)],
    ["an array", `[${text()}]`],
    ["a missing field", text({ confidence: undefined })],
    ["an unknown key", text({ note: "x" })],
    ["a confidence outside 0 to 1", text({ confidence: 1.5 })],
    ["a rationale beyond 600 characters", text({ rationale: "x".repeat(601) })],
    ["another schema version", text({ schema_version: "2.0" })],
    ["a numeric string that is no number", text({ confidence: "high" })],
    ["invalid JSON inside the braces", "{a:1}"],
  ])("%s is unparsable and no trick", (_name, raw) => {
    expect(parseRawAction(raw)).toMatchObject({ action: null, formatScore: 0, flags: [] });
  });

  test.each([
    ["a second object", `${text()} ${text()}`, "more than one JSON object"],
    ["text after the object", `${text()} done`, "text after the object"],
    ["duplicate keys", text().replace('"target":"m1"', '"target":"m1","target":"m2"'), "duplicate keys"],
    [
      "a duplicate key in disguise",
      text().replace('"target":"m1"', '"target":"m1","t\\u0061rget":"m2"'),
      "duplicate keys",
    ],
    ["a control character", text({ rationale: "a\u0007b" }), "control or bidi characters"],
    ["a bidi override", text({ rationale: "a\u202eb" }), "control or bidi characters"],
    ["an escaped bidi override", text().replace("stop it", "a\\u202eb"), "control or bidi characters"],
    ["over 4 kB", text({ query: "x".repeat(5000) }), "bytes, at most 4096"],
    ["over 64 kB", " ".repeat(70_000), "bytes, at most 65536"],
  ])("%s is a parser game", (_name, raw, detail) => {
    const verdict = parseRawAction(raw);
    expect(verdict.action).toBeNull();
    expect(verdict.flags.map(({ id }) => id)).toContain("A08");
    expect(verdict.flags.map((flag) => flag.detail).join()).toContain(detail);
  });

  test.each(["reward", "score", "legal", "done", "breakdown"])(
    "an agent-written %s field is refused as a parser game",
    (key) => {
      const verdict = parseRawAction(text({ [key]: 1 }));
      expect(verdict.action).toBeNull();
      expect(verdict.flags).toMatchObject([{ id: "A08" }]);
    },
  );

  test.each([
    ["an out-of-range action type", text({ action_type: "CURE_PATIENT" })],
    ["an out-of-range reviewer", text({ review_to: "friend" })],
    ["a latent field", text({ latent: {} })],
    ["a private field further down", text({ decomposition: { oracle: 1 } })],
    ["a path into the latent state", text({ target: "latent.organ" })],
  ])("%s is probing for private state", (_name, raw) => {
    expect(parseRawAction(raw).action).toBeNull();
    expect(flagIds(raw)).toContain("A18");
  });

  test("a bad enumeration beside another fault is bad format only", () => {
    expect(flagIds(text({ action_type: "CURE_PATIENT", confidence: undefined }))).toEqual([]);
  });

  test("a declaration may have 64 kB", () => {
    const raw = text({
      action_type: "DECLARE_FINDINGS",
      findings: Array.from({ length: 300 }, (_, i) => `drug_a+drug_b+${i}`),
    });
    expect(raw.length).toBeGreaterThan(4096);
    expect(parseRawAction(raw).formatScore).toBe(1);
  });

  test("line breaks inside the rationale are no trick", () => {
    expect(parseRawAction(text({ rationale: "first\nsecond" })).formatScore).toBe(1);
  });

  test("no text makes the parser throw, and what it accepts fits the schema", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((s) => text({ rationale: s })),
        ),
        (raw) => {
          const verdict = parseRawAction(raw);
          if (verdict.action !== null) expect(actionSchema.safeParse(verdict.action).success).toBe(true);
          else expect(verdict.formatScore).toBe(0);
        },
      ),
    );
  });
});

describe("a typed action", () => {
  test("is strict: extra reward, done and breakdown fields are refused by the schema", () => {
    for (const key of ["reward", "done", "breakdown"])
      expect(stepActionSchema.safeParse({ ...valid, [key]: 1 }).success).toBe(false);
    expect(stepActionSchema.safeParse(valid).success).toBe(true);
    expect(stepActionSchema.safeParse({ raw: "anything" }).success).toBe(true);
  });

  test("has format 1, and hidden characters or private names are flagged", () => {
    const action = actionSchema.parse(valid);
    expect(typedVerdict(action)).toMatchObject({ formatScore: 1, flags: [] });
    expect(typedVerdict({ ...action, rationale: "a\u202eb" }).flags).toMatchObject([{ id: "A08" }]);
    expect(typedVerdict({ ...action, target: "oracle.best" }).flags).toMatchObject([{ id: "A18" }]);
  });
});
