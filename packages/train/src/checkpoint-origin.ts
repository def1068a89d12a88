import { PraxisError } from "@praxis/env";
import type { Checkpoint } from "./checkpoint.ts";

/** Throws VALIDATION_ERROR for a checkpoint of another environment, or of none of the algorithms. */
export function checkOrigin(
  checkpoint: Checkpoint,
  algorithms: readonly Checkpoint["algorithm"][],
  envId: string,
): void {
  if (algorithms.includes(checkpoint.algorithm) && checkpoint.envId === envId) return;
  throw new PraxisError(
    "VALIDATION_ERROR",
    `The checkpoint is of ${checkpoint.algorithm} on '${checkpoint.envId}', not of ${algorithms.join(" or ")} on '${envId}'.`,
  );
}
