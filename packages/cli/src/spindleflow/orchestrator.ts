import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { didYouMean, type EnvDefinition, PraxisError, Rng } from "@praxis/env";
import type { Kernels } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { loadSpindleFlow, SCRIPT_NAMES } from "@praxis/spindleflow";
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

// Orchestrators that ship with SpindleFlow; the path holds from `src` and `dist` alike.
const SHIPPED = fileURLToPath(new URL("../../../spindleflow/checkpoints/", import.meta.url));

/** Names of the orchestrators that ship. */
export function shippedOrchestrators(): readonly string[] {
  return existsSync(SHIPPED)
    ? readdirSync(SHIPPED)
        .filter((name) => existsSync(join(SHIPPED, name, "config.json")))
        .sort()
    : [];
}

/** Folder of a shipped orchestrator by name, or the folder that is named. Throws UNKNOWN_NAME with the nearest name. */
export function orchestratorFolder(name: string): string {
  if (shippedOrchestrators().includes(name)) return join(SHIPPED, name);
  if (existsSync(join(name, "config.json"))) return name;
  const known = [...SCRIPT_NAMES, ...shippedOrchestrators()];
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown policy '${name}'.${didYouMean(name, known)} Known: ${known.join(", ")}, or the folder of a training run.`,
  );
}

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
 * @param options `isUntrained`: fresh weights of that architecture instead, to see what was learnt; `definition`: what it plays,
 * by default its own sector's, which takes a second to read
 */
export async function loadOrchestrator(
  folder: string,
  options: { readonly isUntrained?: boolean; readonly definition?: EnvDefinition } = {},
): Promise<RecordedPlayer> {
  const { settings, checkpoint } = readOrchestrator(folder);
  const { kernels } = await selectKernels("wasm");
  const definition =
    options.definition ??
    (loadSpindleFlow({ sector: settings.sector, settings: settings.env }) as unknown as EnvDefinition);
  const policy = makeOrchestrator(definition, kernels, settings, 0);
  if (options.isUntrained !== true)
    loadRecordedPolicy(policy, { definition, checkpoint, identity: identityOf(definition) });
  return new RecordedPlayer(`${settings.policy.encoder}@${folder}`, {
    ...{ definition, policy, kernels },
    // The audit trail keeps what a decision's maker thought of it.
    annotate: ({ action, probability, valueEstimate }) => ({
      ...(action as object),
      annotation: { probability, valueEstimate },
    }),
  });
}
