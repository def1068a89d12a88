import { didYouMean, type FieldError, PraxisError } from "@praxis/env";
import type { CourseEvaluator } from "../course/evaluator.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { SUB_ENVIRONMENT_TABLE } from "../sub-environments/index.ts";
import type { Drawn } from "../sub-environments/sub-environment.ts";
import { CATALOGUE, type ScenarioKey, scenarioId, type Task } from "./key.ts";
import type { PackShelf } from "./packs.ts";
import { SPLIT_SEEDS } from "./splits.ts";
import type { ScenarioStore } from "./store.ts";
import { withStress } from "./stress.ts";
import { DIFFICULTIES, type Difficulty, SPLITS, type Split, type SubEnvironment as SubEnvironmentId } from "./types.ts";

/** Tasks in the order of the catalogue. */
export const TASKS: readonly Task[] = CATALOGUE.map(({ task }) => task);

/** Task of a reset that names none. */
const DEFAULT_TASK: Task = "ddi_risk";

/** Throws UNKNOWN_NAME with the nearest name unless `value` is one of `names`. */
export function checkName<T extends string>(what: string, value: string, names: readonly T[]): T {
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown ${what} '${value}'.${didYouMean(value, names)} Use one of ${names.join(", ")}.`,
  );
}

/** Id of the sub-environment that a task is played in. */
export function subEnvironmentOfTask(task: Task): SubEnvironmentId {
  return CATALOGUE.find((entry) => entry.task === task)!.subEnvironment;
}

/** The task that a sub-environment plays when none is named: the last of its tasks, as the first ones are special cases. */
export function mainTaskOf(id: SubEnvironmentId): Task {
  return CATALOGUE.filter(({ subEnvironment }) => subEnvironment === id).at(-1)!.task;
}

function invalid(field: string, message: string, input: unknown): PraxisError {
  const error: FieldError = { type: "value_error", loc: [field], msg: message, input };
  return new PraxisError("VALIDATION_ERROR", `${field}: ${message}`, { fields: [error] });
}

/** Number of seeds of a split. */
function seedCount(split: Split): number {
  const [first, last] = SPLIT_SEEDS[split];
  return last - first + 1;
}

/** Tasks of a split, in the order of the catalogue. */
export function tasksOf(split: Split): readonly Task[] {
  return TASKS.filter((task) => (HELD_OUT_TASKS[split] ?? TASKS).includes(task));
}

/** Tasks of the splits that hold something out; every task has the others. Only what a task's scenarios are made of can be held out. */
const HELD_OUT_TASKS: Readonly<Partial<Record<Split, readonly Task[]>>> = {
  test_pair: ["ddi_risk", "regimen_optimisation"],
  test_template: ["ddi_risk", "safe_substitution", "regimen_optimisation", "taper_sequence"],
  test_drug: ["ddi_risk", "safe_add", "safe_substitution", "regimen_optimisation", "taper_sequence"],
  test_combo: ["ddi_risk", "regimen_optimisation"],
  stress: ["ddi_risk", "regimen_optimisation", "missing_data"],
};

/** Number of tasks in a split: every task and tier with every seed. */
export function taskCount(split: Split): number {
  return tasksOf(split).length * DIFFICULTIES.length * seedCount(split);
}

/** Key of the task at `index` of a split: task, then tier, then seed. Throws VALIDATION_ERROR outside the range. */
export function keyAt(split: Split, index: number): ScenarioKey {
  const seeds = seedCount(split);
  const count = taskCount(split);
  if (!Number.isInteger(index) || index < 0 || index >= count)
    throw invalid("index", `Must be an integer from 0 to ${count - 1} in split '${split}'.`, index);
  const place = Math.floor(index / seeds);
  return {
    task: tasksOf(split)[Math.floor(place / DIFFICULTIES.length)]!,
    difficulty: DIFFICULTIES[place % DIFFICULTIES.length]!,
    split,
    seed: SPLIT_SEEDS[split][0] + (index % seeds),
  };
}

/** Key of `<task>/<tier>/<split>/<seed>`. Throws VALIDATION_ERROR or UNKNOWN_NAME with the part that is wrong. */
export function parseScenarioId(id: string): ScenarioKey {
  const parts = id.split("/");
  if (parts.length !== 4) throw invalid("scenario_id", "Must look like 'ddi_risk/medium/train/17'.", id);
  const task = checkName("task", parts[0]!, TASKS);
  const difficulty = checkName("difficulty", parts[1]!, DIFFICULTIES);
  const split = checkName("split", parts[2]!, SPLITS);
  const [first, last] = SPLIT_SEEDS[split];
  const seed = /^\d{1,7}$/.test(parts[3]!) ? Number(parts[3]) : Number.NaN;
  if (!(seed >= first && seed <= last))
    throw invalid("scenario_id", `The seed of split '${split}' must be from ${first} to ${last}.`, id);
  const key = { task, difficulty, split, seed };
  checkTaskInSplit(key);
  return key;
}

function checkTaskInSplit({ task, split }: ScenarioKey): void {
  if (tasksOf(split).includes(task)) return;
  const others = tasksOf(split).join(", ");
  throw invalid("split", `Task '${task}' has no scenarios in split '${split}', which has ${others}.`, split);
}

/** Key of a plain seed: its own split where it has one, else folded into train. Throws VALIDATION_ERROR for a task that the split lacks. */
export function keyOfSeed(seed: number, difficulty: Difficulty, task: Task = DEFAULT_TASK, split?: Split): ScenarioKey {
  const inRange = (name: Split): boolean => seed >= SPLIT_SEEDS[name][0] && seed <= SPLIT_SEEDS[name][1];
  const own = split ?? (["train", "val", "test_iid"] as const).find(inRange) ?? "train";
  const folded = inRange(own) ? seed : SPLIT_SEEDS[own][0] + (seed % seedCount(own));
  const key = { task, difficulty, split: own, seed: folded };
  checkTaskInSplit(key);
  return key;
}

/** Makes scenarios and keeps the latest ones. The same key always gives an equal scenario. */
export class ScenarioSource {
  readonly #kb: KnowledgeBase;
  readonly #evaluator: CourseEvaluator;
  /** By sub-environment, as some keep fewer than others. */
  readonly #caches = new Map<SubEnvironmentId, Map<string, Drawn>>();

  readonly #packs: PackShelf | null;

  readonly #store: ScenarioStore | null;

  /**
   * @param packs shelf of packed scenarios; null = there are none
   * @param store what was worked out about scenarios before; null = nothing is kept
   */
  constructor(
    kb: KnowledgeBase,
    evaluator: CourseEvaluator,
    packs: PackShelf | null = null,
    store: ScenarioStore | null = null,
  ) {
    this.#kb = kb;
    this.#evaluator = evaluator;
    this.#packs = packs;
    this.#store = store;
  }

  /** A scenario of a pack. Throws NOT_SUPPORTED without packs, UNKNOWN_NAME for an id that no pack has. */
  packed(id: string): Drawn {
    if (this.#packs === null)
      throw new PraxisError("NOT_SUPPORTED", `'${id}' needs the scenario packs, which were not handed in here.`);
    return this.#packs.get(id, (scenarioId) => this.get(parseScenarioId(scenarioId)));
  }

  /** The scenario of a key with its own content. */
  get(key: ScenarioKey): Drawn {
    const id = scenarioId(key);
    const sub = SUB_ENVIRONMENT_TABLE[subEnvironmentOfTask(key.task)];
    let cache = this.#caches.get(sub.id);
    if (cache === undefined) {
      cache = new Map();
      this.#caches.set(sub.id, cache);
    }
    let drawn = cache.get(id);
    if (drawn === undefined) {
      drawn = sub.draw({ kb: this.#kb, evaluator: this.#evaluator, store: this.#store }, key);
      if (key.split === "stress") drawn = { ...drawn, scenario: withStress(this.#kb, drawn.scenario) };
      if (cache.size >= sub.cacheSize) cache.delete(cache.keys().next().value!);
      cache.set(id, drawn);
    }
    return drawn;
  }
}
