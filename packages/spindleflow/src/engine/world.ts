import type { Requirement, Shape, TaskClass } from "../bank/bank.ts";
import type { SpindleFlowConfig } from "../config.ts";

/** Hidden truth about whoever can be called: six slots and the generalist. Plain data. */
export interface Member {
  /** Competence per skill of the sector, 0 … 0.97. */
  readonly competence: readonly number[];
  /** School per skill, 0 or 1; two schools contradict each other. */
  readonly school: readonly number[];
  /** Mean latency of a call on a whole task, personal speed included, ms. */
  readonly latencyMs: number;
  /** Probability that a call fails. */
  readonly failure: number;
  /** Share of failures that are timeouts; the rest are errors. */
  readonly timeoutShare: number;
  /** Difficulty up to which competence is whole. */
  readonly headroom: number;
  /** Cost units of a call on a whole task. */
  readonly cost: number;
  /** Bit k: the text claims skill k (cosine above `claimCosine`). Public. */
  readonly claimBits: number;
  /** Skill nearest to the text. Public. */
  readonly nearestSkill: number;
}

/** One task as the engine sees it. Plain data. */
export interface TaskWorld {
  /** Skills truly needed, at most three, and their weights, which sum to 1. */
  readonly skills: readonly number[];
  readonly weights: readonly number[];
  readonly requirements: readonly Requirement[];
  readonly difficulty: number;
  readonly shape: Shape;
  readonly class: TaskClass;
  readonly urgent: boolean;
  readonly slaMs: number;
  /** Specialists that the class calls for; more cost efficiency. */
  readonly expected: number;
  /** Cosine of each slot's text with the task's, before and after clarification. */
  readonly similarity: readonly number[];
  readonly clarifiedSimilarity: readonly number[];
  /** Per slot, cosine of its text with that of each needed skill. */
  readonly affinity: readonly (readonly number[])[];
  /** Per failed slot, the slots that may take its place, best first: named substitutes, shared classes, nearest to the task. */
  readonly substitutes: readonly (readonly number[])[];
}

/** Everything that decides what an action does: truth for the environment and its oracles, belief for planners. */
export interface World {
  readonly config: SpindleFlowConfig;
  /** Slots 0 … S − 1, null when empty, then the generalist at S. */
  readonly members: readonly (Member | null)[];
  readonly task: TaskWorld;
  /** Standard deviation of measured quality at the locked tier. */
  readonly sigma: number;
}

/** Slot number of the generalist, who is called only when a substitute is needed. */
export function generalistSlot(world: World): number {
  return world.members.length - 1;
}
