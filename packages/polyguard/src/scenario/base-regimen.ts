import type { Rng } from "@praxis/env";
import { needsGastroprotection } from "../interactions/indications.ts";
import { getDrug } from "../kb/lookup.ts";
import type { Drug } from "../kb/types.ts";
import type { ScenarioDraft } from "./draft.ts";
import { DRAWN_CODES, prevalenceOf } from "./prevalence.ts";

/**
 * First-line drugs by condition; one of each list is given. Sources: guideline directions (ESC, ADA, NICE, GOLD);
 * assumption: which of them are taken here.
 */
const FIRST_LINE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  HTN: [
    ["amlodipine", "losartan", "lisinopril", "telmisartan", "candesartan", "ramipril", "lercanidipine", "indapamide"],
  ],
  DYSLIPID: [["atorvastatin", "rosuvastatin", "pravastatin"]],
  T2DM: [["metformin", "empagliflozin", "linagliptin", "sitagliptin", "dapagliflozin"]],
  OA_PAIN: [["acetaminophen"], ["diclofenac_gel"]],
  CAD: [["aspirin_low_dose"], ["atorvastatin", "rosuvastatin", "pravastatin"]],
  AF_STROKE: [["apixaban", "edoxaban", "rivaroxaban", "warfarin"]],
  AF_RATE: [["bisoprolol", "metoprolol"]],
  AF_RHYTHM: [["sotalol"]],
  HFREF: [
    ["ramipril", "lisinopril", "enalapril", "candesartan", "sacubitril_valsartan"],
    ["bisoprolol", "carvedilol"],
    ["empagliflozin", "dapagliflozin"],
    ["spironolactone", "eplerenone"],
  ],
  DEPRESSION: [["sertraline", "mirtazapine", "escitalopram", "duloxetine"]],
  ANXIETY: [["buspirone", "sertraline"]],
  INSOMNIA: [["melatonin", "ramelteon"]],
  GERD: [["pantoprazole", "lansoprazole"]],
  OAB: [["mirabegron"]],
  BPH: [["tamsulosin", "finasteride"]],
  OSTEOPOROSIS: [["alendronate", "risedronate", "denosumab"]],
  HYPOTHYROID: [["levothyroxine"]],
  COPD: [["tiotropium_inhaler"], ["fluticasone_salmeterol_inhaler", "budesonide_formoterol_inhaler"]],
  DEMENTIA: [["memantine", "donepezil", "rivastigmine"]],
  PARKINSON: [["levodopa_carbidopa"]],
  GOUT: [["allopurinol"]],
  NEUROPATHIC_PAIN: [["gabapentin", "duloxetine", "pregabalin"]],
  EPILEPSY: [["levetiracetam", "lamotrigine"]],
  BIPOLAR: [["lamotrigine", "valproate"]],
  RA: [["hydroxychloroquine"]],
  VTE: [["apixaban", "edoxaban", "rivaroxaban"]],
};

/** Days that base drugs have been in use. assumption: long enough to have settled. */
const USE_DAYS = [200, 2500] as const;

/** Whether a drug may be in a regimen of the split. */
export type DrugFilter = (drug: Drug) => boolean;

/** Number of drugs the base regimen still wants to add for what is untreated. */
export function fillBaseRegimen(
  draft: ScenarioDraft,
  rng: Rng,
  size: { readonly low: number; readonly high: number },
  allowed: DrugFilter,
): boolean {
  treatAll(draft, rng, size.high, allowed);
  // A patient with too few drugs gets another condition, by prevalence; the marginals of drawPatient are those before this.
  for (let attempt = 0; draft.medications.length < size.low && attempt < 30; attempt++) {
    const codes = DRAWN_CODES.filter(
      (code) => !draft.conditions.has(code) && !draft.absent.has(code) && FIRST_LINE[code] !== undefined,
    );
    const weights = codes.map((code) => prevalenceOf(code, draft.patient.sex));
    if (weights.every((weight) => weight <= 0)) return false;
    draft.addCondition(codes[rng.weightedIndex(weights)]!, rng);
    treatAll(draft, rng, size.high, allowed);
  }
  return draft.medications.length >= size.low && draft.medications.length <= size.high;
}

/** Treats every untreated condition with first-line drugs; one that can't be treated, or has no room, is taken away. */
function treatAll(draft: ScenarioDraft, rng: Rng, high: number, allowed: DrugFilter): void {
  for (const code of [...draft.conditions.keys()].sort()) {
    const lists = FIRST_LINE[code];
    if (lists === undefined) continue;
    const isHazardous = draft.medications.some((each) => each.hazard >= 0 && each.indication === code);
    for (const list of lists) {
      const isTreated = draft.medications.some(
        (each) =>
          list.includes(each.drug.drugId) ||
          (each.drug.indications.includes(code) &&
            (isHazardous || lists.length === 1 || sharesClass(draft, each.drug, list))),
      );
      if (isTreated) continue;
      const isPlaced = draft.medications.length < high && place(draft, rng, code, list, allowed);
      if (draft.withheld.some(({ condition }) => condition === code)) continue;
      if (!isPlaced && !draft.medications.some((each) => each.drug.indications.includes(code))) {
        draft.conditions.delete(code);
        break;
      }
    }
  }
}

/** True when the drug is of the class of one of the list. */
function sharesClass(draft: ScenarioDraft, drug: Drug, list: readonly string[]): boolean {
  return list.some((drugId) => getDrug(draft.kb, drugId).groups.some((group) => drug.groups[0] === group));
}

/** Gives one drug of the list for the condition; false when none is possible without a new hit that asks for action. */
function place(draft: ScenarioDraft, rng: Rng, code: string, list: readonly string[], allowed: DrugFilter): boolean {
  for (const drugId of rng.shuffled(list)) {
    const drug = getDrug(draft.kb, drugId);
    const dosePerDay = allowed(drug) && !draft.clashes(drug) && !draft.isWithheld(drug) ? draft.legalDose(drug) : null;
    if (dosePerDay === null || isDiscouraged(draft, drug)) continue;
    const hits = draft.pairHits({ drug, dosePerDay });
    const isNewHit = hits.some(
      (hit) => (hit.aIndex === drug.index || hit.bIndex === drug.index) && hit.severity !== "moderate",
    );
    if (isNewHit) continue;
    draft.add({
      drug,
      dosePerDay,
      indication: code,
      daysOfUse: rng.integer(USE_DAYS[0], USE_DAYS[1]),
      endDay: null,
      levelShift: 1,
      hazard: -1,
    });
    return true;
  }
  return false;
}

/** Beers: avoid altogether, or in a condition the patient has. */
function isDiscouraged(draft: ScenarioDraft, drug: Drug): boolean {
  const { conditions } = draft.facts();
  return drug.beers.some(
    (entry) =>
      entry.kind === "AVOID" ||
      (entry.kind === "AVOID_COND" && entry.conditions.some((condition) => conditions.has(condition))),
  );
}

/** Adds a PPI where the base drugs alone call for one, and a bowel order for an opioid. */
export function addProtections(draft: ScenarioDraft, rng: Rng, high: number, allowed: DrugFilter): void {
  const { kb } = draft;
  const isIn = (drug: Drug, groups: readonly string[]): boolean => groups.some((group) => drug.groups.includes(group));
  const bleeders = draft.medications.filter((each) => isIn(each.drug, ["ANTIPLATELET", "ANTICOAG", "NSAID"])).length;
  const flags = { hasUlcer: draft.conditions.has("GI_ULCER"), isAge75: draft.patient.ageYears >= 75 };
  const ppi = getDrug(kb, "pantoprazole");
  if (
    needsGastroprotection(bleeders, flags) &&
    !draft.medications.some((each) => each.drug.groups.includes("PPI")) &&
    draft.medications.length < high &&
    allowed(ppi)
  )
    draft.add({
      drug: ppi,
      dosePerDay: 20,
      indication: "GASTROPROTECTION",
      daysOfUse: rng.integer(USE_DAYS[0], USE_DAYS[1]),
      endDay: null,
      levelShift: 1,
      hazard: -1,
    });
  const isLaxativeWithheld = draft.withheld.some(({ options }) => options?.includes("LAXATIVE") === true);
  if (draft.medications.some((each) => each.drug.groups.includes("OPIOID")) && !isLaxativeWithheld)
    draft.orders.push("BOWEL");
}
