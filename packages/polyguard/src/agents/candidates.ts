import { verifyPayload } from "../actions/legality.ts";
import type { ActionType } from "../actions/types.ts";
import type { Chart, ChartOffer } from "../policies/chart.ts";

/** What a choice is for. */
export type CandidateKind = "regimen" | "dosing" | "taper" | "evidence" | "review" | "bandit" | "wait";

/** An offered candidate with what is known about it. */
export interface AnnotatedCandidate {
  readonly offer: ChartOffer;
  readonly kind: CandidateKind;
  readonly isLegal: boolean;
  /** Warnings of the verifier's soft list. */
  readonly warnings: readonly string[];
}

/** Kind of an action. */
export function kindOf(type: ActionType): CandidateKind {
  switch (type) {
    case "KEEP_REGIMEN":
    case "FINISH":
      return "wait";
    case "ADJUST_DOSE":
    case "HOLD_DOSE":
    case "DECOMPOSE_NEW_DRUG":
      return "dosing";
    case "START_TAPER":
    case "CONTINUE_TAPER":
    case "PAUSE_TAPER":
    case "REVERT_TAPER":
      return "taper";
    case "ORDER_MONITORING":
    case "RECONCILE_ITEM":
    case "FETCH_EXTERNAL_EVIDENCE":
      return "evidence";
    case "REQUEST_REVIEW":
      return "review";
    case "PROBE_COMBINATION":
    case "DECLARE_FINDINGS":
      return "bandit";
    case "STOP_DRUG":
    case "SUBSTITUTE_DRUG":
    case "ADD_DRUG":
    case "ADD_PROTECTION":
    case "SEPARATE_TIMING":
    case "RECOMMEND_ALTERNATIVE":
      return "regimen";
  }
}

/** Annotates the candidates of a chart, in their order. */
export function annotateCandidates({ legality, offers }: Chart): readonly AnnotatedCandidate[] {
  return offers.map((offer) => ({
    offer,
    kind: kindOf(offer.payload.type),
    isLegal: offer.isLegal,
    warnings: verifyPayload(legality, offer.payload).soft.map(({ text }) => text),
  }));
}
