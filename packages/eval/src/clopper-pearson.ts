import { PraxisError } from "@praxis/env";
import type { Estimate } from "./statistics.ts";

const TAIL = 0.025;
const HALVINGS = 60;

/** Exact 95 % interval of a rare share (Clopper and Pearson 1934). Throws VALIDATION_ERROR unless 0 ≤ successes ≤ n and n > 0. */
export function clopperPearson(successes: number, n: number): Estimate {
  if (!(n > 0 && successes >= 0 && successes <= n))
    throw new PraxisError("VALIDATION_ERROR", `A share needs 0 ≤ successes ≤ n and n > 0, not ${successes} of ${n}.`);
  // P(X ≥ k) grows with the share, P(X ≤ k) falls.
  const low = successes === 0 ? 0 : bisect((p) => 1 - binomialCdf(successes - 1, n, p) < TAIL);
  const high = successes === n ? 1 : bisect((p) => binomialCdf(successes, n, p) > TAIL);
  return { n, mean: successes / n, low, high };
}

/** Largest p in 0 … 1 for which `isBelow` still holds. */
function bisect(isBelow: (p: number) => boolean): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(X ≤ k) of a binomial, summed from logarithms so that large n do not underflow. */
function binomialCdf(k: number, n: number, p: number): number {
  if (p <= 0) return 1;
  if (p >= 1) return k >= n ? 1 : 0;
  const odds = Math.log(p) - Math.log1p(-p);
  let term = n * Math.log1p(-p);
  let sum = 0;
  for (let i = 0; i <= k; i++) {
    sum += Math.exp(term);
    term += Math.log((n - i) / (i + 1)) + odds;
  }
  return Math.min(1, sum);
}
