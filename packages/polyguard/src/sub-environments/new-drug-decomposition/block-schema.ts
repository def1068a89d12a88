import { z } from "zod";

const factSchema = z.strictObject({
  kind: z.enum(["phenotyping", "ddi", "renal", "qt", "transporter", "class", "level"]),
  value: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).readonly(),
});

/** Block of the observation about the new drug. Doses in mg a day. */
export const newDrugBlockSchema = z.strictObject({
  name: z.string(),
  drug_id: z.string(),
  class_text: z.string(),
  indication: z.string(),
  usual_dose_mg: z.number(),
  facts: z.array(factSchema).readonly(),
  /** Plan that was submitted; null = not judged yet. */
  plan: z.string().nullable(),
});

/** {@link newDrugBlockSchema} as a type. */
export type NewDrugBlock = z.infer<typeof newDrugBlockSchema>;
