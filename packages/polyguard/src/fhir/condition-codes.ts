import type { KnowledgeBase } from "../kb/types.ts";
import type { Concept } from "./resources.ts";

const ICD10 = new Set(["http://hl7.org/fhir/sid/icd-10-cm", "http://hl7.org/fhir/sid/icd-10"]);
const SNOMED = "http://snomed.info/sct";

/**
 * Condition codes by ICD-10 category; the longest matching beginning wins. Source: ICD-10-CM 2024 chapters; real records
 * code finer than the code table, so categories are matched, not single codes.
 */
const BY_CATEGORY: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ["I10 I11 I12 I13 I15 I16", "HTN"],
      ["I1A", "HTN RESISTANT_HTN"],
      ["I48", "AF_STROKE AF_RATE AF_RHYTHM"],
      ["I50", "HF HF_CONGESTION"],
      ["I50.2 I50.4", "HF HFREF HF_CONGESTION"],
      ["I20", "CAD ANGINA"],
      ["I21 I22 I23 I24 I25", "CAD"],
      ["Z95.5", "CAD STENT"],
      ["Z95.2", "MECH_VALVE"],
      ["I63 I69.3 G45 Z86.73", "STROKE_SECONDARY"],
      ["I26 I80.1 I80.2 I82 Z86.71", "VTE"],
      ["I70 I73.9", "PAD"],
      ["E78", "DYSLIPID"],
      ["E78.1", "HYPERTRIG"],
      ["E10", "T1DM"],
      ["E11 E13", "T2DM"],
      ["E11.2 E13.2", "T2DM CKD_DM"],
      ["E11.4 E13.4", "T2DM NEUROPATHIC_PAIN"],
      ["N18", "CKD"],
      ["E03 E89.0", "HYPOTHYROID"],
      ["E05", "HYPERTHYROID"],
      ["M80 M81", "OSTEOPOROSIS"],
      ["M35.3 M31.5 M31.6", "PMR"],
      ["M05 M06", "RA"],
      ["J43 J44", "COPD"],
      ["J96.1", "COPD_RESP_FAIL"],
      ["J45", "ASTHMA"],
      ["F32 F33 F34.1", "DEPRESSION"],
      ["F40 F41", "ANXIETY"],
      ["F42", "OCD"],
      ["G47.0 F51.0", "INSOMNIA"],
      ["F31", "BIPOLAR"],
      ["F20 F21 F22 F23 F24 F25 F28 F29", "PSYCHOSIS"],
      ["F00 F01 F02 F03 G30 G31.83", "DEMENTIA"],
      ["F01.511 F01.518 F02.811 F02.818 F03.911 F03.918", "DEMENTIA BPSD"],
      ["F05 R41.0", "DELIRIUM_HX"],
      ["G20", "PARKINSON"],
      ["G25.81", "RLS"],
      ["G47.52", "RBD"],
      ["G40", "EPILEPSY SEIZURE"],
      ["R56", "SEIZURE"],
      ["G50.0", "TRIGEMINAL"],
      ["G62 G63 M79.2 B02.2", "NEUROPATHIC_PAIN"],
      ["M15 M16 M17 M18 M19", "OA_PAIN"],
      ["G89 M54 R52", "PAIN"],
      ["M62.4 M62.83", "MUSCLE_SPASM"],
      ["G35 G80 G81 G82", "SPASTICITY"],
      ["G43", "MIGRAINE"],
      ["G25.0", "TREMOR"],
      ["K21", "GERD"],
      ["K25 K26 K27 K28", "GI_ULCER"],
      ["K92.2 I60 I61 I62", "BLEED_HX"],
      ["N32.81 N39.41", "OAB"],
      ["N39.3 N39.4 R32", "UI_F"],
      ["N40", "BPH"],
      ["R33", "BPH_RETENTION"],
      ["M10 M1A", "GOUT"],
      ["N39.0", "UTI"],
      ["A41 J13 J14 J15 J16 J17 J18 L03", "INFECTION"],
      ["A15 A16 A17 A18 A19", "TB"],
      ["B20", "HIV"],
      ["B02", "HERPES_ZOSTER"],
      ["B35.1", "ONYCHOMYCOSIS"],
      ["B37 B44", "FUNGAL"],
      ["U07.1", "COVID19"],
      ["Z94", "TRANSPLANT"],
      ["C50", "BREAST_CA"],
      ["D50", "IRON_DEF"],
      ["D52", "FOLATE_DEF"],
      ["E55", "VITD_DEF"],
      ["E83.42", "HYPOMAG"],
      ["E87.1", "HYPONA_HX"],
      ["E87.5", "HYPERKALEMIA"],
      ["E87.6", "HYPOKALEMIA"],
      ["F10", "ALCOHOL"],
      ["F11", "OUD"],
      ["J30", "ALLERGY"],
      ["K50 K51", "IBD"],
      ["K59.0", "CONSTIPATION"],
      ["K31.84", "GASTROPARESIS"],
      ["R11", "NAUSEA"],
      ["R19.7", "DIARRHOEA"],
      ["R42 H81", "VERTIGO"],
      ["R60", "OEDEMA"],
      ["N52", "ED"],
      ["H40", "GLAUCOMA"],
      ["H40.2", "GLAUCOMA GLAUCOMA_NA"],
      ["R29.6 Z91.81 W0 W1", "FALLS"],
      ["R55", "SYNCOPE"],
      ["I95.1", "ORTHOSTATIC"],
      ["I45.81", "LONG_QT"],
    ] as const
  ).flatMap(([categories, codes]) =>
    categories.split(" ").map((category) => [category.replace(".", ""), codes.split(" ")] as const),
  ),
);

/** All codes that the ICD-10 categories lead to, for checks against the condition tables. */
export const IMPORTED_CONDITION_CODES: readonly string[] = [...new Set([...BY_CATEGORY.values()].flat())].sort();

/** Condition codes of an ICD-10 code; empty when its category means nothing here. */
function conditionsOfIcd10(code: string): readonly string[] {
  const plain = code.trim().toUpperCase().replace(".", "");
  for (let length = plain.length; length >= 2; length--) {
    const found = BY_CATEGORY.get(plain.slice(0, length));
    if (found !== undefined) return found;
  }
  return [];
}

/** Condition codes of a concept: ICD-10 category first, then SNOMED CT codes of the code table; with the code that matched. */
export function conditionsOf(
  kb: KnowledgeBase,
  concept: Concept,
): { readonly codes: readonly string[]; readonly icd10: string } {
  for (const { system, code } of concept.coding ?? []) {
    if (code === undefined || system === undefined || !ICD10.has(system)) continue;
    const codes = conditionsOfIcd10(code);
    if (codes.length > 0) return { codes, icd10: code };
  }
  for (const { system, code } of concept.coding ?? []) {
    if (system !== SNOMED || code === undefined) continue;
    const entry = kb.codes.find((row) => row.kind === "condition" && row.snomedCt === code);
    if (entry !== undefined) return { codes: conditionsOfIcd10(entry.code), icd10: entry.code };
  }
  return { codes: [], icd10: "" };
}
