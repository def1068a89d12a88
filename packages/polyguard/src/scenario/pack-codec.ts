import { PraxisError } from "@praxis/env";
import { drugAt, getDrug } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Medication } from "../world/types.ts";
import type { Scenario } from "./types.ts";

/** A value as a pack file holds it. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

type PlainObject = { readonly [key: string]: Plain };

/** Fields that hold row numbers of drugs, and what they are called in a pack, where drugs go by name. */
const DRUG_FIELDS: Readonly<Record<string, string>> = {
  drugIndex: "drug",
  drugIndexes: "drugs",
  targetIndexes: "targets",
  causeDrugIndex: "cause",
};
const DRUG_NAMES = Object.fromEntries(Object.entries(DRUG_FIELDS).map(([field, name]) => [name, field]));

/** What is kept of numbers, so that a file can be read: a pack is a scenario of its own. */
const DIGITS = 6;
const EVENT_DECIMALS = 4;

/** A scenario as a pack file holds it: drugs by name, and of each medication only what is not as usual. */
export function packScenario(kb: KnowledgeBase, scenario: Scenario): Plain {
  const { initial, mask, eventUniforms, ...rest } = scenario;
  const medications = initial.medications.map((medication) => {
    const usual: Partial<Medication> = usualMedication(kb, medication);
    return Object.fromEntries(
      Object.entries(medication).filter(
        ([field, value]) => rounded(value) !== rounded(usual[field as keyof Medication]),
      ),
    );
  });
  const shown = { ...mask, hidden: [...mask.hidden] };
  const events = eventUniforms.map((u) => u.toFixed(EVENT_DECIMALS)).join(" ");
  return packContent(kb, { ...rest, initial: { ...initial, medications }, mask: shown, eventUniforms: events });
}

/** Any plain data with drugs by name instead of row numbers, and numbers to six digits. */
export function packContent(kb: KnowledgeBase, content: unknown): Plain {
  return renamed(JSON.parse(rounded(content)!) as Plain, DRUG_FIELDS, (value) =>
    typeof value === "number" ? drugAt(kb, value).drugId : value,
  );
}

/** The scenario of a pack entry. Throws INVALID_CONFIG without the parts of a scenario, UNKNOWN_NAME for an unknown drug. */
export function unpackScenario(kb: KnowledgeBase, entry: Plain): Scenario {
  const plain = unpackContent(kb, entry);
  if (
    !isObject(plain) ||
    !isObject(plain.initial) ||
    !isObject(plain.mask) ||
    !Array.isArray(plain.mask.hidden) ||
    typeof plain.eventUniforms !== "string"
  )
    throw new PraxisError(
      "INVALID_CONFIG",
      "A pack entry has no scenario with 'initial' and 'mask'. Make the packs anew.",
    );
  const medications = (plain.initial.medications as readonly PlainObject[]).map((each) => {
    const medication = each as unknown as Pick<Medication, "drugIndex" | "dosePerDay" | "startDay">;
    return { ...usualMedication(kb, medication), ...medication };
  });
  // The files ship with the package: a test reads and plays every entry.
  return {
    ...plain,
    initial: { ...plain.initial, medications },
    mask: { ...plain.mask, hidden: new Set(plain.mask.hidden) },
    eventUniforms: plain.eventUniforms.split(" ").map(Number),
  } as unknown as Scenario;
}

/** Plain data with row numbers in place of names. */
export function unpackContent(kb: KnowledgeBase, content: Plain): Plain {
  return renamed(content, DRUG_NAMES, (value) => (typeof value === "string" ? getDrug(kb, value).index : value));
}

/** What a medication is like that has been taken long, regularly and as the list says. */
function usualMedication(
  kb: KnowledgeBase,
  { drugIndex, dosePerDay, startDay }: Pick<Medication, "drugIndex" | "dosePerDay" | "startDay">,
): Omit<Medication, "medRef" | "drugIndex" | "dosePerDay" | "startDay" | "indication" | "adherence"> {
  const drug = drugAt(kb, drugIndex);
  return {
    drugId: drug.drugId,
    dosesPerDay: drug.dosesPerDay,
    route: drug.route,
    endDay: null,
    isPrn: false,
    source: "list",
    isListed: true,
    isTaken: true,
    isUnreconciled: false,
    heldUntilDay: null,
    referenceDosePerDay: dosePerDay,
    adaptation: 0,
    adaptationTauDays: 0,
    taperPlan: null,
    doseHistory: [{ day: startDay, dosePerDay }],
    lastDoseChangeDay: startDay,
    exposureReference: null,
    lastInRangeLevelDay: null,
    responseFactor: 1,
    crossOverFromDrugIndex: null,
    carryOver: 1,
    onsetShare: 1,
  };
}

/** Plain data as text with numbers to six digits; undefined stays undefined. */
function rounded(content: unknown): string | undefined {
  return JSON.stringify(content, (_key, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(DIGITS)) : value,
  );
}

function renamed(value: Plain, names: Readonly<Record<string, string>>, convert: (value: Plain) => Plain): Plain {
  if (isList(value)) return value.map((each) => renamed(each, names, convert));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const name = Object.hasOwn(names, key) ? names[key] : undefined;
      if (name === undefined) return [key, renamed(each, names, convert)];
      return [name, isList(each) ? each.map(convert) : convert(each)];
    }),
  );
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
}

function isObject(value: Plain | undefined): value is PlainObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
