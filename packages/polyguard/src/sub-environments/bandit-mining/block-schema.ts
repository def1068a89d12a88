import { z } from "zod";

/** Observation block of BANDIT_MINING. */
export const banditBlockSchema = z.strictObject({
  /** drug_ids that combinations are made of, ascending. */
  drugs: z.array(z.string()),
  population_size: z.int(),
  probes_left: z.int(),
  /** Probes so far with the observed relative risk. */
  probes: z.array(z.strictObject({ combination: z.array(z.string()), rr: z.number() })),
  /** Combinations of the population; only in the first observation, and only if the reset asks for it. */
  population: z.array(z.array(z.string())).optional(),
});
