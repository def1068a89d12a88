import { keptByKnowledgeBase } from "../kb/kept.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { EvaluationItem } from "./evaluation-types.ts";

/** Weights of the burden B and the values at which its parts saturate (assumption: equal say of count, scale and complexity). */
const MRCI_FULL = 40;
const DRUGS_FULL = 15;
const ACB_FULL = 9;
const DBI_FULL = 3;

/** MRCI section A by form; tab and cap count as one form. Source: George 2004, reduced; drops from the same scale. */
const FORM_WEIGHT: Readonly<Record<string, readonly [kind: number, weight: number]>> = {
  tab: [0, 1],
  cap: [0, 1],
  liquid: [1, 2],
  patch: [2, 2],
  cream: [3, 2],
  sl_tab: [4, 2],
  dpi: [5, 3],
  mdi: [6, 4],
  drops: [7, 3],
};
/** Prefilled injections (SC) and ampoules (IV). */
const PREFILLED: readonly [number, number] = [8, 3];
const AMPOULE: readonly [number, number] = [9, 4];

/** Drugs tied to food or to an empty stomach. Source: FDA labels. */
const WITH_FOOD = new Set([
  "metformin",
  "carvedilol",
  "rivaroxaban",
  "spironolactone",
  "potassium_chloride",
  "prednisone",
  "itraconazole",
  "levodopa_carbidopa",
  "repaglinide",
  "rivastigmine",
  "galantamine",
  "nitrofurantoin",
  "alendronate",
  "risedronate",
  "levothyroxine",
  "ferrous_sulfate",
  "calcium_carbonate",
]);
/** Drugs tied to an hour of the day. Source: FDA labels. */
const FIXED_TIME = new Set([
  "levothyroxine",
  "alendronate",
  "risedronate",
  "simvastatin",
  "insulin_lispro",
  "insulin_glargine",
  "levodopa_carbidopa",
  "zolpidem",
  "zopiclone",
  "eszopiclone",
  "temazepam",
  "triazolam",
  "ramelteon",
  "melatonin",
]);

/** What the burden rests on of each drug, by row number. */
interface BurdenTables {
  readonly formBit: Int32Array;
  readonly formWeight: Float64Array;
  readonly fixed: Float64Array;
  readonly acb: Uint8Array;
  readonly countsForDbi: Uint8Array;
  readonly isExactInterval: Uint8Array;
}

const burdenTablesOf = keptByKnowledgeBase(
  ({ drugs }): BurdenTables => ({
    formBit: Int32Array.from(drugs, (drug) => 1 << formOf(drug)[0]),
    formWeight: Float64Array.from(drugs, (drug) => formOf(drug)[1]),
    fixed: Float64Array.from(drugs, (drug) => Number(WITH_FOOD.has(drug.drugId)) + Number(FIXED_TIME.has(drug.drugId))),
    acb: Uint8Array.from(drugs, (drug) => drug.acb),
    countsForDbi: Uint8Array.from(drugs, (drug) => Number(drug.acb >= 1 || drug.risk.sedative_load >= 1)),
    // assumption: only these are told "every 12 hours" rather than "twice a day".
    isExactInterval: Uint8Array.from(drugs, (drug) => Number(drug.isNarrowTi || drug.groups.includes("ANTICOAG"))),
  }),
);

/** Parts of the burden; overwritten by the next call of the model that made it. */
export interface BurdenParts {
  burden: number;
  drugCount: number;
  acb: number;
  dbi: number;
  mrci: number;
}

/** Treatment burden of a regimen: `begin`, `addDrug` each, `finish`. MRCI: George 2004, reduced; ACB 2012; DBI: Hilmer 2007. */
export class BurdenModel {
  readonly parts: BurdenParts = { burden: 0, drugCount: 0, acb: 0, dbi: 0, mrci: 0 };
  readonly #drugs: readonly Drug[];
  readonly #formBit: Int32Array;
  readonly #formWeight: Float64Array;
  readonly #fixed: Float64Array;
  readonly #acb: Uint8Array;
  readonly #countsForDbi: Uint8Array;
  readonly #isExactInterval: Uint8Array;
  readonly #lastDose: Float64Array;
  readonly #lastTimes: Float64Array;
  readonly #lastHalving: Uint8Array;
  #forms = 0;
  #mrci = 0;
  #count = 0;
  #anticholinergic = 0;
  #dbi = 0;

  constructor(kb: KnowledgeBase) {
    this.#drugs = kb.drugs;
    const tables = burdenTablesOf(kb);
    this.#formBit = tables.formBit;
    this.#formWeight = tables.formWeight;
    this.#fixed = tables.fixed;
    this.#acb = tables.acb;
    this.#countsForDbi = tables.countsForDbi;
    this.#isExactInterval = tables.isExactInterval;
    this.#lastDose = new Float64Array(kb.drugs.length).fill(Number.NaN);
    this.#lastTimes = new Float64Array(kb.drugs.length).fill(Number.NaN);
    this.#lastHalving = new Uint8Array(kb.drugs.length);
  }

  /** Starts a regimen. */
  begin(): void {
    this.#forms = 0;
    this.#mrci = 0;
    this.#count = 0;
    this.#anticholinergic = 0;
    this.#dbi = 0;
  }

  /** Adds an active drug. */
  addDrug(item: EvaluationItem): void {
    const drug = item.drugIndex;
    this.#count++;
    this.#anticholinergic += this.#acb[drug]!;
    if (this.#countsForDbi[drug] === 1) this.#dbi += item.dosePerDay / (item.dosePerDay + this.#drugs[drug]!.doseMin);
    const bit = this.#formBit[drug]!;
    if ((this.#forms & bit) === 0) {
      this.#forms |= bit;
      this.#mrci += this.#formWeight[drug]!;
    }
    const times =
      item.dosesPerDay < 1 ? 2 : item.dosesPerDay === 2 && this.#isExactInterval[drug] === 1 ? 2.5 : item.dosesPerDay;
    this.#mrci += (item.isPrn ? 0.5 * times : times) + this.#fixed[drug]! + (item.isTapering ? 2 : 0);
    if (this.#needsHalving(drug, item.dosePerDay, item.dosesPerDay)) this.#mrci += 1;
  }

  /** Closes the regimen and returns `parts`. */
  finish(): BurdenParts {
    const { parts } = this;
    parts.drugCount = this.#count;
    parts.acb = this.#anticholinergic;
    parts.dbi = this.#dbi;
    parts.mrci = this.#mrci;
    parts.burden =
      (0.35 * Math.min(this.#mrci, MRCI_FULL)) / MRCI_FULL +
      (0.25 * Math.min(this.#count, DRUGS_FULL)) / DRUGS_FULL +
      (0.25 * Math.min(this.#anticholinergic, ACB_FULL)) / ACB_FULL +
      (0.15 * Math.min(this.#dbi, DBI_FULL)) / DBI_FULL;
    return parts;
  }

  #needsHalving(drug: number, dosePerDay: number, dosesPerDay: number): boolean {
    if (this.#lastDose[drug] !== dosePerDay || this.#lastTimes[drug] !== dosesPerDay) {
      this.#lastDose[drug] = dosePerDay;
      this.#lastTimes[drug] = dosesPerDay;
      this.#lastHalving[drug] = Number(needsHalving(this.#drugs[drug]!, dosePerDay, dosesPerDay));
    }
    return this.#lastHalving[drug] === 1;
  }
}

function formOf(drug: Drug): readonly [kind: number, weight: number] {
  if (drug.form === "inj") return drug.route === "IV" ? AMPOULE : PREFILLED;
  return FORM_WEIGHT[drug.form]!;
}

/** True when a tablet drug's single dose is no whole number of any one strength. */
function needsHalving(drug: Drug, dosePerDay: number, dosesPerDay: number): boolean {
  if (drug.form !== "tab" || dosesPerDay < 1) return false;
  const single = dosePerDay / dosesPerDay;
  return !drug.strengths.some(
    (strength) => Math.abs(single / strength - Math.round(single / strength)) < 1e-6 && single > strength / 2,
  );
}
