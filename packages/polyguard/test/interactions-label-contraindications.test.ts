import { expect, test } from "vitest";
import { pairEntries, pairTableOf } from "../src/interactions/pair-table.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";

const kb = loadBundledKnowledgeBase();
const table = pairTableOf(kb);
const indexOf = new Map(kb.drugs.map(({ drugId, index }) => [drugId, index]));

/** What product labels contraindicate with a drug, typed off section 4 (and 7, where it says so) of its own or the other's label. */
const LABELS: Readonly<Record<string, string>> = {
  alfuzosin: "clarithromycin itraconazole ketoconazole ritonavir_booster",
  alprazolam: "itraconazole ketoconazole",
  azathioprine: "febuxostat",
  brimonidine_eye: "phenelzine",
  colchicine: "ciclosporin clarithromycin itraconazole ketoconazole ritonavir_booster",
  dabigatran: "ciclosporin dronedarone itraconazole ketoconazole",
  dronedarone: "ciclosporin clarithromycin itraconazole ketoconazole ritonavir_booster voriconazole",
  eplerenone: "amiloride clarithromycin itraconazole ketoconazole ritonavir_booster spironolactone",
  finerenone: "clarithromycin itraconazole ketoconazole ritonavir_booster",
  ivabradine: "clarithromycin diltiazem_er itraconazole ketoconazole ritonavir_booster verapamil_er",
  lercanidipine: "ciclosporin clarithromycin erythromycin itraconazole ketoconazole ritonavir_booster",
  linezolid: "bupropion phenelzine selegiline",
  midazolam: "itraconazole ketoconazole ritonavir_booster",
  phenelzine:
    "amitriptyline bupropion buspirone carbamazepine citalopram cyclobenzaprine dextromethorphan duloxetine escitalopram fluoxetine fluvoxamine methadone mirtazapine nortriptyline paroxetine pseudoephedrine rasagiline selegiline sertraline sumatriptan tramadol trazodone venlafaxine",
  ranolazine:
    "carbamazepine clarithromycin itraconazole ketoconazole phenobarbital phenytoin rifampin ritonavir_booster st_johns_wort",
  rasagiline: "cyclobenzaprine dextromethorphan methadone phenelzine selegiline st_johns_wort tramadol",
  repaglinide: "gemfibrozil",
  sacubitril_valsartan: "enalapril lisinopril perindopril ramipril",
  selegiline:
    "amitriptyline bupropion buspirone citalopram dextromethorphan duloxetine escitalopram fluoxetine fluvoxamine methadone mirtazapine nortriptyline paroxetine sertraline tramadol trazodone venlafaxine",
  sildenafil: "isosorbide_mononitrate nitroglycerin",
  simvastatin:
    "ciclosporin clarithromycin erythromycin gemfibrozil itraconazole ketoconazole ritonavir_booster voriconazole",
  tadalafil: "isosorbide_mononitrate nitroglycerin",
  ticagrelor: "clarithromycin itraconazole ketoconazole ritonavir_booster",
  tizanidine: "ciprofloxacin fluvoxamine",
  triazolam: "clarithromycin itraconazole ketoconazole ritonavir_booster",
  voriconazole: "carbamazepine phenobarbital rifampin st_johns_wort",
};

test.each(Object.entries(LABELS))("what labels contraindicate with %s is contraindicated", (drug, others) => {
  const missing = others.split(" ").filter((other) => {
    const entries = pairEntries(table, indexOf.get(drug)!, indexOf.get(other)!);
    return !entries.some(({ severity }) => severity === "contraindicated");
  });
  expect(missing).toEqual([]);
});

test("contraindications stay rare: fewer than one pair in eighty", () => {
  let contraindicated = 0;
  let pairs = 0;
  for (const first of kb.drugs)
    for (const second of kb.drugs) {
      if (second.index <= first.index) continue;
      pairs++;
      if (pairEntries(table, first.index, second.index).some(({ severity }) => severity === "contraindicated"))
        contraindicated++;
    }
  expect(contraindicated / pairs).toBeLessThan(1 / 80);
});
