/** Steps of Newton's method; the problem is convex in two numbers. */
const STEPS = 30;
/** Added to the curvature, so that choices that are all good or all bad do not send the numbers off. */
const RIDGE = 1e-3;

/**
 * Scale and shift of logits whose logistic says best how often a choice was good, by maximum likelihood with the smoothed targets
 * of Platt (1999). [1, 0] without anything to go by.
 */
export function fitPlatt(
  seen: readonly { readonly logit: number; readonly wasGood: boolean }[],
): readonly [scale: number, shift: number] {
  if (seen.length === 0) return [1, 0];
  const good = seen.filter(({ wasGood }) => wasGood).length;
  const targetOf = { good: (good + 1) / (good + 2), bad: 1 / (seen.length - good + 2) };
  let scale = 1;
  let shift = 0;
  for (let step = 0; step < STEPS; step++) {
    let [gScale, gShift, hScale, hBoth, hShift] = [RIDGE * (scale - 1), RIDGE * shift, RIDGE, 0, RIDGE];
    for (const { logit, wasGood } of seen) {
      const p = 1 / (1 + Math.exp(-(scale * logit + shift)));
      const error = p - (wasGood ? targetOf.good : targetOf.bad);
      const curvature = p * (1 - p);
      gScale += error * logit;
      gShift += error;
      hScale += curvature * logit * logit;
      hBoth += curvature * logit;
      hShift += curvature;
    }
    const determinant = hScale * hShift - hBoth * hBoth;
    if (!(Math.abs(determinant) > 1e-12)) break;
    // Halved while far off: a full step may jump past where the logistic is flat.
    const rate = step < 5 ? 0.5 : 1;
    scale -= (rate * (hShift * gScale - hBoth * gShift)) / determinant;
    shift -= (rate * (hScale * gShift - hBoth * gScale)) / determinant;
  }
  return Number.isFinite(scale) && Number.isFinite(shift) ? [scale, shift] : [1, 0];
}
