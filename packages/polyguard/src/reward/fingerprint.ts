import type { Known } from "../observation/types.ts";

/**
 * 32-bit number of what is known of regimen, plans, orders and information; days that pass don't change it, a dose, a plan,
 * an order or a value taken does. Equal states give equal numbers.
 */
export function fingerprint(known: Known): number {
  let hash = 0x811c9dc5;
  const mix = (value: number): void => {
    // Doses have up to four decimals.
    const scaled = Math.round(value * 16384);
    hash = Math.imul(hash ^ (scaled | 0), 0x01000193) ^ (hash >>> 15);
  };
  for (const { drugIndex, dosePerDay, dosesPerDay, status, taper, startDay } of known.medications) {
    mix(drugIndex ?? -1);
    mix(dosePerDay);
    mix(dosesPerDay);
    mix(status === "held" ? 1 : status === "unreconciled" ? 2 : 0);
    mix(startDay === null ? 0 : 1);
    if (taper !== null) {
      mix(taper.isPaused ? -1 : 1);
      mix(taper.stepPct);
      mix(taper.intervalDays);
    }
  }
  mix(known.orders.length);
  mix(known.declaredSwitch?.toDrugIndex ?? -1);
  mix(known.discrepancies.length);
  mix(informationCount(known));
  return hash >>> 0;
}

/** Answers to requests so far: samples, evidence, reviews and reconciled items. Symptoms that show by themselves don't count. */
export function informationCount(known: Known): number {
  let openFields = 0;
  for (const name of known.missingFields) if (name.includes(":")) openFields++;
  return (
    known.samples.length + known.evidence.length + known.reviewNotes.length + known.reviews.length + 1000 - openFields
  );
}
