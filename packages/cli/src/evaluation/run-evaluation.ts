import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, PraxisError } from "@praxis/env";
import {
  CATALOGUE,
  codeVersion,
  type Difficulty,
  evaluationScenarios,
  type Perturbation,
  perturbationIsIdle,
  type Split,
  type SubEnvironment,
  variantIsIdle,
} from "@praxis/polyguard";
import type { EvaluationJob, JobResult, LearnedPolicyPlace, WorkerAnswer, WorkerStart } from "./jobs.ts";
import { appendJsonLines, readJsonLines } from "./results-file.ts";
import { appendValues, readValues } from "./value-cache.ts";
import { playJobs } from "./worker-pool.ts";

// The path holds from `src` and `dist` alike.
const WORKER_URL = new URL("../../dist/evaluation/eval-worker.js", import.meta.url);

/** What is evaluated; everything that decides a number. */
export interface EvaluationSettings {
  readonly policies: readonly string[];
  readonly subEnvironments: readonly SubEnvironment[];
  readonly splits: readonly Split[];
  readonly difficulties: readonly Difficulty[];
  /** Scenarios of each sub-environment, split and tier. */
  readonly n: number;
  readonly perturbations: readonly Perturbation[];
  /** Ways of playing of {@link TEAM} to be played beside its own. */
  readonly variants: readonly string[];
  /** Policies among the names that were learned; their weights are part of the settings. */
  readonly learned?: readonly (LearnedPolicyPlace & { readonly hash: string })[];
}

/** Policy that ablations are of. */
export const TEAM = "planner_critic";

/** How and where it is run; decides no number. */
export interface EvaluationPlace {
  /** Run folder. */
  readonly out: string;
  /** Folder of what is worked out about scenarios: J_best, number of the draft, grades of options. */
  readonly cache: string;
  readonly workers: number;
  readonly isResumed: boolean;
  onProgress(done: number, total: number): void;
  /** A line for the user. */
  onNote(line: string): void;
}

/** A finished run. */
export interface EvaluationRun {
  /** In the order of the scenarios. */
  readonly results: readonly JobResult[];
  readonly version: string;
  /** Best courses that had to be planned, and the time of it summed over workers. */
  readonly planned: number;
  readonly oracleMs: number;
}

/**
 * Plays all scenarios for all policies. Each scenario is written to `episodes.jsonl` as it is done, so that a run that was
 * killed goes on with `isResumed`. Throws VALIDATION_ERROR when the folder holds a run and is not resumed, or one of other
 * settings or code.
 */
export async function runEvaluation(settings: EvaluationSettings, place: EvaluationPlace): Promise<EvaluationRun> {
  const version = codeVersion();
  const ids = scenariosOf(settings);
  const file = join(place.out, "episodes.jsonl");
  const learned = settings.learned?.map(({ name, ablation, hash }) => ({ name, ablation, hash }));
  claimFolder(place, { ...settings, ...(learned === undefined ? {} : { learned }), code: version });
  const done = new Map(readJsonLines<JobResult>(file).map((result) => [result.scenarioId, result]));
  const cacheFile = join(place.cache, `scenarios-${version}.jsonl`);
  const { known, damaged } = readValues(cacheFile);
  if (damaged > 0)
    place.onNote(`${damaged} damaged lines of ${cacheFile} are passed over; what they held is worked out again.`);
  const jobs = ids
    .filter((id) => !done.has(id))
    .map((scenarioId): EvaluationJob => ({ scenarioId, plays: playsOf(settings, scenarioId) }));
  let planned = 0;
  let oracleMs = 0;
  place.onProgress(done.size, ids.length);
  await playJobs<EvaluationJob, WorkerStart, WorkerAnswer>(jobs, {
    url: WORKER_URL,
    workers: place.workers,
    start: { known, learned: settings.learned ?? [] },
    onAnswer: (answer) => {
      appendJsonLines(file, [answer.result]);
      appendValues(cacheFile, answer.found);
      planned += answer.planned;
      oracleMs += answer.oracleMs;
      done.set(answer.result.scenarioId, answer.result);
      place.onProgress(done.size, ids.length);
    },
  });
  return { results: ids.map((id) => done.get(id)!), version, planned, oracleMs };
}

/** Every split and tier; a split without tasks of a sub-environment leaves it out, as long as one has some. */
function scenariosOf({ splits, difficulties, subEnvironments, n }: EvaluationSettings): readonly string[] {
  return splits.flatMap((split) =>
    difficulties.flatMap((difficulty) => evaluationScenarios({ subEnvironments, split, difficulty, n })),
  );
}

function playsOf(
  { policies, perturbations, variants }: EvaluationSettings,
  scenarioId: string,
): EvaluationJob["plays"] {
  const sub = subEnvironmentOf(scenarioId);
  return policies.flatMap((policy) => [
    ...[null, ...perturbations.filter((each) => perturbationIsIdle(sub, each) === null)].map((perturbation) => ({
      ...{ policy, perturbation, variant: null },
    })),
    ...(policy === TEAM ? variants : [])
      .filter((variant) => variantIsIdle(sub, variant) === null)
      .map((variant) => ({ policy, perturbation: null, variant })),
  ]);
}

function subEnvironmentOf(scenarioId: string): SubEnvironment {
  const task = scenarioId.slice(0, scenarioId.indexOf("/"));
  return CATALOGUE.find((entry) => entry.task === task)!.subEnvironment;
}

function claimFolder({ out, isResumed }: EvaluationPlace, settings: object): void {
  const path = join(out, "settings.json");
  const text = canonicalJson(settings);
  if (!existsSync(path)) {
    mkdirSync(out, { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
    return;
  }
  if (!isResumed)
    throw new PraxisError("VALIDATION_ERROR", `'${out}' holds a run; choose another folder or add --resume.`);
  if (readFileSync(path, "utf8") !== text)
    throw new PraxisError(
      "VALIDATION_ERROR",
      `'${out}' holds a run of other settings or of other code, see its settings.json; choose another folder.`,
    );
}
