import { PraxisError } from "./errors.ts";

/** Throws VALIDATION_ERROR unless `seed` is an integer from 0 to 2^53 − 1. */
export function checkSeed(seed: unknown): asserts seed is number {
  if (Number.isSafeInteger(seed) && (seed as number) >= 0) return;
  const isTooSmall = Number.isSafeInteger(seed);
  throw new PraxisError(
    "VALIDATION_ERROR",
    `seed must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, not ${String(seed)}.`,
    {
      fields: [
        isTooSmall
          ? {
              type: "greater_than_equal",
              loc: ["seed"],
              msg: "Input should be greater than or equal to 0",
              input: seed,
              ctx: { ge: 0 },
            }
          : { type: "int_type", loc: ["seed"], msg: "Input should be a valid integer", input: seed },
      ],
    },
  );
}
