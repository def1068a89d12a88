/** Roles of the team, in the order in which they speak. */
export const ROLES = [
  "med_rec",
  "evidence",
  "graph_safety",
  "dosing",
  "candidate",
  "supervisor",
  "bandit",
  "planner",
  "critic",
  "explainer",
] as const;

/** A role of the team. */
export type RoleName = (typeof ROLES)[number];

/** What one role said at one step. */
export interface Utterance {
  readonly step: number;
  readonly role: RoleName;
  readonly message: string;
  /** The critic's: the proposal does not go through. */
  readonly isVeto?: boolean;
  /** Ids of the observation that it rests on. */
  readonly evidenceIds?: readonly string[];
}

const TITLES: Readonly<Record<RoleName, string>> = {
  med_rec: "Medication list",
  evidence: "Evidence",
  graph_safety: "Interactions",
  dosing: "Doses",
  candidate: "Choices",
  supervisor: "Supervisor",
  bandit: "Bandit",
  planner: "Planner",
  critic: "Critic",
  explainer: "Decision",
};

/** The talk of a step in lines for a terminal. */
export function renderTranscript(utterances: readonly Utterance[]): string {
  return utterances
    .map(({ role, message, isVeto, evidenceIds = [] }) => {
      const cited = evidenceIds.length === 0 ? "" : `  [${evidenceIds.join(", ")}]`;
      return `  ${TITLES[role].padEnd(16)}${isVeto === true ? "veto: " : ""}${message}${cited}`;
    })
    .join("\n");
}
