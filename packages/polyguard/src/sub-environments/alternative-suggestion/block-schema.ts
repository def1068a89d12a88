import { z } from "zod";

/** Observation block of the drug that must go: who it is, why, what may stand in its place, what was recommended. */
export const alternativeBlockSchema = z.strictObject({
  med_ref: z.string(),
  drug_id: z.string(),
  reason: z.string(),
  /** Options as long as nothing is recommended: a ranking names up to three of these candidate ids. */
  options: z.array(z.strictObject({ candidate_id: z.string(), option: z.string() })),
  /** The recommended options, best first; null = none yet. */
  recommended: z.array(z.string()).nullable(),
});
