import type { KnowledgeBase } from "../kb/types.ts";
import type { Scenario } from "../scenario/types.ts";

/** What the course of an episode depends on besides its state; fixed for the episode. */
export interface CourseContext {
  readonly kb: KnowledgeBase;
  readonly scenario: Scenario;
}

/** Length of the course that J is taken over, days. */
export const COURSE_DAYS = 365;
