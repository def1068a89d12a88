import type { RngStreams } from "@praxis/env";
import type { OfferPlan } from "../actions/candidates.ts";
import type { LegalityContext } from "../actions/legality-context.ts";
import type { LegalityRule } from "../actions/rule.ts";
import type { ActionPayload, OfferedCandidate } from "../actions/types.ts";
import type { Applied } from "../course/apply.ts";
import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator } from "../course/evaluator.ts";
import type { Segment } from "../course/visit.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import type { Known, Memory } from "../observation/types.ts";
import type { StateAssessment } from "../reward/assessment.ts";
import type { Components } from "../reward/settings.ts";
import type { ReturnEnd, ReturnStep } from "../reward/training-return.ts";
import type { ScenarioKey } from "../scenario/key.ts";
import type { ScenarioStore } from "../scenario/store.ts";
import type { Scenario, SubEnvironment as SubEnvironmentId } from "../scenario/types.ts";
import type { WorldState } from "../world/types.ts";

/** A scenario with what its sub-environment alone knows about it. Latent, the same for every episode on it. */
export interface Drawn<Content = unknown> {
  readonly scenario: Scenario;
  readonly content: Content;
  /** Knowledge bases of this scenario alone, where it has a drug of its own: the true row, and the row as it may be known. */
  readonly kb?: { readonly truth: KnowledgeBase; readonly known: KnowledgeBase };
}

/** What scenarios are drawn with. */
export interface DrawTools {
  readonly kb: KnowledgeBase;
  readonly evaluator: CourseEvaluator;
  /** What was worked out about scenarios before; absent or null = nothing is kept. */
  readonly store?: ScenarioStore | null;
}

/** Reset options that only some sub-environments heed. */
export interface ResetSwitches {
  /** BANDIT_MINING: the first observation lists the population. */
  readonly showsPopulation: boolean;
}

/** Where an episode stands: the true state, what the agent has learned, and the sub-environment's own state. */
export interface Standing<Content = unknown, Special = unknown> {
  /** Its knowledge base is the true one. */
  readonly context: CourseContext;
  readonly evaluator: CourseEvaluator;
  readonly content: Content;
  /** Own state of the episode: an immutable value, latent. */
  readonly special: Special;
  readonly world: WorldState;
  readonly memory: Memory;
}

/** A standing with what the agent knows of it; legality's knowledge base is the one that may be known. */
export interface Facing<Content = unknown, Special = unknown> extends Standing<Content, Special> {
  readonly known: Known;
  readonly legality: LegalityContext;
}

/** A facing with its offers judged: what an action is taken in. */
export interface Decision<Content = unknown, Special = unknown> extends Facing<Content, Special> {
  readonly offered: readonly OfferedCandidate[];
  readonly assessment: StateAssessment;
}

/** An action carried out before time passes. */
export interface Effect<Special = unknown> {
  readonly applied: Applied;
  readonly memory: Memory;
  readonly special: Special;
}

/** An action carried out and its time passed. */
export interface Passed<Special = unknown> {
  readonly world: WorldState;
  readonly memory: Memory;
  readonly special: Special;
  readonly segments: readonly Segment[];
  /** An event of this step was severe enough to end the episode. */
  readonly hasSevereEvent: boolean;
}

/** The action of a step as the reward sees it. */
export interface RewardedAction {
  /** null = nothing is carried out: not understood, no candidate or illegal. */
  readonly payload: ActionPayload | null;
  /** Stated confidence. */
  readonly confidence: number;
  /** Effect of the action; null when nothing is carried out. */
  readonly effect: Effect | null;
}

/** An episode that is over, or is asked whether its success criteria hold. */
export interface Finished<Content = unknown, Special = unknown> extends Standing<Content, Special> {
  readonly segments: readonly Segment[];
  readonly hadIllegalAction: boolean;
  readonly hasSevereEvent: boolean;
  /** Changes that answered only false or managed alerts. */
  readonly uselessChanges: number;
}

/** J values of an ended episode. */
export interface Yardsticks {
  readonly j: number;
  readonly keepJ: number;
  /** J of the best course; null when it was not worked out. */
  readonly bestJ: number | null;
}

/** Blocks of the observation that a sub-environment fills in or replaces. */
export type ObservationBlocks = Partial<Observation>;

/**
 * One of the eight sub-environments: what its scenarios hold, what an action does, when it is over, what success is. All hooks are
 * pure. Most of them are those of `COURSE_HOOKS`, the medication course; a sub-environment spreads these and writes its
 * own over them.
 */
export interface SubEnvironment<Content = unknown, Special = unknown> {
  readonly id: SubEnvironmentId;
  /** Only steps are budgeted, and the last one completes the course; visits and changes never run out. */
  readonly isFixedLength: boolean;
  /** Most steps of an episode in any tier. */
  readonly maxSteps: number;
  /** Cost of a step in the training return. */
  readonly stepCost: number;
  /** Scenarios kept so that a repeated reset costs nothing. */
  readonly cacheSize: number;
  /** Hard rules beside V03-V18, on known facts only. */
  readonly rules: readonly LegalityRule[];
  /** The scenario of a key: the same key always gives an equal one. */
  draw(tools: DrawTools, key: ScenarioKey): Drawn<Content>;
  /** Own state at reset. */
  begin(drawn: Drawn<Content>, streams: RngStreams, switches: ResetSwitches): Special;
  /** What the agent may know of the own state, as the rules above need it: `known.own`. */
  know(at: Standing<Content, Special>): unknown;
  /** What is offered at a step. */
  offers(at: Facing<Content, Special>): OfferPlan;
  /** Carries a legal action out; no time passes. */
  apply(at: Decision<Content, Special>, payload: ActionPayload): Effect<Special>;
  /** Lets the time of an action pass. Not called for FINISH. */
  pass(
    at: Decision<Content, Special>,
    payload: ActionPayload,
    effect: Effect<Special>,
    streams: RngStreams,
  ): Passed<Special>;
  /** Components that are scored in another way than on the medication course; unquantised. Also asked for KEEP. */
  components(at: Decision<Content, Special>, action: RewardedAction): Partial<Components>;
  /** Whether a legal choice is good, what stated confidence is held against; null or absent = by the course value. */
  isGoodChoice?(at: Decision<Content, Special>, payload: ActionPayload | null): boolean | null;
  /** Canonical payloads that injected documents asked for so far. */
  injected(at: Decision<Content, Special>): readonly string[];
  /** Expected gain in U from an information action, instead of the general estimate; absent or null = the general one. */
  informationValue?(at: Decision<Content, Special>, payload: ActionPayload): number | null;
  /** True when the task has come to its own end with this step; success and the course's endings apart. */
  isOver(at: Standing<Content, Special>, payload: ActionPayload | null): boolean;
  /** True while the task's own question is not answered, so that a review is no end of it; absent = it has none. */
  hasOpenQuestion?(at: Standing<Content, Special>): boolean;
  /**
   * Which of the success criteria hold, in the order of the scenario's list. A criterion that rests on a J_best that was not
   * worked out does not hold.
   */
  criteria(at: Finished<Content, Special>, yardsticks: () => Yardsticks): readonly boolean[];
  /**
   * What needs J of the best course, half a second of planning once a scenario: nothing, the task score (worked out when the
   * reset asks for the score), or success itself (worked out unless the reset forbids it).
   */
  readonly bestJUse: "none" | "score" | "success";
  /** Task score, 0-1; null when a yardstick is missing. */
  taskScore(at: Finished<Content, Special>, yardsticks: Yardsticks): number | null;
  /** Training return of an ended episode; absent = that of the course with the sub-environment's step cost. */
  trainingReturn?(at: Finished<Content, Special>, steps: readonly ReturnStep[], end: ReturnEnd): number;
  /** Blocks of the observation. */
  observe(at: Decision<Content, Special>): ObservationBlocks;
}
