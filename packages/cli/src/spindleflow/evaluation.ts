import { basename } from "node:path";
import {
  ORACLE_NAMES,
  type PlayedShift,
  type Preset,
  SCRIPT_NAMES,
  type SpindleFlowSettings,
} from "@praxis/spindleflow";
import { orchestratorFolder, readOrchestrator, shippedOrchestrators } from "./orchestrator.ts";
import { playPlans, type ShiftPlan, type ShiftPlayerName } from "./shift-jobs.ts";

/** Who is held out and which tasks: both of one split of the bank. */
export const EVALUATION_SPLITS = { train: "train", validation: "validation", heldout: "test" } as const;
/** Name of a split. */
export type EvaluationSplit = keyof typeof EVALUATION_SPLITS;

/** Bounds of the normalised score; always played. */
export const LOWEST = "random";
export const HIGHEST = "reference";
/** Scripts that plan on beliefs; the others are rules. */
export const PLANNER_NAMES: readonly string[] = ["textPlan", "taskPlan", "beliefPlan"];

/** Weights of a cost unit that the frontier sweeps. */
const FRONTIER_WEIGHTS = [0, 0.01, 0.02, 0.04, 0.08, 0.15] as const;

/** A policy under the name that the report calls it by. */
export interface NamedPlayer {
  readonly name: string;
  readonly player: ShiftPlayerName;
}

/** What is evaluated; everything that decides a number. */
export interface SpindleEvaluation {
  readonly sector: string;
  readonly preset: Preset;
  readonly splits: readonly EvaluationSplit[];
  /** Shifts of each split. */
  readonly n: number;
  /** Which shifts: equal seeds are equal shifts. */
  readonly seed: number;
  readonly players: readonly NamedPlayer[];
}

/** Shifts that one policy played in one split, in the order of the seeds. */
export interface PlayedSplit {
  readonly split: EvaluationSplit;
  readonly policy: string;
  readonly shifts: readonly PlayedShift[];
}

/**
 * Policies by name: scripts, orchestrators that ship, folders of runs; `all` stands for every script and everything that
 * ships. What bounds the normalised score is added. Throws UNKNOWN_NAME, and VALIDATION_ERROR for a folder of something else.
 */
export function playersOf(names: readonly string[]): readonly NamedPlayer[] {
  const wanted = names.flatMap((name) => (name === "all" ? [...SCRIPT_NAMES, ...shippedOrchestrators()] : [name]));
  const all = [...new Set([...wanted, LOWEST, HIGHEST])];
  const players = all.map((name): NamedPlayer => {
    if (SCRIPT_NAMES.includes(name)) return { name, player: { script: name } };
    const folder = orchestratorFolder(name);
    readOrchestrator(folder);
    return { name: basename(folder), player: { folder } };
  });
  // Runs of one name in different folders keep their whole path.
  return players.map((each, i) =>
    players.some(({ name }, j) => j !== i && name === each.name) && "folder" in each.player
      ? { ...each, name: each.player.folder }
      : each,
  );
}

/** Origin of evaluation's seeds: apart from those of training, teachers and baselines. */
const EVALUATION_SEEDS = 6_000_000_000;

function plansOf(
  { sector, preset, n, seed }: SpindleEvaluation,
  player: ShiftPlayerName,
  settings: SpindleFlowSettings,
): ShiftPlan {
  const seeds = Array.from({ length: n }, (_, i) => EVALUATION_SEEDS + seed * 1_000_000 + i);
  return { sector, settings, options: { preset }, player, seeds };
}

/** Settings of the environment for a split. */
export const splitSettings = (split: EvaluationSplit): SpindleFlowSettings => ({
  specialistSplit: EVALUATION_SPLITS[split],
  taskSplit: EVALUATION_SPLITS[split],
  // Nobody new is made up while policies are compared.
  spawn: { enabled: false },
});

/** How it is run; decides no number. */
export interface EvaluationMeans {
  readonly workers: number;
  onProgress?(done: number, total: number): void;
}

/** Plays every policy on the same shifts of each split. */
export async function evaluateSpindle(
  evaluation: SpindleEvaluation,
  means: EvaluationMeans,
): Promise<readonly PlayedSplit[]> {
  const parts = evaluation.splits.flatMap((split) =>
    evaluation.players.map(({ name, player }) => ({ split, name, player })),
  );
  const played = await playPlans(
    parts.map(({ split, player }) => plansOf(evaluation, player, splitSettings(split))),
    means,
  );
  return parts.map(({ split, name }, at) => ({ split, policy: name, shifts: played[at]! }));
}

/** What a policy costs and reaches at one weight of a cost unit. */
export interface PlayedWeight {
  readonly costWeight: number;
  readonly policy: string;
  readonly shifts: readonly PlayedShift[];
}

/** Planners at every weight, and each other policy once, as what it does does not depend on the weight. On the first split. */
export async function playFrontier(
  evaluation: SpindleEvaluation,
  means: EvaluationMeans,
): Promise<readonly PlayedWeight[]> {
  const split = splitSettings(evaluation.splits[0]!);
  const parts = evaluation.players.flatMap(({ name, player }) => {
    if (ORACLE_NAMES.includes(name)) return [];
    const weights = PLANNER_NAMES.includes(name) ? FRONTIER_WEIGHTS : ([0] as const);
    return weights.map((costWeight) => ({ name, player, costWeight }));
  });
  const played = await playPlans(
    parts.map(({ player, costWeight }) => plansOf(evaluation, player, { ...split, reward: { costWeight } })),
    means,
  );
  return parts.map(({ name, costWeight }, at) => ({ costWeight, policy: name, shifts: played[at]! }));
}
