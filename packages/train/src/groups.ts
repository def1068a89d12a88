import {
  type EnvDefinition,
  hashJson,
  type Info,
  PraxisError,
  type Rng,
  type SyncEnv,
  toPraxisError,
} from "@praxis/env";
import type { Kernels } from "@praxis/nn";
import { Tape } from "@praxis/nn";
import type { DecisionTask, LastResult, SmallPolicy } from "./small-policy.ts";

/** One decision of a completion. */
export interface GroupStep<Decision> {
  readonly decision: Decision;
  readonly choice: Float32Array;
}

/** One episode from the group's common state to its end. */
export interface Completion<Decision> {
  readonly member: number;
  readonly steps: readonly GroupStep<Decision>[];
  /** Sum of the environment's rewards. */
  readonly reward: number;
  /** Sums by name, as the rubric scored them. */
  readonly rewardComponents: Readonly<Record<string, number>>;
}

/** Completions of one environment state, as many as were asked for. */
export interface Group<Decision> {
  readonly seed: number;
  readonly completions: readonly Completion<Decision>[];
}

/** How groups are collected. */
export interface GroupRequest<Decision> {
  readonly definition: EnvDefinition;
  readonly policy: SmallPolicy<Decision>;
  readonly task: DecisionTask<Decision>;
  readonly kernels: Kernels;
  readonly groupSize: number;
  /** Seed of each group's episode. */
  readonly seeds: readonly number[];
  /** Stream of the whole batch; each completion has one of its own, so that the order of work changes nothing. */
  readonly rng: Rng;
  /** What becomes of a group with a failed completion: the completion is tried again, or the group is left out. */
  readonly partialGroups: "refill" | "drop";
  /** Tries of one completion under `refill` before its group is left out. */
  readonly maxAttempts: number;
  readonly resetOptions?: Readonly<Record<string, unknown>>;
}

/** Whole groups and a count of what failed; never a smaller group. */
export interface GroupBatch<Decision> {
  readonly groups: readonly Group<Decision>[];
  readonly droppedGroups: number;
  /** Episodes that an environment or verifier failed in. */
  readonly failedCompletions: number;
  /** First failure in order, for the message. */
  readonly firstFailure: string | null;
}

interface Running<Decision> {
  readonly member: number;
  readonly rng: Rng;
  readonly steps: GroupStep<Decision>[];
  readonly rewardComponents: Record<string, number>;
  last: LastResult;
  reward: number;
  hasEnded: boolean;
  failure: string | null;
}

/**
 * Plays `groupSize` completions from each seed's first state, forked by snapshot, so that a group differs in the policy's
 * draws only. A completion in which an environment throws or a verifier fails is not part of any result.
 */
export function collectGroups<Decision>(request: GroupRequest<Decision>): GroupBatch<Decision> {
  const { definition, groupSize, maxAttempts, partialGroups } = request;
  const envs = Array.from({ length: groupSize }, () => definition.makeEnv() as SyncEnv);
  const tape = new Tape(request.kernels, { recording: false });
  const groups: Group<Decision>[] = [];
  const failures: string[] = [];
  try {
    request.seeds.forEach((seed, index) => {
      const done = new Map<number, Completion<Decision>>();
      const tries = partialGroups === "refill" ? maxAttempts : 1;
      for (let attempt = 0; attempt < tries && done.size < groupSize; attempt++) {
        const missing = Array.from({ length: groupSize }, (_, member) => member).filter((member) => !done.has(member));
        const rngOf = (member: number): Rng => request.rng.split(`group-${index}/member-${member}/attempt-${attempt}`);
        for (const outcome of playGroup(request, { envs, tape, seed, missing, rngOf })) {
          if (typeof outcome === "string") failures.push(`Group ${index}, ${outcome}`);
          else done.set(outcome.member, outcome);
        }
      }
      if (done.size < groupSize) return;
      groups.push({ seed, completions: Array.from({ length: groupSize }, (_, member) => done.get(member)!) });
    });
  } finally {
    for (const env of envs) env.close();
  }
  return {
    groups,
    droppedGroups: request.seeds.length - groups.length,
    failedCompletions: failures.length,
    firstFailure: failures[0] ?? null,
  };
}

/** Completions of the members that are missing, side by side, or the sentence that says why one failed. */
function playGroup<Decision>(
  { policy, task, definition, resetOptions = {} }: GroupRequest<Decision>,
  work: {
    readonly envs: readonly SyncEnv[];
    readonly tape: Tape;
    readonly seed: number;
    readonly missing: readonly number[];
    rngOf(member: number): Rng;
  },
): (Completion<Decision> | string)[] {
  const { envs, tape, seed, missing } = work;
  const first = tryCall(() => {
    const last: LastResult = envs[0]!.reset({ seed, options: resetOptions });
    if (last instanceof Promise)
      throw new PraxisError(
        "NOT_SUPPORTED",
        `'${definition.id}' answers asynchronously; groups need one that does not.`,
      );
    return { last, snapshot: envs[0]!.snapshot() };
  });
  if (typeof first === "string") return missing.map((member) => `completion ${member}: ${first}`);
  const running = missing.map((member): Running<Decision> => {
    const restored = tryCall(() => envs[member]!.restore(first.snapshot));
    const failure = typeof restored === "string" ? restored : null;
    const start = { member, rng: work.rngOf(member), steps: [], rewardComponents: {}, last: first.last };
    return { ...start, reward: 0, hasEnded: false, failure };
  });
  for (;;) {
    const active = running.filter(({ hasEnded, failure }) => !hasEnded && failure === null);
    if (active.length === 0) break;
    tape.reset();
    const decisions = active.map(({ last }) => task.decisionOf(last));
    const choices = policy.choose(
      tape,
      decisions,
      active.map(({ rng }) => rng),
    );
    active.forEach((completion, i) => {
      const decision = decisions[i]!;
      const choice = choices[i]!;
      const outcome = tryCall(() => envs[completion.member]!.step(task.actionOf(choice, decision, completion.last)));
      if (typeof outcome === "string") completion.failure = `step ${completion.steps.length + 1}: ${outcome}`;
      else take(completion, { decision, choice }, outcome);
    });
  }
  return running.map(({ member, steps, reward, rewardComponents, failure }) =>
    failure === null ? { member, steps, reward, rewardComponents } : `completion ${member}, ${failure}`,
  );
}

function take<Decision>(
  completion: Running<Decision>,
  step: GroupStep<Decision>,
  result: {
    readonly reward: number;
    readonly terminated: boolean;
    readonly truncated: boolean;
    readonly info: Info;
  } & LastResult,
): void {
  completion.steps.push(step);
  completion.reward += result.reward;
  for (const [name, value] of Object.entries(result.info.rewardComponents ?? {}))
    completion.rewardComponents[name] = (completion.rewardComponents[name] ?? 0) + value;
  completion.last = result;
  completion.hasEnded = result.terminated || result.truncated;
  const failed = result.info.infraError;
  if (failed !== undefined) completion.failure = `step ${completion.steps.length}: ${failed.code}: ${failed.message}`;
}

/** The result, or the sentence of the error. A policy's own errors are not environment failures and stay errors. */
function tryCall<T>(call: () => T): T | string {
  try {
    return call();
  } catch (error) {
    const { code, message } = toPraxisError(error);
    if (code === "NOT_SUPPORTED") throw error;
    return `${code}: ${message}`;
  }
}

/** Hash of everything that is learnt from: seeds, choices, rewards. */
export function hashGroups(groups: readonly Group<unknown>[]): string {
  return hashJson(
    groups.map(({ seed, completions }) => [
      seed,
      completions.map(({ steps, reward }) => [reward, steps.map(({ choice }) => [...choice])]),
    ]),
  );
}
