import type { Drug } from "./types.ts";

/** Groups that start low and are raised: at most double per visit (course rule 3). Direction from labels; the list is an assumption: */
const TITRATED_GROUPS = ["ANTIDEPR", "GABAPENTINOID", "ACHEI", "NMDA", "AED", "OPIOID", "BB"];

/** assumption: rows without max_daily (insulins, strong opioids) offer doses up to this multiple of dose_max. */
const UNLIMITED_GRID_FACTOR = 2;

/** 1 mcg/h given around the clock, in mg/d. */
const MG_PER_DAY_PER_MCG_PER_H = 0.024;

/** Upper end of the usual dose at age 65+: the lower of dose_max and max_daily_age65, in the row's unit. */
export function usualDoseMax(drug: Drug): number {
  return drug.maxDailyAge65 === null ? drug.doseMax : Math.min(drug.doseMax, drug.maxDailyAge65);
}

/** max_daily in the row's unit, with per-kg limits worked out; null = individualised. */
export function absoluteMaxDose(drug: Drug, weightKg: number): number | null {
  return drug.maxDaily === null ? null : drug.isMaxPerKg ? drug.maxDaily * weightKg : drug.maxDaily;
}

/** Reference dose of the risk factor phi: sqrt(dose_min * dose_max), in the row's unit. */
export function doseReference(drug: Drug): number {
  return Math.sqrt(drug.doseMin * drug.doseMax);
}

/** Smallest steps in the dose unit of the row: the strengths, mcg/h patches as mg/d, insulin 1 U, mg/mL 1 mL. */
export function stepStrengths(drug: Drug): readonly number[] {
  switch (drug.strengthUnit) {
    case "dose":
    case "mg/puff":
    case "mg/mL":
      return drug.strengths;
    case "mcg/h":
      return drug.strengths.map((strength) => round(strength * MG_PER_DAY_PER_MCG_PER_H));
    case "U/mL":
      return [1];
  }
}

/** Grids of drugs whose limit does not depend on the weight, so that a step does not build them again. */
const gridCache = new WeakMap<Drug, readonly number[]>();

/**
 * Doses a candidate may take, ascending, in the row's unit: k * strength with k = .5, 1, 1.5, 2 ... (halves only for
 * tablets, patches one at a time) within .25 * dose_min and the absolute maximum.
 */
export function doseGrid(drug: Drug, { weightKg }: { readonly weightKg: number }): readonly number[] {
  const cached = gridCache.get(drug);
  if (cached !== undefined) return cached;
  const lowest = 0.25 * drug.doseMin;
  const highest = absoluteMaxDose(drug, weightKg) ?? UNLIMITED_GRID_FACTOR * drug.doseMax;
  const doses = new Set<number>();
  for (const strength of stepStrengths(drug)) {
    const unit = drug.form === "tab" ? strength / 2 : strength;
    const first = Math.max(1, Math.ceil(lowest / unit - 1e-9));
    for (let k = first; k * unit <= highest * (1 + 1e-9); k++) doses.add(round(k * unit));
  }
  const grid = [...doses].sort((a, b) => a - b);
  if (!drug.isMaxPerKg) gridCache.set(drug, grid);
  return grid;
}

/** What of a drug's usual doses is asked for again and again. */
interface UsualDoses {
  readonly isTitrated: boolean;
  readonly target: number;
  readonly start: number;
}

const usualDoses = new WeakMap<Drug, UsualDoses>();

function usualDosesOf(drug: Drug): UsualDoses {
  let doses = usualDoses.get(drug);
  if (doses === undefined) {
    const isRaised = drug.groups.some((group) => TITRATED_GROUPS.includes(group));
    doses = { isTitrated: isRaised, target: findTargetDose(drug), start: findStartDose(drug, isRaised) };
    usualDoses.set(drug, doses);
  }
  return doses;
}

/** True for drugs that are started low and raised stepwise. */
export function isTitrated(drug: Drug): boolean {
  return usualDosesOf(drug).isTitrated;
}

/**
 * dose_tgt: the grid dose nearest to sqrt(dose_min * upper usual end) inside the usual range, on a log scale; doses that
 * are one whole unit at every intake come before those that need several or halves (nobody is given 1462.5 mg a day in
 * four doses). Of two equally good ones the lower.
 */
export function targetDose(drug: Drug): number {
  return usualDosesOf(drug).target;
}

/** First dose: dose_min on the grid; for a titrated drug the grid dose at or below dose_min nearest to half of it (ties: the lower). */
export function startDose(drug: Drug): number {
  return usualDosesOf(drug).start;
}

/** assumption: what a further unit or a half at an intake weighs against a dose nearer to the aim, as a log ratio. */
const UNIT_COST = 0.3;

function findTargetDose(drug: Drug): number {
  const upper = usualDoseMax(drug);
  const aim = Math.sqrt(drug.doseMin * upper);
  let best = aim;
  let lowest = Number.POSITIVE_INFINITY;
  for (const dose of usualGrid(drug)) {
    if (dose < drug.doseMin || dose > upper) continue;
    const cost = Math.abs(Math.log(dose / aim)) + UNIT_COST * extraUnits(drug, dose);
    if (cost < lowest - 1e-12) {
      best = dose;
      lowest = cost;
    }
  }
  return best;
}

/** Units beyond one at each intake, a half counting as one; 0 for what is measured out (insulin, liquids, puffs). */
function extraUnits(drug: Drug, dose: number): number {
  if (drug.strengthUnit !== "dose" && drug.strengthUnit !== "mcg/h") return 0;
  const intakes = Math.max(1, Math.round(drug.doseUnit === "mg/wk" ? 7 * drug.dosesPerDay : drug.dosesPerDay));
  let fewest = Number.POSITIVE_INFINITY;
  for (const strength of stepStrengths(drug)) {
    const halves = (2 * dose) / intakes / strength;
    if (Math.abs(halves - Math.round(halves)) > 1e-9) continue;
    const count = Math.round(halves);
    fewest = Math.min(fewest, Math.ceil(count / 2) - 1 + (count % 2));
  }
  // What no whole or half units make up is taken unevenly.
  return Math.min(fewest, MOST_UNITS);
}

/** assumption: more units than this at an intake make no further difference. */
const MOST_UNITS = 8;

function findStartDose(drug: Drug, isRaised: boolean): number {
  const grid = usualGrid(drug);
  if (!isRaised) return grid.find((dose) => dose >= drug.doseMin) ?? drug.doseMin;
  let best = drug.doseMin;
  for (const dose of grid) {
    if (dose > drug.doseMin) break;
    if (Math.abs(dose - drug.doseMin / 2) < Math.abs(best - drug.doseMin / 2) - 1e-12) best = dose;
  }
  return best;
}

function usualGrid(drug: Drug): readonly number[] {
  // The weight matters for the upper limit of one drug only, far above its usual doses.
  return doseGrid(drug, { weightKg: 1000 });
}

/** Products of decimals such as 3 * 0.1 are brought back to the number a table would print. */
function round(dose: number): number {
  return Number(dose.toPrecision(10));
}
