import { findAllergy } from "../actions/allergies.ts";
import { effectOf } from "../actions/effect.ts";
import type { MappedMedication } from "../actions/legality-context.ts";
import { usesChange } from "../actions/types.ts";
import { levelCodeOf } from "../course/labs.ts";
import { pairEntries, pairTableOf } from "../interactions/pair-table.ts";
import { severityRank } from "../kb/domains.ts";
import { drugAt } from "../kb/lookup.ts";
import { addProtection, answerWorstAlert, watchMajorAlerts } from "./alert-rules.ts";
import type { Chart, ChartOffer } from "./chart.ts";
import type { Decision, PolicyRule } from "./decision.ts";
import { nameInWords } from "./explain.ts";
import { finishOrWait } from "./finish-rule.ts";
import { askHistory, orderMissingValues, reconcileItems, settleConflict } from "./information-rules.ts";
import { carryOn, completeSwitch, fillOmissions, fixDoses, steerTapers } from "./therapy-rules.ts";

/** Stated confidence of asking before deciding. assumption: as that of the information rules. */
const ASKING = 0.4;

/** What the record calls missing. */
function isMissing({ observation }: Chart, field: string): boolean {
  return observation.uncertainty.missing_fields.includes(field);
}

function hasAsked(chart: Chart, query: string): boolean {
  return chart.asked.has(`FETCH_EXTERNAL_EVIDENCE ${query}`);
}

/** A look-up with a query of its own, while look-ups are left and the query is new. */
function lookUp(chart: Chart, query: string, reason: string): Decision | null {
  if (chart.known.clock.evidenceLeft < 1 || hasAsked(chart, query)) return null;
  const offer = chart.offers.find(({ payload }) => payload.type === "FETCH_EXTERNAL_EVIDENCE");
  if (offer === undefined) return null;
  return { offer: { ...offer, payload: { type: "FETCH_EXTERNAL_EVIDENCE", query } }, reason, confidence: ASKING };
}

/** Drugs of the list that may interact with one, the gravest first; pairs that an alert shows are known already. */
function unshownPartners({ kb, legality, known }: Chart, drugIndex: number): readonly MappedMedication[] {
  const gravity = (other: number): number =>
    Math.max(-1, ...pairEntries(pairTableOf(kb), drugIndex, other).map(({ severity }) => severityRank(severity)));
  const isShown = (other: number): boolean =>
    known.alerts.some(
      ({ hit, drugIndexes }) => hit !== null && drugIndexes.includes(drugIndex) && drugIndexes.includes(other),
    );
  return legality.listed
    .filter((each) => each.drugIndex !== drugIndex && gravity(each.drugIndex) >= 0 && !isShown(each.drugIndex))
    .sort((a, b) => gravity(b.drugIndex) - gravity(a.drugIndex));
}

/** Kinds of source that are looked for, the best first: a contradicted label needs a second one. */
const SOURCES = ["label", "guideline"];

/** Interactions that no alert covers are read about first: the pair that the tables call gravest. */
const readInteractions: PolicyRule = (chart) => {
  for (const medication of chart.legality.listed) {
    if (!isMissing(chart, `interactions:${medication.medRef}`)) continue;
    const name = drugAt(chart.kb, medication.drugIndex).drugId;
    const partners = unshownPartners(chart, medication.drugIndex);
    for (const source of SOURCES)
      for (const partner of partners) {
        const decision = lookUp(
          chart,
          `${name} ${drugAt(chart.kb, partner.drugIndex).drugId} ${source} interactions`,
          `Interactions of ${nameInWords(chart, medication.medRef)} are not covered by the alerts; a ${source} is read.`,
        );
        if (decision !== null) return decision;
      }
  }
  return null;
};

/** Renal rule of a drug that is missing. */
function readRenalRule(chart: Chart, medication: MappedMedication): Decision | null {
  if (!isMissing(chart, `renal:${medication.medRef}`)) return null;
  const name = drugAt(chart.kb, medication.drugIndex).drugId;
  for (const source of SOURCES) {
    const decision = lookUp(
      chart,
      `${name} ${source} renal dose kidneys`,
      `Before ${nameInWords(chart, medication.medRef)} is changed: its renal dosing is not known; a ${source} is read.`,
    );
    if (decision !== null) return decision;
  }
  return null;
}

/** The offer that asks for a field, if it is offered, legal and was not tried. */
function ask(chart: Chart, fits: (offer: ChartOffer) => boolean, reason: string): Decision | null {
  const offer = chart.offers.find((each) => each.isLegal && fits(each));
  if (offer === undefined) return null;
  const { action_type: type, target } = offer.wire;
  const wasTried = chart.known.history.some(
    (entry) => entry.actionType === type && entry.target === (target ?? null) && type === "RECONCILE_ITEM",
  );
  return wasTried ? null : { offer, reason, confidence: ASKING };
}

const reconciles =
  (target: string) =>
  ({ payload }: ChartOffer): boolean =>
    payload.type === "RECONCILE_ITEM" && payload.target === target;

const orders =
  (code: string) =>
  ({ payload }: ChartOffer): boolean =>
    payload.type === "ORDER_MONITORING" && payload.medRef === null && payload.orders.includes(code);

/** What is still open about a drug that is about to be changed. */
function askAbout(chart: Chart, medication: MappedMedication): Decision | null {
  const { medRef, drugIndex } = medication;
  const drug = drugAt(chart.kb, drugIndex);
  const name = nameInWords(chart, medRef);
  const renal = readRenalRule(chart, medication);
  if (renal !== null) return renal;
  if (drug.renalRule.clauses.length > 0)
    for (const [field, code] of [
      ["CREAT", "CREAT"],
      ["weight", "WEIGHT"],
    ] as const) {
      const order = isMissing(chart, field)
        ? ask(chart, orders(code), `${name} depends on the kidneys: ${code} is ordered first.`)
        : null;
      if (order !== null) return order;
    }
  const level = drug.isNarrowTi ? levelCodeOf(drug) : null;
  if (level !== null && isMissing(chart, level)) {
    const order = ask(chart, orders(level), `The level of ${name} is not known; it is ordered before a change.`);
    if (order !== null) return order;
  }
  if (isMissing(chart, `indication:${medRef}`) || isMissing(chart, `start:${medRef}`))
    return ask(chart, reconciles(medRef), `What ${name} is for and since when is asked before it is changed.`);
  return null;
}

/** Steps that have to be left for decisions. */
const STEPS_FOR_DECISIONS = 3;

/** A rule that asks first about the drugs its change touches. */
function afterAsking(rule: PolicyRule): PolicyRule {
  return (chart) => {
    const decision = rule(chart);
    if (decision === null || !usesChange(decision.offer.payload.type)) return decision;
    if (chart.known.clock.stepsLeft <= STEPS_FOR_DECISIONS) return decision;
    const { target } = effectOf(chart.legality, decision.offer.payload);
    const open = target === null ? null : askAbout(chart, target);
    return open ?? decision;
  };
}

/** A drug that a verified allergy forbids goes. */
const answerAllergy: PolicyRule = (chart) => {
  for (const medication of chart.legality.listed) {
    const found = findAllergy(chart.kb, chart.known.allergies, drugAt(chart.kb, medication.drugIndex));
    if (found?.bearing !== "hard" || medication.taper !== null) continue;
    const offer =
      chart.offers.find((each) => each.isLegal && isEndOf(each, medication, "SUBSTITUTE_DRUG")) ??
      chart.offers.find((each) => each.isLegal && isEndOf(each, medication, "START_TAPER")) ??
      chart.offers.find((each) => each.isLegal && isEndOf(each, medication, "STOP_DRUG"));
    if (offer === undefined) continue;
    const name = nameInWords(chart, medication.medRef);
    return { offer, reason: `An allergy to ${found.allergy.substance} forbids ${name}.`, confidence: 0.5 };
  }
  return null;
};

function isEndOf({ payload }: ChartOffer, { medRef }: MappedMedication, type: string): boolean {
  return payload.type === type && "medRef" in payload && payload.medRef === medRef;
}

/** Allergies that are not verified are asked about. */
const verifyAllergies: PolicyRule = (chart) => {
  if (chart.known.clock.stepsLeft <= chart.known.clock.visitsLeft + 1) return null;
  for (const { id, substance, isVerified } of chart.known.allergies) {
    if (isVerified) continue;
    const decision = ask(chart, reconciles(id), `The allergy to ${substance} is not verified; it is asked about.`);
    if (decision !== null) return decision;
  }
  return null;
};

/** Renal rules of drugs with an open alert, before the alerts are answered. */
const readRenalRules: PolicyRule = (chart) => {
  for (const medication of chart.legality.listed) {
    const decision = readRenalRule(chart, medication);
    if (decision !== null) return decision;
  }
  return null;
};

/** Rules where critical data are missing: read, ask and reconcile what a decision hangs on, then decide as on the course. */
export const MISSING_DATA_RULES: readonly PolicyRule[] = [
  steerTapers,
  completeSwitch,
  reconcileItems,
  readInteractions,
  readRenalRules,
  watchMajorAlerts,
  orderMissingValues,
  askHistory,
  verifyAllergies,
  afterAsking(answerAllergy),
  afterAsking(answerWorstAlert),
  afterAsking(carryOn),
  afterAsking(fixDoses),
  fillOmissions,
  addProtection,
  settleConflict,
  finishOrWait,
];
