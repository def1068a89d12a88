import type { Rng } from "@praxis/env";

/** Gamma draw of scale 1. Source: Marsaglia and Tsang 2000. @param shape at least 1 */
function gamma(rng: Rng, shape: number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = rng.normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - rng.uniform()) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
  }
}

/** Beta draw. @param a @param b both at least 1 */
export function beta(rng: Rng, a: number, b: number): number {
  const x = gamma(rng, a);
  return x / (x + gamma(rng, b));
}
