import { closestName, PraxisError } from "@praxis/env";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Concept } from "./resources.ts";

const RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm";
const ATC = "http://www.whocc.no/atc";

/** Words of a product text that name no ingredient: salts, forms, routes, release types. Numbers and units are cut before. */
const NOISE = new Set(
  (
    "sodium potassium calcium magnesium hydrochloride hcl hydrobromide hbr sulfate sulphate tartrate succinate maleate mesylate besylate besilate fumarate citrate phosphate acetate bromide " +
    "erbumine arginine medoxomil cilexetil etexilate tromethamine trihydrate monohydrate dihydrate anhydrous bisulfate " +
    "oral tablet tablets tab tabs capsule capsules cap caps solution suspension injection injectable cream gel ointment patch inhaler spray drops chewable coated film enteric delayed extended " +
    "modified release sustained immediate er xr sr xl cr la ir dr ec odt po pen vial hour hr h daily once twice day of the in for by mouth prefilled syringe transdermal system topical"
  ).split(" "),
);

/** How a name was matched, or what would have been near. */
export type DrugMatch =
  | { readonly kind: "drug"; readonly drug: Drug; readonly by: "rxnorm" | "atc" | "name" | "synonym" }
  | { readonly kind: "unmapped"; readonly label: string; readonly nearest: string | null };

/** Names of drugs by every spelling that is safe to take for the ingredient. */
export interface DrugNames {
  readonly kb: KnowledgeBase;
  readonly bySynonym: ReadonlyMap<string, Drug>;
  /** Only codes that stand for one drug of the table. */
  readonly byAtc: ReadonlyMap<string, Drug>;
}

/** Reads the synonym table (`name, drug_id, kind, source`); throws INVALID_CONFIG naming row, column and value. */
export function loadDrugNames(kb: KnowledgeBase, synonyms: string): DrugNames {
  const bySynonym = new Map<string, Drug>();
  synonyms
    .split("\n")
    .slice(1)
    .forEach((line, index) => {
      if (line.trim() === "") return;
      const [name = "", drugId = "", kind = "", source = ""] = line.split("\t");
      const refuse = (column: string, value: string, why: string): PraxisError =>
        new PraxisError("INVALID_CONFIG", `synonyms.tsv, row ${index + 2}, column ${column}: '${value}' ${why}.`);
      const drugIndex = kb.drugIndexById.get(drugId);
      if (name === "" || name !== name.toLowerCase()) throw refuse("name", name, "must be lower case and not empty");
      if (drugIndex === undefined) throw refuse("drug_id", drugId, "is not in the drug table");
      if (kind !== "brand" && kind !== "name") throw refuse("kind", kind, "must be brand or name");
      if (source === "") throw refuse("source", source, "must not be empty");
      if (bySynonym.has(name) || kb.drugIndexByName.has(name))
        throw refuse("name", name, "is listed twice or is a generic name");
      bySynonym.set(name, kb.drugs[drugIndex]!);
    });
  const byAtc = new Map<string, Drug>();
  const shared = new Set<string>();
  for (const drug of kb.drugs) {
    if (drug.atc === null) continue;
    if (byAtc.has(drug.atc)) shared.add(drug.atc);
    byAtc.set(drug.atc, drug);
  }
  for (const code of shared) byAtc.delete(code);
  return { kb, bySynonym, byAtc };
}

function findByName(names: DrugNames, text: string): { drug: Drug; by: "name" | "synonym" } | undefined {
  const { kb, bySynonym } = names;
  const index = kb.drugIndexById.get(text.replaceAll(" ", "_")) ?? kb.drugIndexByName.get(text);
  if (index !== undefined) return { drug: kb.drugs[index]!, by: "name" };
  const drug = bySynonym.get(text);
  return drug === undefined ? undefined : { drug, by: "synonym" };
}

/** The ingredient part of a product text: `metoprolol succinate 50 MG Extended Release Oral Tablet [Toprol]` → `metoprolol`. */
function ingredientText(text: string): string {
  return text
    .toLowerCase()
    .replace(/\[[^\]]*\]/g, " ")
    .replace(/\([^)]*\)/g, " ")
    .replace(
      /\b\d+([.,]\d+)?\s*(%|(mg|mcg|ug|µg|μg|g|ml|unt|units?|iu|meq|mmol|hr|actuat)(\/[a-z.\d]+)?)?(?![a-z])/g,
      " ",
    )
    .split(/[\s,;]+/)
    .filter((word) => word !== "" && !NOISE.has(word))
    .join(" ");
}

/** The drug of a free text: whole text, then without salts, strengths and forms. Never by a first word or a part of a name. */
export function matchDrugText(names: DrugNames, text: string): DrugMatch {
  const whole = text.trim().toLowerCase().replace(/\s+/g, " ");
  const found = findByName(names, whole) ?? findByName(names, ingredientText(whole));
  if (found !== undefined) return { kind: "drug", ...found };
  const known = [...names.kb.drugs.map((drug) => drug.genericName), ...names.bySynonym.keys()];
  return { kind: "unmapped", label: text.trim(), nearest: closestName(ingredientText(whole) || whole, known) };
}

/** The drug of a medication concept: RxNorm ingredient code, exact ATC code, then display and text. */
export function matchDrug(names: DrugNames, concept: Concept): DrugMatch {
  const { kb, byAtc } = names;
  for (const { system, code } of concept.coding ?? []) {
    if (code === undefined) continue;
    if (system === RXNORM) {
      const index = kb.drugIndexByRxcui.get(code);
      if (index !== undefined) return { kind: "drug", drug: kb.drugs[index]!, by: "rxnorm" };
    }
    if (system === ATC) {
      const drug = byAtc.get(code);
      if (drug !== undefined) return { kind: "drug", drug, by: "atc" };
    }
  }
  const texts = [...(concept.coding ?? []).map((entry) => entry.display), concept.text].filter(
    (text) => text !== undefined,
  );
  let unmapped: DrugMatch | null = null;
  for (const text of texts) {
    const match = matchDrugText(names, text);
    if (match.kind === "drug") return match;
    unmapped ??= match;
  }
  const code = concept.coding?.[0];
  return (
    unmapped ?? {
      kind: "unmapped",
      label: code?.code === undefined ? "unnamed medication" : `${code.system ?? "no system"} ${code.code}`,
      nearest: null,
    }
  );
}
