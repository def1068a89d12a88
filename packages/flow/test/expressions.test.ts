import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluate, renderTemplate, type Scope, TextValue } from "../src/expression/evaluate.ts";
import { parseExpression, parseTemplate } from "../src/expression/parse.ts";

const roots: Readonly<Record<string, unknown>> = {
  input: { title: "Crash", tags: ["db", "p1"], n: 3 },
  outputs: { draft: new TextValue("a draft", { text: "a draft", json: { score: 7 }, error: null }) },
  iteration: 2,
};
const scope: Scope = { root: (name) => roots[name], history: (id) => [`${id}-1`, `${id}-2`] };

function value(text: string): unknown {
  const parsed = parseExpression(text);
  if ("fault" in parsed) throw new Error(parsed.fault.message);
  return evaluate(parsed.expression, scope);
}

function render(text: string): string {
  const parsed = parseTemplate(text);
  if ("fault" in parsed) throw new Error(parsed.fault.message);
  return renderTemplate(parsed.template, scope);
}

test.each([
  ["1 + 2 - 4", -1],
  ['"a" + 1', "a1"],
  ["input.n >= 3 and not (iteration == 1)", true],
  ["input.n < 3 or iteration > 1", true],
  ['"db" in input.tags', true],
  ['input.title contains "ras"', true],
  ['"title" in input', true],
  ['input.title matches "^C.*h$"', true],
  ["input.tags[1]", "p1"],
  ["input.tags[0] == first(input.tags)", true],
  ["len(input.tags) == count(input.tags)", true],
  ['outputs["draft"].json.score', 7],
  ['outputs.draft == "a draft"', true],
  ["outputs.missing.text", null],
  ["input.constructor", null],
  ["input.__proto__", null],
  ['default(input.nothing, "none")', "none"],
  ['join(split("a,b", ","), "+")', "a+b"],
  ['upper(lower("aB"))', "AB"],
  ['last(history("x"))', "x-2"],
  ["json(input.tags)", '["db","p1"]'],
  ["input.tags == input.tags", true],
  ['"10" < "9"', true],
  ['"10" < 9', false],
  ["null == outputs.zz", true],
])("%s gives %j", (text, expected) => {
  expect(value(text)).toEqual(expected);
});

test.each([
  ["input ==", 8, "ends where a value"],
  ["input = 1", 6, "write '=='"],
  ["a < b < c", 6, "chained"],
  ["lenn(input)", 0, "Did you mean 'len'"],
  ['"open', 0, "not closed"],
  ["input.tags[x]", 11, "number or a quoted name"],
  ["input $ 1", 6, "no meaning"],
  ["and", 0, "value is expected"],
  ['input matches "(?<=a)b"', 14, "not valid"],
])("%s is refused at offset %i", (text, at, words) => {
  const parsed = parseExpression(text);
  expect(parsed).toMatchObject({ fault: { at } });
  expect("fault" in parsed && parsed.fault.message).toContain(words);
});

test("deep nesting is refused, not a stack overflow", () => {
  expect(parseExpression(`${"(".repeat(1_900)}1${")".repeat(1_900)}`)).toHaveProperty("fault");
  expect(parseExpression(`${"not ".repeat(900)}1`)).toHaveProperty("fault");
});

test("parsing never throws and never runs JavaScript, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (text) => {
      parseExpression(text);
      parseTemplate(text);
    }),
  );
});

describe("templates", () => {
  test("values are put in, with filters and arguments", () => {
    expect(render('T: {{ input.title | lower }} {{input.tags|join("/")}} {{ outputs.draft }} \\{{ raw }}')).toBe(
      "T: crash db/p1 a draft {{ raw }}",
    );
  });

  test("objects are written as JSON", () => {
    expect(render("{{ outputs.draft.json }}")).toBe('{"score":7}');
  });

  test("a path that leads nowhere is an error unless a default catches it", () => {
    expect(() => render("{{ input.nothing }}")).toThrow("'input.nothing'");
    expect(render('{{ input.nothing | default("-") }}')).toBe("-");
  });

  test("text with braces in quotes does not end the expression", () => {
    expect(render('{{ "}}" }}')).toBe("}}");
  });

  test("text without braces is unchanged", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("{{")),
        (text) => render(text) === text,
      ),
    );
  });
});
