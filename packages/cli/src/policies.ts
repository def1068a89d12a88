import { didYouMean, type EnvDefinition, type Policy, PraxisError, type SyncEnv } from "@praxis/env";
import { makeRandomPolicy } from "@praxis/eval";
import { makePolyguardPolicy, POLYGUARD_POLICIES } from "@praxis/polyguard";

/** Names of the policies that can play an environment. */
export function policyNames(definition: EnvDefinition): readonly string[] {
  return definition.name === "polyguard" ? ["random", ...POLYGUARD_POLICIES] : ["random"];
}

/** The policy of that name. Oracles read the environment they play in. Throws UNKNOWN_NAME with the nearest name. */
export function makeNamedPolicy(definition: EnvDefinition, name: string, env: SyncEnv): Policy {
  const names = policyNames(definition);
  if (!names.includes(name))
    throw new PraxisError(
      "UNKNOWN_NAME",
      `Unknown policy '${name}' for '${definition.name}'.${didYouMean(name, names)} Known: ${names.join(", ")}.`,
    );
  if (name === "random") return makeRandomPolicy(definition);
  return makePolyguardPolicy(name, env);
}
