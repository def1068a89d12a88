import { buildLegalityContext, type LegalityContext } from "../actions/legality-context.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import type { Known } from "../observation/types.ts";
import { ChartMemory } from "../policies/chart-memory.ts";
import { knownFromObservation } from "../policies/known-from-observation.ts";

/** An observation read back into the terms of the domain, without any memory: equal observations read equal. */
export interface Reading {
  readonly kb: KnowledgeBase;
  readonly observation: Observation;
  readonly known: Known;
  readonly legality: LegalityContext;
}

/** Reads an observation for its features. */
export function readObservation(kb: KnowledgeBase, observation: Observation): Reading {
  const known = knownFromObservation(kb, observation, new ChartMemory());
  return { kb, observation, known, legality: buildLegalityContext(kb, known) };
}
