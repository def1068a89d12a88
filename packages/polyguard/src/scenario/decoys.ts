import type { Rng } from "@praxis/env";
import type { PairHit } from "../interactions/pair-hits.ts";
import { pairEntries, pairTableOf } from "../interactions/pair-table.ts";
import { type ConditionValues, evaluateCondition } from "../kb/condition.ts";
import type { Severity } from "../kb/domains.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import type { ScenarioDraft } from "./draft.ts";
import type { Decoy } from "./types.ts";

/** Warnings of the base regimen that ask for nothing: moderate hits that are there, then false alarms up to the count. */
export function drawDecoys(
  draft: ScenarioDraft,
  hits: readonly PairHit[],
  managed: readonly PairHit[],
  hazardDrugs: ReadonlySet<number>,
  rng: Rng,
  count: number,
): readonly Decoy[] {
  const isHazardous = (hit: PairHit): boolean => hazardDrugs.has(hit.aIndex) && hazardDrugs.has(hit.bIndex);
  const decoyOf = (kind: Decoy["kind"], hit: PairHit): Decoy => ({
    kind,
    ruleId: hit.ruleId,
    drugIndexes: [hit.aIndex, hit.bIndex],
  });
  const present = [
    ...managed.map((hit) => decoyOf("managed", hit)),
    ...hits.filter((hit) => hit.severity === "moderate" && !isHazardous(hit)).map((hit) => decoyOf("moderate", hit)),
  ];
  const decoys = rng.shuffled(present).slice(0, count);
  const alarms = rng.shuffled(falseAlarms(draft, hits));
  return [...decoys, ...alarms.slice(0, Math.max(0, count - decoys.length))];
}

/** Moderate rules of listed pairs whose condition does not hold. */
function falseAlarms(draft: ScenarioDraft, hits: readonly PairHit[]): readonly Decoy[] {
  return failingRules(draft.kb, draft.medications, draft.facts())
    .filter(({ severity, ruleId }) => severity === "moderate" && !hits.some((hit) => hit.ruleId === ruleId))
    .map(({ ruleId, drugIndexes }) => ({ kind: "false_alarm", ruleId, drugIndexes }));
}

/** A rule of a listed pair whose condition is known not to hold. */
interface FailingRule {
  readonly ruleId: string;
  readonly severity: Severity;
  readonly drugIndexes: readonly [number, number];
}

/** Rules of the pairs of a list whose condition does not hold, pair by pair in the order of the list. */
export function failingRules(
  kb: KnowledgeBase,
  listed: readonly { readonly drug: Drug; readonly dosePerDay: number }[],
  facts: Omit<ConditionValues, "doseA" | "doseB" | "isDoseHigh">,
): readonly FailingRule[] {
  const table = pairTableOf(kb);
  const found: FailingRule[] = [];
  for (const [i, first] of listed.entries()) {
    for (const second of listed.slice(i + 1)) {
      for (const entry of pairEntries(table, first.drug.index, second.drug.index)) {
        if (entry.rule === null || entry.conditionId < 0) continue;
        const [a, b] = entry.aIndex === first.drug.index ? [first, second] : [second, first];
        const truth = evaluateCondition(entry.rule.condition, {
          ...facts,
          doseA: a.dosePerDay,
          doseB: b.dosePerDay,
          isDoseHigh: a.dosePerDay > a.drug.doseMax || b.dosePerDay > b.drug.doseMax,
        });
        if (truth === false)
          found.push({ ruleId: entry.ruleId, severity: entry.severity, drugIndexes: [entry.aIndex, entry.bIndex] });
      }
    }
  }
  return found;
}
