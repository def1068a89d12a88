import { didYouMean, type FieldError, PraxisError } from "@praxis/env";
import { z } from "zod";
import type { ScenarioKey } from "./scenario/generate.ts";
import { checkName, checkSubEnvironment, keyAt, keyOfSeed, parseScenarioId } from "./scenario/source.ts";
import { DIFFICULTIES, type Difficulty, SPLITS } from "./scenario/types.ts";

/** Reset options on the wire; all may be left out. Names are checked against their lists by {@link resolveReset}. */
export const resetSchema = z.object({
  difficulty: z.string().optional().describe("easy, medium (default) or hard"),
  sub_environment: z.string().optional().describe("DDI (default)"),
  scenario_id: z.string().optional().describe("<task>/<tier>/<split>/<seed>, e.g. ddi_risk/medium/train/17"),
  split: z.string().optional().describe("split that index counts in, or that the seed is taken from"),
  index: z.int().min(0).optional().describe("number of the task in the split"),
  fhir: z.looseObject({}).optional().describe("FHIR R4 Bundle of the patient to review, instead of a scenario"),
  as_of: z.string().optional().describe("day of the review for fhir, ISO 8601; default the bundle's timestamp"),
  score_task: z
    .boolean()
    .optional()
    .describe("tell the task score at the end; the best course of a scenario is planned once, in about half a second"),
  expose_legality: z.boolean().optional().describe("debugging: put a legality mask into info"),
});

/** Reset options as they come. */
export type ResetOptions = Readonly<Record<string, unknown>>;

/** What an episode is about: a scenario of the generator, or a patient's record. */
export type WantedEpisode =
  | { readonly kind: "scenario"; readonly key: ScenarioKey }
  | { readonly kind: "record"; readonly bundle: unknown; readonly asOf: string | undefined };

/** Which episode a reset asks for. */
export interface ResolvedReset {
  readonly wanted: WantedEpisode;
  readonly exposesLegality: boolean;
  /** The last step tells the task score. */
  readonly scoresTask: boolean;
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
  const { difficulty, sub_environment, scenario_id, split, index, expose_legality, score_task, fhir, as_of } =
    parsed.data;
  if (sub_environment !== undefined) checkSubEnvironment(sub_environment);
  const tier = difficulty === undefined ? null : checkName("difficulty", difficulty, DIFFICULTIES);
  const named = split === undefined ? null : checkName("split", split, SPLITS);
  const switches = { exposesLegality: expose_legality ?? false, scoresTask: score_task ?? false, warnings };
  if (fhir !== undefined) {
    const other = (["difficulty", "scenario_id", "split", "index"] as const).find(
      (name) => parsed.data[name] !== undefined,
    );
    if (other !== undefined)
      throw new PraxisError("VALIDATION_ERROR", `fhir and ${other} ask for different episodes. Leave out ${other}.`, {
        fields: [{ type: "value_error", loc: [other], msg: `Leave out ${other} beside fhir.` }],
      });
    return { wanted: { kind: "record", bundle: fhir, asOf: as_of }, ...switches };
  }
  if (scenario_id !== undefined) {
    const key = parseScenarioId(scenario_id);
    const conflict =
      (tier !== null && tier !== key.difficulty && "difficulty") ||
      (named !== null && named !== key.split && "split") ||
      (index !== undefined && "index");
    if (conflict)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `scenario_id '${scenario_id}' and ${conflict} ask for different tasks.`,
        {
          fields: [{ type: "value_error", loc: [conflict], msg: `Leave out ${conflict} beside scenario_id.` }],
        },
      );
    return { wanted: { kind: "scenario", key }, ...switches };
  }
  if (index !== undefined) {
    const key = keyAt(named ?? "train", index);
    if (tier !== null && tier !== key.difficulty)
      throw new PraxisError("VALIDATION_ERROR", `Task ${index} is of difficulty ${key.difficulty}, not ${tier}.`, {
        fields: [{ type: "value_error", loc: ["difficulty"], msg: "Leave out difficulty beside index." }],
      });
    return { wanted: { kind: "scenario", key }, ...switches };
  }
  const key = keyOfSeed(seed, tier ?? DEFAULT_DIFFICULTY, named ?? undefined);
  return { wanted: { kind: "scenario", key }, ...switches };
}

function refusal(issues: readonly z.core.$ZodIssue[]): PraxisError {
  const fields = issues.map(
    (issue): FieldError => ({ type: "value_error", loc: issue.path.map((part) => String(part)), msg: issue.message }),
  );
  const first = issues[0]!;
  return new PraxisError("VALIDATION_ERROR", `Reset option '${first.path.join(".")}': ${first.message}.`, { fields });
}
