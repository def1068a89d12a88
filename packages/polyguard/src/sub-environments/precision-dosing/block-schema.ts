import { z } from "zod";

const targetSchema = z.strictObject({
  low: z.number(),
  high: z.number(),
  /** Bound beyond which the value is toxic. */
  toxic: z.number(),
  /** A trough at or above it is too high; null = none is watched. */
  trough_below: z.number().nullable(),
});

/** Observation block of PRECISION_DOSING: the target drug, its doses so far and its levels as reported. */
export const dosingBlockSchema = z.strictObject({
  drug_id: z.string(),
  med_ref: z.string(),
  /** Code of the assessed quantity. */
  level_code: z.string(),
  /** UCUM. */
  unit: z.string(),
  target: targetSchema,
  /** Days from one assessment to the next. */
  step_days: z.int(),
  level_included: z.boolean(),
  /** A dose holds from its course day to the next entry; 0 = held. */
  doses: z.array(z.strictObject({ day: z.int(), dose_per_day: z.number(), interval_h: z.number() })),
  /** Course day is that on whose morning the level was known. */
  levels: z.array(z.strictObject({ day: z.int(), value: z.number(), trough: z.number().nullable() })),
  /** Known after the order GENOTYPE. */
  genotype: z.strictObject({ cyp2c9: z.string(), vkorc1: z.string() }).nullable(),
});

/** The block on the wire. */
export type DosingBlock = z.infer<typeof dosingBlockSchema>;
