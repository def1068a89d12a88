import { type FieldError, PraxisError } from "@praxis/env";
import { z } from "zod";
import { BANK_SPLITS } from "./bank/bank.ts";

/** Named sets of settings. `balanced` is the default. */
export const PRESETS = ["balanced", "demo", "quality", "fast", "frugal", "seed"] as const;
/** Name of a preset. */
export type Preset = (typeof PRESETS)[number];

const share = (value: number) => z.number().min(0).max(1).default(value);
const amount = (value: number) => z.number().min(0).default(value);
const mix = (...values: readonly [number, number, number, number, number]) =>
  z.tuple([share(0), share(0), share(0), share(0), share(0)]).default([...values]);

/** Milliseconds of simulated time. `assumption:` all, scaled to the latencies of the bank's specialists (2 to 5 s). */
const timingSchema = z.strictObject({
  handOverMs: amount(1200).describe("every meta-action but stop and clarify"),
  reopenMs: amount(3500).describe("each further call step on a diagnostic task"),
  synthesisMs: amount(2200),
  mediationMs: amount(1500),
  clarificationMs: amount(600),
  spawnMs: amount(1500),
  splitMs: amount(300).describe("parallelSpawn divides the task"),
  conditionalMs: amount(100).describe("check between two calls of mode conditional"),
  queueMs: amount(200).describe("dispatch of one call of mode priorityQueue"),
  broadcastMs: amount(600).describe("choice of the best output"),
  broadcastCapMs: amount(7000).describe("broadcast waits no longer"),
  timeoutMs: amount(8000).describe("a call that times out without a time budget"),
  latencyNoiseMs: amount(400),
  minLatencyMs: amount(500),
  passShare: share(0.4).describe("further pass of mode iterative, and the floor taken again, per call latency"),
  deepenShare: share(0.6).describe("consultation of somebody who has delivered, per call latency"),
  integrationShare: share(0.4).describe("the lead works consultees' answers in, per its latency"),
  slaMs: z
    .tuple([amount(0), amount(0), amount(0), amount(0), amount(0)])
    .default([7000, 11000, 15000, 20000, 26000])
    .describe("per class"),
  urgentShare: share(0.5).describe("an urgent task has this share of its class's SLA"),
});

/** How the simulated work behaves. `assumption:` all; calibrated together so that no choice is dead. */
const simulationSchema = z.strictObject({
  contributionNoise: amount(0.03),
  difficultySlope: amount(0.5),
  chainGain: share(0.2),
  chainFloor: share(0.2),
  chainBlindFactor: share(0.7),
  distractionFactor: share(0.9),
  styleNoise: amount(0.25),
  diagnosticHit: share(0.95),
  diagnosticMiss: share(0.1),
  crowdFactor: share(0.75).describe("chance of a diagnosis when several work on the case at once"),
  hypothesisFactor: share(0.2).describe("consultees follow the lead's diagnosis"),
  mergeGain: share(0.25),
  joinFactor: share(0.8),
  consultedJoinFactor: share(0.9),
  synthesisFloor: share(0.2),
  synthesisJoin: share(0.08),
  synthesisSeparable: share(0.03).describe("detail lost"),
  synthesisElse: share(0.02),
  resolveChance: share(0.85),
  iterationGain: z
    .strictObject({ refine: share(0.5), open: share(0.05), diagnostic: share(0), other: share(0.06) })
    .prefault({}),
  ceilingFactor: amount(1.2),
  ceilingOffset: amount(0.04),
  ceiling: share(0.98),
  conflictWeight: amount(0.25),
  conflictFloor: share(0.25),
  uselessFloor: share(0.1),
  uselessPenalty: amount(0.02),
  schoolKept: share(0.8),
  partTimeBase: share(0.3),
  partDifficulty: share(0.25).describe("a part is easier by this much"),
  maxConsultees: z.int().min(1).max(8).default(3),
  generalist: z
    .strictObject({ competence: share(0.35), headroom: share(0.5), latencyMs: amount(2000), failure: share(0.02) })
    .prefault({}),
});

/** Weights and bounds of the reward. Source: the founding formula; the caps close its exploits. */
const rewardSchema = z.strictObject({
  efficiencyWeight: amount(0.05),
  timeoutBase: amount(0.3),
  errorBase: amount(0.2),
  recoveredFactor: share(0.3),
  failureCap: amount(0.6),
  recoveryCap: amount(0.2),
  recoveryEach: amount(0.1),
  recovery: z.enum(["capped", "flat"]).default("capped"),
  conflictPenalty: amount(0.1),
  conflictBonus: amount(0.05),
  conflictBonusCap: amount(0.1),
  consistencyWeight: amount(0.1),
  latencyWeight: amount(0.25),
  latencyCap: amount(2),
  explanationWeight: amount(0.05),
  low: z.number().default(-1),
  high: z.number().default(2),
  noCall: z.number().default(-0.1),
  allFailed: z.number().default(-0.2),
  violation: amount(0.02),
  clarification: amount(0.03),
  redundantSpawn: amount(0.02),
  costWeight: amount(0),
  shaping: z.enum(["none", "potential"]).default("none"),
  shapingScale: amount(0.5),
});

/** Cost units beside those of calls. */
const costSchema = z.strictObject({ synthesis: amount(0.5), mediation: amount(0.4), clarification: amount(0.15) });

/** Guards of meta-action spawnSpecialist. */
const spawnSchema = z.strictObject({
  enabled: z.boolean().default(true),
  threshold: z
    .number()
    .min(-1)
    .max(1)
    .nullable()
    .default(null)
    .describe("best cosine in the company below which nobody fits; null: the 10 % quantile over training draws"),
  redundantGain: amount(0.05),
  maxSpawned: z.int().min(0).default(8),
  cooldownEpisodes: z.int().min(0).default(20),
});

/** Every constant of the environment. Unknown keys are refused. */
export const spindleFlowConfigSchema = z.strictObject({
  maxSpecialists: z.int().min(1).max(8).default(6),
  explorers: z.int().min(0).max(8).default(2).describe("slots filled by chance; at most maxSpecialists − 1"),
  companySize: z.int().min(8).max(64).default(40),
  tasksPerEpisode: z.int().min(1).max(20).default(5),
  maxStepsPerTask: z.int().min(1).max(100).default(10),
  maxDelegationDepth: z.int().min(1).max(8).default(3),
  phase: z.int().min(1).max(3).default(3),
  phaseMix: z
    .tuple([mix(0.5, 0.5, 0, 0, 0), mix(0.15, 0.15, 0.7, 0, 0), mix(0.1, 0.2, 0.25, 0.25, 0.2)])
    .prefault([
      [0.5, 0.5, 0, 0, 0],
      [0.15, 0.15, 0.7, 0, 0],
      [0.1, 0.2, 0.25, 0.25, 0.2],
    ])
    .describe("shares of the five classes in each phase"),
  phaseTasks: z
    .tuple([z.int().min(1), z.int().min(1), z.int().min(1)])
    .default([1, 3, 5])
    .describe("most tasks of a shift in each phase"),
  hiddenShare: share(0.25).describe("tasks that hide the house need"),
  mistakenShare: share(0.15).describe("tasks that misname it"),
  specialistSplit: z.enum(BANK_SPLITS).default("train"),
  taskSplit: z.enum(BANK_SPLITS).default("train"),
  maskStopUntilFirstCall: z.enum(["phase1", "always", "never"]).default("phase1"),
  scalars: z.enum(["v1", "seed"]).default("v1"),
  normalizeActions: z.boolean().default(false),
  autoFallback: z.boolean().default(false),
  maxHops: z.int().min(1).default(2).describe("substitutes per failure"),
  claimCosine: z.number().min(-1).max(1).default(0.25).describe("a text claims what it is nearer to than this"),
  tierSigma: z.tuple([amount(0), amount(0), amount(0), amount(0)]).default([0.15, 0.1, 0.05, 0.03]),
  evaluationTier: z
    .int()
    .min(0)
    .max(3)
    .nullable()
    .default(null)
    .describe("tier of every episode instead of the task's"),
  moderateTier2Share: share(0.3),
  memoryNew: share(0.4).describe("weight of a new entry in the summary vector"),
  timing: timingSchema.prefault({}),
  simulation: simulationSchema.prefault({}),
  reward: rewardSchema.prefault({}),
  cost: costSchema.prefault({}),
  spawn: spawnSchema.prefault({}),
});

/** Settings with all defaults filled in. */
export type SpindleFlowConfig = z.output<typeof spindleFlowConfigSchema>;
/** Settings as a file or a caller gives them. */
export type SpindleFlowSettings = z.input<typeof spindleFlowConfigSchema>;

const PRESET_SETTINGS: Readonly<Record<Preset, SpindleFlowSettings>> = {
  balanced: {},
  demo: { tasksPerEpisode: 1, phase: 1 },
  quality: { reward: { latencyWeight: 0 } },
  fast: { reward: { latencyWeight: 0.6 } },
  frugal: { reward: { costWeight: 0.02 } },
  // Numbers of the seed with this environment's semantics.
  seed: {
    tasksPerEpisode: 1,
    companySize: 8,
    maxDelegationDepth: 2,
    timing: { slaMs: [10000, 10000, 10000, 10000, 10000], urgentShare: 1 },
    reward: { latencyWeight: 0.05, recovery: "flat" },
    spawn: { threshold: 0.4 },
  },
};

type Tree = Readonly<Record<string, unknown>>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

function layered(base: Tree, over: Tree): Tree {
  const result: Record<string, unknown> = { ...base };
  for (const key of Object.keys(over)) {
    const value = over[key];
    const below = result[key];
    result[key] = isTree(value) && isTree(below) ? layered(below, value) : value;
  }
  return result;
}

/**
 * Settings of a preset with those of the caller on top, checked and filled in. Throws INVALID_CONFIG naming the key and
 * what it takes.
 */
export function makeConfig(settings: SpindleFlowSettings = {}, preset: Preset = "balanced"): SpindleFlowConfig {
  const parsed = spindleFlowConfigSchema.safeParse(layered(PRESET_SETTINGS[preset] as Tree, settings as Tree));
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(
    (issue): FieldError => ({ type: "value_error", loc: issue.path.map(String), msg: issue.message }),
  );
  const first = parsed.error.issues[0]!;
  throw new PraxisError(
    "INVALID_CONFIG",
    `SpindleFlow setting '${first.path.join(".") || "(top level)"}': ${first.message}.`,
    { fields },
  );
}

/** Tasks of a shift under the settings: the phase sets an upper limit. */
export function tasksOfShift(config: SpindleFlowConfig): number {
  return Math.min(config.tasksPerEpisode, config.phaseTasks[config.phase - 1]!);
}
