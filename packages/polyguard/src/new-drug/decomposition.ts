import { RISK_COLUMNS } from "../kb/domains.ts";
import { type ClearanceParts, NEW_DRUG_ENZYMES, type NewDrugEnzyme } from "./components.ts";

/** Keys of a decomposition with their highest value; lowest is 0, and what is left out counts as 0. */
const DECOMPOSITION_LIMITS: Readonly<Record<string, number>> = Object.fromEntries([
  ...NEW_DRUG_ENZYMES.map((enzyme) => [`fm_${enzyme}`, 1]),
  ["fe", 1],
  ["pgp", 1],
  ...NEW_DRUG_ENZYMES.map((enzyme) => [`inh_${enzyme}`, 3]),
  ...NEW_DRUG_ENZYMES.map((enzyme) => [`ind_${enzyme}`, 3]),
  ["qt", 3],
  ["narrow_ti", 1],
  ...RISK_COLUMNS.map((column) => [column, 2]),
]);

/** Keys that are flags, in the order of the limits. */
export const FLAG_KEYS: readonly string[] = Object.keys(DECOMPOSITION_LIMITS).filter(
  (key) => !key.startsWith("fm_") && key !== "fe" && key !== "pgp",
);

/** Slack for rounded fractions. */
const SUM_SLACK = 0.011;

/** What is wrong with a decomposition, in words; null = nothing. */
export function decompositionFault(decomposition: Readonly<Record<string, number>>): string | null {
  for (const [key, value] of Object.entries(decomposition)) {
    const most = Object.hasOwn(DECOMPOSITION_LIMITS, key) ? DECOMPOSITION_LIMITS[key]! : null;
    if (most === null) return `'${key}' is no key of a decomposition`;
    if (!(value >= 0 && value <= most)) return `'${key}' must be from 0 to ${most}, not ${value}`;
    if (FLAG_KEYS.includes(key) && !Number.isInteger(value)) return `'${key}' must be a whole number, not ${value}`;
  }
  const { fm, fe } = clearanceOf(decomposition);
  const sum = NEW_DRUG_ENZYMES.reduce((total, enzyme) => total + fm[enzyme], fe);
  return sum > 1 + SUM_SLACK ? `fm_* and fe come to ${Math.round(sum * 1000) / 1000}, more than 1` : null;
}

/** The clearance that a decomposition states; rounded fractions that come to a little over 1 are scaled down. */
export function clearanceOf(decomposition: Readonly<Record<string, number>>): ClearanceParts {
  const stated = NEW_DRUG_ENZYMES.map((enzyme) => decomposition[`fm_${enzyme}`] ?? 0);
  const fe = decomposition.fe ?? 0;
  const sum = stated.reduce((total, each) => total + each, fe);
  const scale = sum > 1 && sum <= 1 + SUM_SLACK ? 1 / sum : 1;
  const fm = Object.fromEntries(NEW_DRUG_ENZYMES.map((enzyme, i) => [enzyme, stated[i]! * scale]));
  return { fm: fm as Record<NewDrugEnzyme, number>, fe: fe * scale, pgp: decomposition.pgp ?? 0 };
}
