import { bearingsOf } from "./allergies.ts";
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
export function criticalFields(context: LegalityContext, payloads: readonly ActionPayload[]): CriticalField[] {
  const { known, kb, traits } = context;
  const { started, dosed, ended } = touchedBy(context, payloads);
  const fields: CriticalField[] = [];
  const isRenal =
    context.listed.some(({ drugIndex }) => traits[drugIndex]!.hasRenalClause) ||
    started.some((drugIndex) => traits[drugIndex]!.hasRenalClause);
  if (isRenal) {
    addField(fields, "CREAT", isValueMissing(context, "CREAT", STALE_AFTER_DAYS));
    addField(fields, "weight", known.weightKg === null);
  }
  for (const { domain } of known.alerts) {
    const code =
      domain === "HYPERK" || domain === "HYPOK" ? "K" : domain === "HYPONA" ? "NA" : domain === "QT" ? "QTC" : null;
    if (code !== null) addField(fields, code, isValueMissing(context, code, STALE_AFTER_DAYS));
  }
  for (const drugIndex of dosed) {
    const drug = kb.drugs[drugIndex]!;
    if (!drug.isNarrowTi) continue;
    const item = monitorItem(drug);
    if (isLevelCode(item)) addField(fields, item, isValueMissing(context, item, levelWindowDays(item)));
  }
  for (const allergy of known.allergies) {
    const bearings = bearingsOf(kb, allergy);
    if (started.some((drugIndex) => bearings[drugIndex] !== null))
      addField(fields, `allergy:${allergy.id}`, !allergy.isVerified);
  }
  for (const medRef of ended) {
    addEndField(context, fields, `indication:${medRef}`);
    addEndField(context, fields, `start:${medRef}`);
  }
  return fields;
}

/** Drugs that the actions start, drugs that they dose or hold, and medications that they end; each once, in order. */
function touchedBy(
  context: LegalityContext,
  payloads: readonly ActionPayload[],
): { readonly started: readonly number[]; readonly dosed: readonly number[]; readonly ended: readonly string[] } {
  const started: number[] = [];
  const dosed: number[] = [];
  const ended: string[] = [];
  for (const payload of payloads) {
    const effect = effectOf(context, payload);
    if (effect.started !== null) addOnce(started, effect.started.drugIndex);
    if (effect.target === null) continue;
    if (effect.adjustedTo !== null || effect.leaves === "hold") addOnce(dosed, effect.target.drugIndex);
    if (effect.leaves === "stop" || payload.type === "START_TAPER") addOnce(ended, effect.target.medRef);
  }
  return { started, dosed, ended };
}

function addOnce<T>(list: T[], item: T): void {
  if (!list.includes(item)) list.push(item);
}

function addField(fields: CriticalField[], name: string, isMissing: boolean): void {
  for (const field of fields) if (field.name === name) return;
  fields.push({ name, isMissing });
}

function addEndField({ known }: LegalityContext, fields: CriticalField[], name: string): void {
  addField(fields, name, known.missingFields.includes(name));
}

function isValueMissing({ known }: LegalityContext, code: string, windowDays: number): boolean {
  const value = known.values[code];
  return value === undefined || known.clock.day - value.measuredDay > windowDays;
}
