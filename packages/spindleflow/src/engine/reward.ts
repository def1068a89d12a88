import type { SpindleFlowConfig } from "../config.ts";
import type { Noise } from "./noise.ts";
import { baseQuality, measuredScore, trueQuality } from "./quality.ts";
import { DISPUTE, openConflicts, type TaskRun } from "./run.ts";
import type { World } from "./world.ts";

/** Signed parts of a task's reward: their sum, clipped, is R, but for the two no-output values. Plain data. */
export interface RewardComponents {
  readonly qualityDelta: number;
  readonly efficiencyPenalty: number;
  readonly failurePenalty: number;
  readonly recoveryBonus: number;
  readonly conflictPenalty: number;
  readonly conflictBonus: number;
  readonly consistencyBonus: number;
  readonly latencyPenalty: number;
  readonly explanationBonus: number;
}

/** What a task's end paid, with the inputs it was computed from. Plain data. */
export interface TaskReward {
  readonly reward: number;
  readonly components: RewardComponents;
  /** True when R is one of the two no-output values instead of the sum. */
  readonly noOutput: boolean;
  readonly inputs: {
    readonly trueQuality: number;
    readonly baseQuality: number;
    readonly teamScore: number;
    readonly generalistScore: number;
    readonly invoked: number;
    readonly expected: number;
    readonly elapsedMs: number;
    readonly slaMs: number;
    readonly reasonedShare: number;
    readonly pathConsistency: number;
  };
}

/** Latency penalty of a task that took so long. */
export function latencyPenalty(config: SpindleFlowConfig, elapsedMs: number, slaMs: number): number {
  const over = elapsedMs - slaMs;
  if (over <= 0) return 0;
  return config.reward.latencyWeight * Math.min(config.reward.latencyCap, over / slaMs);
}

/** Failure penalty and recovery bonus of a task. */
function failureTerms(world: World, run: TaskRun): { readonly penalty: number; readonly bonus: number } {
  const { reward } = world.config;
  let penalty = 0;
  let bonus = 0;
  for (const failure of run.failures) {
    const base = failure.kind === "timeout" ? reward.timeoutBase : reward.errorBase;
    const remaining = failure.recovery === "none" ? base : base * reward.recoveredFactor;
    penalty += remaining;
    if (failure.recovery === "recovered")
      bonus += reward.recovery === "flat" ? reward.recoveryEach : Math.min(reward.recoveryEach, remaining);
  }
  return { penalty: Math.min(reward.failureCap, penalty), bonus: Math.min(reward.recoveryCap, bonus) };
}

/** Disputes that were settled. */
function resolvedConflicts(run: TaskRun): number {
  return run.dispute.filter((dispute) => dispute === DISPUTE.resolved).length;
}

/** How a task ended and what only the environment knows of it. */
export interface TaskEnd {
  /** Ended by STOP; else by its step limit. */
  readonly stopped: boolean;
  /** C of the path consistency, 0 … 1, given whether the quality delta was positive. */
  pathConsistency(qualityDelta: number): number;
}

/** R of a finished task. Source: the founding formula, with caps against its exploits. */
export function computeTaskReward(world: World, run: TaskRun, noise: Noise, end: TaskEnd): TaskReward {
  const { reward } = world.config;
  const quality = trueQuality(world, run);
  const base = baseQuality(world);
  const teamScore = measuredScore(world, quality, noise.judgeFinal("team"));
  const generalistScore = measuredScore(world, base, noise.judgeFinal("generalist"));
  const { penalty, bonus } = failureTerms(world, run);
  const qualityDelta = teamScore - generalistScore;
  const reasonedShare = run.callCount === 0 ? 0 : run.reasoned / run.callCount;
  const pathConsistency = run.outputs === 0 ? 0 : end.pathConsistency(qualityDelta);
  const components: RewardComponents = {
    qualityDelta,
    efficiencyPenalty: 0 - reward.efficiencyWeight * Math.max(0, run.invoked - world.task.expected),
    failurePenalty: 0 - penalty,
    recoveryBonus: bonus,
    conflictPenalty: 0 - reward.conflictPenalty * openConflicts(run),
    conflictBonus: Math.min(reward.conflictBonusCap, reward.conflictBonus * resolvedConflicts(run)),
    consistencyBonus: reward.consistencyWeight * pathConsistency,
    latencyPenalty: 0 - latencyPenalty(world.config, run.elapsedMs, world.task.slaMs),
    explanationBonus: end.stopped ? reward.explanationWeight * reasonedShare : 0,
  };
  const noOutput = run.outputs === 0;
  const none = run.callCount === 0 ? reward.noCall : reward.allFailed;
  return {
    reward: noOutput ? none : Math.min(reward.high, Math.max(reward.low, sumOf(components))),
    components,
    noOutput,
    inputs: {
      trueQuality: quality,
      baseQuality: base,
      teamScore,
      generalistScore,
      invoked: run.invoked,
      expected: world.task.expected,
      elapsedMs: run.elapsedMs,
      slaMs: world.task.slaMs,
      reasonedShare,
      pathConsistency,
    },
  };
}

/** Sum of the signed components. */
export function sumOf(components: RewardComponents): number {
  let sum = 0;
  for (const name of Object.keys(components) as (keyof RewardComponents)[]) sum += components[name];
  return sum;
}

/**
 * Expected R if the task ended now, without the tier's noise and without consistency: what oracles and planners compare.
 * It differs from the mean of {@link computeTaskReward} only where clipping of scores bites.
 */
export function expectedReward(world: World, run: TaskRun, stopped: boolean): number {
  const { reward } = world.config;
  if (run.outputs === 0) return run.callCount === 0 ? reward.noCall : reward.allFailed;
  const { penalty, bonus } = failureTerms(world, run);
  const total =
    trueQuality(world, run) -
    baseQuality(world) -
    reward.efficiencyWeight * Math.max(0, run.invoked - world.task.expected) -
    penalty +
    bonus -
    reward.conflictPenalty * openConflicts(run) +
    Math.min(reward.conflictBonusCap, reward.conflictBonus * resolvedConflicts(run)) -
    latencyPenalty(world.config, run.elapsedMs, world.task.slaMs) +
    (stopped && run.callCount > 0 ? (reward.explanationWeight * run.reasoned) / run.callCount : 0);
  return Math.min(reward.high, Math.max(reward.low, total));
}
