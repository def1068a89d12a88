import type { MappedMedication } from "../../actions/legality-context.ts";
import { taperUse } from "../../actions/target-rules.ts";
import { adaptationTauDays, effectShare, nextTaperDose } from "../../course/taper-classes.ts";
import { relaxAdaptation } from "../../course/withdrawal.ts";
import { doseGrid } from "../../kb/dose-grid.ts";
import type { Chart } from "../chart.ts";

/** A pace and the day of its next reduction, counted from today. */
export interface PaceAhead {
  readonly stepPct: number;
  readonly intervalDays: number;
  readonly nextInDays: number;
}

/** What a pace comes to. */
export interface TaperOutlook {
  /** Highest W that is still to come. */
  readonly peak: number;
  /** Days until the last dose; infinite when that is beyond the days looked at. */
  readonly stopInDays: number;
}

/** What is believed of a patient's adaptation. */
export interface Insight {
  /** Time constant of the adaptation to a drug, days. */
  readonly tauDays: (chart: Chart, medication: MappedMedication) => number;
  /** W today, 0-1. */
  readonly withdrawal: (chart: Chart, medication: MappedMedication) => number;
  /** Expected W until the next visit up to which a plan goes on. */
  readonly most: number;
}

/** What the chart lets believe: the typical time constant and the score, less its noise. */
export const CHART_INSIGHT: Insight = {
  tauDays: ({ kb }, { drugIndex }) => adaptationTauDays(kb.drugs[drugIndex]!),
  withdrawal: (_chart, { taper }) => taper?.withdrawalScore ?? 0,
  // Severe events begin above .5; the score is noisy.
  most: 0.45,
};

/** Weight assumed where the record has none: only the grid of weight-based doses depends on it. */
const TYPICAL_WEIGHT_KG = 70;

/** Follows a pace day by day for `days` days, the last one included, from the withdrawal that shows today. */
export function lookAhead(
  insight: Insight,
  chart: Chart,
  medication: MappedMedication,
  { pace, days }: { readonly pace: PaceAhead; readonly days: number },
): TaperOutlook {
  const drug = chart.kb.drugs[medication.drugIndex]!;
  const { startDosePerDay } = taperUse(chart.legality, medication);
  const grid = doseGrid(drug, { weightKg: chart.known.weightKg ?? TYPICAL_WEIGHT_KG });
  const tau = insight.tauDays(chart, medication);
  let { dosePerDay } = medication;
  let adaptation = Math.min(1, insight.withdrawal(chart, medication) + effectShare(drug, dosePerDay, startDosePerDay));
  let peak = 0;
  let stopInDays = Number.POSITIVE_INFINITY;
  let next = pace.nextInDays;
  for (let day = 0; day <= days && dosePerDay > 0; day++) {
    if (day === next) {
      dosePerDay = nextTaperDose(grid, { dosePerDay, startDosePerDay, stepPct: pace.stepPct });
      next += pace.intervalDays;
      const effect = effectShare(drug, dosePerDay, startDosePerDay);
      peak = Math.max(peak, adaptation - effect);
      if (dosePerDay <= 0) stopInDays = day;
    }
    adaptation = relaxAdaptation(adaptation, effectShare(drug, dosePerDay, startDosePerDay), tau, 1);
  }
  return { peak, stopInDays };
}
