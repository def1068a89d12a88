import type { EnvService } from "@praxis/env";
import type { CardFeedback } from "../src/cds/feedback.ts";
import { loadPolyGuard } from "../src/index.ts";

/** A MedicationRequest by name, in mg. */
export const order = (
  id: string,
  text: string,
  value: number,
  frequency = 1,
  more: Readonly<Record<string, unknown>> = {},
) => ({
  resourceType: "MedicationRequest",
  id,
  status: "active",
  intent: "order",
  medicationCodeableConcept: { text },
  authoredOn: "2025-01-01",
  dosageInstruction: [
    {
      timing: { repeat: { frequency, period: 1, periodUnit: "d" } },
      doseAndRate: [{ doseQuantity: { value, unit: "mg", code: "mg" } }],
    },
  ],
  ...more,
});

/** An active condition by ICD-10 code. */
export const condition = (code: string) => ({
  resourceType: "Condition",
  id: `c-${code}`,
  clinicalStatus: { coding: [{ code: "active" }] },
  code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10-cm", code }] },
});

/** A laboratory value by LOINC code. */
export const value = (loinc: string, amount: number, unit: string) => ({
  resourceType: "Observation",
  id: `o-${loinc}`,
  status: "final",
  code: { coding: [{ system: "http://loinc.org", code: loinc }] },
  effectiveDateTime: "2026-02-20",
  valueQuantity: { value: amount, unit, code: unit },
});

/** A verified allergy by name. */
export const allergy = (text: string, manifestation = "rash") => ({
  resourceType: "AllergyIntolerance",
  id: `a-${text}`,
  clinicalStatus: { coding: [{ code: "active" }] },
  verificationStatus: { coding: [{ code: "confirmed" }] },
  code: { text },
  reaction: [{ manifestation: [{ text: manifestation }] }],
});

const set = (resources: readonly unknown[]) => ({
  resourceType: "Bundle",
  type: "searchset",
  entry: resources.map((resource) => ({ resource })),
});

/** What a request is made of. */
export interface RequestParts {
  readonly orders?: readonly unknown[];
  readonly conditions?: readonly unknown[];
  readonly allergies?: readonly unknown[];
  /** Default: creatinine 0.8 mg/dL, weight 70 kg. */
  readonly observations?: readonly unknown[];
  readonly drafts?: readonly { readonly id: string }[];
  readonly selections?: readonly string[];
}

/** A whole request body for a hook. */
export function request(hook: string, parts: RequestParts) {
  const { drafts, selections } = parts;
  return {
    hook,
    hookInstance: "d1577c69-dfbe-44ad-ba6d-3e05e953b2ea",
    context: {
      userId: "Practitioner/1",
      patientId: "p",
      ...(drafts === undefined
        ? {}
        : { draftOrders: set(drafts.map((draft) => ({ ...draft, status: "draft", intent: "order" }))) }),
      ...(selections === undefined ? {} : { selections }),
    },
    prefetch: {
      patient: { resourceType: "Patient", id: "p", birthDate: "1946-01-01", gender: "female" },
      medications: set(parts.orders ?? []),
      conditions: set(parts.conditions ?? []),
      allergies: set(parts.allergies ?? []),
      observations: set(parts.observations ?? [value("2160-0", 0.8, "mg/dL"), value("29463-7", 70, "kg")]),
    } as Record<string, unknown>,
  };
}

/** A card as it is answered. */
export interface AnsweredCard {
  readonly uuid: string;
  readonly summary: string;
  readonly detail: string;
  readonly indicator: string;
  readonly source: { readonly label: string; readonly topic: { readonly code: string } };
  readonly suggestions?: readonly {
    readonly label: string;
    readonly actions: readonly Readonly<Record<string, unknown>>[];
  }[];
  readonly overrideReasons?: readonly unknown[];
}

/** The services with what they pass on. */
export function makeServices() {
  const feedback: CardFeedback[] = [];
  const services = loadPolyGuard({ cds: { today: () => "2026-03-02", onFeedback: (each) => feedback.push(each) } })
    .services!;
  const find = (path: string): EnvService => services.find((service) => service.path === path)!;
  return {
    feedback,
    find,
    ask: async (hook: string, parts: RequestParts): Promise<readonly AnsweredCard[]> => {
      const answer = await find(`/cds-services/polyguard-${hook}`).call(JSON.stringify(request(hook, parts)));
      return (answer as { readonly cards: readonly AnsweredCard[] }).cards;
    },
    send: async (hook: string, body: unknown): Promise<unknown> =>
      find(`/cds-services/polyguard-${hook}`).call(typeof body === "string" ? body : JSON.stringify(body)),
    answer: async (hook: string, entries: readonly unknown[]): Promise<unknown> =>
      find(`/cds-services/polyguard-${hook}/feedback`).call(JSON.stringify({ feedback: entries })),
  };
}
