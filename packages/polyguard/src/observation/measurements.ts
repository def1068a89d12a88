/** Where the observation shows a measured value. */
export type MeasurementPlace = "organ" | "lab" | "vital";

/** One value that an order of a monitoring code measures. */
export interface Measurement {
  /** Key in the observation and in `Known.values`. */
  readonly code: string;
  /** Code of the monitoring column whose order measures it. */
  readonly order: string;
  readonly place: MeasurementPlace;
  /** UCUM unit. */
  readonly unit: string;
  /** Reference range for the flag: below gives L, above gives H; null = open end. */
  readonly low: number | null;
  readonly high: number | null;
  /** Decimal places of a report. */
  readonly decimals: number;
  /** Only measured while its drug is dosed by level: no record begins with one. */
  readonly isDosingOnly?: true;
}

/**
 * Values that the simulator can measure, in the order of the observation. Units are those of the code table.
 * assumption: reference ranges are usual adult ranges of laboratory reports; a clinician must confirm them.
 */
export const MEASUREMENTS: readonly Measurement[] = [
  { code: "CREAT", order: "CREAT", place: "organ", unit: "mg/dL", low: 0.5, high: 1.3, decimals: 2 },
  { code: "K", order: "K", place: "lab", unit: "mmol/L", low: 3.5, high: 5.0, decimals: 1 },
  { code: "NA", order: "NA", place: "lab", unit: "mmol/L", low: 135, high: 145, decimals: 0 },
  { code: "MG", order: "MG", place: "lab", unit: "mg/dL", low: 1.7, high: 2.4, decimals: 1 },
  { code: "HB", order: "HB", place: "lab", unit: "g/dL", low: 12, high: 17, decimals: 1 },
  { code: "ALB", order: "ALB", place: "lab", unit: "g/dL", low: 3.5, high: 5, decimals: 1 },
  { code: "INR", order: "INR", place: "lab", unit: "{INR}", low: 2, high: 3, decimals: 1 },
  { code: "TSH", order: "TSH", place: "lab", unit: "m[IU]/L", low: 0.5, high: 6, decimals: 2 },
  { code: "A1C", order: "A1C", place: "lab", unit: "%", low: 4, high: 8, decimals: 1 },
  { code: "DIG_LEVEL", order: "DIG_LEVEL", place: "lab", unit: "ng/mL", low: 0.5, high: 0.9, decimals: 2 },
  { code: "LI_LEVEL", order: "LI_LEVEL", place: "lab", unit: "mmol/L", low: 0.4, high: 0.8, decimals: 2 },
  { code: "PHT_LEVEL", order: "PHT_LEVEL", place: "lab", unit: "ug/mL", low: 10, high: 20, decimals: 1 },
  { code: "VPA_LEVEL", order: "VPA_LEVEL", place: "lab", unit: "ug/mL", low: 50, high: 100, decimals: 0 },
  { code: "CBZ_LEVEL", order: "CBZ_LEVEL", place: "lab", unit: "ug/mL", low: 4, high: 12, decimals: 1 },
  { code: "PB_LEVEL", order: "PB_LEVEL", place: "lab", unit: "ug/mL", low: 15, high: 40, decimals: 0 },
  { code: "THEO_LEVEL", order: "THEO_LEVEL", place: "lab", unit: "ug/mL", low: 8, high: 15, decimals: 1 },
  { code: "CYA_LEVEL", order: "CYA_LEVEL", place: "lab", unit: "ng/mL", low: 100, high: 250, decimals: 0 },
  { code: "TAC_LEVEL", order: "TAC_LEVEL", place: "lab", unit: "ng/mL", low: 5, high: 10, decimals: 1 },
  { code: "CLZ_LEVEL", order: "CLZ_LEVEL", place: "lab", unit: "ng/mL", low: 350, high: 600, decimals: 0 },
  { code: "VRC_LEVEL", order: "VRC_LEVEL", place: "lab", unit: "ug/mL", low: 1, high: 5.5, decimals: 1 },
  {
    code: "VANC_AUC",
    order: "VANC_AUC",
    place: "lab",
    unit: "mg.h/L",
    low: 400,
    high: 600,
    decimals: 0,
    isDosingOnly: true,
  },
  {
    code: "GENT_LEVEL",
    order: "GENT_LEVEL",
    place: "lab",
    unit: "mg.h/L",
    low: 70,
    high: 100,
    decimals: 1,
    isDosingOnly: true,
  },
  { code: "QTC", order: "QTC", place: "vital", unit: "ms", low: 350, high: 470, decimals: 0 },
  { code: "HR", order: "HR", place: "vital", unit: "/min", low: 50, high: 100, decimals: 0 },
  { code: "SBP", order: "BP", place: "vital", unit: "mm[Hg]", low: 100, high: 150, decimals: 0 },
  { code: "SBP_DROP", order: "BP", place: "vital", unit: "mm[Hg]", low: null, high: 20, decimals: 0 },
];

const BY_CODE: ReadonlyMap<string, Measurement> = new Map(MEASUREMENTS.map((entry) => [entry.code, entry]));

/** The measurement of that code, or undefined. */
export function findMeasurement(code: string): Measurement | undefined {
  return BY_CODE.get(code);
}

/** Measurements that an order of that monitoring code yields; empty for observations without a number (RESP, BOWEL ...). */
export function measurementsOfOrder(order: string): readonly Measurement[] {
  return MEASUREMENTS.filter((entry) => entry.order === order);
}

/** L, N or H against the reference range. */
export function flagOf(measurement: Measurement, value: number): "L" | "N" | "H" {
  if (measurement.low !== null && value < measurement.low) return "L";
  if (measurement.high !== null && value > measurement.high) return "H";
  return "N";
}
