import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { makeEvaluationReport, type ResultRow, renderHtml, renderMarkdown } from "../src/index.ts";

const N = 30;

function rowsOf(policy: string, gain: number, condition: string | null = null): ResultRow[] {
  return Array.from({ length: N }, (_, i) => {
    const rng = Rng.fromSeed(i, "rows");
    const score = 0.5 * rng.uniform() + gain;
    return {
      unit: `unit/${i}`,
      group: "TASK",
      policy,
      condition,
      subgroups: i < 10 ? ["old"] : [],
      metrics: { score: i < 10 ? score - 0.2 : score, success: Number(score > 0.4), j: score, harm: 0 },
      decisions: [{ confidence: 0.8, isGood: i % 5 > 0 }],
    };
  });
}

const rows = [
  ...rowsOf("best", 0.3),
  ...rowsOf("weak", 0.1),
  ...rowsOf("random", 0),
  ...rowsOf("oracle", 0.4),
  ...rowsOf("best", 0.25, "noise"),
];
const make = (played: readonly ResultRow[]) =>
  makeEvaluationReport({
    title: "A report with <marks> | bars",
    notice: "Research simulation, not medical advice",
    facts: ["n is small"],
    rows: played,
    metrics: [
      { name: "score", label: "score", kind: "mean", better: "higher" },
      { name: "success", label: "success", kind: "share", better: "higher" },
      { name: "harm", label: "harm", kind: "rare", better: "lower" },
    ],
    score: "score",
    policies: ["best", "weak", "random", "oracle"],
    groups: ["TASK"],
    subgroups: ["old"],
    low: "random",
    high: "oracle",
    greedy: "weak",
  });

describe("evaluation report", () => {
  const { report, summary } = make(rows);
  const table = (title: string) => report.tables.find((each) => each.title === title)!;

  test("does not depend on the order of the rows", () => {
    const shuffled = make(Rng.fromSeed(1).shuffled(rows));
    expect(renderMarkdown(shuffled.report)).toBe(renderMarkdown(report));
    expect(shuffled.summary).toEqual(summary);
  });

  test("every estimate tells n and an interval that holds it", () => {
    expect(summary.estimates.length).toBe(12);
    for (const { estimate } of summary.estimates) {
      expect(estimate.n).toBe(N);
      expect(estimate.low).toBeLessThanOrEqual(estimate.mean);
      expect(estimate.high).toBeGreaterThanOrEqual(estimate.mean);
    }
  });

  test("policies are compared with the first one on the units that both played", () => {
    expect(summary.comparisons.map(({ against }) => against)).toEqual(["weak", "random", "oracle"]);
    expect(summary.comparisons[0]!.difference.mean).toBeCloseTo(0.2, 9);
    expect(summary.comparisons[2]!.difference.mean).toBeCloseTo(-0.1, 9);
  });

  test("the normalised score lies between the low and the high policy", () => {
    const best = table("Normalised score").rows.find((row) => row[1] === "best")!;
    expect(best[2]).toMatch(/^0\.750 /);
  });

  test("a subgroup that does worse by more than .05 is marked", () => {
    expect(table("Subgroups").rows.every((row) => row[5]!.includes("above the limit"))).toBe(true);
  });

  test("episodes under a condition are compared with their own undisturbed ones and count nowhere else", () => {
    expect(table("Perturbations").rows).toEqual([["TASK", "best", "noise", "30", expect.stringMatching(/^-0\.050 /)]]);
  });

  test("a repeated unit is averaged first and counts once", () => {
    const repeated = make([...rows, ...rowsOf("weak", 0.3)]);
    const estimate = repeated.summary.estimates.find(({ policy, metric }) => policy === "weak" && metric === "score")!;
    const one = summary.estimates.find(({ policy, metric }) => policy === "weak" && metric === "score")!;
    expect(estimate.estimate.n).toBe(N);
    expect(estimate.estimate.mean).toBeCloseTo(one.estimate.mean + 0.1, 9);
  });

  test("texts are escaped and the notice stands in every form", () => {
    const html = renderHtml(report);
    expect(html).toContain("&lt;marks&gt;");
    expect(html).not.toContain("<marks>");
    for (const text of [html, renderMarkdown(report)]) expect(text).toContain("not medical advice");
  });

  test("each figure shows n and brings its data", () => {
    expect(report.figures.map(({ name }) => name)).toEqual([
      "task-score",
      "success",
      "comparisons",
      "subgroups",
      "perturbations",
      "calibration",
      "risk-coverage",
    ]);
    for (const { svg, data } of report.figures) {
      expect(svg).toContain("n=");
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(data).toBeTruthy();
    }
  });
});
