import { z } from "zod";
import { ACTION_TYPES, REVIEWERS, START_PLANS } from "./types.ts";

/** Most UTF-8 bytes of an action as JSON text. */
export const MAX_ACTION_BYTES = 4096;
/** Most UTF-8 bytes of a DECLARE_FINDINGS action. */
export const MAX_DECLARATION_BYTES = 65_536;
/** Most characters of a rationale. */
export const MAX_RATIONALE_LENGTH = 600;

const identifier = z.string().min(1).max(64);
const dose = z.number().min(0).max(1e6);

/** Pace of a taper on the wire. */
const taperSchema = z.strictObject({
  step_pct: z.number().gt(0).max(100),
  interval_days: z.number().int().min(1).max(365),
});

/** A typed action on the wire; unknown keys are refused. Doses are a day's total in the unit of the drug's row (mg/wk: a week's). */
export const actionSchema = z.strictObject({
  schema_version: z.literal("1.0"),
  step_nonce: identifier,
  candidate_id: identifier,
  action_type: z.enum(ACTION_TYPES),
  target: identifier.optional(),
  replacement: identifier.optional(),
  dose_per_day: dose.optional(),
  freq: z.number().gt(0).max(24).optional(),
  taper: taperSchema.optional(),
  orders: z.array(identifier).max(16).optional(),
  query: z.string().min(1).max(300).optional(),
  combinations: z.array(z.array(identifier).min(2).max(8)).min(1).max(16).optional(),
  decomposition: z.record(identifier, z.number().min(0).max(3)).optional(),
  plan: z.enum(START_PLANS).optional(),
  ranking: z.array(identifier).min(1).max(3).optional(),
  findings: z.array(z.string().min(1).max(300)).max(2000).optional(),
  review_to: z.enum(REVIEWERS).optional(),
  rationale: z.string().max(MAX_RATIONALE_LENGTH),
  evidence_ids: z.array(identifier).max(32),
  confidence: z.number().min(0).max(1),
});

/** A typed action as parsed from the wire. */
export type WireAction = z.infer<typeof actionSchema>;

/** A model's own text instead of a typed action; judged by `parseRawAction`, never refused for its content. */
const rawActionSchema = z.strictObject({ raw: z.string().max(200_000) });

/** No action came in time: for this decision (`step`), or the time of the whole episode is over. Sent by who keeps time. */
const timeoutSchema = z.strictObject({ timed_out: z.enum(["step", "episode"]) });

/** What `step` takes: a typed action, raw text, or word that none came in time. */
export const stepActionSchema = z.union([actionSchema, rawActionSchema, timeoutSchema]);

/** A typed action, a model's own text, or word that none came in time. */
export type StepAction = z.infer<typeof stepActionSchema>;

/** One offered action in the observation. */
export const candidateSchema = z.strictObject({
  candidate_id: z.string(),
  action_type: z.enum(ACTION_TYPES),
  target: z.string().optional(),
  replacement: z.string().optional(),
  dose_per_day: z.number().optional(),
  freq: z.number().optional(),
  taper: z.strictObject({ step_pct: z.number(), interval_days: z.number() }).optional(),
  orders: z.array(z.string()).readonly().optional(),
  text: z.string(),
});
