import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, type EnvDefinition, PraxisError, Rng } from "@praxis/env";
import type { Kernels } from "@praxis/nn";
import { type Difficulty, PERTURBATIONS, type Split, SUB_ENVIRONMENTS } from "@praxis/polyguard";
import {
  type Checkpoint,
  copyWeights,
  grpoSettings,
  loadSmallAgent,
  makeGroupWorkers,
  makeSmallAgent,
  type SmallAgent,
  type SmallAgentSettings,
  sftSettings,
  smallAgentSettings,
  trainGrpo,
  trainSft,
} from "@praxis/train";
import { settingsFor } from "../commands/small-settings.ts";
import { type EvaluationRun, type EvaluationSettings, runEvaluation } from "../evaluation/run-evaluation.ts";
import { type Ablation, definitionOf, findAblation } from "./ablations.ts";
import { calibrateAgent, type HeldOutCheck } from "./calibrate.ts";
import { readExperts, writeExperts } from "./expert-file.ts";
import { hashLearnedPolicy, isLearnedPolicy, loadLearnedAgent, saveLearnedPolicy } from "./learned-policy.ts";
import type { PipelineSettings } from "./pipeline-settings.ts";
import { bestCheckpoint, runTrainStage } from "./train-stage.ts";

/** How and where a pipeline runs; decides no number. */
export interface PipelinePlace {
  readonly folder: string;
  readonly kernels: Kernels;
  readonly workers: number;
  readonly oracleCache: string;
  readonly signal: AbortSignal;
  readonly command: string;
  now(): number;
  /** A stage begins. */
  onStage(title: string): void;
  onProgress(done: number, total: number): void;
  onRow(row: Readonly<Record<string, number>>): void;
}

/** What a stage saved of a policy, checked after it was read back. */
export interface StageCheck extends HeldOutCheck {
  /** Iteration or epoch whose weights were kept. */
  readonly iteration: number;
  /** Decisions in which the policy read back from disk chose as the one in memory did, of `decisions`. */
  readonly reloadAgrees: boolean;
}

/** What a pipeline came to, for its report. */
export interface PipelineOutcome {
  readonly settings: PipelineSettings;
  readonly sftRun: string | null;
  readonly grpoRun: string | null;
  readonly checks: Readonly<Partial<Record<"base" | "sft" | "grpo", StageCheck>>>;
  readonly evaluation: EvaluationRun;
  readonly evaluationSettings: EvaluationSettings;
  readonly disturbed: { readonly settings: EvaluationSettings; readonly run: EvaluationRun } | null;
}

/** Episodes that confidences are calibrated and legality is counted on; not those of the report. */
const CALIBRATION_EPISODES = 320;
/** The same before any training, where calibration serves no one. */
const BASE_EPISODES = 32;
/** Validation seeds lie apart from training's. */
const VALIDATION_SEED_OFFSET = 1_000_000_007;

/**
 * Data, SFT, check, GRPO, check, evaluation: each stage leaves its result in the folder and is passed over when it is there, so a
 * pipeline that was killed goes on where it was, to the same numbers. Null when it was interrupted. Throws VALIDATION_ERROR for a
 * folder of other settings.
 */
export async function runPipeline(settings: PipelineSettings, place: PipelinePlace): Promise<PipelineOutcome | null> {
  claim(settings, place.folder);
  const ablation = findAblation(settings.ablation);
  const { definition, source } = definitionOf(ablation);
  const agentSettings = settingsFor(smallAgentSettings, { decisions: "scenes", ...ablation.agent });
  const at = { settings, place, ablation, definition, source, agentSettings };
  const checks: Partial<Record<"base" | "sft" | "grpo", StageCheck>> = {};
  const agent = beginAgent(at);
  checks.base = await keep(at, "base", agent, 0);

  let sftRun: string | null = null;
  if (ablation.skips !== "sft") {
    const file = join(place.folder, "experts.jsonl");
    place.onStage(`Experts play ${settings.experts} scenarios`);
    await writeExperts(file, {
      ...{ units: settings.experts, dataSeed: settings.seed, scenes: definition.scenes!.version },
      ...{ workers: place.workers, signal: place.signal, onProgress: place.onProgress },
    });
    if (place.signal.aborted) return null;
    place.onStage("SFT on what they did");
    sftRun = await sftStage(at, file);
    if (place.signal.aborted) return null;
    const last = bestCheckpoint(sftRun);
    checks.sft = await keep(at, "sft", agentOf(at, last.checkpoint), last.iteration);
  }

  let grpoRun: string | null = null;
  if (ablation.skips !== "grpo") {
    place.onStage("GRPO on the environment's reward");
    grpoRun = await grpoStage(at, sftRun === null ? null : bestCheckpoint(sftRun).checkpoint);
    if (place.signal.aborted) return null;
    const best = bestOfStages(grpoRun, sftRun);
    checks.grpo = await keep(at, "grpo", agentOf(at, best.checkpoint), best.iteration);
  }

  place.onStage("Evaluation on held-out scenarios");
  const evaluationSettings = evaluationOf(at, settings.policies, settings.scenarios, []);
  const where = { cache: place.oracleCache, workers: place.workers, isResumed: true, onProgress: place.onProgress };
  const evaluation = await runEvaluation(evaluationSettings, { ...where, out: join(place.folder, "evaluation") });
  let disturbed: PipelineOutcome["disturbed"] = null;
  if (settings.disturbed > 0) {
    place.onStage("Evaluation with a disturbed view");
    const best = ablation.skips === "grpo" ? "sft" : "grpo";
    const shaken = evaluationOf(at, [best, "rule_based"], settings.disturbed, PERTURBATIONS);
    const out = join(place.folder, "evaluation-disturbed");
    disturbed = { settings: shaken, run: await runEvaluation(shaken, { ...where, out }) };
  }
  return { settings, sftRun, grpoRun, checks, evaluation, evaluationSettings, disturbed };
}

interface At {
  readonly settings: PipelineSettings;
  readonly place: PipelinePlace;
  readonly ablation: Ablation;
  readonly definition: EnvDefinition;
  readonly source: { readonly moduleUrl: string; readonly exportName: string };
  readonly agentSettings: SmallAgentSettings;
}

function claim(settings: PipelineSettings, folder: string): void {
  const path = join(folder, "settings.json");
  const text = canonicalJson(settings);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
  } else if (readFileSync(path, "utf8") !== text)
    throw new PraxisError(
      "VALIDATION_ERROR",
      `'${folder}' holds a pipeline of other settings, see its settings.json; choose another folder.`,
    );
}

/** Weights before any training: those that SFT begins with. */
function beginAgent({ settings, definition, place: { kernels }, agentSettings }: At): SmallAgent<unknown> {
  const rng = Rng.fromSeed(settings.seed, "small-agent").split("policy");
  return makeSmallAgent(definition, { kernels, rng, settings: agentSettings });
}

function agentOf({ definition, agentSettings, place: { kernels } }: At, checkpoint: Checkpoint): SmallAgent<unknown> {
  return loadSmallAgent({ definition, kernels, settings: agentSettings, checkpoint });
}

function runConfig({ settings, definition, place }: At, algorithm: "sft" | "grpo", own: Record<string, unknown>) {
  return {
    ...{ env: definition.name, algorithm, seed: settings.seed, settings: own },
    context: { envId: definition.id, envVersion: definition.version, kernels: place.kernels.description },
  };
}

function environmentDefaults(definition: EnvDefinition, algorithm: "sft" | "grpo"): Record<string, unknown> {
  return { ...((definition.metadata?.[algorithm] ?? {}) as Record<string, unknown>) };
}

async function sftStage(at: At, file: string): Promise<string> {
  const { settings, definition, place, agentSettings } = at;
  const own = { ...environmentDefaults(definition, "sft"), epochs: settings.epochs };
  const parsed = settingsFor(sftSettings, own);
  const { kernels, signal, now, onRow } = place;
  const { run } = await runTrainStage({
    ...{ folder: join(place.folder, "sft"), definition, kernels, signal, now, onRow, checkpointEvery: 1 },
    config: runConfig(at, "sft", { ...parsed, ...agentSettings }),
    evaluation: { every: settings.epochs, episodes: settings.validation, seed: validationSeed(settings) },
    train: (loop, resume) =>
      trainSft({
        ...{ definition, kernels, seed: settings.seed, settings: parsed, agentSettings, ...loop },
        ...(resume === undefined ? {} : { resume }),
        examplesFor: () => readExperts(file, definition.scenes!.shape).episodes,
      }),
  });
  return run;
}

async function grpoStage(at: At, from: Checkpoint | null): Promise<string> {
  const { settings, definition, place, agentSettings, ablation } = at;
  const own = {
    ...environmentDefaults(definition, "grpo"),
    ...{ iterations: settings.iterations, groupsPerIteration: settings.groups, groupSize: settings.groupSize },
    ...ablation.grpo,
  };
  const parsed = settingsFor(grpoSettings, own);
  const { kernels, signal, now, onRow, workers } = place;
  const collector =
    workers > 1
      ? await makeGroupWorkers({ ...at.source, numWorkers: workers, kernels: kernels.name, settings: agentSettings })
      : null;
  try {
    const { run } = await runTrainStage({
      ...{ folder: join(place.folder, "grpo"), definition, kernels, signal, now, onRow },
      // Validated weights are saved ones, so that the best can be kept.
      checkpointEvery: settings.validateEvery,
      config: runConfig(at, "grpo", { ...parsed, ...agentSettings }),
      evaluation: {
        ...{ every: settings.validateEvery, episodes: settings.validation, patience: settings.patience },
        seed: validationSeed(settings),
      },
      train: (loop, resume) =>
        trainGrpo({
          ...{ definition, kernels, seed: settings.seed, settings: parsed, agentSettings, ...loop },
          ...(resume === undefined ? {} : { resume }),
          ...(from === null ? {} : { weights: from.weights }),
          ...(collector === null ? {} : { collector }),
        }),
    });
    return run;
  } finally {
    await collector?.close();
  }
}

/** The best weights of GRPO, or those that it began with, as iteration 0, where validation never rose above theirs. */
function bestOfStages(grpoRun: string, sftRun: string | null) {
  const best = bestCheckpoint(grpoRun);
  if (sftRun === null) return best;
  const begun = bestCheckpoint(sftRun);
  return (best.validation ?? 0) > (begun.validation ?? Number.NEGATIVE_INFINITY) ? best : { ...begun, iteration: 0 };
}

function validationSeed({ seed }: PipelineSettings): number {
  return seed + VALIDATION_SEED_OFFSET;
}

/** Calibrates a stage's agent, saves it, reads it back and checks that it is the same. Passed over when it is there. */
async function keep(
  { settings, definition, place, agentSettings }: At,
  stage: "base" | "sft" | "grpo",
  agent: SmallAgent<unknown>,
  iteration: number,
): Promise<StageCheck> {
  const folder = join(place.folder, "policies", stage);
  const checkFile = join(folder, "check.json");
  if (isLearnedPolicy(folder) && existsSync(checkFile))
    return JSON.parse(readFileSync(checkFile, "utf8")) as StageCheck;
  place.onStage(`Calibration and check of ${stage}`);
  const { kernels } = place;
  const { seed } = settings;
  const episodes = Math.min(stage === "base" ? BASE_EPISODES : CALIBRATION_EPISODES, 4 * settings.validation);
  const given = { definition, kernels, episodes, seed: validationSeed(settings) };
  // The calibration of an earlier stage is no part of this one's.
  const counted = await calibrateAgent(agent, given);
  const about = {
    ...{ env: definition.id, scenes: definition.scenes!.version, stage, seed, agent: agentSettings },
    command: place.command,
  };
  saveLearnedPolicy(folder, about, agent);
  const back = loadLearnedAgent(folder, { definition, kernels });
  const again = makeSmallAgent(definition, { kernels, rng: Rng.fromSeed(0), settings: agentSettings });
  copyWeights(back.policy, again.policy);
  const repeated = await calibrateAgent(again, { ...given, episodes: Math.min(8, episodes) });
  const first = await calibrateAgent(agent, { ...given, episodes: Math.min(8, episodes) });
  const check: StageCheck = {
    ...{ ...counted, iteration },
    reloadAgrees: canonicalJson(first) === canonicalJson(repeated),
  };
  writeFileSync(checkFile, `${JSON.stringify(check, null, 2)}\n`);
  return check;
}

function evaluationOf(
  { settings, place, ablation }: At,
  policies: readonly string[],
  n: number,
  perturbations: EvaluationSettings["perturbations"],
): EvaluationSettings {
  const made = (["base", "sft", "grpo"] as const).filter((stage) => stage !== ablation.skips);
  const wanted = policies.filter((name) => name !== ablation.skips);
  return {
    ...{ policies: wanted, subEnvironments: SUB_ENVIRONMENTS, n, perturbations },
    ...{ splits: [settings.split as Split], difficulties: [settings.difficulty as Difficulty], variants: [] },
    learned: made
      .filter((stage) => wanted.includes(stage))
      .map((name) => {
        const folder = join(place.folder, "policies", name);
        return { name, folder, ablation: settings.ablation, hash: hashLearnedPolicy(folder) };
      }),
  };
}
