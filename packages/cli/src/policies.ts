import { didYouMean, type EnvDefinition, type Policy, PraxisError, type SyncEnv } from "@praxis/env";
import { makeRandomPolicy } from "@praxis/eval";
import {
  loadBundledKnowledgeBase,
  makePlannerCriticPolicy,
  makePolyguardPolicy,
  POLYGUARD_POLICIES,
} from "@praxis/polyguard";
import type { TeamSetup } from "./team-flags.ts";

/** Names of the policies that can play an environment. */
export function policyNames(definition: EnvDefinition): readonly string[] {
  return definition.name === "polyguard" ? ["random", ...POLYGUARD_POLICIES] : ["random"];
}

/**
 * The policy of that name. Oracles read the environment they play in. Throws UNKNOWN_NAME with the nearest name.
 * @param team how `planner_critic` plays; null = as it does by itself
 */
export function makeNamedPolicy(
  definition: EnvDefinition,
  name: string,
  env: SyncEnv,
  team: TeamSetup | null = null,
): Policy {
  const names = policyNames(definition);
  if (!names.includes(name))
    throw new PraxisError(
      "UNKNOWN_NAME",
      `Unknown policy '${name}' for '${definition.name}'.${didYouMean(name, names)} Known: ${names.join(", ")}.`,
    );
  if (team !== null) {
    if (name !== "planner_critic")
      throw new PraxisError(
        "VALIDATION_ERROR",
        `--mode, --without, --planning and --model-url are for the policy 'planner_critic', not for '${name}'.`,
      );
    return makePlannerCriticPolicy({ kb: loadBundledKnowledgeBase(), ...team });
  }
  if (name === "random") return makeRandomPolicy(definition);
  return makePolyguardPolicy(name, env);
}
