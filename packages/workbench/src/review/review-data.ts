import { z } from "zod";

const findingSchema = z.looseObject({
  severity: z.string(),
  drugs: z.string().default(""),
  drug_ids: z.array(z.string()).default([]),
  domain: z.string().default(""),
  mechanism: z.string().default(""),
  effect: z.string().default(""),
  management: z.string().default(""),
  source: z.string().default(""),
  managed: z.boolean().default(false),
});

/** A review as `POST /review` answers it; wire names. */
export const reviewSchema = z.looseObject({
  notice: z.string(),
  policy: z.string(),
  as_of: z.string(),
  patient: z.looseObject({
    id: z.string(),
    name: z.string().nullable(),
    age: z.number(),
    sex: z.string(),
    crcl_ml_min: z.number().nullable(),
    egfr_ml_min_1_73: z.number().nullable(),
  }),
  medications: z.array(
    z.looseObject({
      label: z.string(),
      dose: z.string(),
      indication: z.string().nullable(),
      checked: z.boolean(),
      notes: z.array(z.string()),
    }),
  ),
  findings: z.array(findingSchema),
  open_findings: z.array(findingSchema),
  unused: z.array(z.looseObject({ entry: z.string(), path: z.string(), value: z.string(), reason: z.string() })),
  warnings: z.array(z.looseObject({ entry: z.string(), path: z.string(), message: z.string() })),
  assumptions: z.array(z.string()),
  proposals: z.array(
    z.looseObject({
      day: z.number(),
      text: z.string(),
      why: z.string(),
      expected_harm_before: z.number(),
      expected_harm_after: z.number(),
      reward: z.number(),
      legal: z.boolean(),
      outcome: z.string(),
    }),
  ),
  expected_harm: z.looseObject({ before: z.number(), after: z.number(), unit: z.string() }),
  r90: z.looseObject({ before: z.number(), after: z.number() }),
  score: z.looseObject({
    total: z.number(),
    components: z.record(z.string(), z.number()),
    steps: z.number(),
    ended: z.string(),
  }),
});

/** {@link reviewSchema} as a type. */
export type Review = z.infer<typeof reviewSchema>;
