import { trueFacts } from "../interactions/facts.ts";
import { findPairHits } from "../interactions/pair-hits.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { demandOf, touchedHoldouts } from "./splits.ts";
import type { Scenario } from "./types.ts";

/**
 * Holdouts that a scenario touches although its split does not stand for them, `held_out_drug:metoprolol` say; empty = it
 * keeps all. Rules are looked for anew among the drugs of each hazard, whatever the generator wrote down.
 */
export function brokenHoldouts(kb: KnowledgeBase, scenario: Scenario): readonly string[] {
  const { hazards, initial, patient, split } = scenario;
  const demand = split === "record" ? null : demandOf(split);
  const drugs = initial.medications.map(({ drugIndex, dosePerDay }) => ({ drugIndex, dosePerDay }));
  const hits = findPairHits(kb, drugs, trueFacts(patient, initial), { unknownCountsAs: true });
  const dangerous = hits.filter(
    ({ severity, aIndex, bIndex }) =>
      severity !== "moderate" &&
      hazards.some(({ drugIndexes }) => drugIndexes.includes(aIndex) && drugIndexes.includes(bIndex)),
  );
  const touched = touchedHoldouts(kb, {
    families: hazards.map(({ family }) => family),
    ruleIds: [...new Set([...hazards.flatMap(({ ruleIds }) => ruleIds), ...dangerous.map(({ ruleId }) => ruleId)])],
    drugs: initial.medications.map(({ drugIndex }) => drugAt(kb, drugIndex)),
  });
  return touched.filter((holdout) => demand === null || !holdout.startsWith(demand));
}
