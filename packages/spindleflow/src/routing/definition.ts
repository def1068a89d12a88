import type { EnvDefinition, EnvState } from "@praxis/env";
import { z } from "zod";
import { actionSchema, actionSpace, encodeDecision, type SpindleFlowAction } from "../action.ts";
import { randomAction } from "../definition.ts";
import { decide } from "../names.ts";
import { observationLayout, observationSchema, type SpindleFlowObservation } from "../observation.ts";
import type { EmbeddedTable } from "./knn.ts";
import { makeRoutingEnvs, ROUTING_ID, ROUTING_SLOTS, type RoutingEnv, type RoutingSettings } from "./simulator.ts";

const VERSION = "0.1.0";
const DEFAULTS: RoutingSettings = { tasksPerEpisode: 5, lambda: 0, split: "train" };

const resetSchema = z.object({
  split: z.enum(["train", "test"]).optional().describe("recorded queries to draw from; default training"),
  tasksPerEpisode: z.int().min(1).max(20).optional(),
});

const stateSchema: z.ZodType<EnvState> = z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int().min(0) });

/** The definition of the routing environment. */
export type RoutingDefinition = EnvDefinition<SpindleFlowAction, SpindleFlowObservation, EnvState, RoutingEnv>;

/**
 * SpindleFlow on recorded outcomes of real models: a table's models are the specialists, a call returns what was recorded.
 * Observation and action are those of SpindleFlow-v0 with six slots, so that the same policies play both.
 */
export function defineRouting(embedded: EmbeddedTable, settings: Partial<RoutingSettings> = {}): RoutingDefinition {
  const all = { ...DEFAULTS, ...settings };
  const makeEnv = makeRoutingEnvs(embedded, all);
  const dearest = Math.max(...embedded.table.queries.map(({ costs }) => costs.reduce((sum, cost) => sum + cost, 0)));
  return {
    id: ROUTING_ID,
    name: "spindleflow-routing",
    description: "Which of several real models to ask, and when their answer is good enough, on recorded outcomes.",
    version: VERSION,
    schemas: {
      action: actionSchema as z.ZodType<SpindleFlowAction>,
      observation: observationSchema as z.ZodType<SpindleFlowObservation>,
      state: stateSchema,
      reset: resetSchema,
    },
    // A step's reward: a score's difference, the price of all models, and at most two violations.
    rewardRange: [-1.1 - all.lambda * dearest, 1],
    maxEpisodeSteps: 10 * 20,
    observationSpace: { kind: "box", shape: [observationLayout(ROUTING_SLOTS).length], low: -1, high: 3 },
    actionSpace: actionSpace(ROUTING_SLOTS, false),
    metadata: {
      models: embedded.table.models.map(({ id }) => id),
      queries: embedded.table.queries.length,
      incomplete_queries: embedded.table.incomplete,
      embedder: embedded.embedderId,
      lambda: all.lambda,
    },
    sampleAction: (rng, last) => randomAction(rng, last.observation.action_mask),
    illegalAction: () => ({ vector: Array.from(encodeDecision(decide("callMediator"), ROUTING_SLOTS, 1)) }),
    encodeObservation: (observation) => observation.vector!,
    decodeAction: (choice) => ({ vector: choice as ArrayLike<number> }),
    makeEnv: ({ seed } = {}) => makeEnv(seed),
  };
}
