import { nextRaise } from "../actions/course-candidates.ts";
import type { MappedMedication } from "../actions/legality-context.ts";
import { knownOmissions } from "../actions/omission-candidates.ts";
import { WITHDRAWAL_SIGN } from "../actions/taper-candidates.ts";
import { untreatedConditions } from "../actions/untreated.ts";
import { relativeEffect } from "../engine/benefit-table.ts";
import { isOneOf } from "../interactions/member-table.ts";
import { CONDITION_BURDENS } from "../kb/conditions.ts";
import { isTitrated, targetDose } from "../kb/dose-grid.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import type { Drug } from "../kb/types.ts";
import type { Chart, ChartOffer } from "./chart.ts";
import type { Decision } from "./decision.ts";
import { fitOf } from "./drug-worth.ts";
import { nameInWords } from "./explain.ts";

/** Withdrawal score from which a taper rests. Source: severe events of the model begin above .5; the score is rough. */
const PAUSE_ABOVE = 0.65;
/** Share of the target dose from which a last raise is not worth a change of its own. */
const NEAR_TARGET = 0.7;
/** Least yearly benefit for which a missing therapy is started (assumption: above what a change costs). */
const LEAST_BENEFIT = 0.015;
function find(chart: Chart, fits: (offer: ChartOffer) => boolean): ChartOffer | undefined {
  return chart.offers.find((offer) => offer.isLegal && fits(offer));
}

/** Running tapers: back when withdrawal shows, on again when it is over. */
export function steerTapers(chart: Chart): Decision | null {
  for (const { medRef, taper } of chart.legality.listed) {
    if (taper === null) continue;
    const score = taper.withdrawalScore ?? 0;
    if (score > PAUSE_ABOVE && !taper.isPaused) {
      const offer = find(chart, ({ payload }) => payload.type === "PAUSE_TAPER" && payload.medRef === medRef);
      if (offer !== undefined)
        return {
          offer,
          reason: `The taper of ${nameInWords(chart, medRef)} shows withdrawal (score ${score}); the dose rests.`,
          confidence: 0.6,
        };
    }
    if (taper.isPaused && score <= WITHDRAWAL_SIGN) {
      const offer = find(chart, ({ payload }) => payload.type === "CONTINUE_TAPER" && payload.medRef === medRef);
      if (offer !== undefined)
        return {
          offer,
          reason: `Withdrawal from ${nameInWords(chart, medRef)} has settled (score ${score}); the taper goes on.`,
          confidence: 0.7,
        };
    }
  }
  return null;
}

/** The second half of a declared switch, as soon as its washout is over. */
export function completeSwitch(chart: Chart): Decision | null {
  const { switch: declared } = chart.observation.course;
  if (declared === null) return null;
  const offer = find(chart, ({ payload, wire }) => payload.type === "ADD_DRUG" && wire.target === declared.to);
  if (offer === undefined) return null;
  return {
    offer,
    reason: `The washout is over; the drug that the switch was declared for is started.`,
    confidence: 0.75,
  };
}

/** A cross-over goes on: the new drug is raised, then the old one leaves. */
export function carryOn(chart: Chart): Decision | null {
  for (const medication of chart.legality.listed) {
    const raised = nextRaise(chart.legality, medication);
    const isNearTarget = medication.dosePerDay >= NEAR_TARGET * targetDose(chart.kb.drugs[medication.drugIndex]!);
    if (raised !== null && !isNearTarget) {
      const offer = find(
        chart,
        ({ payload }) =>
          payload.type === "ADJUST_DOSE" &&
          payload.medRef === medication.medRef &&
          payload.dosePerDay > medication.dosePerDay,
      );
      if (offer !== undefined)
        return {
          offer,
          reason: `${nameInWords(chart, medication.medRef)} was started low and is raised towards its usual dose.`,
          confidence: 0.6,
        };
      continue;
    }
    const old = chart.legality.listed.find(({ drugIndex }) => drugIndex === medication.crossOverFromDrugIndex);
    if (old === undefined || old.taper !== null) continue;
    const offer = find(
      chart,
      ({ payload }) =>
        (payload.type === "START_TAPER" || payload.type === "STOP_DRUG") && payload.medRef === old.medRef,
    );
    if (offer !== undefined)
      return {
        offer,
        reason: `${nameInWords(chart, medication.medRef)} has taken over; ${nameInWords(chart, old.medRef)} leaves now.`,
        confidence: 0.65,
      };
  }
  return null;
}

/** Doses above what the kidneys allow, and levels out of range. */
export function fixDoses(chart: Chart): Decision | null {
  for (const flag of chart.observation.dosing_flags) {
    const medication = chart.legality.listed.find(({ drugId }) => drugId === flag.drug_id);
    if (medication === undefined || medication.taper !== null) continue;
    const drug = chart.kb.drugs[medication.drugIndex]!;
    const adjustments = chart.offers.filter(
      (offer) => offer.isLegal && offer.payload.type === "ADJUST_DOSE" && offer.payload.medRef === medication.medRef,
    );
    const doseOf = ({ payload }: ChartOffer): number => (payload.type === "ADJUST_DOSE" ? payload.dosePerDay : 0);
    const lower = adjustments
      .filter((offer) => doseOf(offer) < medication.dosePerDay)
      .sort((x, y) => doseOf(y) - doseOf(x));
    const name = nameInWords(chart, medication.medRef);
    if (flag.flag === "above_renal_limit") {
      const { doseCap } = judgeRenalRule(drug, chart.legality.renal);
      const crCl = chart.known.crClMlPerMin;
      const because = crCl === null ? "" : ` at a CrCl of ${crCl} mL/min`;
      const fitting = lower.find((offer) => doseCap !== null && doseCap > 0 && doseOf(offer) <= doseCap * (1 + 1e-9));
      if (fitting !== undefined)
        return {
          offer: fitting,
          reason: `${name} is above its renal limit${because}; the dose is lowered to fit.`,
          confidence: 0.6,
        };
      const swap = doseCap === 0 ? bestSwap(chart, medication) : undefined;
      if (swap !== undefined)
        return {
          offer: swap,
          reason: `${name} should not be used${because}; another drug takes its place.`,
          confidence: 0.7,
        };
      continue;
    }
    if (flag.flag !== "level_high" && flag.flag !== "level_low") continue;
    const isInverse = medication.lastLevel?.code === "TSH";
    const isTooHigh = (flag.flag === "level_high") !== isInverse;
    const offer = isTooHigh
      ? lower[0]
      : adjustments.filter((each) => doseOf(each) > medication.dosePerDay).sort((x, y) => doseOf(x) - doseOf(y))[0];
    if (offer === undefined || !isOverdue(chart, medication)) continue;
    const level = flag.level === null ? "" : ` (${medication.lastLevel?.code ?? "level"} ${flag.level.value})`;
    return {
      offer,
      reason: `The level of ${name} is ${isTooHigh ? "above" : "below"} its range${level}; the dose moves one step.`,
      confidence: 0.65,
    };
  }
  return null;
}

/** True when the level was taken since the dose was last changed, so that it speaks of this dose. */
function isOverdue({ known }: Chart, { lastDoseChangeDay, lastLevel }: MappedMedication): boolean {
  if (lastLevel === null) return false;
  return lastDoseChangeDay === null || known.clock.day - lastLevel.ageDays > lastDoseChangeDay;
}

function bestSwap(chart: Chart, medication: MappedMedication): ChartOffer | undefined {
  const swaps = chart.offers.filter(
    ({ isLegal, payload }) => isLegal && payload.type === "SUBSTITUTE_DRUG" && payload.medRef === medication.medRef,
  );
  return swaps.find(({ payload }) => {
    if (payload.type !== "SUBSTITUTE_DRUG") return false;
    const fit = fitOf(chart, chart.kb.drugs[payload.drugIndex]!, medication);
    return fit.worstRank < 1 && !fit.isDiscouraged;
  });
}

/** Missing therapies: what the START rules ask for, then conditions that nothing treats. */
export function fillOmissions(chart: Chart): Decision | null {
  const omissions = knownOmissions(chart.legality);
  // Conditions that only follow from the list (low potassium under a diuretic) are no reason to add a drug.
  const untreated = untreatedConditions(chart.legality).filter((code) => chart.known.conditions.has(code));
  for (const offer of chart.offers) {
    const { payload } = offer;
    if (!offer.isLegal || payload.type !== "ADD_DRUG" || payload.crossOverFromMedRef !== null) continue;
    const drug = chart.kb.drugs[payload.drugIndex]!;
    const omission = omissions.find(({ options }) => isOneOf(drug, options));
    const condition = omission?.condition ?? untreated.find((code) => drug.indications.includes(code));
    if (condition === undefined) continue;
    const fit = fitOf(chart, drug, null);
    if (fit.worstRank >= 1 || fit.isDiscouraged || benefitOf(drug, condition) < LEAST_BENEFIT) continue;
    if (isTitrated(drug) && (chart.known.clock.visitsLeft < 3 || chart.known.clock.changesLeft < 2)) continue;
    const need = omission?.text ?? `${condition} is active and nothing on the list treats it`;
    return {
      offer,
      reason: `${need[0]!.toUpperCase()}${need.slice(1)}; ${drug.genericName} is started.`,
      confidence: 0.65,
    };
  }
  return null;
}

/** Yearly utility that a drug saves in an untreated condition; conditions without a burden count as worth it. */
function benefitOf(drug: Drug, condition: string): number {
  const burden = CONDITION_BURDENS.get(condition);
  if (burden === undefined) return LEAST_BENEFIT;
  return burden.burdenPerYear * burden.bestReduction * burden.control * relativeEffect(drug, condition);
}
