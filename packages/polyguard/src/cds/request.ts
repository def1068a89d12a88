import { type FieldError, PraxisError } from "@praxis/env";
import { z } from "zod";

/** Hooks that are answered. */
export const HOOKS = ["patient-view", "order-select", "order-sign"] as const;
export type Hook = (typeof HOOKS)[number];

/** What a client fetches beforehand. `patient` and `medications` are needed; the others make the answer better. */
export const PREFETCH: Readonly<Record<string, string>> = {
  patient: "Patient/{{context.patientId}}",
  medications: "MedicationRequest?patient={{context.patientId}}&status=active,on-hold",
  statements: "MedicationStatement?patient={{context.patientId}}&status=active,intended",
  conditions: "Condition?patient={{context.patientId}}",
  allergies: "AllergyIntolerance?patient={{context.patientId}}",
  observations: "Observation?patient={{context.patientId}}&category=laboratory,vital-signs&_sort=-date&_count=200",
};

/** Parts that an answer names when they were not sent. */
const OPTIONAL_PARTS = ["conditions", "allergies", "observations"] as const;

/** A resource as the client sent it. */
export type SentResource = Readonly<Record<string, unknown>> & { readonly resourceType: string };

const resource = z.looseObject({ resourceType: z.string() });
const bundle = z.looseObject({
  resourceType: z.literal("Bundle"),
  entry: z.array(z.looseObject({ resource: resource.optional() })).optional(),
});

const requestSchema = z.looseObject({
  hook: z.enum(HOOKS),
  hookInstance: z.string().min(1),
  context: z.looseObject({
    userId: z.string().optional(),
    patientId: z.string().min(1),
    encounterId: z.string().optional(),
    selections: z.array(z.string()).optional(),
    draftOrders: bundle.optional(),
  }),
  prefetch: z.record(z.string(), z.union([bundle, resource, z.null()])).optional(),
});

/** A request as it is judged: one bundle of the record with the drafts in it, and which of its orders are the drafts. */
export interface CdsRequest {
  readonly hook: Hook;
  readonly hookInstance: string;
  readonly patientId: string;
  /** The record, drafts first: a draft takes the place of an order with the same id. */
  readonly document: {
    readonly resourceType: "Bundle";
    readonly type: "collection";
    readonly entry: readonly unknown[];
  };
  /** `MedicationRequest/m1` of the orders that the answer is about; null = of all (patient-view). */
  readonly asked: ReadonlySet<string> | null;
  /** Drafts by reference, as sent. */
  readonly drafts: ReadonlyMap<string, SentResource>;
  /** Every resource that has an id, drafts included, by reference, as sent. */
  readonly sent: ReadonlyMap<string, SentResource>;
  /** Newest date in the record, ISO 8601; null when it has none. */
  readonly newestDate: string | null;
  /** Optional parts that were not sent. */
  readonly missing: readonly string[];
}

/**
 * Reads the body of a call to the service of `hook`. Throws VALIDATION_ERROR naming path and value, or
 * PRECONDITION_FAILED when the patient or the medications were not sent: nothing is fetched from a FHIR server.
 */
export function readCdsRequest(hook: Hook, body: unknown): CdsRequest {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) throw refusal(parsed.error.issues);
  const { context, prefetch = {}, hookInstance } = parsed.data;
  if (parsed.data.hook !== hook) throw field("hook", `This service answers '${hook}', not '${parsed.data.hook}'.`);
  const parts = new Map<string, readonly SentResource[]>();
  for (const [name, part] of Object.entries(prefetch)) if (part !== null) parts.set(name, resourcesOf(part));
  for (const name of ["patient", "medications"])
    if (!parts.has(name))
      throw new PraxisError(
        "PRECONDITION_FAILED",
        `prefetch.${name} is missing, and nothing is fetched from a FHIR server. Send the answer to '${PREFETCH[name]}'.`,
      );
  const drafts = new Map<string, SentResource>();
  let asked: Set<string> | null = null;
  if (hook !== "patient-view") {
    if (context.draftOrders === undefined) throw field("context.draftOrders", `'${hook}' needs the draft orders.`);
    for (const [i, draft] of resourcesOf(context.draftOrders).entries()) {
      if (draft.resourceType !== "MedicationRequest") continue;
      if (typeof draft.id !== "string" || draft.id === "")
        throw field(
          `context.draftOrders.entry.${i}.resource.id`,
          "A draft order needs an id, so that cards can name it.",
        );
      drafts.set(`MedicationRequest/${draft.id}`, draft);
    }
    asked = new Set(drafts.keys());
    if (hook === "order-select") {
      if (context.selections === undefined) throw field("context.selections", "'order-select' needs the selections.");
      for (const selection of context.selections)
        if (selection.startsWith("MedicationRequest/") && !drafts.has(selection))
          throw field("context.selections", `'${selection}' is not among the draft orders.`);
      asked = new Set(context.selections.filter((selection) => drafts.has(selection)));
    }
  }
  // A draft is judged as if it were signed.
  const signed = [...drafts.values()].map((draft) => ({ ...draft, status: "active", intent: "order" }));
  const sent = [...parts.values()].flat();
  const patient = sent.find(({ resourceType }) => resourceType === "Patient");
  if (patient === undefined) throw field("prefetch.patient", "It holds no Patient resource.");
  if (typeof patient.id === "string" && patient.id !== context.patientId)
    throw field("context.patientId", `It is '${context.patientId}', but prefetch.patient is '${patient.id}'.`);
  return {
    hook,
    hookInstance,
    patientId: context.patientId,
    document: {
      resourceType: "Bundle",
      type: "collection",
      entry: [...signed, ...sent].map((each) => ({ resource: each })),
    },
    asked,
    drafts,
    sent: new Map(
      [...sent, ...drafts.values()].flatMap((each) =>
        typeof each.id === "string" ? [[`${each.resourceType}/${each.id}`, each]] : [],
      ),
    ),
    newestDate: newestDate(sent),
    missing: OPTIONAL_PARTS.filter((name) => !parts.has(name)),
  };
}

function resourcesOf(part: z.infer<typeof bundle> | z.infer<typeof resource>): readonly SentResource[] {
  const { entry } = part as { readonly entry?: readonly { readonly resource?: SentResource | undefined }[] };
  if (part.resourceType !== "Bundle") return [part as SentResource];
  return (entry ?? []).flatMap(({ resource: each }) => (each === undefined ? [] : [each]));
}

const DATE_KEYS = ["authoredOn", "effectiveDateTime", "issued", "recordedDate", "dateAsserted"];

function newestDate(resources: readonly SentResource[]): string | null {
  let newest: string | null = null;
  for (const each of resources)
    for (const key of DATE_KEYS) {
      const value = each[key];
      const day = typeof value === "string" && /^\d{4}-\d{2}-\d{2}/.test(value) ? value.slice(0, 10) : null;
      if (day !== null && (newest === null || day > newest)) newest = day;
    }
  return newest;
}

function field(path: string, message: string): PraxisError {
  return new PraxisError("VALIDATION_ERROR", `${path}: ${message}`, {
    fields: [{ type: "value_error", loc: path.split("."), msg: message }],
  });
}

function refusal(issues: readonly z.core.$ZodIssue[]): PraxisError {
  const fields = issues.map(
    (issue): FieldError => ({ type: "value_error", loc: issue.path.map(String), msg: issue.message }),
  );
  const first = fields[0]!;
  return new PraxisError("VALIDATION_ERROR", `${first.loc.join(".") || "body"}: ${first.msg}.`, { fields });
}
