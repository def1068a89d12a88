import type { Rng } from "@praxis/env";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { WorldState } from "../world/types.ts";
import type { NewDrugIdentity } from "./drug-row.ts";

const KINDS = ["selective", "partial", "reversible", "allosteric"];
const TARGETS = ["tarvin", "lomec", "seprin", "oxalun", "quirel", "navist"];
const ACTIONS = ["receptor modulator", "channel blocker", "transporter inhibitor", "enzyme inhibitor"];
const SYLLABLES = ["ve", "lo", "mi", "tar", "zu", "ne", "dri", "ka", "so", "pel"];

/** A drug of the knowledge base that a new one may resemble: oral, daily, for a condition of the patient, not on the list. */
export function drawResembled(
  kb: KnowledgeBase,
  world: WorldState,
  rng: Rng,
): { readonly drug: Drug; readonly indication: string } | null {
  const active = world.conditions.filter(({ severity }) => severity > 0).map(({ code }) => code);
  const listed = new Set(world.medications.map(({ drugIndex }) => drugIndex));
  const fits = (drug: Drug): boolean =>
    drug.route === "PO" &&
    drug.doseUnit === "mg/d" &&
    drug.taperClass === "NONE" &&
    drug.prodrug === null &&
    !drug.isNarrowTi &&
    !listed.has(drug.index) &&
    drug.indications.some((code) => active.includes(code));
  const possible = kb.drugs.filter(fits);
  if (possible.length === 0) return null;
  const drug = rng.choice(possible);
  return { drug, indication: drug.indications.find((code) => active.includes(code))! };
}

/** A code name and an invented class; neither tells anything of the drug. */
export function drawIdentity(rng: Rng, indication: string): NewDrugIdentity {
  const number = rng.integer(100, 999);
  const name = `${rng.choice(SYLLABLES)}${rng.choice(SYLLABLES)}${rng.choice(SYLLABLES)}x-${number}`;
  return {
    drugId: name.replace("-", "_"),
    name,
    classText: `${rng.choice(KINDS)} ${rng.choice(TARGETS)} ${rng.choice(ACTIONS)}`,
    indication,
  };
}
