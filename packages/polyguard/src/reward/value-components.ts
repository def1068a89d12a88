import type { CourseValue } from "../course/evaluator.ts";
import { clip } from "./quantize.ts";

/** Change of U below which a change earns nothing in c4-c6. */
export const CHURN_LIMIT = 0.002;

/** Rise of H above which taking something away is no safety gain. */
const SAFETY_HARM_LIMIT = 0.0005;

/**
 * What the upper .4 of c6 adds to the reward over what the upper .5 of c4 adds, with the default weights:
 * (.25 * .50 * .4) / (.40 * .45 * .5).
 */
const DISEASE_SHARE = 5 / 9;

/** Least G4: smaller gains are no full score (assumption: G6 is then .010). */
const LEAST_SAFETY_SCALE = 0.018;

/**
 * Yardsticks of an episode: G4 and G6 are fixed at reset, the references move with the best state reached. G6 is always
 * {@link DISEASE_SHARE} of G4, so that a unit of LamDis moves the reward as much as a unit of LamADE: with a yardstick of its
 * own for either, a small gain of the one out-earned a large gain of the other.
 */
export interface EpisodeCredit {
  /** G4: large enough that no first action which raises U takes away more LamADE, or more LamDis than G6. */
  readonly safetyScale: number;
  /** G6: see {@link EpisodeCredit.safetyScale}. */
  readonly diseaseScale: number;
  /** R_ref: lowest LamADE reached so far. */
  readonly adeReference: number;
  /** D_ref: lowest LamDis reached so far. */
  readonly disReference: number;
}

/** Credit at reset from the values of KEEP and of the offered candidates; those that lower U set no yardstick. */
export function beginCredit(keep: CourseValue, candidates: readonly CourseValue[]): EpisodeCredit {
  let scale = LEAST_SAFETY_SCALE;
  for (const { ade, dis, utility } of candidates) {
    if (utility <= keep.utility) continue;
    scale = Math.max(scale, keep.ade - ade, (keep.dis - dis) / DISEASE_SHARE);
  }
  return {
    safetyScale: scale,
    diseaseScale: DISEASE_SHARE * scale,
    adeReference: keep.ade,
    disReference: keep.dis,
  };
}

/** References with one more value reached; harm that is repaired later earns nothing. */
export function lowerReferences(credit: EpisodeCredit, reached: CourseValue): EpisodeCredit {
  if (reached.ade >= credit.adeReference && reached.dis >= credit.disReference) return credit;
  return {
    safetyScale: credit.safetyScale,
    diseaseScale: credit.diseaseScale,
    adeReference: Math.min(credit.adeReference, reached.ade),
    disReference: Math.min(credit.disReference, reached.dis),
  };
}

/** c4, safety: LamADE taken away in units of G4; half is no change. `voi` is the value of information of an information action. */
export function safetyDelta(
  value: CourseValue,
  { keep, credit, isCapped, voi }: ValueContext & { readonly voi: number },
): number {
  let score = clip(0.5 + (0.5 * (credit.adeReference - value.ade)) / credit.safetyScale, 0, 1);
  if (value.dis - keep.dis > 0.05) score = Math.min(score, 0.5);
  if (value.harm > keep.harm + SAFETY_HARM_LIMIT) score = Math.min(score, 0.45);
  if (isCapped) score = Math.min(score, 0.5);
  return clip(score + 0.5 * Math.min(1, voi / 0.01), 0, 1);
}

/** What the value components are judged against. */
export interface ValueContext {
  readonly keep: CourseValue;
  readonly credit: EpisodeCredit;
  /** The change is too small, or its credit is void: no score above "no change". */
  readonly isCapped: boolean;
}

/** c5, burden: B taken away, .10 = full score; at most half when LamDis rises. */
export function burdenImprovement(value: CourseValue, { keep, isCapped }: ValueContext): number {
  const score = clip(0.5 + (0.5 * (keep.burden - value.burden)) / 0.1, 0, 1);
  return value.dis > keep.dis || isCapped ? Math.min(score, 0.5) : score;
}

/** c6, disease: .6 is no change, gains are in units of G6 below the best reached, worsening costs at least 6 per unit. */
export function diseaseStability(value: CourseValue, { keep, credit, isCapped }: ValueContext): number {
  let score = 0.6;
  if (value.dis > keep.dis) score = 0.6 - Math.max(6, 0.4 / credit.diseaseScale) * (value.dis - keep.dis);
  else if (value.dis < credit.disReference)
    score = 0.6 + (0.4 * (credit.disReference - value.dis)) / credit.diseaseScale;
  return clip(isCapped ? Math.min(score, 0.6) : score, 0, 1);
}

/** c9, efficiency: falls with the step (from 0), halved for a step that changed neither state nor information. */
export function efficiency(step: number, maxSteps: number, isHalved: boolean): number {
  const score = 1 - step / (maxSteps + 1);
  return isHalved ? score / 2 : score;
}

/** c13, calibration: a quadratic score of the stated confidence; no wrong choice pays more than a right one. */
export function uncertaintyCalibration(confidence: number, isGood: boolean): number {
  return isGood ? 1 - (1 - confidence) ** 2 / 2 : (1 - confidence ** 2) / 2;
}

/** c3, legality: 0 for any hard violation, else .15 off per soft one, at least .4. */
export function legality(hardCount: number, softCount: number): number {
  return hardCount > 0 ? 0 : Math.max(0.4, 1 - 0.15 * softCount);
}
