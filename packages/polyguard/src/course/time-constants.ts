import type { Drug } from "../kb/types.ts";

/** Mechanism-based inhibitors: the effect leaves with the turnover of the enzyme (Yang 2008; to be confirmed). */
const MECHANISM_BASED = [
  "clarithromycin",
  "erythromycin",
  "diltiazem_er",
  "verapamil_er",
  "ritonavir_booster",
  "paroxetine",
];

/** Below this weight a stopped drug no longer counts. assumption: too small to change a decision. */
const CARRY_OVER_FLOOR = 0.08;

/** How fast a drug's effects come and go, days. */
export interface DrugTiming {
  /** T: half-time of inhibition, induction and risk. */
  readonly carryOverHalf: number;
  /** Days of full effect after the last dose of an irreversible inhibitor, then none; 0 for other drugs. */
  readonly irreversible: number;
  /** on: time constant of the benefit after a start. */
  readonly onset: number;
  /** off: time constant of the benefit after a stop. */
  readonly offset: number;
}

/** Days of full effect after the last dose of an irreversible inhibitor, then none; 0 for other drugs. Source: labels. */
function irreversibleDays(drug: Drug): number {
  if (drug.groups.includes("MAOI")) return 14;
  if (drug.groups.includes("P2Y12") || drug.groups.includes("ASA")) return 7;
  return 0;
}

/**
 * T: half-time in days in which a drug's inhibition, induction and risk come and go. Sources: labels (amiodarone,
 * norfluoxetine), enzyme turnover for inducers and mechanism-based inhibitors; assumption: the limits .4 to 10 days.
 */
function carryOverHalfDays(drug: Drug): number {
  if (drug.drugId === "amiodarone") return 50;
  if (drug.drugId === "fluoxetine") return 9;
  if (MECHANISM_BASED.includes(drug.drugId)) return 3;
  if (drug.induces.length > 0) return 4;
  return Math.min(10, Math.max(0.4, (drug.halfLifeH ?? 24) / 24));
}

/** Onset of benefit by group, days; the first group that fits counts. assumption: directions from labels and guidelines. */
const ONSET_DAYS: readonly (readonly [group: string, days: number])[] = [
  ["BISPHOS", 180],
  ["STATIN", 60],
  ["BB", 30],
  ["ACHEI", 28],
  ["NMDA", 28],
  ["SGLT2", 21],
  ["THYROID", 21],
  ["ANTIDEPR", 14],
  ["RASI", 14],
  ["THIAZIDE", 14],
  ["MRA", 14],
  ["ANTIDIABETIC", 14],
  ["BETA3", 14],
  ["GABAPENTINOID", 7],
  ["AED", 7],
  ["DHP_CCB", 7],
  ["ANTIMUSC", 7],
  ["ANTICOAG", 1],
];
const OTHER_ONSET_DAYS = 2;
const BISPHOS_OFFSET_DAYS = 365;

const timings = new WeakMap<Drug, DrugTiming>();

/** Time constants of a drug. Onset in days after guidelines (antidepressants need 2-6 weeks); worked out once per row. */
export function timingOf(drug: Drug): DrugTiming {
  let timing = timings.get(drug);
  if (timing === undefined) {
    const onset = ONSET_DAYS.find(([group]) => drug.groups.includes(group))?.[1] ?? OTHER_ONSET_DAYS;
    timing = {
      carryOverHalf: carryOverHalfDays(drug),
      irreversible: irreversibleDays(drug),
      onset,
      offset: drug.groups.includes("BISPHOS")
        ? BISPHOS_OFFSET_DAYS
        : Math.max((1.5 * (drug.halfLifeH ?? 0)) / 24, Math.min(onset, 14) / 2),
    };
    timings.set(drug, timing);
  }
  return timing;
}

/** Carry-over weight c, `days` after it was `from`, while the drug is taken. */
export function carryOverAfterUse(timing: DrugTiming, from: number, days: number): number {
  return from >= 1 ? 1 : 1 - (1 - from) * 2 ** (-days / timing.carryOverHalf);
}

/** Carry-over weight c, `days` after the last dose, when it was `atStop` then; 0 once below .08. */
export function carryOverAfterStop(timing: DrugTiming, atStop: number, days: number): number {
  if (timing.irreversible > 0) return days <= timing.irreversible ? atStop : 0;
  const c = atStop * 2 ** (-days / timing.carryOverHalf);
  return c < CARRY_OVER_FLOOR ? 0 : c;
}

/** Onset share, `days` after it was `from`, while the drug is taken. */
export function onsetAfterUse(timing: DrugTiming, from: number, days: number): number {
  return from >= 1 ? 1 : 1 - (1 - from) * Math.exp(-days / timing.onset);
}

/** Share of the benefit left `days` after the last dose. */
export function onsetAfterStop(timing: DrugTiming, atStop: number, days: number): number {
  return atStop * Math.exp(-days / timing.offset);
}
