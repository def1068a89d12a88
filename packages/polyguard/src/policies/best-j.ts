import type { CourseContext } from "../course/context.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { liveCourse } from "./live-course.ts";
import { makeLookaheadPlanner } from "./oracle-planners.ts";
import { PlanningModel } from "./planning-model.ts";

/** Raised by any change that may alter a J_best, so that stored ones of before are not used. */
export const BEST_J_VERSION = "1";

/** Where J_best can be kept longer than a process, by key; a file, say. */
export interface BestJStore {
  get(key: string): number | undefined;
  set(key: string, bestJ: number): void;
}

/** Scenarios kept in memory by default; a number each. */
const CACHE_SIZE = 100_000;

/**
 * J_best of scenarios: J of the course that the lookahead oracle lives through, on the scenario's own event numbers. Worked
 * out once a scenario; keys hold scenario id, hash of the tables and {@link BEST_J_VERSION}.
 */
export function makeBestJ(
  kb: KnowledgeBase,
  store: BestJStore = new MemoryStore(),
): (context: CourseContext) => number {
  return (context) => {
    const key = `${context.scenario.id}|${kb.hash}|${BEST_J_VERSION}`;
    const kept = store.get(key);
    if (kept !== undefined) return kept;
    const { j } = liveCourse(new PlanningModel(kb, context.scenario), makeLookaheadPlanner());
    store.set(key, j);
    return j;
  };
}

class MemoryStore implements BestJStore {
  readonly #values = new Map<string, number>();

  get(key: string): number | undefined {
    return this.#values.get(key);
  }

  set(key: string, bestJ: number): void {
    if (this.#values.size >= CACHE_SIZE) this.#values.delete(this.#values.keys().next().value!);
    this.#values.set(key, bestJ);
  }
}
