import type { Estimate } from "./statistics.ts";

/** `mean [low, high]`. @param digits after the point, default 3 */
export function showEstimate({ mean, low, high }: Omit<Estimate, "n">, digits = 3): string {
  return `${mean.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}
