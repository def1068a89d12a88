import { closestName, editDistance } from "@praxis/env";
import { keptByKnowledgeBase } from "./kept.ts";
import type { Drug, KnowledgeBase } from "./types.ts";

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
  | { readonly kind: "drug"; readonly drug: Drug; readonly by: "rxnorm" | "atc" | "name" | "synonym" | "spelling" }
  | { readonly kind: "unmapped"; readonly label: string; readonly nearest: string | null };

function findByName(kb: KnowledgeBase, text: string): { drug: Drug; by: "name" | "synonym" } | undefined {
  const index = kb.drugIndexById.get(text.replaceAll(" ", "_")) ?? kb.drugIndexByName.get(text);
  if (index !== undefined) return { drug: kb.drugs[index]!, by: "name" };
  const synonym = kb.synonyms.get(text);
  return synonym === undefined ? undefined : { drug: kb.drugs[synonym.drugIndex]!, by: "synonym" };
}

/** Lower case, single blanks. */
function plainText(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, " ");
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
export function matchDrugText(kb: KnowledgeBase, text: string): DrugMatch {
  const whole = plainText(text);
  const found = findByName(kb, whole) ?? findByName(kb, ingredientText(whole));
  if (found !== undefined) return { kind: "drug", ...found };
  const known = [...kb.drugs.map((drug) => drug.genericName), ...kb.synonyms.keys()];
  return { kind: "unmapped", label: text.trim(), nearest: closestName(ingredientText(whole) || whole, known) };
}

/** Shortest text that is taken for a misspelt name. assumption: shorter names are too near one another. */
const SHORTEST_MISSPELT = 5;
const labelsOf = keptByKnowledgeBase(() => new Map<string, DrugMatch>());

/**
 * The drug that a label on a list means: as {@link matchDrugText}, else the only drug with a name one slip away (a letter
 * changed, dropped, added, or two neighbours swapped). Whoever takes a label by `spelling` has to say so.
 */
export function readDrugLabel(kb: KnowledgeBase, label: string): DrugMatch {
  const known = labelsOf(kb);
  const match = known.get(label) ?? matchMisspelt(kb, label);
  known.set(label, match);
  return match;
}

function matchMisspelt(kb: KnowledgeBase, label: string): DrugMatch {
  const match = matchDrugText(kb, label);
  if (match.kind === "drug") return match;
  const whole = plainText(label);
  for (const text of [whole, ingredientText(whole)]) {
    const near = oneSlipAway(kb, text);
    const [drugIndex] = near;
    if (near.size === 1) return { kind: "drug", drug: kb.drugs[drugIndex!]!, by: "spelling" };
    if (near.size > 1) return match;
  }
  return match;
}

/** Drugs with a name one slip away from a text. */
function oneSlipAway(kb: KnowledgeBase, text: string): ReadonlySet<number> {
  const near = new Set<number>();
  if (text.length < SHORTEST_MISSPELT) return near;
  const consider = (name: string, drugIndex: number): void => {
    if (Math.abs(name.length - text.length) <= 1 && editDistance(text, name) === 1) near.add(drugIndex);
  };
  for (const { genericName, index } of kb.drugs) consider(genericName.toLowerCase(), index);
  for (const { name, drugIndex } of kb.synonyms.values()) consider(name, drugIndex);
  return near;
}
