import { withDerivedGroups } from "../../kb/load.ts";
import { findDrug } from "../../kb/lookup.ts";
import type { Drug, KnowledgeBase, RuleSide } from "../../kb/types.ts";
import { NEW_DRUG_ENZYMES } from "../../new-drug/components.ts";
import { componentRow, knownRow, USUAL_DOSE } from "../../new-drug/drug-row.ts";
import type { NewDrugFact } from "../../new-drug/evidence-units.ts";
import type { ExposureSetting } from "../../new-drug/exposure.ts";
import type { Observation } from "../../observation/schema.ts";
import type { NewDrugBlock } from "../../sub-environments/new-drug-decomposition/block-schema.ts";
import type { Chart } from "../chart.ts";

/** Creatinine clearance that is assumed where it is not known, mL/min. assumption: median of the patients generated. */
const TYPICAL_CRCL = 60;

/** Drugs on the list beside the new one. */
function otherDrugs(kb: KnowledgeBase, { medications }: Observation): readonly Drug[] {
  return medications.flatMap(({ drug_id: drugId }) => (drugId === null ? [] : (findDrug(kb, drugId) ?? [])));
}

/** The patient as known, without a genotype. */
export function knownSetting(kb: KnowledgeBase, observation: Observation): ExposureSetting {
  return {
    patient: {
      crClMlPerMin: observation.organ.crcl ?? TYPICAL_CRCL,
      isSmoker: observation.patient.smoker ?? false,
    },
    perpetrators: otherDrugs(kb, observation),
  };
}

const NONE = { CYP3A4: 0, CYP2D6: 0, CYP2C9: 0, CYP2C19: 0, CYP1A2: 0, UGT: 0 };

/** True when what is known of the drug makes a contraindicated pair with the list: by its class, and by what it inhibits. */
export function isKnownContraindicated(
  { kb, legality }: Chart,
  block: NewDrugBlock,
  facts: readonly NewDrugFact[],
): boolean {
  const screen = facts.find((fact) => fact.kind === "phenotyping");
  const statement = facts.find((fact) => fact.kind === "class");
  const acts = screen !== undefined && NEW_DRUG_ENZYMES.some((e) => screen.inhibits[e] + screen.induces[e] > 0);
  const resembles = kb.drugs.find(({ groups }) => groups[0] === statement?.resembles) ?? null;
  if (!acts && resembles === null) return false;
  const identity = {
    drugId: block.drug_id,
    name: block.name,
    classText: block.class_text,
    indication: block.indication,
  };
  const row = componentRow(identity, {
    fm: NONE,
    fe: 0,
    pgp: 0,
    inhibits: screen?.inhibits ?? NONE,
    induces: screen?.induces ?? NONE,
    qt: 0,
    isNarrowTi: false,
    risk: statement?.risk ?? knownRow(identity).risk,
    acb: 0,
    resembles,
    sufficientDose: USUAL_DOSE,
  });
  const { groups } = withDerivedGroups({ ...row, index: kb.drugs.length });
  const others = legality.listed.flatMap(({ drugIndex }) => kb.drugs[drugIndex] ?? []);
  const isOther = (side: RuleSide): boolean => others.some((drug) => isOfSide(side, drug.drugId, drug.groups));
  const isNew = (side: RuleSide): boolean => isOfSide(side, block.drug_id, groups);
  // Conditions are taken as met: what is contraindicated under some condition is not started unwatched.
  return kb.rules.some(
    ({ severity, a, b }) => severity === "contraindicated" && ((isNew(a) && isOther(b)) || (isNew(b) && isOther(a))),
  );
}

function isOfSide({ kind, name }: RuleSide, drugId: string, groups: readonly string[]): boolean {
  return kind === "drug" ? name === drugId : groups.includes(name);
}
