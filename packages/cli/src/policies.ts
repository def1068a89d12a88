import { didYouMean, type EnvDefinition, type Policy, PraxisError, type SyncEnv } from "@praxis/env";
import { makeRandomPolicy } from "@praxis/eval";
import {
  actionFor,
  loadBundledKnowledgeBase,
  makePlannerCriticPolicy,
  makePolyguardPolicy,
  ORACLE_POLICY_NAMES,
  POLYGUARD_POLICIES,
} from "@praxis/polyguard";
import { makeScriptPolicy, ORACLE_NAMES, SCRIPT_NAMES } from "@praxis/spindleflow";
import { isFlowFile, makeFlowFilePolicy } from "./flow-policy.ts";
import { findLearned, shippedLearned } from "./learning/learned-places.ts";
import { placedPolicy } from "./learning/placed-policy.ts";
import { makeLlmRouter } from "./spindleflow/llm-router.ts";
import { loadOrchestrator, orchestratorFolder, shippedOrchestrators } from "./spindleflow/orchestrator.ts";
import type { TeamSetup } from "./team-flags.ts";

/** Names of the policies that can play an environment: those of code, then the learned ones that ship. */
export function policyNames(definition: EnvDefinition): readonly string[] {
  switch (definition.name) {
    case "polyguard":
      return ["random", ...POLYGUARD_POLICIES, ...shippedLearned()];
    case "spindleflow":
      return [...SCRIPT_NAMES, ...shippedOrchestrators()];
    default:
      return ["random"];
  }
}

/** Those of {@link policyNames} that read what the observation hides: yardsticks, no agents. */
export function oracleNames(definition: EnvDefinition): readonly string[] {
  const oracles = definition.name === "spindleflow" ? ORACLE_NAMES : ORACLE_POLICY_NAMES;
  return policyNames(definition).filter((name) => oracles.includes(name));
}

/** The policy of that name, learned ones included, or of that flow file. Throws UNKNOWN_NAME with the nearest name. */
export async function loadNamedPolicy(
  definition: EnvDefinition,
  name: string,
  env: SyncEnv,
  team: TeamSetup | null = null,
): Promise<Policy> {
  if (team === null && definition.name === "polyguard" && shippedLearned().includes(name))
    return placedPolicy({ name, folder: findLearned(name), ablation: "none" });
  if (team === null && definition.name === "spindleflow" && shippedOrchestrators().includes(name))
    return loadOrchestrator(orchestratorFolder(name), { definition });
  return makeNamedPolicy(definition, name, env, team);
}

/** SpindleFlow's baseline that asks a language model. */
const LLM_ROUTER = "llmRouter";

/**
 * The policy of that name, or of that flow file; learned ones apart. Oracles read the environment they play in. Throws UNKNOWN_NAME with the nearest name.
 * @param team how `planner_critic` plays; null = as it does by itself
 */
function makeNamedPolicy(definition: EnvDefinition, name: string, env: SyncEnv, team: TeamSetup | null = null): Policy {
  if (isFlowFile(name)) return makeFlowFilePolicy(definition, name, completeChoice);
  if (definition.name === "spindleflow" && name === LLM_ROUTER) {
    const ask = team?.model?.ask;
    if (ask !== undefined) return makeLlmRouter(definition, (prompt) => ask({ ...prompt, role: "planner" }));
    throw new PraxisError(
      "INVALID_CONFIG",
      `'${LLM_ROUTER}' asks a language model: --model-url names the root of an OpenAI-compatible service.`,
    );
  }
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
  if (definition.name === "spindleflow") return makeScriptPolicy(name, env);
  if (name === "random") return makeRandomPolicy(definition);
  return makePolyguardPolicy(name, env);
}

/** `{ choice: n }` means the n-th of the candidates that an observation offers, counted from 1. */
function completeChoice(answer: unknown, observation: unknown): unknown {
  const { choice, confidence, reason } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const offered = observation as Parameters<typeof actionFor>[0];
  if (typeof choice !== "number" || !Array.isArray(offered?.candidates)) return answer;
  const candidate = offered.candidates[choice - 1];
  if (candidate === undefined) return answer;
  return actionFor(offered, candidate, {
    confidence: typeof confidence === "number" ? confidence : 0.5,
    rationale: typeof reason === "string" && reason !== "" ? reason.slice(0, 600) : "chosen by the flow",
  });
}
