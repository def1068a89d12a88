import { didYouMean, PraxisError } from "@praxis/env";

/** What a unit measures; only units of one kind convert into each other (mass and amount also through a molar mass). */
export type UnitKind =
  | "mass"
  | "volume"
  | "length"
  | "activity"
  | "massConcentration"
  | "amountConcentration"
  | "activityConcentration"
  | "enzymeConcentration"
  | "cellConcentration"
  | "clearance"
  | "indexedClearance"
  | "pressure"
  | "time"
  | "frequency"
  | "ratio"
  | "count";

/** One unit of the closed list. */
export interface ClinicalUnit {
  /** UCUM code. */
  readonly ucum: string;
  readonly kind: UnitKind;
  /** Multiply by it to get the first unit of the kind. */
  readonly factor: number;
  /** Other spellings seen in records, lower case; micro signs are read as `u`. */
  readonly spellings: readonly string[];
}

const unit = (ucum: string, kind: UnitKind, factor: number, ...spellings: string[]): ClinicalUnit => ({
  ucum,
  kind,
  factor,
  spellings,
});

/**
 * The closed list of units that a clinical quantity may have. A list, because UCUM alone reads `mcg` as milli-centi-gram and
 * accepts units no prescriber means; a test compares every factor with a UCUM library.
 */
export const CLINICAL_UNITS: readonly ClinicalUnit[] = [
  unit("mg", "mass", 1, "milligram", "milligrams"),
  unit("g", "mass", 1000, "gram", "grams", "gm"),
  unit("ug", "mass", 0.001, "mcg", "microgram", "micrograms"),
  unit("ng", "mass", 1e-6, "nanogram", "nanograms"),
  unit("kg", "mass", 1e6, "kilogram", "kilograms", "kgs"),
  unit("[lb_av]", "mass", 453592.37, "lb", "lbs", "pound", "pounds"),
  unit("mL", "volume", 1, "ml", "milliliter", "milliliters", "millilitre", "millilitres"),
  unit("L", "volume", 1000, "l", "liter", "litre"),
  unit("cm", "length", 1, "centimeter", "centimetre"),
  unit("m", "length", 100, "meter", "metre"),
  unit("[in_i]", "length", 2.54, "in", "inch", "inches"),
  unit("[IU]", "activity", 1, "iu", "international unit", "international units"),
  unit("U", "activity", 1, "unit", "units", "[u]"),
  unit("mg/dL", "massConcentration", 1, "mg/dl"),
  unit("g/dL", "massConcentration", 1000, "g/dl"),
  unit("g/L", "massConcentration", 100, "g/l"),
  unit("mg/L", "massConcentration", 0.1, "mg/l"),
  unit("ug/mL", "massConcentration", 0.1, "mcg/ml", "ug/ml"),
  unit("ug/L", "massConcentration", 1e-4, "mcg/l", "ug/l"),
  unit("ng/mL", "massConcentration", 1e-4, "ng/ml"),
  unit("ng/dL", "massConcentration", 1e-6, "ng/dl"),
  unit("mmol/L", "amountConcentration", 1, "mmol/l"),
  unit("umol/L", "amountConcentration", 0.001, "umol/l"),
  unit("nmol/L", "amountConcentration", 1e-6, "nmol/l"),
  unit("m[IU]/L", "activityConcentration", 1, "miu/l", "mu/l", "m[iu]/l"),
  unit("u[IU]/mL", "activityConcentration", 1, "uiu/ml", "uu/ml", "u[iu]/ml"),
  unit("U/L", "enzymeConcentration", 1, "u/l", "iu/l", "[iu]/l"),
  unit("10*3/uL", "cellConcentration", 1, "10*9/l", "k/ul", "10^3/ul", "10^9/l"),
  unit("mL/min", "clearance", 1, "ml/min"),
  unit(
    "mL/min/{1.73_m2}",
    "indexedClearance",
    1,
    "ml/min/1.73m2",
    "ml/min/1.73 m2",
    "ml/min/{1.73_m2}",
    "ml/min/1.73m^2",
  ),
  unit("mm[Hg]", "pressure", 1, "mmhg", "mm hg", "mm[hg]"),
  unit("ms", "time", 1, "msec", "milliseconds"),
  unit("/min", "frequency", 1, "bpm", "beats/min", "{beats}/min", "1/min", "beats/minute"),
  unit("%", "ratio", 1, "percent"),
  unit("mmol/mol", "ratio", 0.1),
  unit("{INR}", "count", 1, "inr", "1", "{ratio}"),
];

const normalise = (text: string): string => text.trim().replace(/[\u00b5\u03bc]/g, "u");

const BY_SPELLING: ReadonlyMap<string, ClinicalUnit> = new Map(
  CLINICAL_UNITS.flatMap((entry) => [
    [entry.ucum, entry] as const,
    ...entry.spellings.map((spelling) => [spelling, entry] as const),
  ]),
);

/** The unit of that UCUM code or spelling; undefined when it is not on the list. UCUM codes keep their case, spellings do not. */
export function findUnit(text: string): ClinicalUnit | undefined {
  const wanted = normalise(text);
  return BY_SPELLING.get(wanted) ?? BY_SPELLING.get(wanted.toLowerCase());
}

/** The unit of that text; throws INVALID_FHIR naming it and the nearest on the list. */
export function getUnit(text: string): ClinicalUnit {
  const found = findUnit(text);
  if (found === undefined)
    throw new PraxisError(
      "INVALID_FHIR",
      `Unit '${text}' is not on the list of clinical units.${didYouMean(normalise(text), BY_SPELLING.keys())}`,
    );
  return found;
}

/**
 * Converts a value. Mass and amount concentrations convert only with `molarMassGPerMol`; HbA1c in mmol/mol (IFCC) becomes
 * % (NGSP) by the master equation 0.09148 x + 2.152. Throws INVALID_FHIR where the kinds differ.
 */
export function convertUnit(
  value: number,
  from: ClinicalUnit,
  to: ClinicalUnit,
  molarMassGPerMol: number | null = null,
): number {
  if (from.ucum === "mmol/mol" && to.ucum === "%") return 0.09148 * value + 2.152;
  if (from.kind === to.kind) return from.factor === to.factor ? value : (value * from.factor) / to.factor;
  if (molarMassGPerMol !== null) {
    // 1 mmol/L of a substance of M g/mol is M/10 mg/dL.
    if (from.kind === "amountConcentration" && to.kind === "massConcentration")
      return (value * from.factor * molarMassGPerMol) / 10 / to.factor;
    if (from.kind === "massConcentration" && to.kind === "amountConcentration")
      return (value * from.factor * 10) / molarMassGPerMol / to.factor;
  }
  throw new PraxisError(
    "INVALID_FHIR",
    `${value} ${from.ucum} can't be converted to ${to.ucum}: they measure different things.`,
  );
}
