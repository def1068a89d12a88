import { canonicalJson, PraxisError } from "@praxis/env";
import type { z } from "zod";
import type { UnusedEntry } from "./record.ts";
import { type Bundle, bundleSchema } from "./resources.ts";

/** One resource of the bundle with its name for messages. */
export interface BundleEntry {
  readonly ref: string;
  readonly fullUrl: string | null;
  readonly type: string;
  readonly id: string | null;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** Reads the bundle's frame. Throws INVALID_FHIR if it is no R4 Bundle of a kind that holds a record. */
export function readBundle(document: unknown): Bundle {
  const parsed = bundleSchema.safeParse(document);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const type = (document as { resourceType?: unknown } | null)?.resourceType;
    throw new PraxisError(
      "INVALID_FHIR",
      `The document is not a FHIR R4 Bundle: ${issue.path.join(".") || "the top"}: ${issue.message}${type === undefined ? "" : ` (resourceType ${JSON.stringify(type)})`}.`,
      {
        fields: parsed.error.issues.map((each) => ({
          type: "value_error",
          loc: each.path.map(String),
          msg: each.message,
        })),
      },
    );
  }
  const kinds = ["collection", "transaction", "batch", "searchset", "document", "history"];
  if (!kinds.includes(parsed.data.type))
    throw new PraxisError("INVALID_FHIR", `Bundle.type is '${parsed.data.type}'; expected one of ${kinds.join(", ")}.`);
  return parsed.data;
}

/** The resources of a bundle in order; what repeats, deletes or holds nothing is listed as unused. */
export function listEntries(bundle: Bundle, unused: UnusedEntry[]): BundleEntry[] {
  const entries: BundleEntry[] = [];
  const seen = new Map<string, string>();
  for (const [index, entry] of (bundle.entry ?? []).entries()) {
    const at = `entry[${index}]`;
    const resource = entry.resource as Readonly<Record<string, unknown>> | null | undefined;
    const drop = (ref: string, path: string, value: string, reason: string): void =>
      void unused.push({ entry: ref, path, value, reason });
    const method = entry.request?.method?.toUpperCase();
    if (method === "DELETE" || method === "GET" || method === "HEAD") {
      drop(at, "request.method", method, "the entry brings no resource into the record");
      continue;
    }
    if (resource === undefined || resource === null || typeof resource !== "object" || Array.isArray(resource)) {
      drop(at, "resource", JSON.stringify(resource) ?? "missing", "the entry has no resource");
      continue;
    }
    const type = resource.resourceType;
    if (typeof type !== "string") {
      drop(at, "resource.resourceType", JSON.stringify(type) ?? "missing", "the resource does not say its type");
      continue;
    }
    const id = typeof resource.id === "string" ? resource.id : null;
    const ref = `${at} ${type}${id === null ? "" : `/${id}`}`;
    // The same resource twice (a merged or repeated import) counts once.
    const key = id === null ? canonicalJson(resource) : `${type}/${id}`;
    const first = seen.get(key);
    if (first !== undefined) {
      drop(ref, "", "", `repeats ${first}`);
      continue;
    }
    seen.set(key, ref);
    entries.push({ ref, fullUrl: entry.fullUrl ?? null, type, id, resource });
  }
  return entries;
}

/** Parses a resource by its schema, or lists it as unused with path and value. */
export function parseResource<Schema extends z.ZodType>(
  entry: BundleEntry,
  schema: Schema,
  unused: UnusedEntry[],
): z.infer<Schema> | null {
  const parsed = schema.safeParse(entry.resource);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  let value: unknown = entry.resource;
  for (const part of issue.path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[part];
  unused.push({
    entry: entry.ref,
    path: issue.path.join("."),
    value: JSON.stringify(value)?.slice(0, 80) ?? "missing",
    reason: issue.message,
  });
  return null;
}

/** Code of a status-like concept, lower case; null when absent. */
export function statusCode(
  concept: { readonly coding?: readonly { readonly code?: string | undefined }[] | undefined } | undefined,
): string | null {
  return concept?.coding?.[0]?.code?.toLowerCase() ?? null;
}
