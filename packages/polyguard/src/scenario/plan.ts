import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator } from "../course/evaluator.ts";
import type { SubEnvironment, TierSettings } from "./types.ts";

/** What a sub-environment asks of the general scenario generator. */
export interface ScenarioPlan {
  readonly subEnvironment: SubEnvironment;
  readonly goal: string;
  readonly successCriteria: readonly string[];
  /** Hazard families that may be injected, by name. */
  readonly families: readonly string[];
  /** Number of hazards; no number is drawn where both ends are equal. */
  readonly hazards: readonly [low: number, high: number];
  /** Settings of the tier, budgets of the clock included. */
  readonly tier: TierSettings;
  /** Days of a visit interval. */
  readonly stepDays: number;
  /** At least half of the hazards need several visits. */
  readonly isHalfSeveralVisits?: boolean;
  /** Interactions between the drugs of two hazards are allowed, and belong to both. */
  readonly isJoint?: boolean;
  /** A further test; a draft that fails it is drawn again. */
  readonly accept?: (context: CourseContext, evaluator: CourseEvaluator) => boolean;
}
