import type { Facts } from "../interactions/facts.ts";
import { CKD_BELOW_ML_PER_MIN } from "../interactions/facts.ts";
import type { Known } from "./types.ts";

const cache = new WeakMap<Known, Facts>();

/** Facts that interaction rules may look at, as far as they are known; made once per {@link Known}. */
export function knownFacts(known: Known): Facts {
  let facts = cache.get(known);
  if (facts === undefined) {
    facts = factsOf(known);
    cache.set(known, facts);
  }
  return facts;
}

/** Facts of the parts of {@link Known} that they depend on. */
export function factsOf(
  known: Pick<Known, "ageYears" | "sex" | "crClMlPerMin" | "egfrMlPerMin" | "values" | "conditions">,
): Facts {
  const value = (code: string): number | null => known.values[code]?.value ?? null;
  return {
    ageYears: known.ageYears,
    sex: known.sex,
    crClMlPerMin: known.crClMlPerMin,
    egfrMlPerMin: known.egfrMlPerMin,
    potassiumMmolPerL: value("K"),
    sodiumMmolPerL: value("NA"),
    qtcMs: value("QTC"),
    heartRatePerMin: value("HR"),
    conditions: withImplied(known.conditions, known.crClMlPerMin),
  };
}

function withImplied(conditions: ReadonlySet<string>, crClMlPerMin: number | null): ReadonlySet<string> {
  const isImplied = conditions.has("HFREF") || (crClMlPerMin !== null && crClMlPerMin < CKD_BELOW_ML_PER_MIN);
  if (!isImplied) return conditions;
  const codes = new Set(conditions);
  if (codes.has("HFREF")) codes.add("HF");
  if (crClMlPerMin !== null && crClMlPerMin < CKD_BELOW_ML_PER_MIN) codes.add("CKD");
  return codes;
}
