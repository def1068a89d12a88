import { comparePaired } from "./comparison.ts";
import { type Condition, type ResultRow, unitValues } from "./rows.ts";
import type { Estimate } from "./statistics.ts";

/** Order of rows that a report is made from, whatever order they came in. */
export function orderOfRows(a: ResultRow, b: ResultRow): number {
  return a.unit < b.unit ? -1 : a.unit > b.unit ? 1 : a.policy < b.policy ? -1 : a.policy > b.policy ? 1 : 0;
}

/** Values of two lots of rows on the units that both have. */
export function paired(a: readonly ResultRow[], b: readonly ResultRow[], metric: string): [number[], number[]] {
  const left = unitValues(a, metric);
  const right = unitValues(b, metric);
  const units = [...left.keys()].filter((unit) => right.has(unit));
  return [units.map((unit) => left.get(unit)!), units.map((unit) => right.get(unit)!)];
}

/** Rows in the order of first appearance by a key. */
export function groupedBy<Key>(
  rows: readonly ResultRow[],
  keyOf: (row: ResultRow) => Key,
): ReadonlyMap<Key, ResultRow[]> {
  const groups = new Map<Key, ResultRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/** Change of the score of a policy under a condition, on the same units. */
export interface ConditionChange {
  readonly group: string;
  readonly policy: string;
  readonly condition: string;
  readonly difference: Estimate;
  /** Every unit was played alike to the last metric: the condition does not act on this policy here. */
  readonly isWithoutEffect: boolean;
}

/** Changes under every condition of a kind, groups and policies in order, conditions as they first appear by name. */
export function conditionChanges(
  rows: readonly ResultRow[],
  kind: Condition["kind"],
  {
    groups,
    policies,
    score,
  }: { readonly groups: readonly string[]; readonly policies: readonly string[]; readonly score: string },
): readonly ConditionChange[] {
  const named = new Set(rows.flatMap(({ condition }) => (condition?.kind === kind ? [condition.name] : [])));
  const byKey = groupedBy(rows, ({ group, policy, condition }) =>
    condition === null || condition.kind === kind ? `${group}|${policy}|${condition?.name ?? ""}` : "",
  );
  return groups.flatMap((group) =>
    policies.flatMap((policy) => {
      const plain = byKey.get(`${group}|${policy}|`) ?? [];
      return [...named].sort().flatMap((condition) => {
        const under = byKey.get(`${group}|${policy}|${condition}`) ?? [];
        const [a, b] = paired(under, plain, score);
        if (a.length === 0) return [];
        const isWithoutEffect = isAlike(under, plain);
        return [{ group, policy, condition, difference: comparePaired(a, b).difference, isWithoutEffect }];
      });
    }),
  );
}

function isAlike(a: readonly ResultRow[], b: readonly ResultRow[]): boolean {
  const plain = new Map(b.map(({ unit, metrics }) => [unit, JSON.stringify(metrics)]));
  return a.every(({ unit, metrics }) => plain.get(unit) === JSON.stringify(metrics));
}
