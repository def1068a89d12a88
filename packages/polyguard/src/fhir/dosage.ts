import { PraxisError } from "@praxis/env";
import type { Drug } from "../kb/types.ts";
import type { Dosage, Quantity } from "./resources.ts";
import { type ClinicalUnit, convertUnit, getUnit } from "./units.ts";

/** What a dosage says, in the dose unit of the drug's row. Null = not said. */
export interface ReadDose {
  readonly dosePerDay: number | null;
  readonly dosesPerDay: number | null;
  readonly isPrn: boolean;
  readonly route: string | null;
  /** Things a reader should know: a range taken at its worst case, a weekly timing, a suspicious size. */
  readonly notes: readonly string[];
}

/** UCUM time units in days. */
const DAYS: Readonly<Record<string, number>> = { s: 1 / 86_400, min: 1 / 1440, h: 1 / 24, d: 1, wk: 7, mo: 30, a: 365 };

/** Usual abbreviations of Timing.code, as doses a day. Source: HL7 value set TimingAbbreviation. */
const TIMING_CODES: Readonly<Record<string, number>> = {
  QD: 1,
  BID: 2,
  TID: 3,
  QID: 4,
  QOD: 0.5,
  Q1H: 24,
  Q2H: 12,
  Q3H: 8,
  Q4H: 6,
  Q6H: 4,
  Q8H: 3,
  BED: 1,
  AM: 1,
  PM: 1,
  WK: 1 / 7,
  MO: 1 / 30,
};

const UNIT_WORDS =
  /^(\{?(tbl|tab|tablet|tablets|cap|capsule|capsules|patch|puff|puffs|spray|drop|drops|unit dose|dose)s?\}?|tbl|\[drp\])$/i;

/** Doses a day from timing.repeat or a timing code; the larger end of a range. Null when the timing says nothing. */
function dosesPerDay(dosage: Dosage, notes: string[]): number | null {
  const repeat = dosage.timing?.repeat;
  if (repeat !== undefined) {
    const { frequency, frequencyMax, period, periodUnit, dayOfWeek, timeOfDay, when } = repeat;
    if (period !== undefined && periodUnit !== undefined) {
      const days = DAYS[periodUnit];
      if (days === undefined)
        throw new PraxisError(
          "INVALID_FHIR",
          `timing.repeat.periodUnit '${periodUnit}' is not one of ${Object.keys(DAYS).join(", ")}.`,
        );
      if (!(period > 0)) throw new PraxisError("INVALID_FHIR", `timing.repeat.period must be above 0, not ${period}.`);
      if (frequencyMax !== undefined && frequencyMax !== (frequency ?? 1))
        notes.push(`timing is a range; the most frequent (${frequencyMax} times) is used`);
      return (Math.max(frequencyMax ?? 0, frequency ?? 1) * 1) / (period * days);
    }
    if (dayOfWeek !== undefined && dayOfWeek.length > 0)
      return (dayOfWeek.length * Math.max(1, timeOfDay?.length ?? 1)) / 7;
    if (timeOfDay !== undefined && timeOfDay.length > 0) return timeOfDay.length;
    if (when !== undefined && when.length > 0) return when.length;
    if (frequency !== undefined)
      throw new PraxisError("INVALID_FHIR", "timing.repeat has a frequency without period and periodUnit.");
  }
  for (const coding of dosage.timing?.code?.coding ?? []) {
    const known = coding.code === undefined ? undefined : TIMING_CODES[coding.code.toUpperCase()];
    if (known !== undefined) return known;
  }
  const text = dosage.timing?.code?.text?.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return text === undefined ? null : (TIMING_CODES[text] ?? null);
}

const unitOf = (quantity: Quantity): string | undefined => quantity.code ?? quantity.unit;

/** Value in a mass or activity unit: of the quantity itself, or as a count of tablets of the product's strength. */
function amount(quantity: Quantity, strength: Quantity | null, target: ClinicalUnit, path: string): number {
  if (quantity.value === undefined) throw new PraxisError("INVALID_FHIR", `${path} has no value.`);
  if (!(quantity.value > 0))
    throw new PraxisError("INVALID_FHIR", `${path}.value must be above 0, not ${quantity.value}.`);
  const text = unitOf(quantity);
  if (text === undefined) throw new PraxisError("INVALID_FHIR", `${path} has no unit: ${quantity.value} of what?`);
  if (UNIT_WORDS.test(text.trim())) {
    if (strength?.value === undefined)
      throw new PraxisError("INVALID_FHIR", `${path} counts '${text}', and the product's strength is not known.`);
    return quantity.value * amount(strength, null, target, "strength");
  }
  const unit = getUnit(text);
  if (unit.kind === "volume")
    throw new PraxisError("INVALID_FHIR", `${path} is ${quantity.value} ${text} without a concentration.`);
  return convertUnit(quantity.value, unit, target);
}

/** Unit of the dose columns of a drug row. */
function doseUnitOf(drug: Drug): ClinicalUnit {
  return getUnit(drug.doseUnit === "U/d" ? "U" : drug.doseUnit === "mcg/d" ? "ug" : "mg");
}

/** Strength printed in a product text, `lisinopril 10 MG Oral Tablet` → 10 mg; null where it has none or several. */
export function strengthOfText(text: string): Quantity | null {
  const found = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(mg|mcg|ug|µg|μg|g|iu|units?|unt)\b(?!\s*\/)/gi)];
  const only = found.length === 1 ? found[0] : undefined;
  return only === undefined
    ? null
    : { value: Number(only[1]), unit: only[2]!.toLowerCase() === "unt" ? "units" : only[2]! };
}

/**
 * Reads one FHIR Dosage for a drug. Ranges count at their worst case (largest dose, most often), and a note says so.
 * Throws INVALID_FHIR for a value without unit, a unit off the list, a volume without concentration, a rate (dose per time),
 * a maximum per period below the base dose and an implausible daily dose.
 */
export function readDosage(drug: Drug, dosage: Dosage, strength: Quantity | null): ReadDose {
  const notes: string[] = [];
  const target = doseUnitOf(drug);
  const isPrn = dosage.asNeededBoolean === true || dosage.asNeededCodeableConcept !== undefined;
  const perDay = dosesPerDay(dosage, notes);
  const rate = dosage.doseAndRate?.[0];
  let dose: number | null = null;
  if (rate?.doseRange !== undefined) {
    const { low, high } = rate.doseRange;
    const worst = high ?? low;
    if (worst !== undefined) dose = amount(worst, strength, target, "doseAndRate[0].doseRange");
    notes.push(
      `dose is a range (${low?.value ?? "?"} to ${high?.value ?? "?"} ${unitOf(worst ?? {}) ?? ""}); the larger is used`.replace(
        / +;/,
        ";",
      ),
    );
  } else if (rate?.doseQuantity !== undefined)
    dose = amount(rate.doseQuantity, strength, target, "doseAndRate[0].doseQuantity");
  else if (rate?.rateQuantity !== undefined || rate?.rateRatio !== undefined || rate?.rateRange !== undefined)
    throw new PraxisError("INVALID_FHIR", `doseAndRate[0] is a rate (${rateText(rate)}); rates are not read as doses.`);
  const weekly = drug.doseUnit === "mg/wk";
  let dosePerDay = dose === null || perDay === null ? null : dose * perDay * (weekly ? 7 : 1);
  const limit = dosage.maxDosePerPeriod;
  if (limit?.numerator?.value !== undefined && limit.denominator?.value !== undefined) {
    const days = DAYS[limit.denominator.code ?? limit.denominator.unit ?? ""];
    if (days === undefined)
      throw new PraxisError(
        "INVALID_FHIR",
        `maxDosePerPeriod.denominator has the unit '${unitOf(limit.denominator) ?? ""}', not a time.`,
      );
    const most =
      (amount(limit.numerator, strength, target, "maxDosePerPeriod.numerator") / (limit.denominator.value * days)) *
      (weekly ? 7 : 1);
    if (dosePerDay !== null && most < dosePerDay * 0.999)
      throw new PraxisError(
        "INVALID_FHIR",
        `maxDosePerPeriod allows ${most} ${drug.doseUnit}, less than the ordered ${dosePerDay}.`,
      );
    if (isPrn && dosePerDay === null) dosePerDay = most;
  }
  if (dosage.timing?.repeat?.periodUnit === "wk") notes.push("weekly timing");
  const suspicion = dosePerDay === null ? null : implausibleDose(drug, dosePerDay);
  if (suspicion !== null) throw new PraxisError("INVALID_FHIR", `${suspicion}.`);
  return {
    dosePerDay,
    dosesPerDay: perDay,
    isPrn,
    route: dosage.route?.coding?.[0]?.display ?? dosage.route?.text ?? null,
    notes,
  };
}

function rateText(rate: NonNullable<Dosage["doseAndRate"]>[number]): string {
  const part = (quantity: Quantity | undefined): string =>
    quantity === undefined ? "?" : `${quantity.value ?? "?"} ${unitOf(quantity) ?? ""}`.trim();
  if (rate.rateQuantity !== undefined) return part(rate.rateQuantity);
  return `${part(rate.rateRatio?.numerator)} per ${part(rate.rateRatio?.denominator)}`;
}

/**
 * Says why a daily dose can't be right: a thousand times too large is the mg for µg error, ten times a slipped point.
 * assumption: above 20 times the usual maximum no prescriber means it; below a fiftieth of the minimum neither.
 */
function implausibleDose(drug: Drug, dosePerDay: number): string | null {
  const unit = drug.doseUnit;
  if (dosePerDay > 20 * drug.doseMax) {
    const hint =
      dosePerDay / 1000 >= drug.doseMin / 4 && dosePerDay / 1000 <= drug.doseMax * 4
        ? "; micrograms written as milligrams?"
        : "";
    return `implausible dose: ${dosePerDay} ${unit}, usual at most ${drug.doseMax}${hint}`;
  }
  if (dosePerDay < drug.doseMin / 50) return `implausible dose: ${dosePerDay} ${unit}, usual at least ${drug.doseMin}`;
  return null;
}
