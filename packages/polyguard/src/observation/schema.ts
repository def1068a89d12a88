import { z } from "zod";
import { candidateSchema } from "../actions/schema.ts";
import { DIFFICULTIES, SUB_ENVIRONMENTS } from "../scenario/types.ts";
import { alternativeBlockSchema } from "../sub-environments/alternative-suggestion/block-schema.ts";
import { banditBlockSchema } from "../sub-environments/bandit-mining/block-schema.ts";
import { newDrugBlockSchema } from "../sub-environments/new-drug-decomposition/block-schema.ts";
import { dosingBlockSchema } from "../sub-environments/precision-dosing/block-schema.ts";

/** A laboratory value or vital sign; `flag` L, N or H against the reference range. */
const labSchema = z.strictObject({
  value: z.number(),
  unit: z.string(),
  age_days: z.number(),
  flag: z.enum(["L", "N", "H"]),
});

/** What the agent sees; wire names. Values that are not known are null or absent, never latent. */
export const observationSchema = z.strictObject({
  schema_version: z.literal("1.0"),
  episode_id: z.string(),
  step: z.int(),
  step_nonce: z.string(),
  sub_environment: z.enum(SUB_ENVIRONMENTS),
  difficulty: z.enum(DIFFICULTIES),
  task: z.strictObject({
    goal: z.string(),
    success_criteria: z.array(z.string()),
    targets: z.array(z.strictObject({ med_ref: z.string(), floor_dose_per_day: z.number() })).optional(),
    must_stay: z.array(z.string()).optional(),
  }),
  patient: z.strictObject({
    age: z.int(),
    sex: z.enum(["F", "M"]),
    weight_kg: z.number().nullable(),
    height_cm: z.number().nullable(),
    smoker: z.boolean().nullable(),
    frailty_cfs: z.number().nullable(),
    life_expectancy: z.string().nullable(),
    preferences: z.array(z.string()),
  }),
  conditions: z.array(
    z.strictObject({ code: z.string(), icd10: z.string(), status: z.enum(["active", "history", "unverified"]) }),
  ),
  allergies: z.array(
    z.strictObject({ id: z.string(), substance: z.string(), reaction: z.string().nullable(), verified: z.boolean() }),
  ),
  organ: z.strictObject({
    scr: labSchema.nullable(),
    crcl: z.number().nullable(),
    egfr: z.number().nullable(),
    child_pugh: z.string().nullable(),
  }),
  labs: z.record(z.string(), labSchema),
  vitals: z.record(z.string(), labSchema),
  medications: z.array(
    z.strictObject({
      med_ref: z.string(),
      drug_id: z.string().nullable(),
      label: z.string(),
      dose_per_day: z.number(),
      unit: z.string(),
      freq: z.number(),
      route: z.string(),
      started_days_ago: z.number().nullable(),
      indication: z.string().nullable(),
      prn: z.boolean(),
      status: z.enum(["active", "tapering", "held", "unreconciled"]),
    }),
  ),
  discrepancies: z.array(
    z.strictObject({
      id: z.string(),
      kind: z.enum(["omission", "duplicate", "dose_conflict", "not_taken", "otc_unlisted"]),
      text: z.string(),
    }),
  ),
  safety: z.strictObject({
    alerts: z.array(
      z.strictObject({
        id: z.string(),
        drugs: z.array(z.string()),
        severity: z.string(),
        domain: z.string(),
        source: z.string(),
        managed: z.boolean(),
      }),
    ),
    alert_coverage: z.number(),
    burden: z.strictObject({ n: z.number(), acb: z.number(), dbi: z.number(), mrci: z.number() }),
    r90_estimate: z.number(),
  }),
  dosing_flags: z.array(z.strictObject({ drug_id: z.string(), flag: z.string(), level: labSchema.nullable() })),
  taper: z.array(
    z.strictObject({
      drug_id: z.string(),
      pct_of_start: z.number(),
      days_since_change: z.number(),
      withdrawal_score: z.number().nullable(),
      plan: z
        .strictObject({
          med_ref: z.string(),
          step_pct: z.number(),
          interval_days: z.number(),
          reductions: z.int(),
          next_in_days: z.number(),
          paused: z.boolean(),
        })
        .nullable(),
    }),
  ),
  course: z.strictObject({
    day: z.number(),
    visits_left: z.int(),
    changes_left: z.int(),
    changes_28d: z.array(z.string()),
    symptoms: z.array(z.strictObject({ condition: z.string(), score: z.number(), suspects: z.array(z.string()) })),
    stopped: z.array(z.strictObject({ drug_id: z.string(), days_ago: z.number() })),
    orders: z.array(
      z.strictObject({ code: z.string(), drug_id: z.string().nullable(), days_ago: z.number().nullable() }),
    ),
    switch: z.strictObject({ to: z.string(), earliest_day: z.number() }).nullable(),
    pill_count: z.number().nullable(),
    events: z.array(z.strictObject({ kind: z.string(), day: z.number(), stopped: z.string().nullable() })),
  }),
  conflicts: z.array(z.strictObject({ id: z.string(), from: z.string(), says: z.string() })),
  evidence: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      source_type: z.string(),
      year: z.int(),
      snippet: z.string(),
    }),
  ),
  candidates: z.array(candidateSchema),
  budget: z.strictObject({ steps_left: z.int(), evidence_left: z.int(), review_left: z.int() }),
  history: z.array(
    z.strictObject({ step: z.int(), action_type: z.string(), target: z.string().nullable(), outcome: z.string() }),
  ),
  warnings: z.array(z.string()),
  alternative: alternativeBlockSchema.optional(),
  bandit: banditBlockSchema.optional(),
  new_drug: newDrugBlockSchema.optional(),
  dosing: dosingBlockSchema.optional(),
  uncertainty: z.strictObject({ missing_fields: z.array(z.string()), entropy_hint: z.number() }),
});

/** What the agent sees. */
export type Observation = z.infer<typeof observationSchema>;
