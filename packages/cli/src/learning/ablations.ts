import { fileURLToPath, pathToFileURL } from "node:url";
import { didYouMean, type EnvDefinition, PraxisError } from "@praxis/env";
import { DEFAULT_WEIGHTS, loadPolyGuard, type RewardWeights } from "@praxis/polyguard";
import type { GrpoSettings, SmallAgentSettings } from "@praxis/train";

// Worker threads import this module by its exports, which must be functions without arguments.

/** PolyGuard as it is. */
export const complete = (): EnvDefinition => loadPolyGuard();
/** Scenes do not mark what the rules would do. */
export const withoutAdvice = (): EnvDefinition => loadPolyGuard({ scenes: { advice: false, graph: true } });
/** Medications without the edges between them. */
export const withoutGraph = (): EnvDefinition => loadPolyGuard({ scenes: { advice: true, graph: false } });
/** Learns by a reward without its channel safety_legality. */
export const withoutSafety = (): EnvDefinition => withoutChannel("safety_legality");
/** Learns by a reward without its channel clinical_improvement. */
export const withoutImprovement = (): EnvDefinition => withoutChannel("clinical_improvement");
/** Learns by a reward without its channel dosing_quality. */
export const withoutDosing = (): EnvDefinition => withoutChannel("dosing_quality");
/** Learns by a reward without its channel process_integrity. */
export const withoutProcess = (): EnvDefinition => withoutChannel("process_integrity");

/** The others keep their proportions, so that the weights still sum to 1. */
function withoutChannel(channel: keyof RewardWeights["total"]): EnvDefinition {
  const { total } = DEFAULT_WEIGHTS;
  const rest = 1 - total[channel];
  const left = Object.fromEntries(
    Object.entries(total).map(([name, weight]) => [name, name === channel ? 0 : weight / rest]),
  );
  return loadPolyGuard({ weights: { ...DEFAULT_WEIGHTS, total: left as RewardWeights["total"] } });
}

const MAKERS = {
  ...{ complete, withoutAdvice, withoutGraph, withoutSafety, withoutImprovement, withoutDosing, withoutProcess },
};

/** What an ablation changes; the rest stays. */
export interface Ablation {
  /** Export of this module that makes the definition. */
  readonly definition: keyof typeof MAKERS;
  readonly agent: Partial<SmallAgentSettings>;
  readonly grpo: Partial<GrpoSettings>;
  readonly skips: "sft" | "grpo" | null;
}

const NOTHING: Ablation = { definition: "complete", agent: {}, grpo: {}, skips: null };

/** Ablations by name; each is one switch of `praxis pipeline polyguard --ablate NAME`. */
export const LEARNING_ABLATIONS: Readonly<Record<string, Ablation>> = {
  none: NOTHING,
  no_graph: { ...NOTHING, definition: "withoutGraph", agent: { graphLayers: 0 } },
  no_memory: { ...NOTHING, agent: { episodeMemory: 0 } },
  no_candidate_attention: { ...NOTHING, agent: { candidateAttention: false } },
  no_advice: { ...NOTHING, definition: "withoutAdvice" },
  sft_only: { ...NOTHING, skips: "grpo" },
  grpo_from_scratch: { ...NOTHING, skips: "sft", grpo: { klCoef: 0 } },
  no_safety_channel: { ...NOTHING, definition: "withoutSafety" },
  no_improvement_channel: { ...NOTHING, definition: "withoutImprovement" },
  no_dosing_channel: { ...NOTHING, definition: "withoutDosing" },
  no_process_channel: { ...NOTHING, definition: "withoutProcess" },
};

/** The ablation of that name. Throws UNKNOWN_NAME with the nearest one. */
export function findAblation(name: string): Ablation {
  const found = Object.hasOwn(LEARNING_ABLATIONS, name) ? LEARNING_ABLATIONS[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(LEARNING_ABLATIONS);
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown ablation '${name}'.${didYouMean(name, names)} Known: ${names.join(", ")}.`,
  );
}

/** The definition of an ablation, and where worker threads import it from. */
export function definitionOf({ definition }: Ablation) {
  // A worker runs compiled code; the path holds from `src` and `dist` alike.
  const url = new URL("../../dist/learning/ablations.js", import.meta.url);
  const source = { moduleUrl: pathToFileURL(fileURLToPath(url)).href, exportName: definition };
  return { definition: MAKERS[definition](), source };
}
