import { hasRecentLevel } from "../../actions/start-rules.ts";
import { getDrug } from "../../kb/lookup.ts";
import type { Drug } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import { type CoMedication, type DayFactors, factorsFrom } from "../../pharmacology/comedication.ts";
import type { DoseOption } from "../../pharmacology/dose-options.ts";
import type { DoseDay, DosingCovariates, DosingModel } from "../../pharmacology/dosing-model.ts";
import type { DosingHistory, LevelPoint } from "../../pharmacology/estimate.ts";
import { DOSING_MODELS } from "../../pharmacology/models.ts";
import { CYP2C9_SHARES, VKORC1_SHARES } from "../../pharmacology/warfarin.ts";
import type { Chart, ChartOffer } from "../chart.ts";

/** assumption: stands in for a weight or clearance that is not known; usual values of older adults. */
const FALLBACK_WEIGHT_KG = 70;
const FALLBACK_CRCL_ML_PER_MIN = 60;

/** A chart of a drug that is dosed by level. */
export interface DosingChart {
  readonly chart: Chart;
  readonly block: NonNullable<Observation["dosing"]>;
  readonly model: DosingModel;
  readonly drug: Drug;
  readonly current: DoseOption;
  /** Last report; null = none yet. */
  readonly level: LevelPoint | null;
  /** The last report was drawn when the last step ended. */
  readonly isLevelFresh: boolean;
}

/** The dosing view of a chart; null without a drug that is dosed by level. */
export function dosingChartOf(chart: Chart): DosingChart | null {
  const block = chart.observation.dosing;
  if (block === undefined) return null;
  const model = DOSING_MODELS.find(({ drugId }) => drugId === block.drug_id);
  const row = chart.observation.medications.find(({ med_ref: medRef }) => medRef === block.med_ref);
  if (model === undefined || row === undefined) return null;
  const drug = getDrug(chart.kb, block.drug_id);
  const level = block.levels[block.levels.length - 1] ?? null;
  return {
    chart,
    block,
    model,
    drug,
    current: { dosePerDay: row.dose_per_day, intervalH: Math.round(24 / row.freq) },
    level,
    isLevelFresh: level !== null && level.day === chart.observation.course.day && hasRecentLevel(chart.legality, drug),
  };
}

/** Legal changes of the dose with what each leads to. */
export function doseOffers({
  chart,
  block,
}: DosingChart): readonly { readonly offer: ChartOffer; readonly option: DoseOption }[] {
  return chart.offers.flatMap((offer) => {
    const { payload } = offer;
    if (!offer.isLegal || payload.type !== "ADJUST_DOSE" || payload.medRef !== block.med_ref) return [];
    return [{ offer, option: { dosePerDay: payload.dosePerDay, intervalH: Math.round(24 / payload.dosesPerDay) } }];
  });
}

/** The treatment as known: covariates, doses by day with co-medication, levels. */
export function dosingHistory(view: DosingChart): DosingHistory {
  const { chart, block, drug } = view;
  const { day } = chart.observation.course;
  const others = coMedications(chart, block.med_ref);
  const factors = factorsFrom(chart.kb, drug, others, 0, day);
  const days: DoseDay[] = [];
  let at = -1;
  for (let past = 0; past < day; past++) {
    while (at + 1 < block.doses.length && block.doses[at + 1]!.day <= past) at++;
    const span = block.doses[at];
    days.push({
      dosePerDay: span?.dose_per_day ?? 0,
      intervalH: span?.interval_h ?? 24,
      ...factors[past]!,
    });
  }
  return { covariates: covariatesOf(view), days, levels: block.levels };
}

/** Co-medication on the coming days. */
export function factorsAhead({ chart, block, drug }: DosingChart, days: number): readonly DayFactors[] {
  return factorsFrom(chart.kb, drug, coMedications(chart, block.med_ref), chart.observation.course.day, days);
}

function coMedications({ known }: Chart, medRef: string): readonly CoMedication[] {
  const taken = known.medications.flatMap(({ drugIndex, startDay, medRef: ref }) =>
    drugIndex === null || ref === medRef
      ? []
      : [{ drugIndex, startDay: startDay ?? Number.NEGATIVE_INFINITY, stopDay: null }],
  );
  const stopped = known.stopped.map(({ drugIndex, daysAgo, daysOfUse }) => {
    const stopDay = known.clock.day - daysAgo;
    return { drugIndex, stopDay, startDay: daysOfUse === null ? Number.NEGATIVE_INFINITY : stopDay - daysOfUse };
  });
  return [...taken, ...stopped];
}

function covariatesOf({ chart: { known, legality }, block }: DosingChart): DosingCovariates {
  const genotype = block.genotype;
  const cyp2c9 = CYP2C9_SHARES.find(([type]) => type === genotype?.cyp2c9)?.[0];
  const vkorc1 = VKORC1_SHARES.find(([type]) => type === genotype?.vkorc1)?.[0];
  return {
    ageYears: known.ageYears,
    sex: known.sex,
    weightKg: known.weightKg ?? FALLBACK_WEIGHT_KG,
    creatinineClearanceMlPerMin: known.crClMlPerMin ?? FALLBACK_CRCL_ML_PER_MIN,
    hasHeartFailure: legality.facts.conditions.has("HF"),
    genotype: cyp2c9 === undefined || vkorc1 === undefined ? null : { cyp2c9, vkorc1 },
  };
}
