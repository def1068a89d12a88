import { proportionalDose } from "../../pharmacology/proportional-rule.ts";
import type { Chart } from "../chart.ts";
import type { Decision, PolicyRule } from "../decision.ts";
import { type DosingChart, doseOffers, dosingChartOf } from "./dosing-chart.ts";

/** assumption: a rule of thumb outside the target is right more often than not, and so is leaving a dose on target. */
const CONFIDENCE = 0.7;

/** Orders the level where a step has none. */
export const orderLevel: PolicyRule = (chart) => {
  const view = dosingChartOf(chart);
  if (view === null || view.isLevelFresh || chart.observation.course.day === 0) return null;
  const offer = chart.offers.find(
    ({ payload, isLegal }) =>
      isLegal && payload.type === "ORDER_MONITORING" && payload.orders[0] === view.block.level_code,
  );
  return offer === undefined
    ? null
    : { offer, reason: `No ${view.block.level_code} since the last step.`, confidence: CONFIDENCE };
};

/** Changes the dose in proportion to a level out of its target. */
export const doseInProportion: PolicyRule = (chart) => {
  const view = dosingChartOf(chart);
  if (view === null) return null;
  const { model, drug, current, level, block } = view;
  const step = Math.floor(chart.observation.course.day / block.step_days);
  const wanted = proportionalDose(
    model,
    drug,
    {
      weightKg: chart.known.weightKg ?? 70,
      current,
      level: level?.value ?? null,
      hasCad: chart.legality.facts.conditions.has("CAD"),
    },
    chart.known.ageYears,
    level,
    step,
  );
  if (wanted === null) return null;
  const found = doseOffers(view)
    .filter(({ option }) => option.intervalH === wanted.intervalH)
    .reduce<ReturnType<typeof doseOffers>[number] | null>(
      (best, each) =>
        best === null ||
        Math.abs(each.option.dosePerDay - wanted.dosePerDay) < Math.abs(best.option.dosePerDay - wanted.dosePerDay)
          ? each
          : best,
      null,
    );
  // A legal dose on the wrong side of the present one is worse than none.
  const isAside =
    found === null || (found.option.dosePerDay - current.dosePerDay) * (wanted.dosePerDay - current.dosePerDay) <= 0;
  return isAside
    ? null
    : { offer: found.offer, reason: `${levelInWords(view)}: dose in proportion.`, confidence: CONFIDENCE };
};

/** Keeps the dose until the next assessment. */
export const keepDose: PolicyRule = (chart) => keepDecision(chart, dosingChartOf(chart));

function keepDecision(chart: Chart, view: DosingChart | null): Decision | null {
  if (view === null) return null;
  const offer = chart.offers.find(({ payload }) => payload.type === "KEEP_REGIMEN");
  return offer === undefined
    ? null
    : { offer, reason: `${levelInWords(view)}: the dose stays.`, confidence: CONFIDENCE };
}

/** The last level and its target in words. */
export function levelInWords({ level, block }: DosingChart): string {
  const { low, high } = block.target;
  return level === null
    ? `No ${block.level_code} yet`
    : `${block.level_code} ${level.value} with target ${low}-${high}`;
}
