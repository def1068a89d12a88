/** Score that one useless change for a false or managed alert costs. */
const USELESS_CHANGE_COST = 0.05;
/** Gap between the best and the KEEP course below which there is nothing to gain. */
const NO_GAP = 1e-9;

/**
 * Task score of DDI, 0-1: share of the gain over KEEP that was reached, on the same event numbers, less .05 per useless
 * change. Null without a J_best, which only an oracle knows.
 */
export function ddiTaskScore(input: {
  readonly j: number;
  readonly keepJ: number;
  readonly bestJ: number | null;
  readonly uselessChanges: number;
}): number | null {
  const { j, keepJ, bestJ, uselessChanges } = input;
  if (bestJ === null) return null;
  const gap = bestJ - keepJ;
  const share = gap <= NO_GAP ? (j >= keepJ - NO_GAP ? 1 : 0) : (j - keepJ) / gap;
  return Math.min(1, Math.max(0, Math.min(1, Math.max(0, share)) - USELESS_CHANGE_COST * uselessChanges));
}
