import { didYouMean, type FieldError, PraxisError } from "@praxis/env";
import { z } from "zod";
import type { ScenarioKey, Task } from "./scenario/key.ts";
import { PACK_PREFIX, parsePackId } from "./scenario/packs.ts";
import { checkPerturbation, type Perturbation } from "./scenario/perturbations.ts";
import {
  checkName,
  keyAt,
  keyOfSeed,
  mainTaskOf,
  parseScenarioId,
  subEnvironmentOfTask,
  TASKS,
} from "./scenario/source.ts";
import { DIFFICULTIES, type Difficulty, SPLITS, SUB_ENVIRONMENTS } from "./scenario/types.ts";

/** Reset options on the wire; all may be left out. Names are checked against their lists by {@link resolveReset}. */
export const resetSchema = z.object({
  difficulty: z.string().optional().describe("easy, medium (default) or hard"),
  sub_environment: z.string().optional().describe("DDI (default) or another of the eight"),
  task: z.string().optional().describe("task of the catalogue; default the main one of the sub-environment"),
  scenario_id: z.string().optional().describe("<task>/<tier>/<split>/<seed>, e.g. ddi_risk/medium/train/17"),
  split: z.string().optional().describe("split that index counts in, or that the seed is taken from"),
  index: z.int().min(0).optional().describe("number of the task in the split"),
  fhir: z.looseObject({}).optional().describe("FHIR R4 Bundle of the patient to review, instead of a scenario"),
  as_of: z.string().optional().describe("day of the review for fhir, ISO 8601; default the bundle's timestamp"),
  score_task: z
    .boolean()
    .optional()
    .describe(
      "tell the task score at the end where it needs the best course of the scenario, planned once in about half a second; default only where success itself needs it",
    ),
  show_population: z.boolean().optional().describe("BANDIT_MINING: list the population in the first observation"),
  perturbation: z
    .string()
    .optional()
    .describe("disturb the record to test robustness: drop_labs, shift_crcl, decoy_alerts, stale_data and others"),
  expose_legality: z.boolean().optional().describe("debugging: put a legality mask into info"),
});

/** Reset options as they come. */
export type ResetOptions = Readonly<Record<string, unknown>>;

/** What an episode is about: a scenario of the generator, or a patient's record. */
export type WantedEpisode =
  | { readonly kind: "scenario"; readonly key: ScenarioKey }
  | { readonly kind: "packed"; readonly id: string }
  | { readonly kind: "record"; readonly bundle: unknown; readonly asOf: string | undefined };

/** Which episode a reset asks for. */
export interface ResolvedReset {
  readonly wanted: WantedEpisode;
  readonly exposesLegality: boolean;
  /** The task score is asked for, or forbidden; null = neither. */
  readonly scoresTask: boolean | null;
  /** BANDIT_MINING: the first observation lists the population. */
  readonly showsPopulation: boolean;
  /** What the record is disturbed by; null = it is as drawn. */
  readonly perturbation: Perturbation | null;
  readonly warnings: readonly string[];
}

const DEFAULT_DIFFICULTY: Difficulty = "medium";

/**
 * Reads reset options. Keys that are not known are passed over with a warning that names the nearest. Throws
 * VALIDATION_ERROR for values of the wrong form or options against each other, UNKNOWN_NAME for unknown names.
 */
export function resolveReset(options: ResetOptions, seed: number): ResolvedReset {
  const names = Object.keys(resetSchema.shape);
  const warnings = Object.keys(options)
    .filter((key) => !names.includes(key))
    .map((key) => `Reset option '${key}' is not known and was ignored.${didYouMean(key, names)}`);
  const parsed = resetSchema.safeParse(options);
  if (!parsed.success) throw refusal(parsed.error.issues);
  const { difficulty, split, index, scenario_id, fhir, as_of } = parsed.data;
  const tier = difficulty === undefined ? null : checkName("difficulty", difficulty, DIFFICULTIES);
  const named = split === undefined ? null : checkName("split", split, SPLITS);
  const task = namedTask(parsed.data);
  const switches = {
    exposesLegality: parsed.data.expose_legality ?? false,
    scoresTask: parsed.data.score_task ?? null,
    showsPopulation: parsed.data.show_population ?? false,
    perturbation: parsed.data.perturbation === undefined ? null : checkPerturbation(parsed.data.perturbation),
    warnings,
  };
  if (fhir !== undefined) {
    const other = (["difficulty", "task", "scenario_id", "split", "index"] as const).find(
      (name) => parsed.data[name] !== undefined,
    );
    if (other !== undefined) throw conflicting("fhir", other, "ask for different episodes");
    return { wanted: { kind: "record", bundle: fhir, asOf: as_of }, ...switches };
  }
  if (scenario_id?.startsWith(PACK_PREFIX) === true) {
    const pack = parsePackId(scenario_id);
    const conflict =
      (named !== null && "split") ||
      (index !== undefined && "index") ||
      (pack !== null && tier !== null && tier !== pack.difficulty && "difficulty") ||
      (pack !== null && task !== null && !task.fits({ ...pack, split: "test_iid", seed: 0 }) && task.option);
    if (conflict) throw conflicting(`scenario_id '${scenario_id}'`, conflict, "ask for different tasks");
    return { wanted: { kind: "packed", id: scenario_id }, ...switches };
  }
  if (scenario_id !== undefined) {
    const key = parseScenarioId(scenario_id);
    const conflict =
      (tier !== null && tier !== key.difficulty && "difficulty") ||
      (named !== null && named !== key.split && "split") ||
      (index !== undefined && "index") ||
      (task !== null && !task.fits(key) && task.option);
    if (conflict) throw conflicting(`scenario_id '${scenario_id}'`, conflict, "ask for different tasks");
    return { wanted: { kind: "scenario", key }, ...switches };
  }
  if (index !== undefined) {
    const key = keyAt(named ?? "train", index);
    if (tier !== null && tier !== key.difficulty)
      throw conflicting(`index ${index}, a ${key.difficulty} task,`, "difficulty", "ask for different tasks");
    if (task !== null && !task.fits(key))
      throw conflicting(`index ${index}, task ${key.task},`, task.option, "ask for different tasks");
    return { wanted: { kind: "scenario", key }, ...switches };
  }
  const key = keyOfSeed(seed, tier ?? DEFAULT_DIFFICULTY, task?.name, named ?? undefined);
  return { wanted: { kind: "scenario", key }, ...switches };
}

/** What a reset says of the task: its name, whether a key is of it, and which option said so; null = nothing. */
interface NamedTask {
  readonly name: Task;
  readonly option: "task" | "sub_environment";
  fits(key: ScenarioKey): boolean;
}

function namedTask(options: z.infer<typeof resetSchema>): NamedTask | null {
  const sub =
    options.sub_environment === undefined
      ? null
      : checkName("sub_environment", options.sub_environment, SUB_ENVIRONMENTS);
  if (options.task === undefined)
    return sub === null
      ? null
      : { name: mainTaskOf(sub), option: "sub_environment", fits: (key) => subEnvironmentOfTask(key.task) === sub };
  const name = checkName("task", options.task, TASKS);
  if (sub !== null && subEnvironmentOfTask(name) !== sub)
    throw conflicting(`task '${name}'`, "sub_environment", "ask for different tasks");
  return { name, option: "task", fits: (key) => key.task === name };
}

function conflicting(what: string, option: string, how: string): PraxisError {
  return new PraxisError("VALIDATION_ERROR", `${what} and ${option} ${how}. Leave out ${option}.`, {
    fields: [{ type: "value_error", loc: [option], msg: `Leave out ${option}.` }],
  });
}

function refusal(issues: readonly z.core.$ZodIssue[]): PraxisError {
  const fields = issues.map(
    (issue): FieldError => ({ type: "value_error", loc: issue.path.map((part) => String(part)), msg: issue.message }),
  );
  const first = issues[0]!;
  return new PraxisError("VALIDATION_ERROR", `Reset option '${first.path.join(".")}': ${first.message}.`, { fields });
}
