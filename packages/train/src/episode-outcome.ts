import type { Info } from "@praxis/env";

/** What an environment told of a stretch of an episode beside its rewards; plain data, so that it travels between threads. */
export interface EpisodeOutcome {
  /** Steps whose `info` has a list of violations, and those of them whose list is empty. */
  readonly judgedSteps: number;
  readonly legalSteps: number;
  /** A step's `info.flags` has one of level `hard`; null while no step told of flags. */
  readonly hasExploit: boolean | null;
  /** `info.success` of the last step; null when it did not tell or was not reached. */
  readonly isSuccess: boolean | null;
}

/** Before the first step. */
export const NOTHING_TOLD: EpisodeOutcome = { judgedSteps: 0, legalSteps: 0, hasExploit: null, isSuccess: null };

/** The outcome with one more step. */
export function withStep(
  before: EpisodeOutcome,
  { violations, flags, success }: Info,
  hasEnded: boolean,
): EpisodeOutcome {
  const isFlagged = Array.isArray(flags)
    ? flags.some((flag: { level?: unknown } | null) => flag?.level === "hard")
    : null;
  return {
    judgedSteps: before.judgedSteps + (violations === undefined ? 0 : 1),
    legalSteps: before.legalSteps + (violations?.length === 0 ? 1 : 0),
    hasExploit: isFlagged === null ? before.hasExploit : isFlagged || before.hasExploit === true,
    isSuccess: hasEnded && typeof success === "boolean" ? success : before.isSuccess,
  };
}

/** Shares by metric name: legal steps, episodes with an exploit, successful episodes; what no episode told of is absent. */
export function outcomeMetrics(outcomes: readonly EpisodeOutcome[]): Readonly<Record<string, number>> {
  const judged = outcomes.reduce((sum, { judgedSteps }) => sum + judgedSteps, 0);
  const legal = outcomes.reduce((sum, { legalSteps }) => sum + legalSteps, 0);
  const metrics: Record<string, number> = judged === 0 ? {} : { "episodes/legality": legal / judged };
  const addShare = (name: string, told: readonly (boolean | null)[]): void => {
    const known = told.filter((each) => each !== null);
    if (known.length > 0) metrics[name] = known.filter(Boolean).length / known.length;
  };
  addShare(
    "episodes/exploit",
    outcomes.map(({ hasExploit }) => hasExploit),
  );
  addShare(
    "episodes/success",
    outcomes.map(({ isSuccess }) => isSuccess),
  );
  return metrics;
}
