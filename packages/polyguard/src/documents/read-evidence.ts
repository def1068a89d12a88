import { readClaims } from "./claim-text.ts";
import { type PooledClaim, poolClaims, reliabilityOf } from "./reliability.ts";
import { isOutdatedYear } from "./store.ts";
import { SOURCE_TYPES } from "./types.ts";

/** A snippet as an observation shows it. */
export interface ShownSnippet {
  readonly sourceType: string;
  readonly year: number;
  readonly snippet: string;
}

/** Snippets that say so speak of other patients. */
const OTHER_POPULATION = /\bchildren\b/;

/**
 * What the snippets come to, matter by matter: their claims, weighed by source and year and pooled by log-odds. Snippets about
 * other patients are left out (assumption: they say nothing of an older adult), and so are sources of an unknown kind.
 */
export function poolEvidence(snippets: readonly ShownSnippet[]): readonly PooledClaim[] {
  return poolClaims(
    snippets.flatMap(({ sourceType, year, snippet }) => {
      const source = SOURCE_TYPES.find((each) => each === sourceType);
      if (source === undefined || OTHER_POPULATION.test(snippet)) return [];
      const reliability = reliabilityOf(source, isOutdatedYear(year));
      return readClaims(snippet).map((claim) => ({ claim, reliability }));
    }),
  );
}
