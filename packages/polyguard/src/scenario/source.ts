import { didYouMean, type FieldError, PraxisError } from "@praxis/env";
import type { CourseEvaluator } from "../course/evaluator.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { generateScenario, type ScenarioKey, scenarioId } from "./generate.ts";
import { SPLIT_SEEDS } from "./splits.ts";
import { DIFFICULTIES, type Difficulty, type Scenario, SPLITS, type Split, SUB_ENVIRONMENTS } from "./types.ts";

/** Tasks that can be played. */
export const TASKS = ["ddi_risk"] as const;

/** Sub-environments that can be played. */
const PLAYABLE = ["DDI"] as const;

/** Scenarios kept so that a repeated reset costs nothing. */
const CACHE_SIZE = 512;

/** Throws UNKNOWN_NAME with the nearest name unless `value` is one of `names`. */
export function checkName<T extends string>(what: string, value: string, names: readonly T[]): T {
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown ${what} '${value}'.${didYouMean(value, names)} Use one of ${names.join(", ")}.`,
  );
}

/** Throws NOT_SUPPORTED for a sub-environment that exists but can't be played, UNKNOWN_NAME for one that does not exist. */
export function checkSubEnvironment(value: string): "DDI" {
  const name = checkName("sub_environment", value, SUB_ENVIRONMENTS);
  if (name === "DDI") return name;
  throw new PraxisError("NOT_SUPPORTED", `Sub-environment '${name}' is not offered yet. Use ${PLAYABLE.join(", ")}.`);
}

function invalid(field: string, message: string, input: unknown): PraxisError {
  const error: FieldError = { type: "value_error", loc: [field], msg: message, input };
  return new PraxisError("VALIDATION_ERROR", `${field}: ${message}`, { fields: [error] });
}

/** Number of tasks in a split: every tier with every seed. */
export function taskCount(split: Split): number {
  const [first, last] = SPLIT_SEEDS[split];
  return TASKS.length * DIFFICULTIES.length * (last - first + 1);
}

/** Key of the task at `index` of a split: task, then tier, then seed. Throws VALIDATION_ERROR outside the range. */
export function keyAt(split: Split, index: number): ScenarioKey {
  const [first, last] = SPLIT_SEEDS[split];
  const seeds = last - first + 1;
  const count = taskCount(split);
  if (!Number.isInteger(index) || index < 0 || index >= count)
    throw invalid("index", `Must be an integer from 0 to ${count - 1} in split '${split}'.`, index);
  const difficulty = DIFFICULTIES[Math.floor(index / seeds) % DIFFICULTIES.length]!;
  return { task: "ddi_risk", difficulty, split, seed: first + (index % seeds) };
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
  return { task, difficulty, split, seed };
}

/** Key of a plain seed: its own split where it has one, else folded into train. */
export function keyOfSeed(seed: number, difficulty: Difficulty, split?: Split): ScenarioKey {
  const inRange = (name: Split): boolean => seed >= SPLIT_SEEDS[name][0] && seed <= SPLIT_SEEDS[name][1];
  const own = split ?? (["train", "val", "test_iid"] as const).find(inRange) ?? "train";
  const [first, last] = SPLIT_SEEDS[own];
  const folded = inRange(own) ? seed : first + (seed % (last - first + 1));
  return { task: "ddi_risk", difficulty, split: own, seed: folded };
}

/** Makes scenarios and keeps the latest ones. The same key always gives an equal scenario. */
export class ScenarioSource {
  readonly #kb: KnowledgeBase;
  readonly #evaluator: CourseEvaluator;
  readonly #cache = new Map<string, Scenario>();

  constructor(kb: KnowledgeBase, evaluator: CourseEvaluator) {
    this.#kb = kb;
    this.#evaluator = evaluator;
  }

  /** The scenario of a key. */
  get(key: ScenarioKey): Scenario {
    const id = scenarioId(key);
    let scenario = this.#cache.get(id);
    if (scenario === undefined) {
      scenario = generateScenario(this.#kb, this.#evaluator, key);
      if (this.#cache.size >= CACHE_SIZE) this.#cache.delete(this.#cache.keys().next().value!);
      this.#cache.set(id, scenario);
    }
    return scenario;
  }
}
