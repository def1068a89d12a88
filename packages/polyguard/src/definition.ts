import type { EnvDefinition, EnvState, Info, ResetResult, Rng, StepResult } from "@praxis/env";
import { z } from "zod";
import { type StepAction, stepActionSchema } from "./actions/schema.ts";
import type { CourseContext } from "./course/context.ts";
import { CourseEvaluator } from "./course/evaluator.ts";
import { learningEpisode } from "./data/learning-episodes.ts";
import { makePolyGuardEnv, POLYGUARD_ID, type PolyGuardEnv, type PolyGuardParts } from "./env.ts";
import type { KnowledgeBase } from "./kb/types.ts";
import { type Observation, observationSchema } from "./observation/schema.ts";
import { makeBestJ } from "./policies/best-j.ts";
import { makeScenes } from "./policies/learned/provider.ts";
import type { SceneSwitches } from "./policies/learned/scene-reader.ts";
import { randomMiningAction } from "./policies/mining/random-mining.ts";
import { guessedJudgement } from "./policies/new-drug/judgement.ts";
import { resetSchema } from "./reset-options.ts";
import { DEFAULT_TIMEOUTS_MS } from "./reward/endings.ts";
import { checkWeights, DEFAULT_WEIGHTS, type RewardWeights } from "./reward/settings.ts";
import { compileWeights } from "./reward/total.ts";
import type { Task } from "./scenario/key.ts";
import { PackShelf } from "./scenario/packs.ts";
import { ScenarioSource } from "./scenario/source.ts";
import type { ScenarioStore } from "./scenario/store.ts";
import { makeTaskProvider } from "./scenario/tasks.ts";
import { DIFFICULTIES, SUB_ENVIRONMENTS } from "./scenario/types.ts";
import { SUB_ENVIRONMENT_TABLE } from "./sub-environments/index.ts";
import { POLYGUARD_TOOLS } from "./tools.ts";

/** Shown wherever the environment is. */
export const NOTICE = "Research simulation, not medical advice. Not a medical device, not for patient care.";

/** Version of the environment's behaviour. */
export const POLYGUARD_VERSION = "0.3.0";

/** Settings of training that suit the environment; flags and files outrank them. */
const SFT_DEFAULTS = {
  ...{
    decisions: "scenes",
    epochs: 8,
    minibatchSize: 64,
    learningRate: 1e-3,
    learningRateSchedule: "linear",
    // Keeps the first choice some three nats ahead, not thirty: draws of GRPO's groups must differ for it to learn anything.
    entropyCoef: 0.3,
  },
};
const GRPO_DEFAULTS = {
  ...{ decisions: "scenes", returns: "task", forkAt: "anywhere", continuation: "likeliest", advantage: "drGrpo" },
  ...{ iterations: 32, groupsPerIteration: 64, groupSize: 8, epochs: 4, minibatchSize: 64 },
  ...{ learningRate: 5e-4, learningRateSchedule: "linear", klCoef: 0.02, entropyCoef: 0.002 },
};

const MOST_STEPS = Math.max(...Object.values(SUB_ENVIRONMENT_TABLE).map(({ maxSteps }) => maxSteps));
/** Actions of another step that are answered and not counted, before the third ends the episode. */
const STALE_STEPS = 2;

/** What a definition may be told. */
export interface PolyGuardOptions {
  readonly weights?: RewardWeights;
  /** J of the best course of a scenario, for task scores; default the lookahead oracle's, kept in memory. */
  readonly bestJ?: (context: CourseContext) => number | null;
  /** Where what is worked out about scenarios is kept; default in the scenarios in memory. */
  readonly store?: ScenarioStore;
  readonly readme?: string;
  /** What scenes for learned policies leave out, for ablations; default nothing. */
  readonly scenes?: SceneSwitches;
  /** Text of the scenario pack of a task; without it no packed scenario can be played. */
  readonly readPack?: (task: Task) => string;
}

/** The definition of PolyGuard-v0. */
export type PolyGuardDefinition = EnvDefinition<StepAction, Observation, EnvState, PolyGuardEnv>;

const stateSchema: z.ZodType<EnvState> = z.looseObject({
  episodeId: z.string().nullable(),
  stepCount: z.int().min(0),
  scenario_id: z.string().optional(),
  sub_environment: z.enum(SUB_ENVIRONMENTS).optional(),
  difficulty: z.enum(DIFFICULTIES).optional(),
  day: z.number().optional(),
  steps_left: z.int().optional(),
  visits_left: z.int().optional(),
  changes_left: z.int().optional(),
});

/** Makes the environment on a knowledge base. Throws INVALID_CONFIG for weights that don't sum to 1. */
export function definePolyGuard(kb: KnowledgeBase, options: PolyGuardOptions = {}): PolyGuardDefinition {
  const weights = options.weights ?? DEFAULT_WEIGHTS;
  checkWeights(weights);
  const evaluator = new CourseEvaluator(kb);
  const parts: PolyGuardParts = {
    kb,
    evaluator,
    source: new ScenarioSource(
      kb,
      new CourseEvaluator(kb),
      options.readPack === undefined ? null : new PackShelf(kb, options.readPack),
      options.store ?? null,
    ),
    weights: compileWeights(weights),
    bestJ: options.bestJ ?? makeBestJ(kb),
  };
  return {
    id: POLYGUARD_ID,
    name: "polyguard",
    description:
      "An agent reviews an older patient on many drugs over a course of visits and picks typed, legal clinical actions.",
    version: POLYGUARD_VERSION,
    notice: NOTICE,
    ...(options.readme === undefined ? {} : { readme: options.readme }),
    schemas: { action: stepActionSchema, observation: observationSchema, state: stateSchema, reset: resetSchema },
    rewardRange: [0.001, 0.999],
    maxEpisodeSteps: MOST_STEPS + STALE_STEPS,
    tasks: makeTaskProvider(parts.source),
    tools: POLYGUARD_TOOLS,
    metadata: {
      notice: NOTICE,
      reward_weights: weights,
      knowledge_base: { hash: kb.hash, drugs: kb.drugs.length, interactions: kb.rules.length },
      timeouts_ms: DEFAULT_TIMEOUTS_MS,
      sub_environments: SUB_ENVIRONMENTS,
      sft: SFT_DEFAULTS,
      grpo: GRPO_DEFAULTS,
    },
    sampleAction,
    learningEpisode,
    scenes: makeScenes(kb, options.scenes),
    makeEnv: ({ seed } = {}) => makePolyGuardEnv(parts, seed),
  };
}

/** A typed action that picks one of the offered candidates, fields and nonce as offered. */
export function actionFor(
  observation: Observation,
  candidate: Observation["candidates"][number],
  extra: {
    readonly confidence: number;
    readonly rationale?: string;
    readonly evidenceIds?: readonly string[];
  },
): StepAction {
  const { text: _text, orders, ...fields } = candidate;
  return {
    schema_version: "1.0",
    step_nonce: observation.step_nonce,
    ...fields,
    ...(orders === undefined ? {} : { orders: [...orders] }),
    rationale: extra.rationale ?? "",
    evidence_ids: [...(extra.evidenceIds ?? [])],
    confidence: extra.confidence,
  };
}

/** How often a random action judges a new drug that waits for it. */
const JUDGED_SHARE = 0.2;

function sampleAction(rng: Rng, last: ResetResult<Observation> | StepResult<Observation>): StepAction {
  const { observation } = last;
  // Its payload is free, so it stands beside the candidates.
  if (observation.new_drug?.plan === null && rng.bernoulli(JUDGED_SHARE)) return guessedJudgement(rng, observation);
  if (observation.bandit !== undefined) return randomMiningAction(rng, observation, observation.bandit);
  const mask = maskOf(last.info, observation.candidates.length);
  const offered = observation.candidates.filter((_, i) => mask?.[i] ?? true);
  if (offered.length === 0) return { raw: "" };
  return actionFor(observation, rng.choice(offered), { confidence: 0.5 });
}

/** The legality mask of the debugging switch, when it is there. */
function maskOf(info: Info, length: number): readonly boolean[] | null {
  const { actionMask } = info;
  return Array.isArray(actionMask) && actionMask.length === length ? actionMask : null;
}
