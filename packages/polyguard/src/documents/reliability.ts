import { claimMatter, type ReadClaim, type SourceType } from "./types.ts";

/** Probability that a claim of a source holds. assumption: directions from evidence hierarchies, sizes chosen. */
const RELIABILITY: Readonly<Record<SourceType, number>> = {
  label: 0.98,
  guideline: 0.96,
  review: 0.93,
  primary: 0.85,
  blog: 0.6,
  forum: 0.45,
};

/** Factor on the reliability of an outdated document. */
const OUTDATED = 0.5;

/** Reliability prior of a claim by its source. */
export function reliabilityOf(sourceType: SourceType, isOutdated: boolean): number {
  return RELIABILITY[sourceType] * (isOutdated ? OUTDATED : 1);
}

/** A claim with the reliability of the document it stands in. */
export interface WeighedClaim {
  readonly claim: ReadClaim;
  /** 0-1, both ends excluded. */
  readonly reliability: number;
}

/** What the claims about one matter come to. */
export interface PooledClaim {
  readonly matter: string;
  /** The value that is believed most. */
  readonly value: string;
  readonly unit: string | null;
  /** Probability that it holds, from even odds. */
  readonly probability: number;
  /** Claims for and against it. */
  readonly support: number;
  readonly against: number;
}

/**
 * Pools claims by log-odds: for every value of a matter, claims of that value add logit(reliability), claims of another
 * value subtract it, from even odds. One result a matter, in the order of first mention; ties go to the value mentioned first.
 */
export function poolClaims(claims: readonly WeighedClaim[]): readonly PooledClaim[] {
  const byMatter = new Map<string, WeighedClaim[]>();
  for (const weighed of claims) {
    const matter = claimMatter(weighed.claim);
    const group = byMatter.get(matter);
    if (group === undefined) byMatter.set(matter, [weighed]);
    else group.push(weighed);
  }
  return [...byMatter].map(([matter, group]) => poolMatter(matter, group));
}

function poolMatter(matter: string, group: readonly WeighedClaim[]): PooledClaim {
  const values = new Map(group.map(({ claim }) => [claim.value, claim.unit]));
  const pooled = [...values].map(([value, unit]) => {
    let odds = 0;
    let support = 0;
    for (const { claim, reliability } of group) {
      const isFor = claim.value === value;
      odds += (isFor ? 1 : -1) * logit(reliability);
      if (isFor) support++;
    }
    return { value, unit, odds, support };
  });
  const best = pooled.reduce((first, each) => (each.odds > first.odds ? each : first));
  return {
    matter,
    value: best.value,
    unit: best.unit,
    probability: 1 / (1 + Math.exp(-best.odds)),
    support: best.support,
    against: group.length - best.support,
  };
}

function logit(p: number): number {
  return Math.log(p / (1 - p));
}
