import { join } from "node:path";
import { type EnvDefinition, type Policy, PraxisError } from "@praxis/env";
import { makeReferenceKernels } from "@praxis/nn";
import {
  latestCheckpoint,
  loadSmallAgent,
  makeSmallAgentPolicy,
  makeTrainedPolicy,
  type PpoSettingsInput,
  readCheckpoint,
  readRunConfig,
  resolvePpoSettings,
  smallAgentSettings,
} from "@praxis/train";
import { settingsFor } from "./commands/small-settings.ts";
import { loadOrchestrator, orchestratorFolder } from "./spindleflow/orchestrator.ts";

/** The newest policy of a run (for SpindleFlow also one that ships, by name), playing its most likely actions. Throws VALIDATION_ERROR for a run of another environment. */
export async function loadTrainedPolicy(path: string, definition: EnvDefinition): Promise<Policy> {
  if (definition.name === "spindleflow") return loadOrchestrator(orchestratorFolder(path));
  const { algorithm, settings } = readRunConfig(path);
  const newest = latestCheckpoint(join(path, "checkpoints"));
  if (newest === null) throw new PraxisError("VALIDATION_ERROR", `The run '${path}' has no checkpoint yet.`);
  const checkpoint = readCheckpoint(newest);
  const kernels = makeReferenceKernels();
  const name = `${algorithm}@${checkpoint.envId}`;
  if (algorithm === "ppo")
    return makeTrainedPolicy(name, {
      ...{ definition, kernels, checkpoint, settings: resolvePpoSettings(settings as PpoSettingsInput) },
    });
  const agent = loadSmallAgent({
    definition,
    kernels,
    checkpoint,
    settings: settingsFor(smallAgentSettings, settings),
  });
  return makeSmallAgentPolicy(name, { ...agent, kernels });
}
