import { z } from "zod";
import { FAILURE_CLASSES } from "../errors.ts";

/** Pattern of every id: a letter, then letters, digits, `_` or `-`, at most 64 in all. */
const ID_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** An id of an agent, step, model or saved name. */
export const idSchema = z.string().regex(ID_PATTERN, { error: "bad-id" });

/** Text that is not empty. */
export const textSchema = z.string().min(1).max(8_000);

const milliseconds = z
  .int()
  .min(1)
  .max(7 * 24 * 3_600_000);

/** A time limit in ms. */
export const timeoutSchema = milliseconds.describe("Time limit in ms.");

/** How often and when to try again. */
export const retrySchema = z
  .strictObject({
    max_attempts: z.int().min(1).max(20).optional().describe("Attempts in all; default 3."),
    base_ms: z.int().min(0).max(600_000).optional().describe("First upper limit of the wait; default 500."),
    factor: z.number().min(1).max(10).optional().describe("Growth of the limit; default 2."),
    max_ms: z.int().min(0).max(3_600_000).optional().describe("Largest wait; default 20000."),
    jitter: z.enum(["full", "none"]).optional().describe("'full' draws the wait from 0 to the limit."),
    on: z.array(z.enum(FAILURE_CLASSES)).optional().describe("Failure classes that are tried again."),
  })
  .describe("How often and when a failure is tried again.");

/** Limits of spending. */
export const budgetSchema = z
  .strictObject({
    max_tokens: z.int().min(1).optional().describe("Prompt and output tokens together."),
    max_cost_usd: z.number().positive().optional(),
    max_llm_calls: z.int().min(1).optional(),
    max_tool_calls: z.int().min(0).optional(),
    max_wall_ms: milliseconds.optional(),
    warn_at: z.number().gt(0).lte(1).optional().describe("Share at which an event warns; default 0.8."),
    on_exceeded: z
      .enum(["stop", "finalize"])
      .optional()
      .describe("'finalize' (default) lets the last agent answer from what exists."),
    finalize_tokens: z.int().min(0).optional().describe("Tokens kept back for that answer; default 2000."),
    on_unknown_price: z.enum(["warn", "error"]).optional(),
  })
  .describe("Limits of spending; a call's worst case is reserved before it is made.");

/** Limits of one provider. */
export const rateLimitSchema = z.strictObject({
  requests_per_minute: z.int().min(1).optional(),
  tokens_per_minute: z.int().min(1).optional(),
  max_concurrency: z.int().min(1).max(1_000).optional(),
});

/** Which earlier work an agent is shown. */
export const contextSchema = z.strictObject({
  from: z
    .union([z.enum(["all", "none"]), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe("'all' (default), 'none', or step ids."),
  max_items: z.int().min(1).max(100).optional().describe("Default 5."),
  max_tokens: z.int().min(16).optional().describe("Default: a quarter of the model's window."),
  mode: z.enum(["full", "summary", "auto"]).optional(),
  summary_model: z.string().min(1).optional(),
});

/** Any JSON Schema; its own validity is checked apart. */
export const jsonSchemaSchema = z.record(z.string(), z.unknown()).describe("A JSON Schema (draft 2020-12).");
