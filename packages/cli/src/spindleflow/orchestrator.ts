import { join } from "node:path";
import { type EnvDefinition, PraxisError, Rng } from "@praxis/env";
import type { Kernels } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { loadSpindleFlow } from "@praxis/spindleflow";
import {
  type Checkpoint,
  DelegationPolicy,
  latestCheckpoint,
  loadRecordedPolicy,
  RecordedPlayer,
  readCheckpoint,
  readRunConfig,
} from "@praxis/train";
import { resolveSpindleRun, type SpindleRunSettings } from "./run-settings.ts";

/** What a checkpoint must agree in beside the architecture. */
export function identityOf(definition: EnvDefinition): Readonly<Record<string, string | number>> {
  return { embedder: String(definition.metadata?.embedder) };
}

/** A fresh policy for the environment. @param seed of its first weights */
export function makeOrchestrator(
  definition: EnvDefinition,
  kernels: Kernels,
  { policy }: Pick<SpindleRunSettings, "policy">,
  seed: number,
): DelegationPolicy {
  const space = definition.observationSpace;
  if (space?.kind !== "box")
    throw new PraxisError(
      "INVALID_CONFIG",
      `'${definition.id}' has no box observation space; an orchestrator reads one.`,
    );
  return new DelegationPolicy({ kernels, rng: Rng.fromSeed(seed), inputs: space.shape[0]!, settings: policy });
}

/** The newest checkpoint of a run of SpindleFlow with its settings. Throws VALIDATION_ERROR for a run of something else. */
export function readOrchestrator(folder: string): {
  readonly settings: SpindleRunSettings;
  readonly checkpoint: Checkpoint;
} {
  const { env, settings } = readRunConfig(folder);
  const newest = latestCheckpoint(join(folder, "checkpoints"));
  if (env !== "spindleflow")
    throw new PraxisError("VALIDATION_ERROR", `'${folder}' is a run of '${env}', not of 'spindleflow'.`);
  if (newest === null) throw new PraxisError("VALIDATION_ERROR", `The run '${folder}' has no checkpoint yet.`);
  return { settings: resolveSpindleRun(settings), checkpoint: readCheckpoint(newest) };
}

/**
 * The newest policy of a run, playing its most likely actions; on WASM kernels, whose numbers repeat across machines. Throws
 * VALIDATION_ERROR for a run of another environment, embedder or architecture.
 */
export async function loadOrchestrator(folder: string): Promise<RecordedPlayer> {
  const { settings, checkpoint } = readOrchestrator(folder);
  const { kernels } = await selectKernels("wasm");
  const definition = loadSpindleFlow({ sector: settings.sector, settings: settings.env }) as unknown as EnvDefinition;
  const policy = makeOrchestrator(definition, kernels, settings, 0);
  loadRecordedPolicy(policy, { definition, checkpoint, identity: identityOf(definition) });
  return new RecordedPlayer(`${settings.policy.encoder}@${folder}`, { definition, policy, kernels });
}
