import type { Decision } from "../policies/decision.ts";

/** The rationale of a decision in words; the ids of the facts behind it are those of the verifier. */
export function explain({ offer, reason }: Decision): string {
  return reason === "" ? `${offer.wire.text}.` : reason;
}
