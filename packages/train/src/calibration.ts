/** Steps of Newton's method; the problem is convex in two numbers. */
const STEPS = 30;
/** Added to the curvature, so that choices that are all good or all bad do not send the numbers off. */
const RIDGE = 1e-3;
/**
 * Curvature that the fit over all groups has in the fit of one. assumption: as much as some fifteen choices tell, so that a group
 * with few of them is calibrated nearly as all are.
 */
const GROUP_RIDGE = 2;

/** A stated confidence before calibration, and what became of the choice. */
export interface SeenConfidence {
  readonly logit: number;
  readonly wasGood: boolean;
  /** Kind of situation that it is calibrated in. */
  readonly group: number;
}

/** Scale and shift of each group, one after the other: fits of their own, drawn towards that of all. */
export function fitPlattByGroup(seen: readonly SeenConfidence[], groups: number): Float32Array {
  const all = fitPlatt(seen);
  const fits = Array.from({ length: groups }, (_, group) => {
    const own = seen.filter((each) => each.group === group);
    return own.length === 0 ? all : fitPlatt(own, { towards: all, ridge: GROUP_RIDGE });
  });
  return Float32Array.from(fits.flat());
}

/**
 * Scale and shift of logits whose logistic says best how often a choice was good, by maximum likelihood with the smoothed targets
 * of Platt (1999). `towards`, by default [1, 0], without anything to go by.
 */
export function fitPlatt(
  seen: readonly Pick<SeenConfidence, "logit" | "wasGood">[],
  {
    towards = [1, 0],
    ridge = RIDGE,
  }: { readonly towards?: readonly [scale: number, shift: number]; readonly ridge?: number } = {},
): readonly [scale: number, shift: number] {
  if (seen.length === 0) return towards;
  const good = seen.filter(({ wasGood }) => wasGood).length;
  const targetOf = { good: (good + 1) / (good + 2), bad: 1 / (seen.length - good + 2) };
  let [scale, shift] = towards;
  for (let step = 0; step < STEPS; step++) {
    let [gScale, gShift, hScale, hBoth, hShift] = [
      ridge * (scale - towards[0]),
      ridge * (shift - towards[1]),
      ridge,
      0,
      ridge,
    ];
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
  return Number.isFinite(scale) && Number.isFinite(shift) ? [scale, shift] : towards;
}
