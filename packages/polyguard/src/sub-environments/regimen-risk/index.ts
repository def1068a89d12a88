import { generalOffers } from "../../actions/candidates.ts";
import { generateScenario } from "../../scenario/generate.ts";
import type { ScenarioPlan } from "../../scenario/plan.ts";
import { TASK_FAMILIES } from "../../scenario/task-families.ts";
import { TIERS } from "../../scenario/tiers.ts";
import type { Difficulty } from "../../scenario/types.ts";
import { COURSE_HOOKS } from "../course-hooks.ts";
import { courseTaskScore } from "../share-of-gain.ts";
import type { SubEnvironment, Yardsticks } from "../sub-environment.ts";
import { areTherapiesSupplied } from "./supplied.ts";
import { offerWrongAdds } from "./wrong-adds.ts";

/** Hazards of different families by tier. assumption: two for a short list, up to five for a long one. */
const HAZARDS: Readonly<Record<Difficulty, readonly [low: number, high: number]>> = {
  easy: [2, 2],
  medium: [3, 3],
  hard: [4, 5],
};

/** Missing therapies by tier. */
const MISSING: Readonly<Record<Difficulty, readonly [low: number, high: number]>> = {
  easy: [1, 1],
  medium: [1, 2],
  hard: [1, 2],
};

/** Share of the best course's gain over KEEP that success asks for. */
const ENOUGH = 0.8;

const COMMON = { subEnvironment: "REGIMEN_RISK", stepDays: 14, isJoint: true } as const;

function optimisationPlan(difficulty: Difficulty): ScenarioPlan {
  return {
    ...COMMON,
    goal: "Bring the whole regimen to its best course of the year: several hazards, some of which need several visits, under a budget of changes.",
    successCriteria: [
      "the course over the year gains at least 80 % of what the best course would gain over keeping everything",
      "no illegal action",
    ],
    families: TASK_FAMILIES.regimen_optimisation,
    hazards: HAZARDS[difficulty],
    isHalfSeveralVisits: true,
    // A drug that was drawn for a family may turn out to need no taper.
    accept: ({ scenario: { hazards } }) =>
      2 * hazards.filter(({ needsSeveralVisits }) => needsSeveralVisits).length >= hazards.length,
    tier: TIERS[difficulty],
  };
}

function safeAddPlan(difficulty: Difficulty): ScenarioPlan {
  return {
    ...COMMON,
    goal: "The list is safe, but an indicated therapy is missing: start what is missing, safely, and bring it to its target dose.",
    successCriteria: [
      "each missing therapy is active within 20 % of its target dose, inside the renal rule, its monitoring ordered with it or before",
      "no unmanaged contraindicated or major interaction",
      "no illegal action",
      "no severe event",
    ],
    families: TASK_FAMILIES.safe_add,
    hazards: MISSING[difficulty],
    tier: TIERS[difficulty],
  };
}

/** True when the course gained enough of what the best one gains; false where the best one was not worked out. */
function gainsEnough({ j, keepJ, bestJ }: Yardsticks): boolean {
  return bestJ !== null && j >= bestJ - (1 - ENOUGH) * (bestJ - keepJ) - 1e-12;
}

/**
 * REGIMEN_RISK: the whole regimen under a change budget. Task `regimen_optimisation` asks for the best course over the year,
 * task `safe_add` for missing therapies among wrong choices.
 */
export const regimenRisk: SubEnvironment<null, null> = {
  ...COURSE_HOOKS,
  id: "REGIMEN_RISK",
  draw: (tools, key) => {
    const plan = key.task === "safe_add" ? safeAddPlan(key.difficulty) : optimisationPlan(key.difficulty);
    return { content: null, scenario: generateScenario(tools, key, plan) };
  },
  offers: ({ context, legality }) => {
    const plan = generalOffers(legality);
    if (context.scenario.task !== "safe_add") return plan;
    const added = offerWrongAdds(legality, plan.offers, plan.traps);
    return { ...plan, traps: plan.traps - added };
  },
  criteria: (at, yardsticks) =>
    at.context.scenario.task === "safe_add"
      ? [...areTherapiesSupplied(at.context, at.world), !at.hadIllegalAction, !at.hasSevereEvent]
      : [gainsEnough(yardsticks()), !at.hadIllegalAction],
  bestJUse: "success",
  taskScore: courseTaskScore,
};
