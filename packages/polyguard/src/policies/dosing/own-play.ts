import type { PolicyMaker } from "../own-play.ts";
import { COURSE_RULES, makeChartPolicy } from "../rule-based.ts";
import { doseByEstimate } from "./map-play.ts";
import { oracleDosing } from "./oracle-play.ts";
import { doseInProportion, keepDose, orderLevel } from "./proportional-play.ts";

/** Policies that play PRECISION_DOSING in their own way; the rules of the course are left to renal-dose mode. */
export const DOSING_PLAY: Readonly<Record<string, PolicyMaker>> = {
  rule_based: ({ kb }) => makeChartPolicy("rule_based", kb, [orderLevel, doseInProportion, keepDose, ...COURSE_RULES]),
  map_planner: ({ kb }) => makeChartPolicy("map_planner", kb, [orderLevel, doseByEstimate, keepDose, ...COURSE_RULES]),
  oracle_lookahead: oracleDosing,
};
