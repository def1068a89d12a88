import { z } from "zod";
import { parseLax } from "./lax-parse.ts";

/** Longest deadline that a request may ask for, in ms. */
const MAX_TIMEOUT_MS = 600_000;

const timeoutSchema = z.number().gt(0).nullable();

/** A `timeout_s` of the wire in ms, at most ten minutes; undefined for null. Throws VALIDATION_ERROR at `loc`. */
export function parseTimeout(seconds: unknown, loc: readonly string[] = ["timeout_s"]): number | undefined {
  const parsed = parseLax(timeoutSchema, seconds, loc);
  return parsed === null ? undefined : Math.min(parsed * 1000, MAX_TIMEOUT_MS);
}
