import { isDerivedGroup } from "./derived-groups.ts";
import type { TableRow } from "./table.ts";
import type { Drug, InteractionRule, RuleSide } from "./types.ts";

/** assumption: an enzyme counts as a path of the victim from this share of clearance (or of activation) on. */
const PATH_FROM_FRACTION = 0.25;

/**
 * Refuses a class row whose severity would be wrong for some members: a purely enzymatic rule (mechanism "PK ..." with no
 * "+" for a further effect) whose perpetrator side is a group with inhibitors of unequal strength, weak and none taken
 * as one, on a path of the object. Such a row has to be split into one row per strength.
 */
export function checkStrengthsAreSplit(
  drugs: readonly Drug[],
  rules: readonly InteractionRule[],
  rows: readonly TableRow[],
  membersOf: (side: RuleSide) => readonly number[],
): void {
  for (const [i, rule] of rules.entries()) {
    if (!rule.mechanism.startsWith("PK") || rule.mechanism.includes("+") || rule.object === null) continue;
    const [victimSide, perpetratorSide] = rule.object === "a" ? [rule.a, rule.b] : [rule.b, rule.a];
    // A derived group states its strength (or union of strengths) by definition; only typed classes can hide a mix.
    if (perpetratorSide.kind === "drug" || isDerivedGroup(perpetratorSide.name)) continue;
    for (const victim of membersOf(victimSide)) {
      for (const enzyme of pathsOf(drugs[victim]!)) {
        const strengths = new Set<string>();
        for (const perpetrator of membersOf(perpetratorSide)) {
          if (perpetrator === victim) continue;
          const effect = drugs[perpetrator]!.inhibits.find((candidate) => candidate.enzyme === enzyme);
          strengths.add(effect === undefined || effect.strength === "weak" ? "weak or none" : effect.strength);
        }
        if (strengths.size > 1) {
          rows[i]!.refuse(
            perpetratorSide === rule.a ? "a" : "b",
            `a side whose members inhibit ${enzyme} of ${drugs[victim]!.drugId} equally (found ${[...strengths].sort().join(", ")}): split the row`,
          );
        }
      }
    }
  }
}

function pathsOf(drug: Drug): string[] {
  const paths = drug.substrates.filter(({ fraction }) => fraction >= PATH_FROM_FRACTION).map(({ enzyme }) => enzyme);
  if (drug.prodrug !== null && drug.prodrug.fraction >= PATH_FROM_FRACTION) paths.push(drug.prodrug.enzyme);
  return paths;
}
