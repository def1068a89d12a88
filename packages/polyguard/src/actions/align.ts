import { FREE_FAMILIES, freePayload } from "./free-payload.ts";
import type { WireAction } from "./schema.ts";
import type { ActionPayload, OfferedCandidate, WireCandidate } from "./types.ts";

/** How an action compares with the candidate it names. */
export interface Alignment {
  /** The named candidate; null for an unknown id and for the free families. */
  readonly candidate: OfferedCandidate | null;
  /** What will be carried out: the candidate's payload with the action's free fields; null = nothing. */
  readonly payload: ActionPayload | null;
  /** 1 all fields equal, .5 one other field differs, 0 otherwise. */
  readonly score: 0 | 0.5 | 1;
  /** Names of the differing fields. */
  readonly differences: readonly string[];
  /** A04: the id is valid but drug or dose differ. */
  readonly isDrugOrDoseMismatch: boolean;
}

const DRUG_OR_DOSE = ["target", "replacement", "dose_per_day"];
/** A difference in these can't be replaced by the candidate's value. */
const BINDING = [...DRUG_OR_DOSE, "action_type", "taper"];

/** Compares a parsed action with the offered candidates. */
export function alignAction(action: WireAction, offered: readonly OfferedCandidate[]): Alignment {
  const family = FREE_FAMILIES[action.candidate_id];
  if (family !== undefined) {
    const payload = action.action_type === family ? freePayload(action) : null;
    return {
      candidate: null,
      payload,
      score: payload === null ? 0 : 1,
      differences: payload === null ? ["action_type"] : [],
      isDrugOrDoseMismatch: false,
    };
  }
  const candidate = offered.find(({ id }) => id === action.candidate_id) ?? null;
  if (candidate === null)
    return { candidate, payload: null, score: 0, differences: ["candidate_id"], isDrugOrDoseMismatch: false };
  const differences = listDifferences(action, candidate.wire);
  const isBinding = differences.some((field) => BINDING.includes(field));
  const score = differences.length === 0 ? 1 : differences.length === 1 && !isBinding ? 0.5 : 0;
  return {
    candidate,
    payload: score === 0 ? null : withFreeFields(candidate.payload, action),
    score,
    differences,
    isDrugOrDoseMismatch: differences.some((field) => DRUG_OR_DOSE.includes(field)),
  };
}

function listDifferences(action: WireAction, wire: WireCandidate): string[] {
  const differences: string[] = [];
  const check = (field: string, isEqual: boolean): void => {
    if (!isEqual) differences.push(field);
  };
  check("action_type", action.action_type === wire.action_type);
  check("target", action.target === wire.target);
  check("replacement", action.replacement === wire.replacement);
  check("dose_per_day", isSameNumber(action.dose_per_day, wire.dose_per_day));
  check("freq", isSameNumber(action.freq, wire.freq));
  check(
    "taper",
    isSameNumber(action.taper?.step_pct, wire.taper?.step_pct) &&
      isSameNumber(action.taper?.interval_days, wire.taper?.interval_days),
  );
  check("orders", isSameSet(action.orders ?? [], wire.orders ?? []));
  // A free field on a type that has no use for it is a difference too.
  check("query", action.query === undefined || wire.action_type === "FETCH_EXTERNAL_EVIDENCE");
  check("ranking", action.ranking === undefined || wire.action_type === "RECOMMEND_ALTERNATIVE");
  check("review_to", action.review_to === undefined || wire.action_type === "REQUEST_REVIEW");
  check("combinations", action.combinations === undefined);
  check("findings", action.findings === undefined);
  check("decomposition", action.decomposition === undefined && action.plan === undefined);
  return differences;
}

function isSameNumber(a: number | undefined, b: number | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}

function withFreeFields(payload: ActionPayload, action: WireAction): ActionPayload {
  switch (payload.type) {
    case "FETCH_EXTERNAL_EVIDENCE":
      return action.query === undefined ? payload : { ...payload, query: action.query };
    case "REQUEST_REVIEW":
      return action.review_to === undefined ? payload : { ...payload, reviewTo: action.review_to };
    case "RECOMMEND_ALTERNATIVE":
      return action.ranking === undefined ? payload : { ...payload, ranking: action.ranking };
    default:
      return payload;
  }
}
