import type { PolicyRule } from "../decision.ts";
import type { PolicyMaker } from "../own-play.ts";
import { byTaskScore, makePlayAheadPolicy } from "../play-ahead.ts";
import { COURSE_RULES, makeChartPolicy } from "../rule-based.ts";
import { doseByEstimate } from "./map-play.ts";
import { makeOracleDose, makeOracleMend } from "./oracle-play.ts";
import { doseInProportion, keepDose, orderLevel } from "./proportional-play.ts";
import { finishWhenMended, measureKidneys, mendDose } from "./renal-play.ts";

const RENAL_RULES = [measureKidneys, mendDose, finishWhenMended];

/** Doses by estimated parameters; then the renal rules and those of the course. */
export const MAP_RULES: readonly PolicyRule[] = [orderLevel, doseByEstimate, keepDose, ...RENAL_RULES, ...COURSE_RULES];

/** Doses in proportion to the level; then the renal rules and those of the course. */
export const PROPORTIONAL_RULES: readonly PolicyRule[] = [
  orderLevel,
  doseInProportion,
  keepDose,
  ...RENAL_RULES,
  ...COURSE_RULES,
];

/** Policies that play PRECISION_DOSING in their own way; renal-dose mode falls back on the rules of the course. */
export const DOSING_PLAY: Readonly<Record<string, PolicyMaker>> = {
  rule_based: ({ kb }) => makeChartPolicy("rule_based", kb, PROPORTIONAL_RULES),
  map_planner: ({ kb }) => makeChartPolicy("map_planner", kb, MAP_RULES),
  // Each way is short-sighted somewhere: the search takes expected levels, mending takes the most at once.
  oracle_lookahead: ({ kb, env }) => {
    const knowing = [makeOracleDose(env), measureKidneys, makeOracleMend(env), mendDose, finishWhenMended];
    const ways = [[orderLevel, ...knowing, ...COURSE_RULES], MAP_RULES, PROPORTIONAL_RULES];
    return makePlayAheadPolicy(
      "oracle_lookahead",
      env,
      ways.map((rules) => makeChartPolicy("oracle_lookahead", kb, rules)),
      byTaskScore,
    );
  },
};
