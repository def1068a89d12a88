import type { WireAction } from "../actions/schema.ts";
import type { OfferedCandidate } from "../actions/types.ts";
import type { EpisodeState } from "../episode.ts";

/** The action that takes an offered candidate as it is, in the state it is offered in. @param changed fields written over it */
export function offeredAction(
  { nonce }: EpisodeState,
  candidate: OfferedCandidate,
  changed: Partial<WireAction> = {},
): WireAction {
  const { text: _text, orders, ...fields } = candidate.wire;
  return {
    schema_version: "1.0",
    step_nonce: nonce,
    rationale: "",
    evidence_ids: [],
    confidence: 0.8,
    ...fields,
    ...(orders === undefined ? {} : { orders: [...orders] }),
    ...changed,
  };
}
