import { type EnvDefinition, type EnvSnapshot, hashJson, type Rng, type SyncEnv } from "@praxis/env";
import { type Kernels, Tape } from "@praxis/nn";
import type { EpisodeOutcome } from "./episode-outcome.ts";
import {
  beginPlay,
  carryOut,
  type PlayedEpisode,
  type PlayedStep,
  type Players,
  playTurn,
  running,
  tryCall,
  tryReset,
} from "./played-episode.ts";
import type { DecisionTask, LastResult, SmallPolicy } from "./small-policy.ts";

/** What follows a group's common state, to the episode's end or the horizon. */
export interface Completion<Decision> {
  readonly member: number;
  /** Those that are learnt from: all, or the first where likeliest choices follow it. */
  readonly steps: readonly PlayedStep<Decision>[];
  /** Steps that were played, the learnt ones included. */
  readonly length: number;
  /** Discounted sum of the rewards of the steps that were played. */
  readonly reward: number;
  /** Sums by name, as the rubric scored them, without discount. */
  readonly rewardComponents: Readonly<Record<string, number>>;
  /** What the environment told of its steps. */
  readonly outcome: EpisodeOutcome;
}

/** Completions of one environment state, as many as were asked for. */
export interface Group<Decision> {
  readonly seed: number;
  /** Steps of the episode before the common state. */
  readonly forkStep: number;
  /** The policy's memory in the common state. */
  readonly memory: Float32Array;
  readonly completions: readonly Completion<Decision>[];
}

/** Who plays, and where. */
export interface GroupContext<Decision> {
  readonly definition: EnvDefinition;
  readonly policy: SmallPolicy<Decision>;
  readonly task: DecisionTask<Decision>;
  readonly kernels: Kernels;
}

/** How groups are collected. */
export interface GroupSettings {
  readonly groupSize: number;
  /**
   * The common state: an episode's first, or one that is drawn evenly from those in which the policy decides while it plays an
   * episode of its own.
   */
  readonly forkAt: "start" | "anywhere";
  /**
   * How a completion goes on after its first decision: by draws, all of them learnt from, or by the policy's likeliest choices, so that
   * members differ by the first decision alone and it alone is learnt from. Members with equal first choices are played once.
   */
  readonly continuation: "sampled" | "likeliest";
  /** Discount of the rewards that follow. */
  readonly gamma: number;
  /** Steps that follow at most; null: to the episode's end. */
  readonly horizon: number | null;
  /** What a completion came to: the sum of its rewards, or what the task says of an episode that has ended, where it does. */
  readonly returns: "rewards" | "task";
  /** What becomes of a group with a failed completion: the completion is tried again, or the group is left out. */
  readonly partialGroups: "refill" | "drop";
  /** Tries of one completion under `refill` before its group is left out. */
  readonly maxAttempts: number;
}

/** Where one group's episode begins. */
export interface GroupStart {
  /** Number of the group in the whole batch. */
  readonly index: number;
  readonly seed: number;
  /** Reset options of this episode beside those of all. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Which groups to collect. */
export interface GroupPlan extends GroupSettings {
  readonly resetOptions: Readonly<Record<string, unknown>>;
  readonly groups: readonly GroupStart[];
  /** Stream of the whole batch; each completion has one of its own, so that the order of work changes nothing. */
  readonly rng: Rng;
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

/** Where a group begins. */
interface Fork<Decision> {
  readonly step: number;
  readonly snapshot: EnvSnapshot;
  readonly last: LastResult;
  readonly memory: Float32Array;
  /** As it was before it read `last`. */
  readonly task: DecisionTask<Decision>;
}

/**
 * Plays `groupSize` completions from each group's common state, forked by snapshot, so that a group differs in the policy's
 * draws only. A completion in which an environment throws or a verifier fails is not part of any result.
 */
export function collectGroups<Decision>(context: GroupContext<Decision>, plan: GroupPlan): GroupBatch<Decision> {
  const { definition, policy, task, kernels } = context;
  const envs = Array.from({ length: plan.groupSize }, () => definition.makeEnv() as SyncEnv);
  const players = { policy, tape: new Tape(kernels, { recording: false }) };
  const groups: Group<Decision>[] = [];
  const failures: string[] = [];
  try {
    for (const start of plan.groups) {
      const group = collectGroup(players, envs, plan, { start, task, failures });
      if (group !== null) groups.push(group);
    }
  } finally {
    for (const env of envs) env.close();
  }
  return {
    groups,
    droppedGroups: plan.groups.length - groups.length,
    failedCompletions: failures.length,
    firstFailure: failures[0] ?? null,
  };
}

/** Batches of consecutive groups as one. */
export function joinBatches<Decision>(batches: readonly GroupBatch<Decision>[]): GroupBatch<Decision> {
  return {
    groups: batches.flatMap(({ groups }) => groups),
    droppedGroups: batches.reduce((sum, { droppedGroups }) => sum + droppedGroups, 0),
    failedCompletions: batches.reduce((sum, { failedCompletions }) => sum + failedCompletions, 0),
    firstFailure: batches.find(({ firstFailure }) => firstFailure !== null)?.firstFailure ?? null,
  };
}

/** A whole group, or null; what failed is added to `failures`. */
function collectGroup<Decision>(
  players: Players<Decision>,
  envs: readonly SyncEnv[],
  plan: GroupPlan,
  {
    start: { index, seed, options = {} },
    task,
    failures,
  }: { readonly start: GroupStart; readonly task: DecisionTask<Decision>; readonly failures: string[] },
): Group<Decision> | null {
  const { groupSize, partialGroups, maxAttempts, rng } = plan;
  const done = new Map<number, Completion<Decision>>();
  const tries = partialGroups === "refill" ? maxAttempts : 1;
  let fork: Fork<Decision> | null = null;
  for (let attempt = 0; attempt < tries && done.size < groupSize; attempt++) {
    const streamOf = (who: string): Rng => rng.split(`group-${index}/${who}/attempt-${attempt}`);
    if (fork === null) {
      const found = findFork(players, envs[0]!, plan, {
        ...{ seed, task, options, rng: streamOf("prefix") },
      });
      if (typeof found === "string") {
        failures.push(`Group ${index}, before its common state: ${found}`);
        continue;
      }
      fork = found;
    }
    const missing = Array.from({ length: groupSize }, (_, member) => member).filter((member) => !done.has(member));
    for (const { members, episode } of playMembers(players, envs, plan, { fork, missing, streamOf }))
      for (const member of members) {
        if (episode.failure === null) done.set(member, completionOf(member, episode, plan));
        else failures.push(`Group ${index}, completion ${member}, ${episode.failure}`);
      }
  }
  if (fork === null || done.size < groupSize) return null;
  const completions = Array.from({ length: groupSize }, (_, member) => done.get(member)!);
  return { seed, forkStep: fork.step, memory: fork.memory, completions };
}

/** Episodes from a common state to their ends, with the members that each stands for. */
function playMembers<Decision>(
  players: Players<Decision>,
  envs: readonly SyncEnv[],
  { continuation, horizon }: GroupPlan,
  from: { readonly fork: Fork<Decision>; readonly missing: readonly number[]; readonly streamOf: (who: string) => Rng },
): readonly { readonly members: readonly number[]; readonly episode: PlayedEpisode<Decision> }[] {
  const { fork, missing, streamOf } = from;
  const { last, memory, task, snapshot } = fork;
  const limit = horizon ?? Number.POSITIVE_INFINITY;
  const begin = (member: number, rng: Rng | null): PlayedEpisode<Decision> => {
    envs[member]!.restore(snapshot);
    return beginPlay<Decision>({ env: envs[member]!, task: task.fork?.() ?? task, last, memory, rng });
  };
  const rngOf = (member: number): Rng => streamOf(`member-${member}`);
  if (continuation === "sampled") {
    const played = missing.map((member) => ({ members: [member], episode: begin(member, rngOf(member)) }));
    playOn(
      players,
      played.map(({ episode }) => episode),
      limit,
    );
    return played;
  }
  const { policy, tape } = players;
  tape.reset();
  const decision = (task.fork?.() ?? task).decisionOf(last);
  const choices = policy.choose(
    tape,
    missing.map((member) => ({ decision, memory, rng: rngOf(member) })),
  );
  const byChoice = new Map<string, number[]>();
  choices.forEach(({ choice }, i) => {
    const key = choice.join();
    byChoice.set(key, [...(byChoice.get(key) ?? []), i]);
  });
  const played = [...byChoice.values()].map((places) => {
    const episode = begin(missing[places[0]!]!, null);
    const own = episode.task.decisionOf(last);
    carryOut(episode, { decision: own, ...choices[places[0]!]! });
    return { members: places.map((i) => missing[i]!), episode };
  });
  playOn(
    players,
    played.map(({ episode }) => episode),
    limit - 1,
  );
  return played;
}

function playOn<Decision>(players: Players<Decision>, episodes: readonly PlayedEpisode<Decision>[], limit: number) {
  for (let step = 0; step < limit; step++) {
    const active = running(episodes);
    if (active.length === 0) break;
    playTurn(players, active);
  }
}

/** The common state, or the sentence that says why there is none. */
function findFork<Decision>(
  players: Players<Decision>,
  env: SyncEnv,
  { forkAt, continuation, resetOptions }: GroupPlan,
  from: {
    readonly seed: number;
    readonly task: DecisionTask<Decision>;
    readonly options: Readonly<Record<string, unknown>>;
    readonly rng: Rng;
  },
): Fork<Decision> | string {
  const { seed, options, rng } = from;
  const task = from.task.episode?.() ?? from.task;
  const first = tryReset(env, { seed, options: { ...resetOptions, ...options } });
  if (typeof first === "string") return first;
  const memory = players.policy.initialMemory();
  const start = tryCall(
    (): Fork<Decision> => ({
      ...{ step: 0, snapshot: env.snapshot(), last: first, memory, task: task.fork?.() ?? task },
    }),
  );
  if (typeof start === "string" || forkAt === "start") return start;
  const draw = rng.split("fork");
  // States as the policy meets them in the way that completions go on.
  const own = continuation === "likeliest" ? null : rng;
  const episode = beginPlay<Decision>({ env, task, rng: own, last: first, memory });
  let fork = start;
  for (let step = 1; ; step++) {
    playTurn(players, [episode]);
    if (episode.failure !== null) return episode.failure;
    if (episode.hasEnded) return fork;
    // The k-th state replaces the one held with chance 1/k, so that in the end each was as likely.
    if (draw.uniform() * (step + 1) < 1) {
      const { last, memory: now } = episode;
      const here = tryCall(
        (): Fork<Decision> => ({
          ...{ step, snapshot: env.snapshot(), last, memory: now, task: task.fork?.() ?? task },
        }),
      );
      if (typeof here === "string") return here;
      fork = here;
    }
  }
}

function completionOf<Decision>(
  member: number,
  { steps, rewardComponents, outcome, last, hasEnded, task }: PlayedEpisode<Decision>,
  { gamma, returns, continuation }: GroupSettings,
): Completion<Decision> {
  const told = hasEnded && returns === "task" ? (task.returnOf?.(last) ?? null) : null;
  const reward = told ?? steps.reduceRight((following, step) => step.reward + gamma * following, 0);
  const learnt = continuation === "sampled" ? steps : steps.slice(0, 1);
  return { member, steps: learnt, length: steps.length, reward, rewardComponents, outcome };
}

/** Hash of everything that is learnt from: seeds, common states, choices, rewards. */
export function hashGroups(groups: readonly Group<unknown>[]): string {
  return hashJson(
    groups.map(({ seed, forkStep, completions }) => [
      ...[seed, forkStep],
      completions.map(({ steps, reward }) => [reward, steps.map(({ choice }) => [...choice])]),
    ]),
  );
}
