import { pgpFactor } from "../../engine/perpetrators.ts";
import type { Drug } from "../../kb/types.ts";
import { NEW_DRUG_ENZYMES, type NewDrugEnzyme } from "../../new-drug/components.ts";
import type { NewDrugFact } from "../../new-drug/evidence-units.ts";
import type { ExposureSetting } from "../../new-drug/exposure.ts";

/** Creatinine clearance below which the renal share matters, mL/min. */
const RENAL_MATTERS_BELOW = 75;
/** Index perpetrators by enzyme. Source: FDA 2020, index inhibitors. */
const INDEX: Readonly<Partial<Record<NewDrugEnzyme, string>>> = {
  CYP3A4: "itraconazole",
  CYP2D6: "paroxetine",
  CYP2C9: "fluconazole",
  CYP2C19: "fluvoxamine",
  CYP1A2: "fluvoxamine",
};

/**
 * Query of the study to buy next: phenotyping, then the class, then what this patient's exposure hangs on most - kidneys,
 * transporter, an interaction study of the main path -, then QT. null when all are done.
 */
export function nextStudy(facts: readonly NewDrugFact[], { patient, perpetrators }: ExposureSetting): string | null {
  const isDone = (query: string): boolean =>
    facts.some((fact) => (fact.kind === "ddi" ? `ddi:${fact.perpetrator}` : fact.kind) === query);
  const actsOnPgp = perpetrators.some((drug) => pgpFactor(drug) !== 1);
  const isRenal = (patient.crClMlPerMin ?? 100) < RENAL_MATTERS_BELOW;
  const study = interactionStudy(facts, perpetrators);
  const wanted = [
    "phenotyping",
    "class",
    ...(isRenal ? ["renal"] : []),
    ...(actsOnPgp ? ["transporter"] : []),
    ...(study === null ? [] : [study]),
    "renal",
    "qt",
    "transporter",
  ];
  return wanted.find((query) => !isDone(query)) ?? null;
}

/** An interaction study with the drug of the list that acts on the main path, else with the index inhibitor of it. */
function interactionStudy(facts: readonly NewDrugFact[], perpetrators: readonly Drug[]): string | null {
  const screen = facts.find((fact) => fact.kind === "phenotyping");
  if (screen === undefined) return null;
  const byShare = [...NEW_DRUG_ENZYMES].sort((a, b) => screen.fm[b] - screen.fm[a]);
  for (const enzyme of byShare.slice(0, 2)) {
    const acting = perpetrators.find(({ inhibits, induces }) =>
      [...inhibits, ...induces].some((effect) => effect.enzyme === enzyme && effect.strength !== "weak"),
    );
    if (acting !== undefined) return `ddi:${acting.drugId}`;
  }
  const index = INDEX[byShare[0]!];
  return index === undefined ? null : `ddi:${index}`;
}
