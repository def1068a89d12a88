import fc from "fast-check";
import { expect, test } from "vitest";
import { bm25Scores, buildBm25Index, wordsOf } from "../src/documents/bm25.ts";

const TEXTS = ["apixaban renal dose", "apixaban with clarithromycin", "lisinopril renal dose renal", "forum"];

test("words are lower-case runs of letters and digits, and an underscore parts them", () => {
  expect(wordsOf("Trimethoprim_sulfamethoxazole, CrCl<30!")).toEqual([
    "trimethoprim",
    "sulfamethoxazole",
    "crcl",
    "30",
  ]);
});

test("the score is BM25 with k1 1.2, b .75 and an idf that is never negative", () => {
  const index = buildBm25Index(TEXTS);
  // idf ln(1 + 3.5/1.5); |d| 3, mean length 11/4, so the norm is 1.2 (.25 + .75 * 12/11).
  const idf = Math.log(1 + 3.5 / 1.5);
  const expected = (idf * 2.2) / (1 + 1.2 * (0.25 + (0.75 * 12) / 11));
  expect(bm25Scores(index, "clarithromycin")[1]).toBeCloseTo(expected, 12);
  expect(bm25Scores(index, "clarithromycin")[0]).toBe(0);
});

test("a word that repeats in a text raises its score less each time", () => {
  const index = buildBm25Index(["renal a b", "renal renal b", "renal renal renal", "x y z"]);
  const [one, two, three] = bm25Scores(index, "renal") as [number, number, number];
  expect(two).toBeGreaterThan(one);
  expect(three - two).toBeLessThan(two - one);
});

test("a query without a known word scores nothing, and an empty store gives no scores", () => {
  expect(bm25Scores(buildBm25Index(TEXTS), "zzz")).toEqual([0, 0, 0, 0]);
  expect(bm25Scores(buildBm25Index([]), "renal")).toEqual([]);
});

test("scores are never negative and don't depend on the order of the query's words", () => {
  const word = fc.constantFrom("renal", "dose", "apixaban", "lisinopril", "forum", "other");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const index = buildBm25Index(TEXTS);
      const scores = bm25Scores(index, words.join(" "));
      const turned = bm25Scores(index, [...words].reverse().join(" "));
      for (const [i, score] of scores.entries()) {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(turned[i]).toBeCloseTo(score, 12);
      }
    }),
  );
});
