import { generateScenario } from "../../scenario/generate.ts";
import { TASK_FAMILIES } from "../../scenario/task-families.ts";
import { TIERS } from "../../scenario/tiers.ts";
import type { Difficulty } from "../../scenario/types.ts";
import { COURSE_HOOKS } from "../course-hooks.ts";
import { courseTaskScore } from "../share-of-gain.ts";
import type { SubEnvironment } from "../sub-environment.ts";
import { judgeCriteria } from "./success.ts";

/** Hazards by tier: the sub-environment's own count wins over the tier's. */
const HAZARDS: Readonly<Record<Difficulty, number>> = { easy: 1, medium: 2, hard: 3 };

/** DDI: injected dangerous interactions among decoys, to be resolved without losing an indicated therapy. */
export const ddi: SubEnvironment<null, null> = {
  ...COURSE_HOOKS,
  id: "DDI",
  draw: (tools, key) => ({
    content: null,
    scenario: generateScenario(tools, key, {
      subEnvironment: "DDI",
      goal: "Resolve the dangerous drug-drug interactions without losing an indicated therapy.",
      successCriteria: [
        "no unmanaged contraindicated or major interaction is left",
        "no indicated therapy is lost (settled disease loss rises by at most 0.01)",
        "no illegal action",
        "no severe event",
      ],
      families: TASK_FAMILIES.ddi_risk,
      hazards: [HAZARDS[key.difficulty], HAZARDS[key.difficulty]],
      tier: TIERS[key.difficulty],
      stepDays: 14,
    }),
  }),
  criteria: (at) => judgeCriteria(at.context, at.evaluator, at),
  bestJUse: "score",
  taskScore: courseTaskScore,
};
