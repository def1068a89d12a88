import { fnv1a64 } from "@praxis/env";
import type { MiningInstance } from "./instance.ts";

/** assumption: mean and spread of the relative risk of a combination without danger. */
export const SAFE_MEAN = 0.92;
export const SAFE_SPREAD = 0.06;

/**
 * Excess of a pattern of `size` drugs with relative risk `risk` when `shared` of its drugs are taken: nothing up to half of
 * them, then a straight line up to `risk - 1`.
 */
export function patternExcess(risk: number, size: number, shared: number): number {
  return (risk - 1) * Math.max(0, (2 * shared) / size - 1);
}

/**
 * True mean relative risk of a combination (positions, ascending): 1 + the largest excess of a pattern, or, where no pattern
 * is more than half present, a normal number that is frozen by seed and combination.
 */
export function meanRisk(instance: MiningInstance, combination: ArrayLike<number>): number {
  let excess = 0;
  for (const { drugs, risk } of instance.patterns) {
    const shared = countShared(drugs, combination);
    if (2 * shared <= drugs.length) continue;
    excess = Math.max(excess, patternExcess(risk, drugs.length, shared));
  }
  return excess > 0 ? 1 + excess : SAFE_MEAN + SAFE_SPREAD * frozenNormal(instance, combination);
}

/** Numbers that two ascending lists share. */
function countShared(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = a[i]! - b[j]!;
    if (difference === 0) shared++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return shared;
}

/** Standard normal number of a combination: Box-Muller on two words of its hash, which are mixed until every bit counts. */
function frozenNormal({ drugIds, seed }: MiningInstance, combination: ArrayLike<number>): number {
  let text = `${seed}`;
  for (let i = 0; i < combination.length; i++) text += `+${drugIds[combination[i]!]}`;
  const [high, low] = fnv1a64(text);
  const first = (mix(high) + 1) / 2 ** 32;
  const second = mix(low ^ mix(high)) / 2 ** 32;
  return Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second);
}

/** Finaliser of MurmurHash3 (Appleby): 32 bits in, 32 well-mixed bits out. */
function mix(word: number): number {
  let h = word >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
