import { PraxisError } from "@praxis/env";
import type { KnowledgeBase } from "../kb/types.ts";
import { conditionsOf } from "./condition-codes.ts";
import { ageInDays } from "./dates.ts";
import { matchDrug } from "./drug-names.ts";
import { type BundleEntry, parseResource, statusCode } from "./entries.ts";
import { readableValueOf, readQuantity } from "./lab-codes.ts";
import type { ImportedRecord, ImportedValue, ImportWarning, UnusedEntry } from "./record.ts";
import { allergySchema, type Concept, conditionSchema, observationResourceSchema, type Quantity } from "./resources.ts";

/** Lists that the readers write to. */
export interface ReadLog {
  readonly used: { readonly entry: string; readonly as: string }[];
  readonly unused: UnusedEntry[];
  readonly warnings: ImportWarning[];
}

const labelOf = (concept: Concept | undefined): string =>
  concept?.text ??
  concept?.coding?.find((coding) => coding.display !== undefined)?.display ??
  concept?.coding?.[0]?.code ??
  "no code";

/** Conditions: active ones, and resolved ones as history; refuted and entered-in-error ones are listed as unused. */
export function readConditions(
  kb: KnowledgeBase,
  entries: readonly BundleEntry[],
  log: ReadLog,
): ImportedRecord["conditions"] {
  const found = new Map<string, ImportedRecord["conditions"][number]>();
  for (const entry of entries) {
    if (entry.type !== "Condition") continue;
    const condition = parseResource(entry, conditionSchema, log.unused);
    if (condition === null) continue;
    const verification = statusCode(condition.verificationStatus);
    if (verification === "entered-in-error" || verification === "refuted") {
      log.unused.push({
        entry: entry.ref,
        path: "verificationStatus",
        value: verification,
        reason: "the condition does not hold",
      });
      continue;
    }
    const { codes, icd10 } = conditionsOf(kb, condition.code ?? {});
    if (codes.length === 0) {
      log.unused.push({
        entry: entry.ref,
        path: "code",
        value: labelOf(condition.code),
        reason: "no ICD-10 category or SNOMED CT code that the knowledge base knows",
      });
      continue;
    }
    const status = statusCode(condition.clinicalStatus) ?? "active";
    const isActive = ["active", "recurrence", "relapse"].includes(status);
    for (const code of codes) {
      const known = found.get(code);
      if (known === undefined || (isActive && !known.isActive))
        found.set(code, { code, icd10, isActive, entry: entry.ref });
    }
    log.used.push({ entry: entry.ref, as: `${codes.join(", ")}${isActive ? "" : ` (${status})`}` });
  }
  return [...found.values()];
}

/** Substances that name a class, by words of the text. Source of the classes: ATC. */
const ALLERGY_CLASSES: readonly (readonly [word: RegExp, group: string])[] = [
  [/\bpenicillins?\b/i, "PENICILLIN"],
  [/\bcephalosporins?\b/i, "CEPHALOSPORIN"],
  [/\bsulf(a|onamides?|onamide antibiotics?)\b/i, "SULFA_TMP"],
  [/\b(nsaids?|non-?steroidal)\b/i, "NSAID"],
  [/\b(ace inhibitors?|acei)\b/i, "ACEI"],
  [/\bopioids?\b/i, "OPIOID"],
  [/\bstatins?\b/i, "STATIN"],
  [/\bmacrolides?\b/i, "MACROLIDE"],
];

const REACTIONS: readonly (readonly [word: RegExp, reaction: string])[] = [
  [/anaphyla/i, "anaphylaxis"],
  [/angio-?o?edema/i, "angioedema"],
  [/bronchospasm|wheez|asthma/i, "bronchospasm"],
  [/rash|hives|urticaria|itch|exanthem/i, "rash"],
];

/** Allergies: the ingredient or class; an unknown substance is kept and said to be unchecked. */
export function readAllergies(
  kb: KnowledgeBase,
  entries: readonly BundleEntry[],
  log: ReadLog,
): ImportedRecord["allergies"] {
  const allergies: ImportedRecord["allergies"][number][] = [];
  for (const entry of entries) {
    if (entry.type !== "AllergyIntolerance") continue;
    const allergy = parseResource(entry, allergySchema, log.unused);
    if (allergy === null) continue;
    const verification = statusCode(allergy.verificationStatus) ?? "unconfirmed";
    const clinical = statusCode(allergy.clinicalStatus) ?? "active";
    if (verification === "refuted" || verification === "entered-in-error" || clinical !== "active") {
      log.unused.push({
        entry: entry.ref,
        path: "clinicalStatus",
        value: `${clinical}, ${verification}`,
        reason: "the allergy is not active",
      });
      continue;
    }
    const label = labelOf(allergy.code);
    const match = matchDrug(kb, allergy.code ?? {});
    const group = ALLERGY_CLASSES.find(([word]) => word.test(label))?.[1];
    const substance = match.kind === "drug" ? match.drug.drugId : group;
    const manifestation = (allergy.reaction ?? [])
      .flatMap((reaction) => reaction.manifestation ?? [])
      .map(labelOf)
      .join(" ");
    const reaction =
      REACTIONS.find(([word]) => word.test(manifestation))?.[1] ?? (manifestation === "" ? null : "intolerance");
    const isSevere =
      allergy.criticality === "high" || (allergy.reaction ?? []).some((each) => each.severity === "severe");
    if (substance === undefined)
      log.warnings.push({
        entry: entry.ref,
        path: "code",
        message: `allergy to '${label}' is not checked against any drug: the substance is not known here`,
      });
    allergies.push({
      substance: substance ?? label,
      reaction,
      isSevere,
      isVerified: verification === "confirmed",
      isKnown: substance !== undefined,
      entry: entry.ref,
    });
    log.used.push({
      entry: entry.ref,
      as: `allergy ${substance ?? label}${substance === undefined ? " (not checked)" : ""}`,
    });
  }
  return allergies;
}

const SMOKER = { code: "72166-2", current: ["449868002", "428041000124106", "77176002", "65568007"] };

/** Newest value per code, the smoking status, and height and weight. */
export function readObservations(
  entries: readonly BundleEntry[],
  asOf: string,
  log: ReadLog,
): { readonly values: Record<string, ImportedValue>; readonly isSmoker: boolean | null } {
  const values: Record<string, ImportedValue> = {};
  let isSmoker: boolean | null = null;
  for (const entry of entries) {
    if (entry.type !== "Observation") continue;
    const observation = parseResource(entry, observationResourceSchema, log.unused);
    if (observation === null) continue;
    const drop = (path: string, value: string, reason: string): void =>
      void log.unused.push({ entry: entry.ref, path, value, reason });
    if (["entered-in-error", "cancelled", "unknown"].includes(observation.status ?? "unknown")) {
      drop(
        "status",
        observation.status ?? "missing",
        "only registered, preliminary, final, amended and corrected results count",
      );
      continue;
    }
    if (observation.code?.coding?.some((coding) => coding.code === SMOKER.code) === true) {
      const answer = observation.valueCodeableConcept?.coding?.[0]?.code;
      isSmoker = observation.valueBoolean ?? (answer === undefined ? null : SMOKER.current.includes(answer));
      if (isSmoker === null) drop("valueCodeableConcept", "missing", "the smoking status has no answer");
      else log.used.push({ entry: entry.ref, as: isSmoker ? "smoker" : "no smoker" });
      continue;
    }
    const when = observation.effectiveDateTime ?? observation.issued;
    const parts: { path: string; code: Concept | undefined; quantity: Quantity | undefined }[] =
      observation.component === undefined || observation.component.length === 0
        ? [{ path: "valueQuantity", code: observation.code, quantity: observation.valueQuantity }]
        : observation.component.map((part, index) => ({
            path: `component[${index}].valueQuantity`,
            code: part.code,
            quantity: part.valueQuantity,
          }));
    let found = false;
    for (const { path, code, quantity } of parts) {
      const readable = readableValueOf(code);
      if (readable === undefined) continue;
      found = true;
      try {
        if (when === undefined) throw new PraxisError("INVALID_FHIR", "the result has no date (effectiveDateTime)");
        if (quantity === undefined)
          throw new PraxisError(
            "INVALID_FHIR",
            `the result has no quantity${observation.valueString === undefined ? "" : ` (text '${observation.valueString}')`}`,
          );
        const ageDays = ageInDays(when, asOf, "effectiveDateTime");
        const read = readQuantity(readable, quantity);
        for (const message of read.warnings) log.warnings.push({ entry: entry.ref, path, message });
        const known = values[readable.code];
        if (known !== undefined && known.ageDays <= ageDays) {
          log.used.push({ entry: entry.ref, as: `${readable.code}, older than ${known.entry}` });
          continue;
        }
        values[readable.code] = { value: read.value, ageDays, entry: entry.ref };
        log.used.push({
          entry: entry.ref,
          as: `${readable.code} ${Number(read.value.toPrecision(4))} ${readable.ucum}`,
        });
      } catch (error) {
        if (!(error instanceof PraxisError)) throw error;
        drop(
          path,
          quantity?.value === undefined
            ? "missing"
            : `${quantity.value} ${quantity.code ?? quantity.unit ?? ""}`.trim(),
          error.message,
        );
      }
    }
    if (!found) drop("code", labelOf(observation.code), "no LOINC code of a value that the review uses");
  }
  return { values, isSmoker };
}
