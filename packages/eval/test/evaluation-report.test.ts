import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { makeEvaluationReport, type ResultRow, renderHtml, renderMarkdown, selectiveRisk } from "../src/index.ts";

const N = 30;

function rowsOf(policy: string, gain: number, condition: ResultRow["condition"] = null): ResultRow[] {
  return Array.from({ length: N }, (_, i) => {
    const rng = Rng.fromSeed(i, "rows");
    const score = 0.5 * rng.uniform() + gain;
    return {
      unit: `unit/${i}`,
      group: "TASK",
      policy,
      condition,
      tier: i % 2 === 0 ? "easy" : "hard",
      subgroups: i < 10 ? ["old"] : [],
      metrics: {
        ...{ score: i < 10 ? score - 0.2 : score, success: Number(score > 0.4), j: score, harm: 0 },
        ...{ sensitivity: score, ppv: 1 - score / 2, error: Math.log(2), part: 0.5 },
      },
      decisions: [{ confidence: 0.8, isGood: i % 5 > 0 }],
      courses: {
        level: [
          [0, score],
          [10, score + 1],
        ],
      },
    };
  });
}

const rows = [
  ...rowsOf("best", 0.3),
  ...rowsOf("weak", 0.1),
  ...rowsOf("random", 0),
  ...rowsOf("oracle", 0.4),
  ...rowsOf("best", 0.25, { kind: "perturbation", name: "noise" }),
  ...rowsOf("weak", 0.1, { kind: "ablation", name: "without:nothing" }),
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
      { name: "error", label: "fold error", kind: "fold", better: "lower" },
    ],
    score: "score",
    policies: ["best", "weak", "random", "oracle"],
    groups: ["TASK"],
    subgroups: ["old"],
    low: "random",
    high: "oracle",
    greedy: "weak",
    guarded: [{ name: "harm", label: "harm", better: "lower" }],
    parts: [{ metric: "part", label: "a part", weight: 0.4 }],
    courses: [
      {
        ...{ name: "level", title: "Level", xLabel: "day", yLabel: "level, mg/L", between: "straight" },
        ...{ at: [0, 5, 10, 20], band: { low: 0.5, high: 1, label: "target" }, isFromZero: true },
      },
    ],
    alerts: { sensitivity: "sensitivity", ppv: "ppv" },
    training: [1, 2, 3].map((seed) => ({
      ...{ name: "a run", seed, metric: "m", label: "legality", xLabel: "steps" },
      points: [
        [10, 0.1 * seed],
        [20, 0.2 * seed],
      ],
    })),
    withoutEffect: [
      { group: "TASK", policy: "weak", condition: { kind: "ablation", name: "mode:other" }, reason: "nobody decides" },
    ],
    further: { tables: [], figures: [] },
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
    expect(summary.estimates.length).toBe(16);
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

  test("an ablation that changes no episode is said to have no effect, and so is one that cannot act", () => {
    expect(table("Ablations and modes").rows.map((row) => [row[2], row[4]])).toEqual([
      ["without:nothing", "none: every episode was played alike"],
      ["mode:other", "does not apply: nobody decides"],
    ]);
  });

  test("a fold error is told as e to the mean of the logarithms", () => {
    const { estimate } = summary.estimates.find(({ metric }) => metric === "error")!;
    expect([estimate.mean, estimate.low, estimate.high].map((value) => value.toFixed(9))).toEqual(
      Array.from({ length: 3 }, () => "2.000000000"),
    );
  });

  test("an improvement gains in score and pays for it with no guarded metric", () => {
    const verdict = (against: string) => summary.verdicts.find((each) => each.against === against)!;
    expect(verdict("weak")).toMatchObject({ isImprovement: true, reasons: [] });
    expect(verdict("oracle")).toMatchObject({ isImprovement: false, reasons: ["the score's gain is not shown"] });
    const harmful = rows.map((row, i) =>
      row.policy === "best" && i % 3 === 0 ? { ...row, metrics: { ...row.metrics, harm: 1 } } : row,
    );
    const judged = make(harmful).summary.verdicts.find((each) => each.against === "weak")!;
    expect(judged.isImprovement).toBe(false);
    expect(judged.reasons[0]).toMatch(/^harm may be worse by 0\.5/);
  });

  test("a mean course has points only where two units are on the way, straight between theirs, inside its interval", () => {
    const { data } = report.figures.find(({ name }) => name === "level-task")!;
    const [best] = data as readonly { readonly points: readonly Record<"x" | "y" | "low" | "high" | "n", number>[] }[];
    expect(best!.points.map(({ x }) => x)).toEqual([0, 5, 10]);
    expect(best!.points[1]!.y).toBeCloseTo((best!.points[0]!.y + best!.points[2]!.y) / 2, 9);
    for (const { low, y, high, n } of best!.points) {
      expect(low <= y && y <= high).toBe(true);
      expect(n).toBe(N);
    }
  });

  test("decision curves agree with what calibration and selective risk say", () => {
    const decisions = rows
      .filter(({ policy, condition }) => policy === "best" && condition === null)
      .flatMap((row) => row.decisions);
    const curve = report.figures.find(({ name }) => name === "risk-coverage")!.data as readonly {
      readonly points: readonly { readonly x: number; readonly y: number }[];
    }[];
    for (const { x, y } of curve[0]!.points) expect(y).toBeCloseTo(selectiveRisk(decisions, x), 9);
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
      ...["success", "task-score", "normalised-score", "level-task", "far-sight", "components", "training-m"],
      ...["calibration", "risk-coverage", "alerts", "comparisons", "subgroups", "perturbations"],
    ]);
    for (const { svg, data } of report.figures) {
      expect(svg).toContain("n=");
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(data).toBeTruthy();
    }
  });
});
