import { CONDITION_BURDENS } from "../kb/conditions.ts";
import { isTreated } from "./course-candidates.ts";
import type { LegalityContext } from "./legality-context.ts";

/** Active conditions with a burden that no listed drug treats, the heavier burden first. */
export function untreatedConditions(context: LegalityContext): string[] {
  const codes: string[] = [];
  for (const code of context.indications)
    if (CONDITION_BURDENS.has(code) && !isTreated(context, code)) codes.push(code);
  return codes.length < 2 ? codes : codes.sort((a, b) => burdenOf(b) - burdenOf(a) || (a < b ? -1 : 1));
}

function burdenOf(code: string): number {
  const burden = CONDITION_BURDENS.get(code);
  return burden === undefined ? 0 : burden.burdenPerYear * burden.bestReduction;
}
