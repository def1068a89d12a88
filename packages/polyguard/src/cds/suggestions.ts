import { NOTICE } from "../definition.ts";
import {
  dosageOf,
  drugConcept,
  medicationRequest,
  type OrderFrame,
  protectionDrug,
  serviceRequest,
} from "../fhir/write-orders.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { type Advice, type Remedy, referenceOf } from "./advise.ts";
import type { CdsRequest } from "./request.ts";

/** What a suggestion is made of. */
interface SuggestionParts {
  readonly advice: Advice;
  readonly request: CdsRequest;
  readonly remedy: Remedy;
  readonly uuid: string;
  readonly isBest: boolean;
}

type Action = Readonly<Record<string, unknown>>;

/** A remedy as a CDS Hooks suggestion: drafts are deleted or changed, current orders are stopped, new ones come as proposals. */
export function suggestionOf(kb: KnowledgeBase, parts: SuggestionParts): Readonly<Record<string, unknown>> {
  const { remedy, uuid, isBest } = parts;
  return {
    label: remedy.text,
    uuid,
    isRecommended: isBest,
    actions: actionsOf(kb, parts),
  };
}

function actionsOf(kb: KnowledgeBase, { advice, request, remedy, uuid }: SuggestionParts): readonly Action[] {
  const { payload, text } = remedy;
  const medication =
    "medRef" in payload && payload.medRef !== null ? advice.context.byRef.get(payload.medRef) : undefined;
  const drug = medication === undefined ? undefined : kb.drugs[medication.drugIndex]!;
  const references =
    advice.record.medications.find((each) => each.drugIndex === medication?.drugIndex)?.entries.map(referenceOf) ?? [];
  const frame = (suffix: string): OrderFrame => ({
    id: `${uuid}${suffix}`,
    patient: `Patient/${request.patientId}`,
    status: "draft",
    intent: "proposal",
    notes: [NOTICE],
    replaces: references[0] ?? null,
  });
  const create = (resource: Action, description = text): Action => ({ type: "create", description, resource });
  /** Ends the orders of the drug: a draft is deleted, a current one is set to the status. */
  const end = (status: "stopped" | "on-hold"): readonly Action[] =>
    references.flatMap((reference): Action[] => {
      const name = drug?.genericName ?? reference;
      if (request.drafts.has(reference))
        return [{ type: "delete", description: `Remove the order of ${name}`, resourceId: reference }];
      const sent = request.sent.get(reference);
      const verb = status === "stopped" ? "Stop" : "Hold";
      return sent === undefined
        ? []
        : [{ type: "update", description: `${verb} ${name}`, resource: { ...sent, status } }];
    });
  const orders = (codes: readonly string[]): readonly Action[] =>
    codes.map((code, i) => create(serviceRequest(kb, code, frame(`-order-${i + 1}`)), `Order ${code}`));
  switch (payload.type) {
    case "STOP_DRUG":
      return [...end("stopped"), ...orders(payload.orders)];
    case "HOLD_DOSE":
      return end("on-hold");
    case "SUBSTITUTE_DRUG":
    case "ADD_DRUG": {
      const added = kb.drugs[payload.drugIndex]!;
      return [
        ...(payload.type === "SUBSTITUTE_DRUG" ? end("stopped") : []),
        create(
          medicationRequest(drugConcept(added), dosageOf(added, payload), frame("")),
          `Order ${added.genericName}`,
        ),
        ...orders(payload.orders),
      ];
    }
    case "ADJUST_DOSE": {
      const dosage = dosageOf(drug!, payload);
      const draft = references.length === 1 ? request.drafts.get(references[0]!) : undefined;
      return [
        draft === undefined
          ? create(medicationRequest(drugConcept(drug!), dosage, frame("")))
          : { type: "update", description: text, resource: { ...draft, dosageInstruction: [dosage] } },
        ...orders(payload.orders),
      ];
    }
    case "START_TAPER":
      return [create(medicationRequest(drugConcept(drug!), { text }, frame(""))), ...orders(payload.orders)];
    case "ADD_PROTECTION": {
      const protection = protectionDrug(kb, payload.protection);
      return [
        protection === null
          ? create(serviceRequest(kb, payload.protection, frame("")))
          : create(
              medicationRequest(drugConcept(protection.drug), dosageOf(protection.drug, protection.dose), frame("")),
            ),
      ];
    }
    case "SEPARATE_TIMING":
      return orders(["TIMING"]);
    case "ORDER_MONITORING":
      return orders(payload.orders);
    default:
      return [];
  }
}
