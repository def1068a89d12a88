import type { Finished, Yardsticks } from "./sub-environment.ts";

/** Score that one useless change for a false or managed alert costs. */
const USELESS_CHANGE_COST = 0.05;
/** Gap between the best and the KEEP course below which there is nothing to gain. */
const NO_GAP = 1e-9;

/** Share of the gain in J over KEEP that was reached on the same event numbers, 0-1; null without a J_best. */
function shareOfGain({ j, keepJ, bestJ }: Yardsticks): number | null {
  if (bestJ === null) return null;
  const gap = bestJ - keepJ;
  const share = gap <= NO_GAP ? (j >= keepJ - NO_GAP ? 1 : 0) : (j - keepJ) / gap;
  return Math.min(1, Math.max(0, share));
}

/** {@link shareOfGain} less .05 per change that answered only false or managed alerts; not below 0. */
export function courseTaskScore(
  { uselessChanges }: Pick<Finished, "uselessChanges">,
  yardsticks: Yardsticks,
): number | null {
  const share = shareOfGain(yardsticks);
  return share === null ? null : Math.max(0, share - USELESS_CHANGE_COST * uselessChanges);
}
