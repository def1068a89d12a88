import { PraxisError, type Rng } from "@praxis/env";
import type { KnowledgeBase } from "../../kb/types.ts";
import { demandOf, isHeldOutDrug, isHeldOutRule } from "../../scenario/splits.ts";
import type { Difficulty, Split } from "../../scenario/types.ts";
import { binomialTable, drawBinomial, drawDistinct } from "./binomial.ts";
import { type KnownPair, listKnownPairs } from "./known-pairs.ts";
import { MINING_TIERS, type MiningTier } from "./tiers.ts";

/** A hidden dangerous pattern. */
export interface Pattern {
  /** Positions of its drugs in the instance's list, ascending; 2-6 of them. */
  readonly drugs: readonly number[];
  /** Relative risk when all of them are taken, 1.8-3.0. */
  readonly risk: number;
  /** Rules of the known pair it was built on; empty for a random pattern. */
  readonly ruleIds: readonly string[];
}

/** A mining task. Plain data and small: the population follows from it. Patterns and seed are latent. */
export interface MiningInstance {
  /** drug_ids, ascending; combinations name them by position. */
  readonly drugIds: readonly string[];
  readonly patterns: readonly Pattern[];
  readonly tier: MiningTier;
  /** Seed of population and frozen risks. */
  readonly seed: number;
}

/** assumption: mean size of a pattern, and its bounds. */
const MEAN_PATTERN_SIZE = 3.5;
const PATTERN_SIZES = [2, 6] as const;
/** assumption: share of the patterns that stand on a known pair, and their sizes. */
const KNOWN_SHARE = 2 / 3;
const KNOWN_SIZES = [3, 4] as const;
/** assumption: bounds of a pattern's relative risk. */
const RISKS = [1.8, 3] as const;
/** Drug lists that are tried before a key counts as impossible. */
const MAX_ATTEMPTS = 200;

/**
 * Draws the task of a key: drugs of the table, patterns of which two thirds contain a known major or contraindicated pair.
 * Held-out drugs and rules stay out of train, val and test_iid; test_drug and test_pair have one in a pattern. Throws
 * INVALID_CONFIG when the table has too few drugs or pairs.
 */
export function drawInstance(kb: KnowledgeBase, difficulty: Difficulty, split: Split, rng: Rng): MiningInstance {
  const tier = MINING_TIERS[difficulty];
  const demand = demandOf(split);
  const pool = kb.drugs.filter((drug) => demand === "held_out_drug" || !isHeldOutDrug(kb, drug));
  if (pool.length < tier.drugs) throw tooSmall(`${pool.length} drugs for lists of ${tier.drugs}`);
  const isAllowed = (pair: KnownPair): boolean =>
    demand === "held_out_rule" || !pair.ruleIds.some((ruleId) => isHeldOutRule(ruleId));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const drugs = drawDistinct(rng, pool.length, tier.drugs)
      .map((position) => pool[position]!)
      .sort((a, b) => (a.drugId < b.drugId ? -1 : 1));
    const drugIndexes = drugs.map((drug) => drug.index);
    const pairs = listKnownPairs(kb, drugIndexes).filter(isAllowed);
    const patterns = drawPatterns(tier, pairs, rng);
    const seed = rng.uint32();
    if (patterns === null) continue;
    const isFitting =
      demand === "held_out_rule"
        ? patterns.some(({ ruleIds }) => ruleIds.some(isHeldOutRule))
        : demand !== "held_out_drug" ||
          patterns.some((pattern) => pattern.drugs.some((position) => isHeldOutDrug(kb, drugs[position]!)));
    if (isFitting) return { drugIds: drugs.map((drug) => drug.drugId), patterns, tier, seed };
  }
  throw tooSmall(`no list of ${tier.drugs} drugs with the pairs that split '${split}' asks for`);
}

/** Patterns of different drug sets; null when the list has no known pair. */
function drawPatterns(tier: MiningTier, pairs: readonly KnownPair[], rng: Rng): readonly Pattern[] | null {
  if (pairs.length === 0) return null;
  const sizes = binomialTable(tier.drugs, MEAN_PATTERN_SIZE);
  const onKnownPairs = Math.round(tier.patterns * KNOWN_SHARE);
  const patterns: Pattern[] = [];
  while (patterns.length < tier.patterns) {
    const pair = patterns.length < onKnownPairs ? rng.choice(pairs) : null;
    const [low, high] = pair === null ? PATTERN_SIZES : KNOWN_SIZES;
    let size = drawBinomial(sizes, rng);
    if (pair === null) size = Math.min(high, Math.max(low, size));
    else while (size < low || size > high) size = drawBinomial(sizes, rng);
    const drugs: number[] = pair === null ? [] : [pair.a, pair.b];
    while (drugs.length < size) {
      const position = rng.integer(0, tier.drugs - 1);
      if (!drugs.includes(position)) drugs.push(position);
    }
    drugs.sort((a, b) => a - b);
    const risk = RISKS[0] + (RISKS[1] - RISKS[0]) * rng.uniform();
    if (patterns.some((other) => other.drugs.join() === drugs.join())) continue;
    patterns.push({ drugs, risk, ruleIds: pair?.ruleIds ?? [] });
  }
  return patterns;
}

function tooSmall(what: string): PraxisError {
  return new PraxisError("INVALID_CONFIG", `The drug table is too small for BANDIT_MINING: ${what}.`);
}
