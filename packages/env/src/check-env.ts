import { definitionChecks } from "./checks/definition-checks.ts";
import { determinismChecks } from "./checks/determinism-checks.ts";
import { lifecycleChecks } from "./checks/lifecycle-checks.ts";
import type { Check, CheckContext } from "./checks/player.ts";
import { valueChecks } from "./checks/value-checks.ts";
import type { EnvDefinition } from "./env.ts";
import { PraxisError, toPraxisError } from "./errors.ts";
import { didYouMean } from "./names.ts";
import { checkSeed } from "./seed.ts";

/** Outcome of one check. */
export interface EnvCheck {
  readonly name: string;
  readonly ok: boolean;
  /** The rule if it holds, else what is wrong. */
  readonly message: string;
  /** True if it was not judged, since a check that it builds on failed; `ok` is then false. */
  readonly skipped?: boolean;
  /** Milliseconds it took, if a clock was handed in. */
  readonly ms?: number;
}

/** Settings of {@link checkEnv}. */
export interface CheckEnvOptions {
  /** First seed; default 1. */
  readonly seed?: number;
  /** Steps that each check plays at most, where it needs no end of an episode; default 50. */
  readonly steps?: number;
  /** Names of the checks to run; default all. What they build on runs too. */
  readonly only?: readonly string[];
  /** Clock in milliseconds. */
  readonly now?: () => number;
}

// Longest episode that is played to its end.
const MAX_END_STEPS = 10_000;

// Checks stand after those that they need.
const CHECKS: readonly Check[] = [...definitionChecks, ...determinismChecks, ...lifecycleChecks, ...valueChecks];

/** Names of all checks, in the order in which they run. */
export const CHECK_NAMES: readonly string[] = CHECKS.map((check) => check.name);

function select(only: readonly string[] | undefined): readonly Check[] {
  if (only === undefined) return CHECKS;
  const wanted = new Set<string>();
  const want = (name: string): void => {
    const check = CHECKS.find((each) => each.name === name);
    if (check === undefined)
      throw new PraxisError("UNKNOWN_NAME", `Unknown check '${name}'.${didYouMean(name, CHECK_NAMES)}`);
    wanted.add(name);
    check.needs?.forEach(want);
  };
  only.forEach(want);
  return CHECKS.filter((check) => wanted.has(check.name));
}

async function runCheck(check: Check, context: CheckContext): Promise<string | null> {
  try {
    return await check.run(context);
  } catch (error) {
    const { code, message } = toPraxisError(error);
    return `It threw ${code}: ${message}`;
  }
}

/**
 * Tries every rule of the environment contract on fresh environments and says which hold. Never throws for a broken environment;
 * throws UNKNOWN_NAME for an unknown check and VALIDATION_ERROR for a seed that is none.
 */
export async function checkEnv(
  definition: EnvDefinition,
  { seed = 1, steps = 50, only, now }: CheckEnvOptions = {},
): Promise<readonly EnvCheck[]> {
  checkSeed(seed);
  const endSteps = Math.min(MAX_END_STEPS, Math.max(steps, definition.maxEpisodeSteps ?? 0));
  const context: CheckContext = { definition, seed, steps, endSteps };
  const outcomes = new Map<string, EnvCheck>();
  for (const check of select(only)) {
    const { name, rule, needs = [] } = check;
    const missing = needs.find((need) => outcomes.get(need)?.ok === false);
    if (missing !== undefined) {
      outcomes.set(name, { name, ok: false, message: `Not judged, since '${missing}' failed.`, skipped: true });
      continue;
    }
    const begun = now?.();
    const wrong = await runCheck(check, context);
    const ms = begun === undefined ? {} : { ms: now!() - begun };
    outcomes.set(name, { name, ok: wrong === null, message: wrong ?? rule, ...ms });
  }
  return [...outcomes.values()];
}
