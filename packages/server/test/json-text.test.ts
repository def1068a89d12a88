import { findJsonError, PraxisError } from "@praxis/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkParsedText, parseJsonText } from "../src/json-text.ts";

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return "none";
  } catch (error) {
    return error instanceof PraxisError ? error.code : String(error);
  }
};
const parse = (text: string): unknown => {
  const value = parseJsonText(text);
  checkParsedText(text, value);
  return value;
};

describe("reading message texts", () => {
  test("any JSON value without unsafe parts is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes("__proto__") && !/\\ud[89a-f]/.test(text));
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ["{a}", 1, "Expecting property name enclosed in double quotes"],
    ["nope", 0, "Expecting value"],
    ['{"a":1,}', 7, "Expecting property name enclosed in double quotes"],
    ["[1,2", 4, "Expecting ',' delimiter"],
    ['{"a" 1}', 5, "Expecting ':' delimiter"],
    ['"abc', 0, "Unterminated string starting at"],
    ['{"a":1} x', 8, "Extra data"],
    ["NaN", 0, "Expecting value"],
    ["-Infinity", 0, "Expecting value"],
    ["", 0, "Expecting value"],
    ['"\u0001"', 1, "Invalid control character at"],
    ['"\\x"', 1, "Invalid \\escape"],
  ])("the fault of %j is found at its place and named in Python's words", (text, offset, reason) => {
    expect(findJsonError(text)).toEqual({ offset, reason });
  });

  test("every text that JSON.parse refuses has a fault within it", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        fc.pre(!isJson);
        const { offset } = findJsonError(text);
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(text.length);
        expect(codeOf(() => parseJsonText(text))).toBe("INVALID_JSON");
      }),
    );
  });

  test.each([
    ["a lone surrogate", '{"text":"\\ud800"}'],
    ["a lone surrogate key", '{"\\udc00":1}'],
    ["the key __proto__", '{"__proto__":{"reward":1}}'],
    ["the key __proto__ in escapes", '{"\\u005f_proto__":{"reward":1}}'],
    ["deep nesting", "[".repeat(70) + "]".repeat(70)],
  ])("%s is refused as VALIDATION_ERROR", (_what, text) => {
    expect(codeOf(() => parse(text))).toBe("VALIDATION_ERROR");
  });

  test("a pair of surrogates in escapes is one character and accepted", () => {
    expect(parse('{"text":"\\ud83d\\ude00"}')).toEqual({ text: "😀" });
  });

  test("a long text of endless nesting or countless values is refused before it is built", () => {
    const deep = 1_000_000;
    expect(codeOf(() => parseJsonText("[".repeat(deep) + "]".repeat(deep)))).toBe("VALIDATION_ERROR");
    expect(codeOf(() => parseJsonText(`[${"0,".repeat(2_000_001)}0]`))).toBe("VALIDATION_ERROR");
  });

  test("brackets and commas inside a long string count for nothing", () => {
    const text = JSON.stringify({ text: `${"[,{".repeat(1_000_000)}\\"` });
    expect(codeOf(() => parseJsonText(text))).toBe("none");
  });
});
