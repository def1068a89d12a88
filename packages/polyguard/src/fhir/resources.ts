import { z } from "zod";

// Only what is read is named; everything else of a resource passes unread. Types follow FHIR R4 (4.0.1).

const coding = z.looseObject({
  system: z.string().optional(),
  code: z.string().optional(),
  display: z.string().optional(),
});

/** CodeableConcept. */
export const conceptSchema = z.looseObject({ coding: z.array(coding).optional(), text: z.string().optional() });
export type Concept = z.infer<typeof conceptSchema>;

/** Quantity, SimpleQuantity, Age. A value given as text is refused. */
export const quantitySchema = z.looseObject({
  value: z.number().optional(),
  unit: z.string().optional(),
  system: z.string().optional(),
  code: z.string().optional(),
  comparator: z.string().optional(),
});
export type Quantity = z.infer<typeof quantitySchema>;

const reference = z.looseObject({ reference: z.string().optional(), display: z.string().optional() });
const range = z.looseObject({ low: quantitySchema.optional(), high: quantitySchema.optional() });
const ratio = z.looseObject({ numerator: quantitySchema.optional(), denominator: quantitySchema.optional() });
const period = z.looseObject({ start: z.string().optional(), end: z.string().optional() });

const repeat = z.looseObject({
  frequency: z.number().optional(),
  frequencyMax: z.number().optional(),
  period: z.number().optional(),
  periodMax: z.number().optional(),
  periodUnit: z.string().optional(),
  when: z.array(z.string()).optional(),
  timeOfDay: z.array(z.string()).optional(),
  dayOfWeek: z.array(z.string()).optional(),
  boundsPeriod: period.optional(),
  boundsDuration: quantitySchema.optional(),
});

/** Dosage. */
export const dosageSchema = z.looseObject({
  text: z.string().optional(),
  timing: z.looseObject({ repeat: repeat.optional(), code: conceptSchema.optional() }).optional(),
  asNeededBoolean: z.boolean().optional(),
  asNeededCodeableConcept: conceptSchema.optional(),
  route: conceptSchema.optional(),
  doseAndRate: z
    .array(
      z.looseObject({
        doseQuantity: quantitySchema.optional(),
        doseRange: range.optional(),
        rateQuantity: quantitySchema.optional(),
        rateRatio: ratio.optional(),
        rateRange: range.optional(),
      }),
    )
    .optional(),
  maxDosePerPeriod: ratio.optional(),
});
export type Dosage = z.infer<typeof dosageSchema>;

const base = {
  resourceType: z.string(),
  id: z.string().optional(),
  contained: z.array(z.looseObject({ resourceType: z.string(), id: z.string().optional() })).optional(),
};

/** Patient. */
export const patientSchema = z.looseObject({
  ...base,
  birthDate: z.string().optional(),
  gender: z.string().optional(),
  deceasedBoolean: z.boolean().optional(),
  deceasedDateTime: z.string().optional(),
  name: z
    .array(
      z.looseObject({
        text: z.string().optional(),
        family: z.string().optional(),
        given: z.array(z.string()).optional(),
      }),
    )
    .optional(),
});
export type FhirPatient = z.infer<typeof patientSchema>;

/** Condition. */
export const conditionSchema = z.looseObject({
  ...base,
  code: conceptSchema.optional(),
  clinicalStatus: conceptSchema.optional(),
  verificationStatus: conceptSchema.optional(),
  onsetDateTime: z.string().optional(),
});

/** AllergyIntolerance. */
export const allergySchema = z.looseObject({
  ...base,
  code: conceptSchema.optional(),
  clinicalStatus: conceptSchema.optional(),
  verificationStatus: conceptSchema.optional(),
  criticality: z.string().optional(),
  reaction: z
    .array(z.looseObject({ manifestation: z.array(conceptSchema).optional(), severity: z.string().optional() }))
    .optional(),
});

/** Observation. */
export const observationResourceSchema = z.looseObject({
  ...base,
  status: z.string().optional(),
  code: conceptSchema.optional(),
  valueQuantity: quantitySchema.optional(),
  valueCodeableConcept: conceptSchema.optional(),
  valueBoolean: z.boolean().optional(),
  valueString: z.string().optional(),
  effectiveDateTime: z.string().optional(),
  issued: z.string().optional(),
  component: z
    .array(z.looseObject({ code: conceptSchema.optional(), valueQuantity: quantitySchema.optional() }))
    .optional(),
});

/** MedicationRequest and MedicationStatement: one reader for both. */
export const medicationOrderSchema = z.looseObject({
  ...base,
  status: z.string().optional(),
  intent: z.string().optional(),
  medicationCodeableConcept: conceptSchema.optional(),
  medicationReference: reference.optional(),
  dosageInstruction: z.array(dosageSchema).optional(),
  dosage: z.array(dosageSchema).optional(),
  authoredOn: z.string().optional(),
  effectiveDateTime: z.string().optional(),
  effectivePeriod: period.optional(),
  reasonCode: z.array(conceptSchema).optional(),
  reasonReference: z.array(reference).optional(),
});
export type MedicationOrder = z.infer<typeof medicationOrderSchema>;

/** Medication. */
export const medicationSchema = z.looseObject({ ...base, code: conceptSchema.optional() });

/** Bundle: entries are read one by one, so that one bad entry does not spoil the others. */
export const bundleSchema = z.looseObject({
  resourceType: z.literal("Bundle"),
  type: z.string(),
  timestamp: z.string().optional(),
  entry: z
    .array(
      z.looseObject({
        fullUrl: z.string().optional(),
        resource: z.unknown().optional(),
        request: z.looseObject({ method: z.string().optional() }).optional(),
      }),
    )
    .optional(),
});
export type Bundle = z.infer<typeof bundleSchema>;
