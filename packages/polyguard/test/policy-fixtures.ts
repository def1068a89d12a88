import { Rng } from "@praxis/env";
import type { ActionPayload } from "../src/actions/types.ts";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { OraclePlanner } from "../src/policies/oracle-planners.ts";
import { follow, judge, judgeKeep, KEEP, type PlanNode } from "../src/policies/plan-node.ts";
import { PlanningModel } from "../src/policies/planning-model.ts";
import type { Difficulty, Scenario } from "../src/scenario/types.ts";
import { ddi } from "../src/sub-environments/ddi/index.ts";

export const kb = loadBundledKnowledgeBase();
const evaluator = new CourseEvaluator(kb);

export function scenarioOf(difficulty: Difficulty, seed: number): Scenario {
  return ddi.draw({ kb, evaluator }, { task: "ddi_risk", difficulty, split: "train", seed }).scenario;
}

/** The scenario with fewer visits, no step to spare and no event ever. */
export function shortened(scenario: Scenario, visits: number): Scenario {
  const { clock } = scenario.initial;
  return {
    ...scenario,
    initial: { ...scenario.initial, clock: { ...clock, visitsLeft: visits, stepsLeft: visits } },
    eventUniforms: scenario.eventUniforms.map(() => 1),
  };
}

/** A model of the scenario that never meets an event. */
export function quietModel(difficulty: Difficulty, seed: number): PlanningModel {
  const scenario = scenarioOf(difficulty, seed);
  return new PlanningModel(kb, { ...scenario, eventUniforms: scenario.eventUniforms.map(() => 1) });
}

/** Waits, always. */
export const keepPlanner: OraclePlanner = { plan: () => KEEP };

/** Any action of the model, equally likely. */
export function randomPlanner(seed: number): OraclePlanner {
  const rng = Rng.fromSeed(seed, "random-planner");
  return {
    plan: (model, state) => rng.choice<ActionPayload>([KEEP, ...model.offers(state).map(({ payload }) => payload)]),
  };
}

/** J of the best of all plans of therapy actions over the visits that are left, found by trying every one. */
export function exactBestJ(model: PlanningModel, node: PlanNode): number {
  if (node.state.clock.visitsLeft === 0) return -(node.loss + model.remainingLoss(node.state));
  let best = exactBestJ(model, follow(model, node, judgeKeep(model, node)));
  for (const { payload } of model.offers(node.state)) {
    const choice = judge(model, node, payload);
    if (choice === null || !choice.outcome.closesVisit) continue;
    best = Math.max(best, exactBestJ(model, follow(model, node, choice)));
  }
  return best;
}
