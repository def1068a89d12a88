import type { Rng } from "@praxis/env";
import { levelCodeOf } from "../course/labs.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { report, trueValue } from "../observation/measure.ts";
import { MEASUREMENTS, type Measurement } from "../observation/measurements.ts";
import type { KnownValue } from "../observation/types.ts";
import type { WorldState } from "../world/types.ts";
import type { Mask, TierSettings } from "./types.ts";

/** Age of values: fresh ones up to two weeks, stale ones 30-400 days. */
const FRESH_DAYS = [0, 14] as const;
const STALE_DAYS = [30, 400] as const;
/** A stale value was another one then (assumption: coefficient of variation within a patient over months). */
const DRIFT_CV = 0.08;
/** Values that barely vary in relative terms drift less (sodium, QTc). */
const SMALL_DRIFT_CV = 0.02;
const SMALL_DRIFT_CODES = ["NA", "QTC"];

/** A specialist with an opinion, and the drugs that are theirs to have one about. */
interface Opinion {
  readonly from: string;
  readonly says: string;
  readonly isAbout: (drug: Drug) => boolean;
}

/** assumption: share of a drug that the kidneys take out from which a nephrologist looks at its dose. */
const RENALLY_CLEARED = 0.3;

/** ATC main groups: B01 and C are the cardiologist's, N05, N06 and N03 the psychiatrist's; a geriatrician looks at all. */
const OPINIONS: readonly Opinion[] = [
  { from: "cardiologist", says: "wants to keep", isAbout: ({ atc }) => /^(B01|C)/.test(atc ?? "") },
  { from: "psychiatrist", says: "is against stopping", isAbout: ({ atc }) => /^N0[356]/.test(atc ?? "") },
  {
    from: "nephrologist",
    says: "asks to lower the dose of",
    isAbout: ({ feRenal }) => (feRenal ?? 0) >= RENALLY_CLEARED,
  },
  { from: "geriatrician", says: "doubts the need for", isAbout: () => true },
];

/** What the agent can't see: draws each value and history item independently. */
export function drawMask(
  kb: KnowledgeBase,
  state: WorldState,
  rng: Rng,
  tier: TierSettings,
  allergyIds: readonly string[],
): Mask {
  const values: Record<string, KnownValue> = {};
  const levels = new Set(state.medications.map((each) => levelCodeOf(drugAt(kb, each.drugIndex))));
  for (const measurement of MEASUREMENTS) {
    if (measurement.isDosingOnly === true) continue;
    const isHidden = rng.bernoulli(tier.missing);
    const isStale = rng.bernoulli(tier.stale);
    const drift = rng.normal();
    const age = rng.uniform();
    const truth = trueValue(state, measurement.code);
    const isLevel = measurement.code === "INR" || measurement.code.endsWith("_LEVEL");
    const value = truth === null || (isLevel && !levels.has(measurement.code)) ? null : report(measurement, truth, rng);
    if (value === null || isHidden) continue;
    if (!isStale) {
      values[measurement.code] = { value, measuredDay: -between(FRESH_DAYS, age) };
      continue;
    }
    values[measurement.code] = {
      value: driftedValue(measurement, value, drift),
      measuredDay: -between(STALE_DAYS, age),
    };
  }
  const hidden = new Set<string>();
  const hide = (field: string): void => {
    if (rng.bernoulli(tier.missing)) hidden.add(field);
  };
  for (const field of ["weight", "height", "smoker", "frailty", "life_expectancy"]) hide(field);
  for (const id of allergyIds) hide(`allergy:${id}`);
  for (const condition of state.conditions) hide(`condition:${condition.code}`);
  for (const medication of state.medications) {
    hide(`indication:${medication.medRef}`);
    hide(`start:${medication.medRef}`);
  }
  return {
    values,
    hidden,
    alertCoverage: tier.alertCoverage,
    conflicts: drawConflicts(kb, state, rng, tier.conflicts),
  };
}

/** What a value was months before. @param drift standard normal number */
export function driftedValue({ code, decimals }: Measurement, value: number, drift: number): number {
  const cv = SMALL_DRIFT_CODES.includes(code) ? SMALL_DRIFT_CV : DRIFT_CV;
  const scale = 10 ** decimals;
  return Math.max(0, Math.round(value * (1 + cv * drift) * scale) / scale);
}

function between([low, high]: readonly [number, number], u: number): number {
  return Math.round(low + (high - low) * u);
}

/** Specialists who disagree about a drug of the list. */
function drawConflicts(kb: KnowledgeBase, state: WorldState, rng: Rng, count: number): Mask["conflicts"] {
  const medications = rng.shuffled(state.medications).slice(0, count);
  return medications.map((medication, i) => {
    const drug = drugAt(kb, medication.drugIndex);
    const { from, says } = rng.choice(OPINIONS.filter(({ isAbout }) => isAbout(drug)));
    return {
      id: `cf${i + 1}`,
      from,
      says: `The ${from} ${says} ${drug.genericName}.`,
      medRef: medication.medRef,
    };
  });
}
