import { TASK_CLASSES, type TaskClass } from "./bank/bank.ts";
import type { TaskRun } from "./engine/run.ts";
import type { World } from "./engine/world.ts";
import { type Decision, META_ACTIONS, MODES } from "./names.ts";

/** Steps of a path that tell paths apart. */
const PATH_STEPS = 6;
/** Dirichlet prior of a path. Source: Laplace's rule of succession, α = 1. */
const ALPHA = 1;
/** Paths that a type has at least. `assumption:` as many as there are meta-actions. */
const MIN_PATHS = 8;
/** Episodes after which a count has halved. `assumption:` a few updates of the trainer. */
const HALF_LIFE_EPISODES = 500;

/** What is remembered of a path, or of all paths of a type: a decayed count and sum of quality, as of an episode. */
interface Tally {
  readonly n: number;
  readonly qualitySum: number;
  readonly asOf: number;
}

/**
 * What lasts across episodes: path counts and the phase. A value: handed to `reset`, read-only during an episode, updated by
 * the trainer between episodes in (environment, episode) order, frozen in evaluation and serving.
 */
export interface LearningState {
  readonly version: 1;
  readonly episodes: number;
  readonly types: Readonly<Record<string, { readonly all: Tally; readonly paths: Readonly<Record<string, Tally>> }>>;
}

/** Nothing learned yet. */
export const EMPTY_LEARNING: LearningState = { version: 1, episodes: 0, types: {} };

/** Type of a task: class × domain. */
export function typeOfTask(name: TaskClass, domain: number): string {
  return `${TASK_CLASSES.indexOf(name)}x${domain}`;
}

/** One step of a path: stable under new rosters, as people stand for their nearest skill. */
export function pathStep(world: World, decision: Decision): string {
  const skills = decision.slots.map((slot) => world.members[slot]?.nearestSkill ?? -1).sort((a, b) => a - b);
  return `${META_ACTIONS.indexOf(decision.meta)}/${MODES.indexOf(decision.mode)}:[${skills.join(",")}]`;
}

/** Path of a task's work, its first six steps. */
export function pathOf(run: TaskRun): string {
  return run.path.slice(0, PATH_STEPS).join(" ");
}

const decayed = (tally: Tally | undefined, episodes: number): { readonly n: number; readonly sum: number } => {
  if (tally === undefined) return { n: 0, sum: 0 };
  const factor = 2 ** (-(episodes - tally.asOf) / HALF_LIFE_EPISODES);
  return { n: tally.n * factor, sum: tally.qualitySum * factor };
};

/**
 * C of a path, 0 … 1: (n + α) / (N + α·K), only for work better than the generalist on a path that does at least as well as
 * its type's mean; a path not yet taken has the type's mean.
 */
export function pathConsistency(learning: LearningState, type: string, path: string, qualityDelta: number): number {
  if (qualityDelta <= 0) return 0;
  const known = learning.types[type];
  const all = decayed(known?.all, learning.episodes);
  const own = decayed(known?.paths[path], learning.episodes);
  if (own.n > 0 && own.sum / own.n < all.sum / all.n) return 0;
  const paths = Math.max(MIN_PATHS, Object.keys(known?.paths ?? {}).length + 1);
  return (own.n + ALPHA) / (all.n + ALPHA * paths);
}

/** A task that an episode ended. Plain data. */
export interface EndedTask {
  readonly type: string;
  readonly path: string;
  readonly qualityDelta: number;
  readonly quality: number;
}

const added = (tally: Tally | undefined, quality: number, episodes: number): Tally => {
  const { n, sum } = decayed(tally, episodes);
  return { n: n + 1, qualitySum: sum + quality, asOf: episodes };
};

/** The state after one more episode: its tasks that beat the generalist are counted, earlier counts have aged. */
export function learnEpisode(learning: LearningState, tasks: readonly EndedTask[]): LearningState {
  const episodes = learning.episodes + 1;
  const types = { ...learning.types };
  for (const { type, path, qualityDelta, quality } of tasks) {
    if (qualityDelta <= 0) continue;
    const known = types[type];
    types[type] = {
      all: added(known?.all, quality, episodes),
      paths: { ...known?.paths, [path]: added(known?.paths[path], quality, episodes) },
    };
  }
  return { version: 1, episodes, types };
}
