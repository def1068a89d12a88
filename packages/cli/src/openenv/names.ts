import { PraxisError } from "@praxis/env";

/** Names that an environment has in the Python world. */
export interface PythonNames {
  /** Top-level package, `polyguard`. */
  readonly package: string;
  /** Distribution, `openenv-polyguard`. */
  readonly distribution: string;
  /** Beginning of class names, as OpenEnv's AutoEnv infers it from the package name: `Polyguard`. */
  readonly classPrefix: string;
}

// A package of one of these names would hide, or be hidden by, something the folder itself needs.
const TAKEN = ["server", "openenv", "openenv_core", "test", "core"];

/** Python names of an environment's short name. Throws INVALID_CONFIG for one that Python cannot take. */
export function pythonNames(name: string): PythonNames {
  const packageName = name.replaceAll("-", "_");
  if (TAKEN.includes(packageName) || !/^[a-z][a-z0-9_]*$/.test(packageName))
    throw new PraxisError(
      "INVALID_CONFIG",
      `Environment name '${name}' can't be a Python package. Use lower case letters, digits and '-', and none of ${TAKEN.join(", ")}.`,
    );
  const classPrefix = packageName
    .replaceAll("_env", "")
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  return { package: packageName, distribution: `openenv-${packageName}`, classPrefix };
}
