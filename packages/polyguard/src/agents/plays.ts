import type { KnowledgeBase } from "../kb/types.ts";
import { makeBeliefRanker } from "../policies/alternative/belief-ranking.ts";
import { makeReplacementPolicy } from "../policies/alternative/own-play.ts";
import type { PolicyRule } from "../policies/decision.ts";
import { CHART_INSIGHT } from "../policies/deprescribing/outlook.ts";
import { targetRules } from "../policies/deprescribing/own-play.ts";
import { MAP_RULES } from "../policies/dosing/own-play.ts";
import { makeStructuredMining } from "../policies/mining/own-play.ts";
import { MISSING_DATA_RULES } from "../policies/missing-data-rules.ts";
import { NEW_DRUG_PLAY } from "../policies/new-drug/play.ts";
import type { PolyGuardPolicy } from "../policies/own-play.ts";
import { REGIMEN_RULES } from "../policies/regimen/own-play.ts";
import { COURSE_RULES } from "../policies/rule-based.ts";
import type { SubEnvironment } from "../scenario/types.ts";

/** How the team plays one sub-environment. */
export type TeamPlay =
  | {
      readonly kind: "course";
      readonly rules: readonly PolicyRule[];
      /** Expected J on the belief decides; false = another score is asked for, and the rules lead. */
      readonly isPlanned: boolean;
    }
  | {
      /** One specialist of the matter proposes; the team checks and explains. */
      readonly kind: "specialist";
      readonly title: string;
      readonly make: (kb: KnowledgeBase) => PolyGuardPolicy;
    };

/** The team's way with each sub-environment. */
export const TEAM_PLAYS: Readonly<Record<SubEnvironment, TeamPlay>> = {
  DDI: { kind: "course", rules: COURSE_RULES, isPlanned: true },
  REGIMEN_RISK: { kind: "course", rules: REGIMEN_RULES, isPlanned: true },
  WEB_SEARCH_MISSING_DATA: { kind: "course", rules: MISSING_DATA_RULES, isPlanned: true },
  LONGITUDINAL_DEPRESCRIBING: { kind: "course", rules: targetRules(CHART_INSIGHT), isPlanned: false },
  PRECISION_DOSING: { kind: "course", rules: MAP_RULES, isPlanned: false },
  BANDIT_MINING: {
    kind: "specialist",
    title: "The miner",
    make: (kb) => makeStructuredMining("planner_critic", kb),
  },
  ALTERNATIVE_SUGGESTION: {
    kind: "specialist",
    title: "The replacement planner",
    make: (kb) => makeReplacementPolicy("planner_critic", kb, makeBeliefRanker(kb)),
  },
  NEW_DRUG_DECOMPOSITION: {
    kind: "specialist",
    title: "The new-drug analyst",
    make: (kb) => NEW_DRUG_PLAY.rule_based!({ kb, env: null }),
  },
};
