import { PraxisError } from "@praxis/env";
import type { Concept, Quantity } from "./resources.ts";
import { convertUnit, findUnit, getUnit } from "./units.ts";

const LOINC = "http://loinc.org";

/** One value that is read from Observations. */
export interface ReadableValue {
  /** Code of the simulator's measurement, or WEIGHT, HEIGHT. */
  readonly code: string;
  readonly loinc: readonly string[];
  /** Unit that the value is converted to. */
  readonly ucum: string;
  /** For amount concentrations, g/mol; source: PubChem. */
  readonly molarMassGPerMol: number | null;
  /** Values outside can't be those of a living adult and are refused. assumption: wide physiological limits. */
  readonly low: number;
  readonly high: number;
}

const row = (
  code: string,
  loinc: string,
  ucum: string,
  low: number,
  high: number,
  molarMassGPerMol: number | null = null,
): ReadableValue => ({
  code,
  loinc: loinc.split(" "),
  ucum,
  low,
  high,
  molarMassGPerMol,
});

/** Values by LOINC code (mass and molar codes of the same analyte lead to the same row). Source: LOINC 2.77. */
const READABLE_VALUES: readonly ReadableValue[] = [
  row("CREAT", "2160-0 38483-4 14682-9", "mg/dL", 0.2, 20, 113.12),
  row("K", "2823-3 6298-4 2824-1", "mmol/L", 1.5, 9),
  row("NA", "2951-2 2947-0", "mmol/L", 100, 180),
  row("MG", "19123-9 2601-3", "mg/dL", 0.5, 8, 24.305),
  row("HB", "718-7", "g/dL", 3, 22),
  row("ALB", "1751-7", "g/dL", 1, 6.5),
  row("INR", "6301-6 34714-6", "{INR}", 0.5, 20),
  row("TSH", "3016-3 11580-8", "m[IU]/L", 0, 200),
  row("A1C", "4548-4 59261-8 17856-6", "%", 3, 20),
  row("DIG_LEVEL", "10535-3 14698-5", "ng/mL", 0, 15, 780.94),
  row("LI_LEVEL", "14334-7 3719-2", "mmol/L", 0, 6, 6.94),
  row("PHT_LEVEL", "3968-5", "ug/mL", 0, 100, 252.27),
  row("QTC", "8634-8 8636-3", "ms", 250, 750),
  row("HR", "8867-4", "/min", 20, 250),
  row("SBP", "8480-6", "mm[Hg]", 50, 280),
  row("WEIGHT", "29463-7 3141-9", "kg", 25, 300),
  row("HEIGHT", "8302-2", "cm", 120, 220),
];

const BY_LOINC: ReadonlyMap<string, ReadableValue> = new Map(
  READABLE_VALUES.flatMap((entry) => entry.loinc.map((code) => [code, entry] as const)),
);

/** The readable value that a concept names by LOINC, or undefined. */
export function readableValueOf(concept: Concept | undefined): ReadableValue | undefined {
  for (const { system, code } of concept?.coding ?? []) {
    if (system === LOINC && code !== undefined) {
      const found = BY_LOINC.get(code);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** LOINC code that stands for one of our measurements or its monitoring item; null when there is none. */
export function loincOf(code: string): string | null {
  return READABLE_VALUES.find((entry) => entry.code === code)?.loinc[0] ?? null;
}

/** A number with its unit as the record gave it, for comparison and messages. */
export interface ReadQuantity {
  readonly value: number;
  readonly warnings: readonly string[];
}

/**
 * Reads a quantity in the unit of the row. Throws INVALID_FHIR for a missing value or unit (never guessed), a comparator, a
 * unit of another kind, and a value no living adult has. A unit text that contradicts the code is a warning.
 */
export function readQuantity(readable: ReadableValue, quantity: Quantity): ReadQuantity {
  const { value, comparator, unit, code } = quantity;
  if (value === undefined) throw new PraxisError("INVALID_FHIR", "valueQuantity has no value.");
  if (comparator !== undefined)
    throw new PraxisError("INVALID_FHIR", `valueQuantity is '${comparator} ${value}', a bound, not a value.`);
  const text = code ?? unit;
  if (text === undefined)
    throw new PraxisError("INVALID_FHIR", `valueQuantity is ${value} without a unit; it is not guessed.`);
  const from = getUnit(text);
  const warnings: string[] = [];
  if (code === undefined) warnings.push(`unit '${unit}' has no UCUM code`);
  else if (unit !== undefined) {
    const named = findUnit(unit);
    if (named === undefined || named.kind !== from.kind || named.factor !== from.factor)
      warnings.push(`unit text '${unit}' is not the unit of its code '${code}'; the code is used`);
  }
  const converted = convertUnit(value, from, getUnit(readable.ucum), readable.molarMassGPerMol);
  if (!(converted >= readable.low && converted <= readable.high))
    throw new PraxisError(
      "INVALID_FHIR",
      `${value} ${text} (${Number(converted.toPrecision(4))} ${readable.ucum}) is outside ${readable.low} to ${readable.high} ${readable.ucum}, what a living adult can have.${likelyUnit(readable, value)}`,
    );
  return { value: converted, warnings };
}

/** Names a unit under which an impossible value would be an ordinary one. */
function likelyUnit(readable: ReadableValue, value: number): string {
  if (readable.code === "CREAT" && value >= 20 && value <= 1500) return " Is it in umol/L?";
  if (readable.code === "HEIGHT" && value >= 1.2 && value <= 2.2) return " Is it in m?";
  return "";
}
