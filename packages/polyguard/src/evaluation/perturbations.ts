import type { Rng } from "@praxis/env";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import type { Perturbation } from "../scenario/perturbations.ts";

/** Spellings of a drug other than its own name, by drug_id. */
export type OtherNames = ReadonlyMap<string, readonly string[]>;

/** Brand names of the knowledge base. */
export function brandNames(kb: KnowledgeBase): OtherNames {
  const names = new Map<string, string[]>();
  for (const { name, drugIndex, kind } of kb.synonyms.values()) {
    if (kind !== "brand") continue;
    const { drugId } = kb.drugs[drugIndex]!;
    names.set(drugId, [...(names.get(drugId) ?? []), name]);
  }
  return names;
}

/**
 * A copy of what an agent is shown with what the environment cannot disturb: names of drugs and order of candidates. A drug
 * under another name has no code, as on a list from elsewhere: whoever reads it has to know the name. Other perturbations are
 * the environment's, and leave the copy as it is.
 */
export function perturb(
  observation: Observation,
  perturbation: Perturbation,
  { rng, brands }: { readonly rng: Rng; readonly brands: OtherNames },
): Observation {
  if (perturbation === "shuffle_candidates")
    return { ...observation, candidates: rng.shuffled(observation.candidates) };
  if (perturbation !== "misspell_labels") return observation;
  return {
    ...observation,
    medications: observation.medications.map((each) => {
      // By the drug and not by the place, so that a list that grows keeps its names.
      const own = rng.split(each.med_ref);
      const others = each.drug_id === null ? undefined : brands.get(each.drug_id);
      const label = others !== undefined && own.bernoulli(0.5) ? own.choice(others) : misspelt(each.label, own);
      return { ...each, label, drug_id: null };
    }),
  };
}

/** Two neighbouring letters change places. */
function misspelt(label: string, rng: Rng): string {
  if (label.length < 4) return label;
  const at = rng.integer(1, label.length - 3);
  return label.slice(0, at) + label[at + 1]! + label[at]! + label.slice(at + 2);
}
