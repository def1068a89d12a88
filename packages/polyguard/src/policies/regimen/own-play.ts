import { answerWorstAlert } from "../alert-rules.ts";
import type { PolicyMaker } from "../own-play.ts";
import { COURSE_RULES, makeChartPolicy } from "../rule-based.ts";
import { endLongUse } from "./long-use-rule.ts";

/** The rules of the course, and after the alerts the drugs whose time is over. */
export const REGIMEN_RULES = COURSE_RULES.flatMap((rule) => (rule === answerWorstAlert ? [rule, endLongUse] : [rule]));

/** Policies of REGIMEN_RISK. */
export const REGIMEN_PLAY: Readonly<Record<string, PolicyMaker>> = {
  rule_based: ({ kb }) => makeChartPolicy("rule_based", kb, REGIMEN_RULES),
};
