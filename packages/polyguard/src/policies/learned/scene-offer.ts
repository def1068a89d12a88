import type { StepAction, WireAction } from "../../actions/schema.ts";
import type { ActionPayload } from "../../actions/types.ts";
import type { CandidateRow } from "../../features/candidate-features.ts";
import type { AgentField } from "./layout.ts";

/** What the agent works out of a candidate; fields left out are 0. */
export type Hints = Partial<Record<AgentField, number>>;

/** A candidate as a learned policy is shown it: an offered one, or one with a free payload filled in. */
export interface SceneOffer {
  /** Of the offered candidate; null where the payload is filled in. */
  readonly candidateId: string | null;
  /** The row of `polyguard-f1`. */
  readonly row: CandidateRow;
  readonly hints: Hints;
  /** Hands the decision on to a specialist. */
  readonly abstains: boolean;
  /** What the reader remembers as done; null for what it keeps no note of. */
  readonly payload: ActionPayload | null;
  /** True for an action that does the same. */
  matches(action: WireAction): boolean;
  act(confidence: number): StepAction;
}
