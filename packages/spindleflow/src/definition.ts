import type { EnvDefinition, EnvState, ResetResult, Rng, StepResult } from "@praxis/env";
import { z } from "zod";
import { actionSchema, actionSpace, encodeDecision, type SpindleFlowAction } from "./action.ts";
import type { Bank } from "./bank/bank.ts";
import { BankIndex } from "./bank/bank-index.ts";
import { makeConfig, type SpindleFlowSettings } from "./config.ts";
import type { Masks } from "./engine/masks.ts";
import { makeSpindleFlowEnv, SPINDLEFLOW_ID, type SpindleFlowEnv, type SpindleFlowParts } from "./env.ts";
import { decide, META_ACTIONS, MODES } from "./names.ts";
import { observationLayout, observationSchema, type SpindleFlowObservation, vectorOf } from "./observation.ts";
import { resetSchema } from "./reset-options.ts";
import type { ForeignTask } from "./shift/shift.ts";
import { SPINDLEFLOW_TOOLS } from "./tools.ts";

/** Version of the environment's behaviour. */
export const SPINDLEFLOW_VERSION = "0.2.0";

/** The definition of SpindleFlow-v0. */
export type SpindleFlowDefinition = EnvDefinition<SpindleFlowAction, SpindleFlowObservation, EnvState, SpindleFlowEnv>;

/** What a definition may be told. */
export interface SpindleFlowOptions {
  readonly settings?: SpindleFlowSettings;
  readonly readme?: string;
  /** See {@link SpindleFlowParts.foreignTask}. */
  readonly foreignTask?: (text: string) => ForeignTask;
}

const stateSchema: z.ZodType<EnvState> = z.looseObject({
  episodeId: z.string().nullable(),
  stepCount: z.int().min(0),
  phase: z.int().optional(),
  tier: z.int().optional(),
  elapsed_ms: z.number().optional(),
  task_number: z.int().optional(),
  called_slots: z.array(z.int()).optional(),
});

/** Makes the environment on a sector's bank. Throws INVALID_CONFIG for wrong settings. */
export function defineSpindleFlow(bank: Bank, options: SpindleFlowOptions = {}): SpindleFlowDefinition {
  const config = makeConfig(options.settings);
  const parts: SpindleFlowParts = {
    index: new BankIndex(bank),
    settings: options.settings ?? {},
    ...(options.foreignTask === undefined ? {} : { foreignTask: options.foreignTask }),
  };
  const { length } = observationLayout(config.maxSpecialists);
  const worstStep = config.reward.violation + config.reward.clarification + config.reward.redundantSpawn;
  // A step can't use more cost units than everybody called on everything, with synthesis and mediation.
  const worstCost = config.reward.costWeight * 40;
  const shaping = config.reward.shaping === "none" ? 0 : config.reward.shapingScale;
  return {
    id: SPINDLEFLOW_ID,
    name: "spindleflow",
    description:
      "An orchestrator serves a shift of tasks with one roster of specialists: whom to call, in which mode, when to ask and when to stop.",
    version: SPINDLEFLOW_VERSION,
    ...(options.readme === undefined ? {} : { readme: options.readme }),
    schemas: {
      action: actionSchema as z.ZodType<SpindleFlowAction>,
      observation: observationSchema as z.ZodType<SpindleFlowObservation>,
      state: stateSchema,
      reset: resetSchema,
    },
    rewardRange: [config.reward.low - worstStep - worstCost - shaping, config.reward.high + shaping],
    maxEpisodeSteps: config.maxStepsPerTask * 20,
    observationSpace: { kind: "box", shape: [length], low: -1, high: 3 },
    actionSpace: actionSpace(config.maxSpecialists, config.normalizeActions),
    tools: SPINDLEFLOW_TOOLS,
    metadata: {
      sector: bank.sector,
      bank: bank.hash,
      embedder: bank.vectors.embedderId,
      max_specialists: config.maxSpecialists,
      tasks_per_episode: config.tasksPerEpisode,
      reward_weights: config.reward,
    },
    sampleAction: (rng, last) => randomAction(rng, last.observation.action_mask),
    illegalAction: (_rng, last) => illegalAction(last),
    encodeObservation: vectorOf,
    decodeAction: (choice) => ({ vector: choice as ArrayLike<number> }),
    makeEnv: ({ seed } = {}) => makeSpindleFlowEnv(parts, seed),
  };
}

/** A random legal action: uniform over legal meta-actions and modes, each allowed slot with probability ½. */
export function randomAction(rng: Rng, masks: Masks): SpindleFlowAction {
  const meta = rng.choice(META_ACTIONS.filter((_, i) => masks.meta[i]));
  const mode = rng.choice(MODES);
  const pick = (allowed: readonly boolean[]): number[] => {
    const open = allowed.flatMap((is, slot) => (is ? [slot] : []));
    const some = open.filter(() => rng.bernoulli(0.5));
    return some.length > 0 ? some : [rng.choice(open)];
  };
  switch (meta) {
    case "callSpecialist":
    case "parallelSpawn":
      return { meta, slots: pick(masks.slots), mode };
    case "delegateSubtask": {
      const lead = rng.choice(masks.leads.flatMap((is, slot) => (is ? [slot] : [])));
      return { meta, slots: [lead, ...pick(masks.consult[lead]!)], mode };
    }
    default:
      return { meta, mode };
  }
}

function illegalAction(
  last: ResetResult<SpindleFlowObservation> | StepResult<SpindleFlowObservation>,
): SpindleFlowAction | null {
  const masks = last.observation.action_mask;
  const illegal = META_ACTIONS.find((_, i) => !masks.meta[i]!);
  if (illegal === undefined) return null;
  return { vector: Array.from(encodeDecision(decide(illegal), masks.slots.length, 1)) };
}
