import { NOTICE, POLYGUARD_VERSION } from "../definition.ts";
import { findDrug } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Review, ReviewFinding, ReviewProposal } from "./review-types.ts";
import { uuidOf } from "./uuid.ts";
import {
  dosageOf,
  drugConcept,
  medicationRequest,
  type OrderFrame,
  protectionDrug,
  serviceRequest,
  type WrittenResource,
} from "./write-orders.ts";

/** A FHIR R4 Bundle of type collection. */
export interface ExportBundle {
  readonly resourceType: "Bundle";
  readonly type: "collection";
  readonly timestamp: string;
  readonly entry: readonly { readonly fullUrl: string; readonly resource: WrittenResource }[];
}

const SEVERITY: Readonly<Record<string, string>> = { contraindicated: "high", major: "high", moderate: "moderate" };
const DAY_MS = 86_400_000;

/**
 * A review as FHIR R4: a DetectedIssue per finding, MedicationRequests (intent proposal, status draft; a stop has
 * doNotPerform) and ServiceRequests for what is proposed, a RiskAssessment for the 90-day risk before and after, and one
 * Provenance for all of them. Equal reviews give equal bundles.
 */
export function exportReview(kb: KnowledgeBase, review: Review): ExportBundle {
  const patient = `Patient/${review.patient.id}`;
  const referencesOf = new Map(
    review.medications.flatMap(({ drug_id, references }) => (drug_id === null ? [] : [[drug_id, references] as const])),
  );
  const resources: WrittenResource[] = [];
  review.findings.forEach((finding, i) => {
    resources.push(detectedIssue(finding, `issue-${i + 1}`, { patient, asOf: review.as_of, referencesOf }));
  });
  review.proposals.forEach((proposal, i) => {
    if (proposal.legal) resources.push(...proposed(kb, proposal, `proposal-${i + 1}`, patient, referencesOf));
  });
  resources.push(riskAssessment(review, patient));
  const targets = resources.map(({ resourceType, id }) => ({ reference: `${resourceType}/${id}` }));
  resources.push({
    resourceType: "Provenance",
    id: "provenance",
    target: targets,
    recorded: `${review.as_of}T00:00:00Z`,
    agent: [
      {
        type: {
          coding: [{ system: "http://terminology.hl7.org/CodeSystem/provenance-participant-type", code: "assembler" }],
        },
        who: { display: `PolyGuard ${POLYGUARD_VERSION}, policy ${review.policy}. ${NOTICE}` },
      },
    ],
    entity: [{ role: "source", what: { reference: patient } }],
  });
  const scope = `${review.patient.id}/${review.as_of}/${review.policy}`;
  return {
    resourceType: "Bundle",
    type: "collection",
    timestamp: `${review.as_of}T00:00:00Z`,
    entry: resources.map((resource) => ({
      fullUrl: `urn:uuid:${uuidOf(`${scope}/${resource.resourceType}/${resource.id}`)}`,
      resource,
    })),
  };
}

type ReferencesByDrug = ReadonlyMap<string, readonly string[]>;

function detectedIssue(
  finding: ReviewFinding,
  id: string,
  record: { readonly patient: string; readonly asOf: string; readonly referencesOf: ReferencesByDrug },
): WrittenResource {
  const implicated = finding.drug_ids.flatMap((drugId) => record.referencesOf.get(drugId) ?? []);
  return {
    resourceType: "DetectedIssue",
    id,
    status: "final",
    code: {
      coding: [{ system: "http://terminology.hl7.org/CodeSystem/v3-ActCode", code: "DRG" }],
      text: `${finding.rule}, ${finding.domain.toLowerCase().replaceAll("_", " ")}`,
    },
    severity: SEVERITY[finding.severity] ?? "low",
    patient: { reference: record.patient },
    identifiedDateTime: record.asOf,
    implicated: implicated.map((reference) => ({ reference })),
    detail: `${finding.severity}: ${finding.drugs}. ${finding.effect} (${finding.mechanism}). ${finding.management} Source: ${finding.source}. ${NOTICE}`,
    ...(finding.managed ? { mitigation: [{ action: { text: finding.management || "managed" } }] } : {}),
  };
}

function proposed(
  kb: KnowledgeBase,
  proposal: ReviewProposal,
  id: string,
  patient: string,
  referencesOf: ReferencesByDrug,
): WrittenResource[] {
  const notes = [`Day ${proposal.day}: ${proposal.text}${proposal.why === "" ? "" : ` Why: ${proposal.why}`}`, NOTICE];
  const frame = (suffix: string, replaces: string | null): OrderFrame => ({
    id: `${id}${suffix}`,
    patient,
    status: "draft",
    intent: "proposal",
    notes,
    replaces,
  });
  const old = proposal.drug_id === null ? undefined : findDrug(kb, proposal.drug_id);
  const reference = proposal.drug_id === null ? null : (referencesOf.get(proposal.drug_id)?.[0] ?? null);
  const added = proposal.replacement === null ? undefined : findDrug(kb, proposal.replacement);
  const dose =
    proposal.dose_per_day === null || proposal.doses_per_day === null
      ? null
      : { dosePerDay: proposal.dose_per_day, dosesPerDay: proposal.doses_per_day };
  const written: WrittenResource[] = [];
  switch (proposal.action) {
    case "STOP_DRUG":
      if (old !== undefined) written.push(medicationRequest(drugConcept(old), null, frame("", reference)));
      break;
    case "SUBSTITUTE_DRUG":
      if (old !== undefined) written.push(medicationRequest(drugConcept(old), null, frame("-stop", reference)));
      if (added !== undefined && dose !== null)
        written.push(medicationRequest(drugConcept(added), dosageOf(added, dose), frame("", reference)));
      break;
    case "ADD_DRUG":
      if (added !== undefined && dose !== null)
        written.push(medicationRequest(drugConcept(added), dosageOf(added, dose), frame("", null)));
      break;
    case "ADJUST_DOSE":
      if (old !== undefined && dose !== null)
        written.push(medicationRequest(drugConcept(old), dosageOf(old, dose), frame("", reference)));
      break;
    case "HOLD_DOSE":
    case "START_TAPER":
    case "CONTINUE_TAPER":
    case "PAUSE_TAPER":
    case "REVERT_TAPER":
      // The plan is in words: FHIR R4 has no structure for a taper that reacts to symptoms.
      if (old !== undefined)
        written.push(medicationRequest(drugConcept(old), { text: proposal.text }, frame("", reference)));
      break;
    case "ADD_PROTECTION": {
      const protection = protectionDrug(kb, proposal.replacement ?? "");
      written.push(
        protection === null
          ? serviceRequest(kb, proposal.replacement ?? "protection", frame("", null))
          : medicationRequest(
              drugConcept(protection.drug),
              dosageOf(protection.drug, protection.dose),
              frame("", null),
            ),
      );
      break;
    }
    case "REQUEST_REVIEW":
      written.push(serviceRequest(kb, "MEDICATION_REVIEW", frame("", null)));
      break;
  }
  for (const [i, order] of proposal.orders.entries())
    if (!order.startsWith("SWITCH")) written.push(serviceRequest(kb, order, frame(`-order-${i + 1}`, null)));
  return written;
}

function riskAssessment(review: Review, patient: string): WrittenResource {
  const until = new Date(Date.parse(`${review.as_of}T00:00:00Z`) + 90 * DAY_MS).toISOString().slice(0, 10);
  const prediction = (probability: number, rationale: string): Readonly<Record<string, unknown>> => ({
    outcome: { text: "adverse drug event" },
    probabilityDecimal: probability,
    whenPeriod: { start: review.as_of, end: until },
    rationale,
  });
  return {
    resourceType: "RiskAssessment",
    id: "risk",
    status: "final",
    subject: { reference: patient },
    occurrenceDateTime: review.as_of,
    prediction: [
      prediction(review.r90.before, "the list as recorded"),
      prediction(review.r90.after, "the list after the proposals"),
    ],
    note: [{ text: NOTICE }],
  };
}
