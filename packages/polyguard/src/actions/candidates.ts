import type { Rng } from "@praxis/env";
import type { PairHit } from "../interactions/pair-hits.ts";
import { SEVERITIES, severityRank } from "../kb/domains.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Known, KnownAlert } from "../observation/types.ts";
import { STRESS_TRAPS } from "../scenario/stress.ts";
import { TIERS } from "../scenario/tiers.ts";
import { makeIdMaker } from "./candidate-id.ts";
import { canonicalPayload } from "./canonical.ts";
import { offerForCourse } from "./course-candidates.ts";
import { criticalFields } from "./critical-fields.ts";
import { doseFlags, offerForDose } from "./dose-candidates.ts";
import { offerForPair, offerForRegimen, reviewerFor } from "./hit-candidates.ts";
import { isLegalPayload } from "./legality.ts";
import { buildLegalityContext, type LegalityContext } from "./legality-context.ts";
import { offerForGaps } from "./missing-candidates.ts";
import { type Offer, OfferList } from "./offer-list.ts";
import { offerForCascades, offerForOmissions } from "./omission-candidates.ts";
import { offerForPlan, offerForTarget } from "./taper-candidates.ts";
import { offerTraps } from "./trap-candidates.ts";
import type { ActionPayload, OfferedCandidate } from "./types.ts";
import { toWireCandidate } from "./wire-candidate.ts";

/** What is offered at a step, before it is cut to size and shuffled. */
export interface OfferPlan {
  readonly offers: OfferList;
  /** Plausible but unsafe offers that are added. */
  readonly traps: number;
  readonly most: number;
}

/** What candidates are generated from. */
export interface CandidateRequest {
  readonly kb: KnowledgeBase;
  readonly known: Known;
  /** Context of `known` when the caller has it already. */
  readonly context?: LegalityContext;
  /** Nonce of the step; ids are made of it, so that they change every step. */
  readonly nonce: string;
  /** Stream of the step: traps and order are drawn from it. */
  readonly rng: Rng;
  /** What is offered before it is cut to size; default the general offers. */
  readonly plan?: OfferPlan;
  /** True worth of a payload, to keep the best legal one when there are too many. */
  readonly utilityOf: (payload: ActionPayload) => number;
}

/** Candidates of one step, shuffled. Deterministic for equal requests; no id, order or text tells what is legal or good. */
export function generateCandidates(request: CandidateRequest): readonly OfferedCandidate[] {
  const { kb, known, rng, nonce } = request;
  const context = request.context ?? buildLegalityContext(kb, known);
  const { offers, traps, most } = request.plan ?? generalOffers(context);
  offerTraps(context, offers, traps, rng);
  const kept = limit(context, offers.ordered(), most, request.utilityOf);
  const idOf = makeIdMaker(nonce);
  return rng.shuffled(kept).map(({ payload, source, addresses }) => {
    const canonical = canonicalPayload(payload);
    const id = idOf(canonical);
    return { id, payload, wire: toWireCandidate(context, id, payload), canonical, source, addresses };
  });
}

/** The general offers with the traps and the limit of the tier. */
export function generalOffers(context: LegalityContext): OfferPlan {
  const { traps, maxCandidates } = TIERS[context.known.difficulty];
  return { offers: collectOffers(context), traps, most: maxCandidates };
}

/** KEEP, FINISH, one review and a list of traps: what a stress scenario offers. */
export function onlyTraps(context: LegalityContext): OfferPlan {
  const offers = new OfferList();
  offers.openGroup();
  for (const { payload, source, addresses } of collectOffers(context).ordered())
    if (source === "keep" || source === "review") offers.add(payload, source, addresses);
  return { offers, traps: STRESS_TRAPS, most: TIERS[context.known.difficulty].maxCandidates };
}

/** KEEP, FINISH and one review, then one group a matter in order of urgency; no traps, no limit. */
export function collectOffers(context: LegalityContext): OfferList {
  const { known } = context;
  const offers = new OfferList();
  offers.openGroup();
  offers.add({ type: "KEEP_REGIMEN" }, "keep");
  offers.add({ type: "FINISH" }, "keep");
  offers.add(reviewOffer(known), "review", openConflicts(known));
  for (const medication of context.listed) {
    if (medication.taper === null) continue;
    offers.openGroup();
    offerForPlan(context, offers, medication);
  }
  for (const medRef of known.targets) {
    const medication = context.byRef.get(medRef);
    if (medication === undefined) continue;
    offers.openGroup();
    offerForTarget(context, offers, medication);
  }
  const shown = shownHits(known);
  offerForHits(context, offers, shown, true);
  offerForCourse(context, offers);
  for (const flag of doseFlags(context).slice(0, 3)) {
    offers.openGroup();
    offerForDose(context, offers, flag);
  }
  offerForOmissions(context, offers);
  offerForCascades(context, offers);
  offerForHits(context, offers, shown, false);
  const fields = criticalFields(
    context,
    offers.ordered().map(({ payload }) => payload),
  );
  offerForGaps(context, offers, fields);
  return offers;
}

/** Major hits that the knowledge base shows on the list, and shown alerts of any severity; false alarms get offers like others. */
function offerForHits(context: LegalityContext, offers: OfferList, shown: ShownHits, isForMajor: boolean): void {
  const { known } = context;
  for (const alert of shown.falseAlarms) {
    if (severityRank(alert.severity) >= 1 !== isForMajor) continue;
    offers.openGroup();
    offerForPair(context, offers, alert.hit!, [alert.id]);
  }
  for (let rank = SEVERITIES.length - 1; rank >= 0; rank--) {
    if (rank >= 1 !== isForMajor) continue;
    for (const hit of known.pairHits) {
      if (hit.entry.severityRank !== rank) continue;
      const id = shown.pairs.get(hit);
      if (rank < 1 && id === undefined) continue;
      offers.openGroup();
      offerForPair(context, offers, hit, [id ?? `${hit.ruleId}:${hit.domain}`]);
    }
  }
  for (const hit of known.regimenHits) {
    const rank = severityRank(hit.severity);
    if (rank >= 1 !== isForMajor) continue;
    const id = shown.regimen.get(regimenKey(hit.ruleId, hit.drugIndexes));
    if (rank < 1 && id === undefined) continue;
    offers.openGroup();
    offerForRegimen(context, offers, hit, [id ?? hit.ruleId]);
  }
}

/** Alerts by what they show. */
interface ShownHits {
  /** Alert id by pair hit. */
  readonly pairs: ReadonlyMap<PairHit, string>;
  /** Alert id by {@link regimenKey}. */
  readonly regimen: ReadonlyMap<string, string>;
  /** Alerts of pairs that the knowledge base does not show. */
  readonly falseAlarms: readonly KnownAlert[];
}

function shownHits({ alerts, pairHits }: Known): ShownHits {
  const pairs = new Map<PairHit, string>();
  const regimen = new Map<string, string>();
  const falseAlarms: KnownAlert[] = [];
  for (const alert of alerts) {
    if (alert.hit === null) regimen.set(regimenKey(alert.ruleId, alert.drugIndexes), alert.id);
    else {
      pairs.set(alert.hit, alert.id);
      if (!pairHits.includes(alert.hit)) falseAlarms.push(alert);
    }
  }
  return { pairs, regimen, falseAlarms };
}

/** Text of a regimen rule with its drugs in ascending order. */
function regimenKey(ruleId: string, drugIndexes: readonly number[]): string {
  return `${ruleId}:${[...drugIndexes].sort((x, y) => x - y).join(",")}`;
}

function openConflicts(known: Known): string[] {
  return known.conflicts.filter(({ isOpen }) => isOpen).map(({ id }) => id);
}

/** One review: of an open conflict by its specialty, else of the worst visible hit, else of the list by the pharmacist. */
function reviewOffer(known: Known): ActionPayload {
  const conflict = known.conflicts.find(({ isOpen }) => isOpen);
  if (conflict !== undefined)
    return { type: "REQUEST_REVIEW", reviewTo: toReviewer(conflict.from), target: conflict.medRef ?? conflict.id };
  const worst = worstAlert(known);
  if (worst === null) return { type: "REQUEST_REVIEW", reviewTo: "pharmacist", target: null };
  return { type: "REQUEST_REVIEW", reviewTo: reviewerFor(worst.domain), target: worst.medRefs[0] ?? null };
}

/** First of the worst alerts that nobody manages; null = none. */
function worstAlert({ alerts }: Known): KnownAlert | null {
  let worst: KnownAlert | null = null;
  for (const alert of alerts)
    if (!alert.isManaged && (worst === null || severityRank(alert.severity) > severityRank(worst.severity)))
      worst = alert;
  return worst;
}

function toReviewer(from: string): Extract<ActionPayload, { type: "REQUEST_REVIEW" }>["reviewTo"] {
  switch (from) {
    case "geriatrician":
    case "cardiologist":
    case "psychiatrist":
    case "nephrologist":
    case "prescriber":
      return from;
    default:
      return "pharmacist";
  }
}

/** At most `most` offers: KEEP, FINISH, review, traps and the best legal one stay, the others by their place. */
function limit(
  context: LegalityContext,
  ordered: readonly Offer[],
  most: number,
  utilityOf: (payload: ActionPayload) => number,
): Offer[] {
  if (ordered.length <= most) return [...ordered];
  const isReserved = ({ source }: Offer): boolean => source === "keep" || source === "review" || source === "trap";
  const kept = ordered.filter(isReserved);
  const others = ordered.filter((offer) => !isReserved(offer));
  const room = Math.max(0, most - kept.length);
  let chosen = others.slice(0, room);
  let best: Offer | null = null;
  let bestUtility = Number.NEGATIVE_INFINITY;
  for (const offer of others) {
    if (!isLegalPayload(context, offer.payload)) continue;
    const utility = utilityOf(offer.payload);
    if (utility > bestUtility) {
      best = offer;
      bestUtility = utility;
    }
  }
  if (best !== null && room > 0 && !chosen.includes(best)) chosen = [...chosen.slice(0, room - 1), best];
  return [...kept, ...chosen];
}
