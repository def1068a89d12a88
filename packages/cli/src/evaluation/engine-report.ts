import { clopperPearson, type Estimate, plotScatter, type Report } from "@praxis/eval";
import { aucrPairs, guestLimits, judgeAucr, loadBundledKnowledgeBase } from "@praxis/polyguard";

const show = ({ mean, low, high, n }: Estimate): string =>
  `${(100 * mean).toFixed(0)} % [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}], n=${n}`;

/** Ratios at which guide lines are drawn. */
const RATIOS = Array.from({ length: 81 }, (_, i) => 10 ** (-1.5 + i * 0.05));

/**
 * How near the exposure model comes to published exposure ratios. Many of its numbers were worked out from such ratios, so this
 * is how well they fit, and no test on data that it has not seen.
 */
export function engineReport(): Pick<Report, "tables" | "figures"> {
  const pairs = aucrPairs(loadBundledKnowledgeBase());
  const hits = pairs.map(judgeAucr);
  const share = (isHit: (hit: (typeof hits)[number]) => boolean): string =>
    show(clopperPearson(hits.filter(isHit).length, hits.length));
  const series = (predicted: number, observed: number): string =>
    predicted === 1 && observed !== 1 ? "no mechanism in the model" : "modelled";
  const points = pairs.map(({ ruleId, victim, perpetrator, observed, predicted }) => ({
    series: series(predicted, observed),
    label: `${ruleId}: ${victim} with ${perpetrator}, published ${observed}, model ${predicted.toFixed(2)}`,
    x: predicted,
    y: observed,
  }));
  const n: Record<string, number> = {};
  for (const point of points) n[point.series] = (n[point.series] ?? 0) + 1;
  const modelled = hits.filter((_, i) => points[i]!.series === "modelled");
  const ofModelled = (isHit: (hit: (typeof hits)[number]) => boolean): string =>
    show(clopperPearson(modelled.filter(isHit).length, modelled.length));
  return {
    tables: [
      {
        title: "Exposure model",
        note: "Published exposure ratios of named pairs against the model's, the same for every policy. Many of the model's numbers were worked out from such ratios: this is the fit, no test on new data.",
        columns: ["limit", "all pairs", "pairs whose mechanism the model has"],
        rows: [
          ["within 1.25-fold", share((hit) => hit.isWithinQuarter), ofModelled((hit) => hit.isWithinQuarter)],
          ["within 2-fold", share((hit) => hit.isWithinTwofold), ofModelled((hit) => hit.isWithinTwofold)],
          [
            "within the limits of Guest 2011",
            share((hit) => hit.isWithinGuest),
            ofModelled((hit) => hit.isWithinGuest),
          ],
        ],
      },
    ],
    figures: [
      plotScatter("auc-ratio", "Exposure (AUC) ratio, published against model", points, {
        xLabel: "predicted AUC ratio",
        yLabel: "published AUC ratio",
        isLog: true,
        n,
        guides: [
          { label: "equal", points: RATIOS.map((ratio) => [ratio, ratio]) },
          { label: "Guest 2011, upper", points: RATIOS.map((ratio) => [guestLimits(ratio).high, ratio]) },
          { label: "Guest 2011, lower", points: RATIOS.map((ratio) => [guestLimits(ratio).low, ratio]) },
        ],
      }),
    ],
  };
}
