import type { ActionEffect } from "./effect.ts";
import type { LegalityContext } from "./legality-context.ts";

/** A broken rule with the ids of the known facts that show it. */
export interface RuleHit {
  readonly id: string;
  readonly text: string;
  /** Alert, discrepancy, evidence or allergy ids, med_refs and `lab:CODE`. */
  readonly facts: readonly string[];
}

/** One rule of the verifier: pure, on known facts only; null = not broken. */
export type LegalityRule = (context: LegalityContext, effect: ActionEffect) => RuleHit | null;

/** Days that a listed drug has been in use as known; null = not known. */
export function daysOfUse(context: LegalityContext, startDay: number | null): number | null {
  return startDay === null ? null : context.known.clock.day - startDay;
}

/** Names a drug in a rule text. */
export function nameOf(context: LegalityContext, drugIndex: number): string {
  return context.kb.drugs[drugIndex]!.genericName;
}
