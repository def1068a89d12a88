import { expect, test } from "vitest";
import { poolEvidence } from "../src/documents/read-evidence.ts";

const MAJOR = "warfarin with ibuprofen: major interaction.";
const NONE = "ibuprofen with warfarin: no relevant interaction.";

test("a label is believed at .98, and a blog against it lowers that", () => {
  const label = { sourceType: "label", year: 2023, snippet: MAJOR };
  expect(poolEvidence([label])).toMatchObject([{ matter: "interaction:ibuprofen:warfarin", value: "major" }]);
  expect(poolEvidence([label])[0]!.probability).toBeCloseTo(0.98, 12);
  const [pooled] = poolEvidence([label, { sourceType: "blog", year: 2022, snippet: NONE }]);
  expect(pooled).toMatchObject({ value: "major", support: 1, against: 1 });
  expect(pooled!.probability).toBeLessThan(0.98);
});

test("an old document counts half", () => {
  expect(poolEvidence([{ sourceType: "guideline", year: 1999, snippet: MAJOR }])[0]!.probability).toBeCloseTo(0.48, 12);
});

test("snippets about children, of unknown sources or without a whole claim say nothing", () => {
  expect(
    poolEvidence([
      { sourceType: "primary", year: 2020, snippet: `${MAJOR} Based on 40 children aged 2 to 11 years.` },
      { sourceType: "rumour", year: 2020, snippet: MAJOR },
      { sourceType: "label", year: 2020, snippet: "warfarin with ibuprofen: major inter" },
    ]),
  ).toEqual([]);
});
