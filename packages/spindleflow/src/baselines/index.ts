import { didYouMean, PraxisError } from "@praxis/env";
import { ORACLES } from "./oracles.ts";
import { PLANNERS } from "./planners.ts";
import { RULES } from "./rules.ts";
import type { Script } from "./script.ts";

/** Scripts that know the latent state: bounds, never baselines. */
export const ORACLE_NAMES: readonly string[] = Object.keys(ORACLES);

/** Scripted policies: rules and planners, which read nothing hidden, then the two oracles. */
export const SCRIPT_NAMES: readonly string[] = [...Object.keys(RULES), ...Object.keys(PLANNERS), ...ORACLE_NAMES];

/** A script for one shift; planners remember, so each shift needs a new one. Throws UNKNOWN_NAME with the nearest name. */
export function makeScript(name: string): Script {
  const script = RULES[name] ?? ORACLES[name] ?? PLANNERS[name]?.();
  if (script !== undefined) return script;
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown script '${name}'.${didYouMean(name, SCRIPT_NAMES)} Known: ${SCRIPT_NAMES.join(", ")}.`,
  );
}
