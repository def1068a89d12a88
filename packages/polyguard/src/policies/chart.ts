import { canonicalPayload } from "../actions/canonical.ts";
import { isLegalPayload } from "../actions/legality.ts";
import { buildLegalityContext, type LegalityContext } from "../actions/legality-context.ts";
import type { ActionPayload } from "../actions/types.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import type { Known } from "../observation/types.ts";
import { ChartMemory } from "./chart-memory.ts";
import { knownFromObservation } from "./known-from-observation.ts";
import { readCandidate } from "./read-candidate.ts";

/** An offered candidate as a policy weighs it. */
export interface ChartOffer {
  readonly wire: Observation["candidates"][number];
  readonly payload: ActionPayload;
  /** By the verifier on the chart, and never refused before. */
  readonly isLegal: boolean;
}

/** What a policy knows at a step, in the terms of the domain: the observation, read back, with what it remembers itself. */
export interface Chart {
  readonly kb: KnowledgeBase;
  readonly observation: Observation;
  readonly known: Known;
  readonly legality: LegalityContext;
  readonly offers: readonly ChartOffer[];
  /** Canonical texts of the policy's actions so far, and `look up DRUG` for each drug it has looked up. */
  readonly asked: ReadonlySet<string>;
}

/**
 * Reads observations of one episode after another into charts. It remembers what an observation does not repeat: orders and
 * reviews that were asked for, the pace of tapers, earlier doses. Nothing else than observations and own choices goes in,
 * so it serves a policy at the far end of a wire as well.
 */
export class ChartReader {
  readonly #kb: KnowledgeBase;
  #memory = new ChartMemory();
  #episodeId: string | null = null;

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
  }

  /** The chart of an observation. A new episode, or its first step, forgets the last one. */
  read(observation: Observation): Chart {
    if (observation.episode_id !== this.#episodeId || observation.step === 0) {
      this.#memory = new ChartMemory();
      this.#episodeId = observation.episode_id;
    }
    this.#memory.see(observation);
    const known = knownFromObservation(this.#kb, observation, this.#memory);
    const legality = buildLegalityContext(this.#kb, known);
    const offers: ChartOffer[] = [];
    for (const wire of observation.candidates) {
      const payload = readCandidate(this.#kb, wire);
      if (payload === null) continue;
      const isLegal = !this.#memory.refused.has(canonicalPayload(payload)) && isLegalPayload(legality, payload);
      offers.push({ wire, payload, isLegal });
    }
    return { kb: this.#kb, observation, known, legality, offers, asked: this.#memory.asked };
  }

  /** A reader that has read the same and goes on by itself. */
  fork(): ChartReader {
    const copy = new ChartReader(this.#kb);
    copy.#memory = this.#memory.copy();
    copy.#episodeId = this.#episodeId;
    return copy;
  }

  /** Takes note of the action that was chosen on that chart; it counts once the next observation says that it was done. */
  choose(chart: Chart, payload: ActionPayload): void {
    this.#memory.choose(chart.observation.step, payload);
  }
}
