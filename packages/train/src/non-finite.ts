import { PraxisError } from "@praxis/env";
import { NnError, type Parameter } from "@praxis/nn";

/**
 * What to throw for an error of training: one about a number that is not finite is told with its place and the first
 * parameter that is not finite, any other error is left as it is.
 */
export function placeNonFinite(error: unknown, where: string, parameters: readonly Parameter[]): unknown {
  const isNonFinite =
    (error instanceof NnError && error.code === "NON_FINITE") ||
    (error instanceof PraxisError && error.code === "NON_FINITE_NUMBER");
  if (!isNonFinite) return error;
  const broken = parameters.find(({ data }) => !data.every(Number.isFinite));
  const culprit = broken === undefined ? "" : ` The weights of '${broken.name}' are not finite.`;
  return new PraxisError("NON_FINITE_NUMBER", `${where}: ${error.message}${culprit}`, { cause: error });
}
