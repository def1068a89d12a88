import { canonicalPayload } from "../actions/canonical.ts";
import { knownSide, type MappedMedication } from "../actions/legality-context.ts";
import { levelCodeOf } from "../course/labs.ts";
import { isManaged, type ManagedSide, managementOf } from "../interactions/managed.ts";
import type { PairHit } from "../interactions/pair-hits.ts";
import { isTitrated, startDose, targetDose } from "../kb/dose-grid.ts";
import type { Drug } from "../kb/types.ts";
import type { KnownAlert } from "../observation/types.ts";
import { harmOf, isFalseAlarm } from "./alert-harm.ts";
import type { Chart, ChartOffer } from "./chart.ts";
import { fitOf, isSlowToStop, regimenHitsAfter, worthOf } from "./drug-worth.ts";

/** How an offer would answer an alert. */
export interface AlertAnswer {
  readonly offer: ChartOffer;
  /** The pair is gone (or going by a plan), or it stays and is managed. */
  readonly kind: "removal" | "management";
  /** Listed medication that leaves or changes; null for orders and protections. */
  readonly medication: MappedMedication | null;
  /** Drug that comes in its place; null = none. */
  readonly replacement: Drug | null;
  /** Yearly utility that the answer is thought to cost. */
  readonly cost: number;
}

/** Costs of a swap, by what speaks against it. assumption: sizes near the yearly loss of a moderate interaction. */
const SWAP_COST = 0.004;
const NEW_MODERATE_COST = 0.003;
const DISCOURAGED_COST = 0.03;
const SLOW_STOP_COST = 0.004;
const STOP_HARM_COST = 0.002;
/** Share of a drug's yearly worth that is lost for each visit in which its successor is still being raised. */
const SHARE_PER_RAISE = 0.03;
/** Share of a hit's excess that stays when it is managed. */
const RESIDUAL_SHARE = 0.4;

/** Ways to answer an alert with the legal offers, cheapest first; offers that would make a new major hit are left out. */
export function answersTo(chart: Chart, alert: KnownAlert): readonly AlertAnswer[] {
  const answers: AlertAnswer[] = [];
  for (const offer of chart.offers) {
    if (!offer.isLegal) continue;
    const answer = removalBy(chart, alert, offer) ?? managementBy(chart, alert, offer);
    if (answer !== null) answers.push(answer);
  }
  return answers.sort((x, y) => x.cost - y.cost);
}

function removalBy(chart: Chart, alert: KnownAlert, offer: ChartOffer): AlertAnswer | null {
  const { payload } = offer;
  const medication = memberOf(
    chart,
    alert,
    payload.type === "ADD_DRUG" ? payload.crossOverFromMedRef : targetOf(offer),
  );
  if (medication === null) return null;
  const drug = chart.kb.drugs[medication.drugIndex]!;
  const slow = isSlowToStop(chart, medication) ? SLOW_STOP_COST : 0;
  const removal = (replacement: Drug | null, cost: number): AlertAnswer | null =>
    stillFires(chart, alert, medication, replacement)
      ? null
      : {
          offer,
          kind: "removal",
          medication,
          replacement,
          cost: cost - reliefBy(chart, alert, medication, replacement),
        };
  switch (payload.type) {
    case "STOP_DRUG": {
      if (payload.switchToDrugIndex === null) return removal(null, worthOf(chart, medication));
      const next = chart.kb.drugs[payload.switchToDrugIndex]!;
      const cost = swapCost(chart, next, medication);
      return cost === null ? null : removal(next, cost + SWAP_COST);
    }
    case "START_TAPER":
      return removal(null, worthOf(chart, medication) + slow);
    case "SUBSTITUTE_DRUG": {
      const next = chart.kb.drugs[payload.drugIndex]!;
      const cost = swapCost(chart, next, medication);
      if (cost === null || raisesOf(next) > chart.known.clock.changesLeft - 1) return null;
      const gap = SHARE_PER_RAISE * raisesOf(next) * worthOf(chart, medication);
      return removal(next, cost + gap + STOP_HARM_COST * drug.stopHarm);
    }
    case "ADD_DRUG": {
      const next = chart.kb.drugs[payload.drugIndex]!;
      const cost = swapCost(chart, next, medication);
      // The start, the raises and the taper of the old drug are changes of their own.
      if (cost === null || raisesOf(next) > chart.known.clock.changesLeft - 2) return null;
      return removal(next, cost + slow + SWAP_COST * (1 + raisesOf(next)));
    }
    default:
      return null;
  }
}

/** True when a regimen rule would still fire, as badly, with the medication gone and the replacement there. */
function stillFires(chart: Chart, alert: KnownAlert, medication: MappedMedication, replacement: Drug | null): boolean {
  if (alert.hit !== null) return false;
  return regimenHitsAfter(chart, medication, replacement).some(
    ({ ruleId, severity, domain }) => ruleId === alert.ruleId && severity === alert.severity && domain === alert.domain,
  );
}

/** Cost of having another drug in the place of one; null when it would bring a major hit of its own. */
function swapCost(chart: Chart, next: Drug, leaving: MappedMedication): number | null {
  const fit = fitOf(chart, next, leaving);
  if (fit.worstRank >= 1) return null;
  return (
    SWAP_COST +
    worthOf(chart, leaving) * Math.max(0, 1 - fit.effect) +
    (fit.worstRank === 0 ? NEW_MODERATE_COST : 0) +
    (fit.isDiscouraged ? DISCOURAGED_COST : 0)
  );
}

/** Visits until a drug that starts low has come near its target dose; 0 for others. */
function raisesOf(drug: Drug): number {
  return isTitrated(drug) ? Math.max(0, Math.ceil(Math.log2((0.7 * targetDose(drug)) / startDose(drug)))) : 0;
}

function managementBy(chart: Chart, alert: KnownAlert, offer: ChartOffer): AlertAnswer | null {
  const { payload } = offer;
  const { legality, kb } = chart;
  const answer = (medication: MappedMedication | null, cost: number): AlertAnswer => ({
    offer,
    kind: "management",
    medication,
    replacement: null,
    cost,
  });
  if (alert.hit === null) {
    const isProtection =
      payload.type === "ADD_PROTECTION" &&
      ((alert.ruleId === "RG7" && payload.protection === "PPI") ||
        (alert.ruleId === "RG8" && payload.protection === "LAXATIVE"));
    return isProtection ? answer(null, 0) : null;
  }
  const a = listed(chart, alert.hit.aIndex);
  const b = listed(chart, alert.hit.bIndex);
  if (a === null || b === null) return null;
  const drugs = legality.listed.map(({ drugIndex }) => drugIndex);
  const orders = [...legality.orders];
  let sides = [sideOf(chart, a), sideOf(chart, b)] as const;
  let changed: MappedMedication | null = null;
  switch (payload.type) {
    case "ORDER_MONITORING":
      if (chart.asked.has(canonicalPayload(payload))) return null;
      if (isLevelCheck(chart, alert.hit, payload.orders)) return answer(null, RESIDUAL_SHARE * harmOf(chart, alert));
      orders.push(...payload.orders);
      break;
    case "SEPARATE_TIMING":
      orders.push("TIMING");
      break;
    case "ADD_PROTECTION":
      if (payload.protection === "PPI") drugs.push(kb.drugIndexById.get("pantoprazole")!);
      else orders.push(payload.protection);
      break;
    case "ADJUST_DOSE": {
      changed = payload.medRef === a.medRef ? a : payload.medRef === b.medRef ? b : null;
      if (changed === null || payload.dosePerDay > changed.dosePerDay) return null;
      const { dosePerDay } = payload;
      sides = [
        changed === a ? { ...sides[0], dosePerDay } : sides[0],
        changed === b ? { ...sides[1], dosePerDay } : sides[1],
      ];
      break;
    }
    default:
      return null;
  }
  if (!isManaged(kb, alert.hit.entry, sides[0], sides[1], managementOf(kb, drugs, orders))) return null;
  return answer(
    changed,
    RESIDUAL_SHARE * harmOf(chart, alert) + (changed === null ? 0 : doseLoss(chart, changed, offer)),
  );
}

/** One side of a pair; only levels of the episode count, as an older one may be of the time before the pair. */
function sideOf(chart: Chart, medication: MappedMedication): ManagedSide {
  const side = knownSide(chart.legality, medication);
  return side.lastInRangeLevelDay !== null && side.lastInRangeLevelDay <= 0
    ? { ...side, lastInRangeLevelDay: null }
    : side;
}

/** True for an order of the level that tells whether the dose of a level-guided object has come to terms with the pair. */
function isLevelCheck(chart: Chart, hit: PairHit, orders: readonly string[]): boolean {
  if (hit.objectIndex === null || !hit.managementCodes.includes("ADJUST")) return false;
  const drug = chart.kb.drugs[hit.objectIndex]!;
  const code = levelCodeOf(drug);
  return drug.isNarrowTi && code !== null && orders.includes(code);
}

/** What a lower dose costs of the drug's worth: its share below the usual range. */
function doseLoss(chart: Chart, medication: MappedMedication, { payload }: ChartOffer): number {
  if (payload.type !== "ADJUST_DOSE") return 0;
  const { doseMin } = chart.kb.drugs[medication.drugIndex]!;
  return worthOf(chart, medication) * Math.max(0, 1 - payload.dosePerDay / doseMin);
}

function targetOf({ payload }: ChartOffer): string | null {
  return "medRef" in payload ? payload.medRef : null;
}

function memberOf(chart: Chart, alert: KnownAlert, medRef: string | null): MappedMedication | null {
  if (medRef === null || !alert.medRefs.includes(medRef)) return null;
  return chart.legality.byRef.get(medRef) ?? null;
}

function listed(chart: Chart, drugIndex: number): MappedMedication | null {
  return chart.legality.listed.find((each) => each.drugIndex === drugIndex) ?? null;
}

/** Yearly utility that the other open alerts stand for which end with the same step. */
function reliefBy(chart: Chart, alert: KnownAlert, medication: MappedMedication, replacement: Drug | null): number {
  let relief = 0;
  for (const other of chart.known.alerts) {
    if (other.id === alert.id || other.isManaged || isFalseAlarm(chart, other)) continue;
    if (!other.medRefs.includes(medication.medRef) || stillFires(chart, other, medication, replacement)) continue;
    relief += harmOf(chart, other);
  }
  return relief;
}
