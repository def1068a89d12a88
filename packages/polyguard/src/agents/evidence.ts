import { isInformationAction } from "../actions/types.ts";
import { poolEvidence } from "../documents/read-evidence.ts";
import type { PooledClaim } from "../documents/reliability.ts";
import type { Chart } from "../policies/chart.ts";
import type { Decision } from "../policies/decision.ts";

/** What has been read, and whether more should be asked. */
export interface EvidenceReport {
  readonly facts: readonly PooledClaim[];
  /** Evidence ids of texts that speak to the reader instead of about drugs; they are not followed. */
  readonly injected: readonly string[];
  readonly missing: readonly string[];
  /** The information step that is worth its day; null = decide on what is known. */
  readonly ask: Decision | null;
}

/** Phrases that only a text addressed to an agent would hold. */
const INSTRUCTION =
  /\b(ignore|disregard|override)\b.{0,40}\b(instruction|rule|previous|above|safety|check)|\b(system|assistant)\s*:|\byou (must|should) (now )?(stop|choose|select|pick|take|answer|start|call)|\b(choose|select|pick) (candidate|option|action)\b/iu;

/** True for a text that gives orders to its reader. */
export function isInstruction(text: string): boolean {
  return INSTRUCTION.test(text);
}

/** Pools what the shown snippets claim, leaves out those that give orders, and passes on the rules' wish to ask. */
export function weighEvidence({ known }: Chart, rules: Decision | null): EvidenceReport {
  const injected = known.evidence
    .filter(({ snippet, title }) => isInstruction(`${title} ${snippet}`))
    .map(({ id }) => id);
  const honest = known.evidence.filter(({ id }) => !injected.includes(id));
  return {
    facts: poolEvidence(honest),
    injected,
    missing: known.missingFields,
    ask: rules !== null && isInformationAction(rules.offer.payload.type) ? rules : null,
  };
}
