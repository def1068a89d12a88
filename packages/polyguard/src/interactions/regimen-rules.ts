import { CONDITION_CODES } from "../kb/conditions.ts";
import { type HarmDomain, SEVERITIES, type Severity } from "../kb/domains.ts";
import { keptByKnowledgeBase } from "../kb/kept.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Facts } from "./facts.ts";
import {
  DUPLICATE_CLASSES,
  isCrossOver,
  RegimenDetector,
  type RegimenRuleDrug,
  ROLE,
  regimenFlags,
} from "./regimen-detector.ts";

/** Ids of the regimen-level rules. */
export type RegimenRuleId = "RG1" | "RG2" | "RG3" | "RG4" | "RG5" | "RG6" | "RG7" | "RG8" | "RG9" | "RG10";

/** A regimen-level finding. */
export interface RegimenHit {
  readonly ruleId: RegimenRuleId;
  readonly domain: HarmDomain;
  readonly severity: Severity;
  /** Drugs that make the finding, in order of the regimen. */
  readonly drugIndexes: readonly number[];
  readonly text: string;
  readonly source: string;
}

const conditionFlags = new Uint8Array(CONDITION_CODES.length);

const detectorOf = keptByKnowledgeBase((kb) => new RegimenDetector(kb));

/**
 * RG1-RG10 on a regimen (active drugs only). `orders` are the active order codes; a LAXATIVE or BOWEL order answers RG8. A
 * value that is not known counts as `unknownCountsAs`.
 */
export function findRegimenHits(
  kb: KnowledgeBase,
  regimen: readonly RegimenRuleDrug[],
  facts: Facts,
  options: { readonly orders: ReadonlySet<string>; readonly unknownCountsAs: boolean },
): RegimenHit[] {
  const detector = detectorOf(kb);
  detector.detect(
    regimen,
    regimen.length,
    regimenFlags(facts, options.orders, options.unknownCountsAs, conditionFlags),
  );
  const hits: RegimenHit[] = [];
  const add = (
    ruleId: RegimenRuleId,
    domain: HarmDomain,
    rank: number,
    members: readonly RegimenRuleDrug[],
    text: string,
    source: string,
  ): void => {
    if (rank < 0) return;
    hits.push({
      ruleId,
      domain,
      severity: SEVERITIES[rank]!,
      drugIndexes: members.map((entry) => entry.drugIndex),
      text,
      source,
    });
  };
  const withRole = (roles: number): RegimenRuleDrug[] =>
    regimen.filter((entry) => (detector.roles[entry.drugIndex]! & roles) !== 0);

  add(
    "RG1",
    "FALL_SEDATION",
    detector.cnsActiveRank,
    withRole(ROLE.cnsActive),
    "three or more CNS-active drugs",
    "AGS Beers 2023",
  );
  const whammy = withRole(ROLE.rasi | ROLE.diuretic | ROLE.nsaid);
  add("RG2", "AKI", detector.tripleWhammyRank, whammy, "RAS inhibitor, diuretic and NSAID together", "Lapi BMJ 2013");
  const anticholinergic = regimen.filter((entry) => kb.drugs[entry.drugIndex]!.acb > 0);
  add(
    "RG3",
    "ANTICHOL",
    detector.anticholinergicRank,
    anticholinergic,
    "total anticholinergic burden of 3 or more",
    "ACB scale 2012",
  );
  const qtText =
    detector.qtRank === 1 ? "known QT risk with long QTc or low potassium" : "two or more drugs of known QT risk";
  add("RG4", "QT", detector.qtRank, withRole(ROLE.knownQt), qtText, "AGS Beers 2023; STOPP v3");
  const sodium = withRole(ROLE.hyponatraemic);
  add(
    "RG5",
    "HYPONA",
    detector.sodiumRank,
    sodium,
    "hyponatraemic drugs of different classes with sodium below 135",
    "AGS Beers 2023; STOPP v3",
  );
  for (const [k, [group, domain]] of DUPLICATE_CLASSES.entries()) {
    if ((detector.duplicateClasses & (1 << k)) === 0) continue;
    const members = regimen.filter((entry) => (detector.classes[entry.drugIndex]! & (1 << k)) !== 0);
    const clashing = members.filter((entry) => members.some((other) => other !== entry && !isCrossOver(entry, other)));
    add("RG6", domain, 1, clashing, `two drugs of the class ${group}`, "STOPP v3");
  }
  add(
    "RG7",
    "GI_BLEED",
    detector.gastroprotectionRank,
    withRole(ROLE.bleeder),
    "bleeding drugs without a PPI",
    "STOPP v3",
  );
  add(
    "RG8",
    "OTHER",
    detector.opioidRank,
    withRole(ROLE.opioid),
    "opioid without a laxative or bowel order",
    "STOPP v3 section L",
  );
  for (const [i, entry] of regimen.entries()) {
    if (detector.longPpi[i] === 1)
      add("RG9", "OTHER", 0, [entry], "PPI beyond 8 weeks without a reason", "AGS Beers 2023; STOPP v3");
    if (detector.unindicated[i] === 1) add("RG10", "OTHER", 0, [entry], "no active indication", "STOPP v3 A1");
  }
  return hits;
}
