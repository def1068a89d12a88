import { BLEEDING_FAMILIES } from "./hazard-families/bleeding.ts";
import { CASCADE_FAMILIES } from "./hazard-families/cascades.ts";
import { DEPRESCRIBING_FAMILIES } from "./hazard-families/deprescribing.ts";
import { DOSE_FAMILIES } from "./hazard-families/doses.ts";
import { EXPOSURE_FAMILIES } from "./hazard-families/exposure.ts";
import { HEART_FAMILIES } from "./hazard-families/heart.ts";
import { KIDNEY_AND_SALT_FAMILIES } from "./hazard-families/kidney-and-salts.ts";
import { LIST_FAMILIES } from "./hazard-families/list-and-choice.ts";
import { NERVOUS_SYSTEM_FAMILIES } from "./hazard-families/nervous-system.ts";
import { OMISSION_FAMILIES, UNTREATED_FAMILY } from "./hazard-families/omissions.ts";
import type { HazardFamily } from "./hazard-family.ts";

/** H01-H45, ascending. */
export const HAZARD_FAMILIES: readonly HazardFamily[] = [
  ...BLEEDING_FAMILIES,
  ...KIDNEY_AND_SALT_FAMILIES,
  ...NERVOUS_SYSTEM_FAMILIES,
  ...HEART_FAMILIES,
  ...EXPOSURE_FAMILIES,
  ...DOSE_FAMILIES,
  ...DEPRESCRIBING_FAMILIES,
  ...CASCADE_FAMILIES,
  ...OMISSION_FAMILIES,
  ...LIST_FAMILIES,
].sort((a, b) => (a.family < b.family ? -1 : 1));

const byName = new Map([...HAZARD_FAMILIES, UNTREATED_FAMILY].map((family) => [family.family, family]));

/** The families of those names, in the order of the names. Throws on a name that is none. */
export function familiesOf(names: readonly string[]): readonly HazardFamily[] {
  return names.map((name) => {
    const family = byName.get(name);
    if (family === undefined) throw new RangeError(`No hazard family '${name}'. Use H01 to H45 or UNTREATED.`);
    return family;
  });
}
