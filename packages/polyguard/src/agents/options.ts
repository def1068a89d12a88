/** Ways in which the roles work together. */
export const TEAM_MODES = ["sequential_pipeline", "supervisor_routed", "replan_on_veto", "lightweight_debate"] as const;

/** One of {@link TEAM_MODES}. */
export type TeamMode = (typeof TEAM_MODES)[number];

/** Parts of the team that can be left out. */
export const ABLATIONS = ["graph", "evidence", "critic", "supervisor", "dosing", "abstention"] as const;

/** One of {@link ABLATIONS}. */
export type Ablation = (typeof ABLATIONS)[number];

/** What the planner ranks by: the course looked ahead, the trained bandit, or the course with the bandit's first choice added. */
export const PLANNINGS = ["policy", "bandit", "both"] as const;

/** One of {@link PLANNINGS}. */
export type Planning = (typeof PLANNINGS)[number];

/** How a team plays. */
export interface TeamOptions {
  readonly mode: TeamMode;
  readonly without: readonly Ablation[];
  readonly planning: Planning;
}

/** The whole team; a vetoed proposal gives way to the next. */
export const DEFAULT_TEAM: TeamOptions = { mode: "replan_on_veto", without: [], planning: "policy" };
