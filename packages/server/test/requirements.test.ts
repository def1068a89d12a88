import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

interface Requirement {
  readonly id: string;
  /** Where it comes from: a release, a report, a measurement. */
  readonly source: string;
  readonly sentence: string;
  readonly file: string;
  /** Title of the test that fails when it does not hold. */
  readonly test: string;
}

const requirements = JSON.parse(
  readFileSync(new URL("requirements.json", import.meta.url), "utf8"),
) as readonly Requirement[];

describe("the list of wire requirements", () => {
  test("names each requirement once, with its source in words", () => {
    expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length);
    for (const { id, source, sentence } of requirements) {
      expect(source.length, id).toBeGreaterThan(3);
      expect(sentence, id).toMatch(/^(?:[A-Z/0-9]|close|reward).*\.$/);
    }
  });

  test.each(requirements)("$id has its test", ({ file, test: title }) => {
    const source = readFileSync(new URL(file, import.meta.url), "utf8");
    expect(source.includes(JSON.stringify(title))).toBe(true);
  });
});
