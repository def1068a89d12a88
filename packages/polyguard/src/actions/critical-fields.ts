import { allergyBearing } from "./allergies.ts";
import { levelWindowDays } from "./dose-limits.ts";
import { isLevelCode } from "./drug-traits.ts";
import { effectOf } from "./effect.ts";
import { type LegalityContext, STALE_AFTER_DAYS } from "./legality-context.ts";
import { monitorItem } from "./start-rules.ts";
import type { ActionPayload } from "./types.ts";

/** A field that a decision of this step hangs on. */
export interface CriticalField {
  /** Code of a value (`CREAT`, `K`, `INR` ...), `weight`, `allergy:ID`, `indication:REF` or `start:REF`. */
  readonly name: string;
  /** Not known, or too old to count. */
  readonly isMissing: boolean;
}

/**
 * Critical fields of a step: creatinine and weight behind a renal clause of a listed or offered drug; the level of a
 * narrow_ti drug whose dose is offered; K, Na or QTc of a visible hit of those domains; the allergy that an offered drug
 * touches; indication and start of a drug whose end is offered. In a fixed order, each once.
 */
export function criticalFields(context: LegalityContext, payloads: Iterable<ActionPayload>): CriticalField[] {
  const { known, kb, traits } = context;
  const fields = new Map<string, boolean>();
  let hasRenalClause = context.listed.some(({ drugIndex }) => traits[drugIndex]!.hasRenalClause);
  const started = new Set<number>();
  const dosed = new Set<number>();
  const ended = new Set<string>();
  for (const payload of payloads) {
    const effect = effectOf(context, payload);
    if (effect.started !== null) started.add(effect.started.drugIndex);
    if (effect.target === null) continue;
    if (effect.adjustedTo !== null || effect.leaves === "hold") dosed.add(effect.target.drugIndex);
    if (effect.leaves === "stop" || payload.type === "START_TAPER") ended.add(effect.target.medRef);
  }
  for (const drugIndex of started) hasRenalClause ||= traits[drugIndex]!.hasRenalClause;
  if (hasRenalClause) {
    fields.set("CREAT", isValueMissing(context, "CREAT", STALE_AFTER_DAYS));
    fields.set("weight", known.weightKg === null);
  }
  for (const { domain } of known.alerts) {
    const code =
      domain === "HYPERK" || domain === "HYPOK" ? "K" : domain === "HYPONA" ? "NA" : domain === "QT" ? "QTC" : null;
    if (code !== null) fields.set(code, isValueMissing(context, code, STALE_AFTER_DAYS));
  }
  for (const drugIndex of dosed) {
    const drug = kb.drugs[drugIndex]!;
    const item = monitorItem(drug);
    if (drug.isNarrowTi && isLevelCode(item)) fields.set(item, isValueMissing(context, item, levelWindowDays(item)));
  }
  for (const allergy of known.allergies) {
    for (const drugIndex of started) {
      if (allergyBearing(kb, allergy, kb.drugs[drugIndex]!) === null) continue;
      fields.set(`allergy:${allergy.id}`, !allergy.isVerified);
      break;
    }
  }
  for (const medRef of ended) {
    for (const name of [`indication:${medRef}`, `start:${medRef}`])
      fields.set(name, known.missingFields.includes(name));
  }
  return [...fields].map(([name, isMissing]) => ({ name, isMissing }));
}

function isValueMissing({ known }: LegalityContext, code: string, windowDays: number): boolean {
  const value = known.values[code];
  return value === undefined || known.clock.day - value.measuredDay > windowDays;
}
