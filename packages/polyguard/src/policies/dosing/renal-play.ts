import { canonicalPayload } from "../../actions/canonical.ts";
import { doseQuality } from "../../reward/dosing-quality.ts";
import type { Chart, ChartOffer } from "../chart.ts";
import type { Decision, PolicyRule } from "../decision.ts";
import { nameInWords } from "../explain.ts";

/** Creatinine older than this is measured again before doses are judged by it, days. Source: window of the renal rules. */
const CREATININE_DAYS = 90;
/** assumption: the renal rules leave little doubt once the kidneys are known. */
const CONFIDENCE = 0.85;

/** Doses that the way to the range is looked for on. */
const STEPS = 48;

/** True in renal-dose mode: a dosing episode without a drug that is dosed by level. */
function isRenalMode({ observation }: Chart): boolean {
  return observation.sub_environment === "PRECISION_DOSING" && observation.dosing === undefined;
}

/** Measures what the renal rules need: creatinine, and the weight where it is not known. */
export const measureKidneys: PolicyRule = (chart) => {
  const { known } = chart;
  if (!isRenalMode(chart)) return null;
  const isOld = known.kidneyAgeDays === null || known.kidneyAgeDays > CREATININE_DAYS;
  const wanted = [...(isOld ? ["CREAT"] : []), ...(known.weightKg === null ? ["WEIGHT"] : [])];
  if (wanted.length === 0) return null;
  const offer = chart.offers.find(
    ({ payload, isLegal }) =>
      isLegal && payload.type === "ORDER_MONITORING" && wanted.every((code) => payload.orders.includes(code)),
  );
  return offer === undefined
    ? null
    : { offer, reason: `The renal rules need ${wanted.join(" and ")}.`, confidence: CONFIDENCE };
};

/** Changes the dose that comes nearest to its range and renal rule, as known; of equal changes the smallest. */
export const mendDose: PolicyRule = (chart) => {
  if (!isRenalMode(chart)) return null;
  let best: { readonly decision: Decision; readonly gain: number; readonly change: number } | null = null;
  for (const offer of chart.offers) {
    const { payload, isLegal } = offer;
    if (!isLegal || payload.type !== "ADJUST_DOSE" || chart.asked.has(canonicalPayload(payload))) continue;
    const medication = chart.legality.byRef.get(payload.medRef);
    if (medication === undefined) continue;
    const gain = qualityOf(chart, payload.medRef, payload.dosePerDay) - qualityOf(chart, payload.medRef, null);
    // A step towards the range is worth taking where one step does not reach it.
    const distance = distanceToRange(chart, payload.medRef, medication.dosePerDay);
    if (!Number.isFinite(distance)) continue;
    const nearer = distance - distanceToRange(chart, payload.medRef, payload.dosePerDay);
    if (gain < 0 || nearer <= 1e-9) continue;
    const change = Math.abs(Math.log(payload.dosePerDay / medication.dosePerDay));
    if (best !== null && (gain < best.gain - 1e-9 || (gain <= best.gain + 1e-9 && change >= best.change))) continue;
    best = { gain, change, decision: decide(chart, offer, payload) };
  }
  return best?.decision ?? null;
};

/** Ends the review when every dose is right as known and no alert is open. */
export const finishWhenMended: PolicyRule = (chart) => {
  if (!isRenalMode(chart)) return null;
  if (chart.known.alerts.some(({ isManaged, severity }) => !isManaged && severity !== "moderate")) return null;
  if (chart.legality.listed.some(({ medRef }) => qualityOf(chart, medRef, null) < 1)) return null;
  const offer = chart.offers.find(({ payload }) => payload.type === "FINISH");
  return offer === undefined
    ? null
    : { offer, reason: "Every dose is inside its range and renal rule.", confidence: CONFIDENCE };
};

function decide(
  chart: Chart,
  offer: ChartOffer,
  { medRef, dosePerDay }: { readonly medRef: string; readonly dosePerDay: number },
): Decision {
  const { drugIndex, dosePerDay: now } = chart.legality.byRef.get(medRef)!;
  const { doseUnit } = chart.kb.drugs[drugIndex]!;
  const reach = qualityOf(chart, medRef, dosePerDay) === 1 ? "is inside both" : "is a step towards them";
  return {
    offer,
    reason: `${nameInWords(chart, medRef)} at ${now} ${doseUnit} is outside its range or its limit for these kidneys; ${dosePerDay} ${doseUnit} ${reach}.`,
    confidence: CONFIDENCE,
  };
}

/** Quality of a listed drug at another dose, null = at its own; kidneys as known. */
function qualityOf({ kb, legality }: Chart, medRef: string, dosePerDay: number | null): number {
  const medication = legality.byRef.get(medRef)!;
  const drug = kb.drugs[medication.drugIndex]!;
  return doseQuality(
    {
      drug,
      dosePerDay: dosePerDay ?? medication.dosePerDay,
      hasNoFloor: medication.isPrn || medication.taper !== null,
    },
    legality.renal,
  );
}

/** How far a dose lies outside what would be right, on the log scale; 0 inside, Infinity where no dose is right. */
function distanceToRange(chart: Chart, medRef: string, dosePerDay: number): number {
  if (qualityOf(chart, medRef, dosePerDay) === 1) return 0;
  const right = chart.legality.kb.drugs[chart.legality.byRef.get(medRef)!.drugIndex]!;
  const reach = Math.max(right.doseMax, dosePerDay);
  let nearest = Number.POSITIVE_INFINITY;
  for (let share = 1; share <= STEPS; share++) {
    const dose = (reach * share) / STEPS;
    if (qualityOf(chart, medRef, dose) === 1) nearest = Math.min(nearest, Math.abs(Math.log(dose / dosePerDay)));
  }
  return nearest;
}
