import { verifyPayload } from "../actions/legality.ts";
import { hasMajorHit } from "../actions/replacements.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Chart, ChartOffer } from "../policies/chart.ts";

/** The critic's word on a proposal. */
export interface Criticism {
  readonly isVeto: boolean;
  readonly reasons: readonly string[];
  /** Facts that the reasons rest on. */
  readonly evidenceIds: readonly string[];
}

/** Proposals that a step may lose to vetoes. */
export const MOST_VETOES = 3;
/** Soft warnings at which an action is not let through (assumption:). */
const MOST_WARNINGS = 2;

/**
 * Runs the verifier on known facts and its soft list, and looks for major hits that a new drug would bring. Several soft
 * warnings are a veto only where `isByRules` is false: the rules have their reasons for what they choose.
 */
export function criticise(chart: Chart, { payload, isLegal }: ChartOffer, isByRules: boolean): Criticism {
  const { legality, kb } = chart;
  const { hard, soft } = verifyPayload(legality, payload);
  const reasons = hard.map(({ text }) => text);
  if (!isLegal && hard.length === 0) reasons.push("the environment refused this action before");
  if (!isByRules && soft.length >= MOST_WARNINGS) reasons.push(...soft.map(({ text }) => text));
  if (payload.type === "ADD_DRUG" || payload.type === "SUBSTITUTE_DRUG") {
    const leavingRef = payload.type === "ADD_DRUG" ? payload.crossOverFromMedRef : payload.medRef;
    const leaving = leavingRef === null ? null : (legality.byRef.get(leavingRef) ?? null);
    const drug = drugAt(kb, payload.drugIndex);
    if (hasMajorHit(legality, drug, leaving)) reasons.push(`${drug.genericName} would bring a new major interaction`);
  }
  return {
    isVeto: reasons.length > 0,
    reasons: reasons.length > 0 ? reasons : soft.map(({ text }) => `noted: ${text}`),
    evidenceIds: [...hard, ...soft].flatMap(({ facts }) => facts),
  };
}
