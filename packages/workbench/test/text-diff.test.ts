import fc from "fast-check";
import { expect, test } from "vitest";
import { diffWords } from "../src/flow/text-diff.ts";

const side = (parts: ReturnType<typeof diffWords>, left: "removed" | "added"): string =>
  parts
    .filter(({ kind }) => kind === "same" || kind === left)
    .map(({ text }) => text)
    .join("");

test("what is in both and what was removed is the text before; with what was added, the text after", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (before, after) => {
      const parts = diffWords(before, after);
      expect([side(parts, "removed"), side(parts, "added")]).toEqual([before, after]);
    }),
  );
});

test("only the words that differ are marked", () => {
  expect(diffWords("the dose is high", "the dose was high")).toEqual([
    { kind: "same", text: "the dose " },
    { kind: "removed", text: "is" },
    { kind: "added", text: "was" },
    { kind: "same", text: " high" },
  ]);
});
