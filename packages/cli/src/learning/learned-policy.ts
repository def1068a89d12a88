import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EnvDefinition, hashText, type Policy, PraxisError, Rng } from "@praxis/env";
import { formatSafetensors, type Kernels, type NamedArray, parseSafetensors, toFloat32 } from "@praxis/nn";
import {
  makeSmallAgent,
  makeSmallAgentPolicy,
  restoreParameters,
  type SmallAgent,
  smallAgentSettings,
} from "@praxis/train";
import { z } from "zod";
import { settingsFor } from "../commands/small-settings.ts";

/** What stands beside the weights of a learned policy. */
const learnedPolicyFile = z.strictObject({
  /** Id of the environment. */
  env: z.string(),
  /** Version of the scenes it reads. */
  scenes: z.string(),
  /** How it was made: base, sft or grpo. */
  stage: z.enum(["base", "sft", "grpo"]),
  seed: z.int(),
  agent: smallAgentSettings,
  /** Command that makes it again. */
  command: z.string(),
});

/** Everything of a learned policy but its weights. */
export type LearnedPolicyFile = z.output<typeof learnedPolicyFile>;

/** Writes a policy as a folder: `policy.json` and `policy.safetensors`. */
export function saveLearnedPolicy(folder: string, about: LearnedPolicyFile, agent: SmallAgent<unknown>): void {
  mkdirSync(folder, { recursive: true });
  const weights = new Map<string, NamedArray>(
    agent.policy.parameters().map(({ name, shape, data }) => [name, { shape, data: data.slice() }]),
  );
  writeFileSync(
    join(folder, "policy.safetensors"),
    formatSafetensors(weights, { env: about.env, scenes: about.scenes }),
  );
  writeFileSync(join(folder, "policy.json"), `${JSON.stringify(about, null, 2)}\n`);
}

/** True for a folder that holds a learned policy. */
export function isLearnedPolicy(folder: string): boolean {
  return existsSync(join(folder, "policy.json")) && existsSync(join(folder, "policy.safetensors"));
}

/** Hash of a learned policy's weights and settings. */
export function hashLearnedPolicy(folder: string): string {
  const weights = readFileSync(join(folder, "policy.safetensors")).toString("base64");
  return hashText(`${readFileSync(join(folder, "policy.json"), "utf8")}\n${weights}`);
}

/** The agent of a folder. Throws VALIDATION_ERROR when it is none, or of another environment or version of scenes. */
export function loadLearnedAgent(
  folder: string,
  { definition, kernels }: { readonly definition: EnvDefinition; readonly kernels: Kernels },
): SmallAgent<unknown> & { readonly about: LearnedPolicyFile } {
  const about = readAbout(folder);
  if (about.env !== definition.id || about.scenes !== definition.scenes?.version)
    throw new PraxisError(
      "VALIDATION_ERROR",
      `'${folder}' is a policy of '${about.env}' with scenes '${about.scenes}', not of '${definition.id}' with '${definition.scenes?.version}'. Train it again: ${about.command}`,
    );
  // Weights are replaced at once, so any stream will do.
  const agent = makeSmallAgent(definition, { kernels, rng: Rng.fromSeed(0), settings: about.agent });
  const { tensors } = parseSafetensors(readFileSync(join(folder, "policy.safetensors")));
  const weights = new Map([...tensors].map(([name, tensor]) => [name, toFloat32(tensor)] as const));
  restoreParameters(agent.policy.parameters(), weights);
  return { ...agent, about };
}

/** The policy of a folder, playing its most likely actions. */
export function loadLearnedPolicy(
  folder: string,
  given: { readonly definition: EnvDefinition; readonly kernels: Kernels; readonly name: string },
): Policy {
  return makeSmallAgentPolicy(given.name, { ...loadLearnedAgent(folder, given), kernels: given.kernels });
}

function readAbout(folder: string): LearnedPolicyFile {
  let text: string;
  try {
    text = readFileSync(join(folder, "policy.json"), "utf8");
  } catch (cause) {
    throw new PraxisError("VALIDATION_ERROR", `'${folder}' holds no learned policy: it has no readable policy.json.`, {
      cause,
    });
  }
  return settingsFor(learnedPolicyFile, JSON.parse(text) as Record<string, unknown>);
}
