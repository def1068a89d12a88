import { flagsOf, type NewDrugComponents } from "./components.ts";
import { clearanceOf, FLAG_KEYS } from "./decomposition.ts";
import { type ExposureSetting, exposureRatio } from "./exposure.ts";

/** Weights of the three parts of the task score. */
const EXPOSURE_WEIGHT = 0.4;
const FLAG_WEIGHT = 0.2;
const PLAN_WEIGHT = 0.4;

/** |log(E_hat/E)| of a decomposition in each setting. */
export function exposureErrors(
  components: NewDrugComponents,
  decomposition: Readonly<Record<string, number>>,
  settings: readonly ExposureSetting[],
): readonly number[] {
  const stated = clearanceOf(decomposition);
  return settings.map((setting) =>
    Math.abs(Math.log(exposureRatio(stated, setting) / exposureRatio(components, setting))),
  );
}

/** F1 of the flags that are set; a flag counts as found whatever its level. 1 when there are none and none is set. */
export function flagF1(components: NewDrugComponents, decomposition: Readonly<Record<string, number>>): number {
  const truth = flagsOf(components);
  let found = 0;
  let missed = 0;
  let wrong = 0;
  for (const key of FLAG_KEYS) {
    const isSet = (decomposition[key] ?? 0) > 0;
    const isTrue = truth[key]! > 0;
    if (isSet && isTrue) found++;
    else if (isSet) wrong++;
    else if (isTrue) missed++;
  }
  return found + missed + wrong === 0 ? 1 : (2 * found) / (2 * found + missed + wrong);
}

/** Task score, 0-1: `.4 exp(-mean |log(E_hat/E)|) + .2 F1 + .4 plan quality`. @param errors over the patient and the probe patients */
export function newDrugScore(errors: readonly number[], f1: number, planQuality: number): number {
  let sum = 0;
  for (const error of errors) sum += error / errors.length;
  return EXPOSURE_WEIGHT * Math.exp(-sum) + FLAG_WEIGHT * f1 + PLAN_WEIGHT * planQuality;
}
