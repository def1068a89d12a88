import type { InteractionDomain, ManagementCode, Severity } from "../kb/domains.ts";
import type { InteractionRule, KnowledgeBase } from "../kb/types.ts";
import type { Facts } from "./facts.ts";
import { judgeConditions, judgeDoseCondition, type PairEntry, pairEntries, pairTableOf } from "./pair-table.ts";

/** One drug of a regimen as the pair rules see it; the dose is in the unit of the drug's row. */
export interface RegimenDrug {
  readonly drugIndex: number;
  readonly dosePerDay: number;
}

/** An interaction between two drugs of a regimen, after resolution per pair and harm domain. */
export interface PairHit {
  /** DDI id, or DERIVED for a hit of the exposure model (then confidence L). */
  readonly ruleId: string;
  readonly rule: InteractionRule | null;
  readonly aIndex: number;
  readonly bIndex: number;
  readonly severity: Severity;
  readonly domain: InteractionDomain;
  /** Drug whose exposure or effect changes; null = neither. */
  readonly objectIndex: number | null;
  readonly aucrApprox: number | null;
  readonly managementCodes: readonly ManagementCode[];
  readonly isDerived: boolean;
  readonly entry: PairEntry;
}

/**
 * All pair hits of a regimen, in order of the pairs of `drugs`, then of domain. A condition on a value that is not known
 * counts as `unknownCountsAs`: true for warnings, false where the fact has to be observed.
 */
export function findPairHits(
  kb: KnowledgeBase,
  drugs: readonly RegimenDrug[],
  facts: Facts,
  options: { readonly unknownCountsAs: boolean },
): PairHit[] {
  const table = pairTableOf(kb);
  const truths = judgeConditions(table, facts, options.unknownCountsAs, new Uint8Array(table.conditions.length));
  const hits: PairHit[] = [];
  for (let i = 0; i < drugs.length; i++) {
    for (let j = i + 1; j < drugs.length; j++) {
      const first = drugs[i]!;
      const second = drugs[j]!;
      let decided = -1;
      for (const entry of pairEntries(table, first.drugIndex, second.drugIndex)) {
        if (entry.domainIndex === decided) continue;
        const [a, b] = entry.aIndex === first.drugIndex ? [first, second] : [second, first];
        const truth = entry.conditionId < 0 ? 1 : truths[entry.conditionId]!;
        const holds =
          truth === 2
            ? judgeDoseCondition(table, kb, entry, facts, a.dosePerDay, b.dosePerDay, options.unknownCountsAs)
            : truth === 1;
        if (!holds) continue;
        decided = entry.domainIndex;
        hits.push(hitOf(entry));
      }
    }
  }
  return hits;
}

/** The hit that an entry of the pair table stands for, its condition apart. */
export function hitOf(entry: PairEntry): PairHit {
  return {
    ruleId: entry.ruleId,
    rule: entry.rule,
    aIndex: entry.aIndex,
    bIndex: entry.bIndex,
    severity: entry.severity,
    domain: entry.domain,
    objectIndex: entry.objectIndex,
    aucrApprox: entry.aucrApprox,
    managementCodes: entry.managementCodes,
    isDerived: entry.isDerived,
    entry,
  };
}
