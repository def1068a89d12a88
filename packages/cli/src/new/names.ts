import { closestName, PraxisError } from "@praxis/env";
import { pythonNames } from "../openenv/names.ts";

const LONGEST = 40;

/** The nearest name that {@link checkNewName} takes, for its message. */
function suggestion(name: string): string {
  const cleaned = name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, LONGEST);
  return cleaned === "" ? "my-env" : cleaned;
}

/**
 * Checks the name of a new environment. Throws INVALID_CONFIG, with a name that would do, for one that is no short name, is
 * taken by a registered environment, or can't be a Python package.
 */
export function checkNewName(name: string, taken: readonly string[]): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > LONGEST)
    throw new PraxisError(
      "INVALID_CONFIG",
      `'${name}' can't name an environment: use lower case letters, digits and single '-', a letter first, at most ${LONGEST} in all. '${suggestion(name)}' would do.`,
    );
  if (taken.includes(name))
    throw new PraxisError("INVALID_CONFIG", `There is an environment '${name}' already. '${name}-2' would do.`);
  const near = closestName(name, taken);
  // A name one slip away from a built-in one would be what every typing error finds.
  if (near !== null && near.replaceAll("-", "") === name.replaceAll("-", ""))
    throw new PraxisError("INVALID_CONFIG", `'${name}' is too near to the environment '${near}'. Choose another name.`);
  pythonNames(name);
}

/** Id of the first version: `lights-out` becomes `LightsOut-v0`. */
export function newId(name: string): string {
  const words = name.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}-v0`;
}
