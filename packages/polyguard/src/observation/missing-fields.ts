import { levelWindowDays } from "../actions/dose-limits.ts";
import { levelCodeOf } from "../course/labs.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Known } from "./types.ts";

/** Fields of the list that a safe decision may need, and those of them that are missing or too old. */
export interface FieldReport {
  readonly count: number;
  readonly missing: readonly string[];
}

/** Values older than this count as missing. */
const STALE_AFTER_DAYS = 90;

/** Values that decide about hits of a domain. */
const DOMAIN_VALUES: Readonly<Record<string, readonly string[]>> = {
  HYPERK: ["K"],
  HYPOK: ["K"],
  HYPONA: ["NA"],
  QT: ["QTC"],
};

type Listed = Pick<Known, "values" | "medications" | "alerts" | "weightKg" | "clock">;

/**
 * Judges the list as shown: kidney inputs behind renal clauses, levels of narrow_ti drugs, values behind alerts, indication
 * and start of every row. Names: value codes, `weight`, `indication:m3`, `start:m3`.
 */
export function missingFields(kb: KnowledgeBase, known: Listed): FieldReport {
  const seen = new Set<string>();
  const missing: string[] = [];
  const add = (field: string, isMissing: boolean): void => {
    if (seen.has(field)) return;
    seen.add(field);
    if (isMissing) missing.push(field);
  };
  const isStale = (code: string, windowDays: number): boolean => {
    const value = known.values[code];
    return value === undefined || known.clock.day - value.measuredDay > windowDays;
  };
  for (const medication of known.medications) {
    if (medication.drugIndex === null) continue;
    const drug = drugAt(kb, medication.drugIndex);
    if (drug.renalRule.clauses.length > 0) {
      add("CREAT", isStale("CREAT", STALE_AFTER_DAYS));
      add("weight", known.weightKg === null);
    }
    const level = drug.isNarrowTi ? levelCodeOf(drug) : null;
    if (level !== null) add(level, isStale(level, levelWindowDays(level)));
    add(`indication:${medication.medRef}`, medication.indication === null);
    add(`start:${medication.medRef}`, medication.startDay === null);
  }
  for (const alert of known.alerts)
    for (const code of DOMAIN_VALUES[alert.domain] ?? []) add(code, isStale(code, STALE_AFTER_DAYS));
  return { count: seen.size, missing };
}
