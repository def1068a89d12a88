import type { Drug } from "../kb/types.ts";

/**
 * rel(d, c): strength of a drug against the first-line drug of a condition, by condition and drug_id; 1 elsewhere.
 * assumption: sizes; directions from the guidelines of each condition.
 */
const RELATIVE_EFFECT: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  HFREF: { digoxin: 0.3, ivabradine: 0.4, hydralazine: 0.5 },
  AF_RATE: { digoxin: 0.7 },
  HTN: { amiloride: 0.4 },
  OSTEOPOROSIS: { calcium_carbonate: 0.1, colecalciferol: 0.1 },
  PARKINSON: {
    rasagiline: 0.4,
    selegiline: 0.4,
    pramipexole: 0.75,
    ropinirole: 0.75,
    entacapone: 0.3,
    amantadine: 0.4,
  },
  OA_PAIN: { acetaminophen: 0.6, duloxetine: 0.7, tramadol: 0.7, diclofenac_gel: 0.6 },
  PAIN: { acetaminophen: 0.6, codeine: 0.7 },
  GERD: { famotidine: 0.6, cimetidine: 0.6 },
  GOUT: { colchicine: 0.5, naproxen: 0.5, indomethacin: 0.5 },
  INSOMNIA: { trazodone: 0.6, mirtazapine: 0.6, diphenhydramine: 0.5, melatonin: 0.4, ramelteon: 0.4 },
  DEPRESSION: { aripiprazole: 0.5, trazodone: 0.5, phenelzine: 0.5 },
  ANXIETY: { buspirone: 0.7, pregabalin: 0.7, hydroxyzine: 0.5 },
  DYSLIPID: { ezetimibe: 0.5 },
  COPD: { salbutamol_inhaler: 0.4, theophylline_er: 0.4, azithromycin: 0.4, doxycycline: 0.4, prednisone: 0.4 },
  ASTHMA: { montelukast: 0.6, salbutamol_inhaler: 0.4 },
  CONSTIPATION: { docusate: 0.2 },
  GLAUCOMA: { brimonidine_eye: 0.8 },
};

/** Loss of effect in long use. assumption: sizes; directions from Beers 2023, Bjerre 2018, CDC 2022. */
const LONG_USE: readonly {
  readonly groups: readonly string[];
  readonly conditions: readonly string[];
  readonly afterDays: number;
  readonly factor: number;
}[] = [
  { groups: ["BZD", "ZDRUG"], conditions: ["INSOMNIA", "ANXIETY"], afterDays: 28, factor: 0.2 },
  { groups: ["ANTIHIST1"], conditions: ["INSOMNIA"], afterDays: 14, factor: 0.2 },
  { groups: ["ANTIPSYCH"], conditions: ["BPSD"], afterDays: 84, factor: 0.3 },
  { groups: ["OPIOID"], conditions: ["PAIN", "OA_PAIN"], afterDays: 90, factor: 0.5 },
];

/** Conditions whose burden counts .3 when life expectancy is below a year: their benefit comes too late (assumption: size). */
export const LONG_TERM_CONDITIONS: readonly string[] = ["DYSLIPID", "OSTEOPOROSIS", "HTN", "T2DM"];

/** Factor on the burden of {@link LONG_TERM_CONDITIONS}. */
export const SHORT_LIFE_FACTOR = 0.3;

/** rel of a drug for one of its indications. */
export function relativeEffect(drug: Drug, condition: string): number {
  return RELATIVE_EFFECT[condition]?.[drug.drugId] ?? 1;
}

/** Days after which the effect of a drug on a condition falls, and to what; null = it does not. */
export function longUseOf(
  drug: Drug,
  condition: string,
): { readonly afterDays: number; readonly factor: number } | null {
  return (
    LONG_USE.find(
      (rule) => rule.conditions.includes(condition) && rule.groups.some((group) => drug.groups.includes(group)),
    ) ?? null
  );
}
