import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { Allergy } from "../world/types.ts";

/** How a known allergy bears on a drug: forbidden, a caution, or not at all. */
export type AllergyBearing = "hard" | "soft" | null;

/** Reactions after which a whole class is out. */
const SEVERE_REACTIONS = ["anaphylaxis", "bronchospasm"];

/** Substances of imported records are free text; more than these are not kept. */
const MOST_KEPT = 512;

const tables = new WeakMap<KnowledgeBase, Map<string, readonly AllergyBearing[]>>();

/**
 * Bearing of one allergy on a drug: the same ingredient or a member of the named class; penicillins for a penicillin
 * (cephalosporins: caution, side chains differ), all NSAIDs and aspirin after bronchospasm or anaphylaxis by one of them,
 * ACE inhibitors and sacubitril after angio-oedema by an ACE inhibitor.
 */
export function allergyBearing(kb: KnowledgeBase, allergy: Allergy, drug: Drug): AllergyBearing {
  return bearingsOf(kb, allergy)[drug.index]!;
}

/** Bearing of an allergy on every drug by row number; worked out once for a substance and reaction. */
export function bearingsOf(kb: KnowledgeBase, { substance, reaction }: Allergy): readonly AllergyBearing[] {
  let table = tables.get(kb);
  if (table === undefined) {
    table = new Map();
    tables.set(kb, table);
  }
  const key = `${substance}/${reaction}`;
  let bearings = table.get(key);
  if (bearings === undefined) {
    bearings = kb.drugs.map((drug) => judgeBearing(kb, substance, reaction, drug));
    if (table.size >= MOST_KEPT) table.clear();
    table.set(key, bearings);
  }
  return bearings;
}

function judgeBearing(kb: KnowledgeBase, substance: string, reaction: Allergy["reaction"], drug: Drug): AllergyBearing {
  const index = kb.drugIndexById.get(substance);
  const culprit = index === undefined ? null : kb.drugs[index]!;
  const has = (group: string): boolean => drug.groups.includes(group);
  const isCulprit = (group: string): boolean => substance === group || culprit?.groups.includes(group) === true;
  if (substance === drug.drugId || (culprit === null && has(substance))) return "hard";
  if (isCulprit("PENICILLIN")) {
    if (has("PENICILLIN")) return "hard";
    if (has("CEPHALOSPORIN")) return "soft";
  }
  if (isCulprit("SULFA_TMP") && has("SULFA_TMP")) return "hard";
  if (isNsaid(isCulprit) && isNsaid(has) && reaction !== null && SEVERE_REACTIONS.includes(reaction)) return "hard";
  if (isCulprit("ACEI") && reaction === "angioedema" && (has("ACEI") || has("ARNI"))) return "hard";
  return null;
}

function isNsaid(has: (group: string) => boolean): boolean {
  return has("NSAID") || has("ASA");
}

/** The verified allergy that bears hardest on a drug, or null. */
export function findAllergy(
  kb: KnowledgeBase,
  allergies: readonly Allergy[],
  drug: Drug,
): { readonly allergy: Allergy; readonly bearing: "hard" | "soft" } | null {
  let soft: Allergy | null = null;
  for (const allergy of allergies) {
    if (!allergy.isVerified) continue;
    const bearing = allergyBearing(kb, allergy, drug);
    if (bearing === "hard") return { allergy, bearing };
    if (bearing === "soft") soft ??= allergy;
  }
  return soft === null ? null : { allergy: soft, bearing: "soft" };
}
