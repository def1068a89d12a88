import type { KnownAlert } from "../observation/types.ts";
import type { Alignment } from "./align.ts";
import { type ActionEffect, effectOf } from "./effect.ts";
import type { LegalityContext } from "./legality-context.ts";
import type { ParseVerdict } from "./parse.ts";
import type { LegalityRule, RuleHit } from "./rule.ts";
import { checkReason, SOFT_RULES } from "./soft-rules.ts";
import {
  checkAllergy,
  checkContraindicatedPair,
  checkDisease,
  checkDuplicateClass,
  checkKidney,
  checkMaximumDose,
  checkNarrowIndex,
  checkOpioidPair,
  checkTitration,
  checkWashout,
} from "./start-rules.ts";
import { checkTargets } from "./target-presence.ts";
import {
  checkAbruptStop,
  checkBudgetAndTapers,
  checkReduction,
  checkUnreconciled,
  checkVitalDrug,
} from "./target-rules.ts";
import type { ActionPayload } from "./types.ts";

/** What the verifier says of an action, on known facts only. */
export interface Verdict {
  readonly legal: boolean;
  readonly hard: readonly RuleHit[];
  readonly soft: readonly RuleHit[];
  /** Ids of known facts that justify the verdict. */
  readonly facts: readonly string[];
}

/** V03-V18 in table order; V01 is parsing, V02 alignment. */
const HARD_RULES: readonly LegalityRule[] = [
  checkTargets,
  checkAllergy,
  checkContraindicatedPair,
  checkMaximumDose,
  checkKidney,
  checkAbruptStop,
  checkReduction,
  checkDuplicateClass,
  checkVitalDrug,
  checkNarrowIndex,
  checkWashout,
  checkUnreconciled,
  checkOpioidPair,
  checkDisease,
  checkTitration,
  checkBudgetAndTapers,
];

const NO_HITS: readonly RuleHit[] = [];

/**
 * Judges one payload. An action whose target is not there breaks V03 alone, as the other rules have nothing to judge.
 * @param rationale the agent's reason; null for an offered candidate (S7 is not judged)
 */
export function verifyPayload(
  context: LegalityContext,
  payload: ActionPayload,
  rationale: string | null = null,
): { readonly hard: readonly RuleHit[]; readonly soft: readonly RuleHit[]; readonly effect: ActionEffect } {
  const effect = effectOf(context, payload);
  const missing = checkTargets(context, effect);
  if (missing !== null) return { hard: [missing], soft: NO_HITS, effect };
  return {
    hard: collect(
      context.extraRules.length === 0 ? HARD_RULES : [...HARD_RULES, ...context.extraRules],
      context,
      effect,
    ),
    soft: withReason(collect(SOFT_RULES, context, effect), checkReason(context, effect, rationale)),
    effect,
  };
}

/** True when no hard rule is broken; stops at the first. */
export function isLegalPayload(context: LegalityContext, payload: ActionPayload): boolean {
  let isLegal = context.verdicts.get(payload);
  if (isLegal === undefined) {
    isLegal = breaksNoRule(context, effectOf(context, payload));
    context.verdicts.set(payload, isLegal);
  }
  return isLegal;
}

function breaksNoRule(context: LegalityContext, effect: ActionEffect): boolean {
  for (const rule of HARD_RULES) if (rule(context, effect) !== null) return false;
  for (const rule of context.extraRules) if (rule(context, effect) !== null) return false;
  return true;
}

/** The whole verdict on a step: parsing (V01), alignment (V02), then the rules on the payload. */
export function verifyAction(context: LegalityContext, parsed: ParseVerdict, alignment: Alignment | null): Verdict {
  if (parsed.action === null || alignment === null)
    return refuse({ id: "V01", text: parsed.reason === "" ? "not understood" : parsed.reason, facts: [] });
  if (alignment.payload === null)
    return refuse({ id: "V02", text: `differs from its candidate in ${alignment.differences.join(", ")}`, facts: [] });
  const { hard, soft, effect } = verifyPayload(context, alignment.payload, parsed.action.rationale);
  return { legal: hard.length === 0, hard, soft, facts: justifyingFacts(context, effect, [...hard, ...soft]) };
}

function refuse(hit: RuleHit): Verdict {
  return { legal: false, hard: [hit], soft: [], facts: [] };
}

function collect(rules: readonly LegalityRule[], context: LegalityContext, effect: ActionEffect): readonly RuleHit[] {
  let hits: RuleHit[] | null = null;
  for (const rule of rules) {
    const hit = rule(context, effect);
    if (hit === null) continue;
    hits ??= [];
    hits.push(hit);
  }
  return hits ?? NO_HITS;
}

function withReason(hits: readonly RuleHit[], reason: RuleHit | null): readonly RuleHit[] {
  return reason === null ? hits : [...hits, reason];
}

/**
 * Ids behind a verdict: the target, alerts about the drugs it touches, the kidney value behind a renal clause, the item of
 * a conflict or discrepancy, and the facts of broken rules. Each once, in that order.
 */
function justifyingFacts(context: LegalityContext, effect: ActionEffect, hits: readonly RuleHit[]): string[] {
  const { known } = context;
  const facts = new Set<string>();
  const { payload, target, started } = effect;
  if (target !== null) facts.add(target.medRef);
  const touches = (alert: KnownAlert): boolean =>
    (target !== null && alert.medRefs.includes(target.medRef)) ||
    (started !== null && alert.drugIndexes.includes(started.drugIndex));
  for (const alert of known.alerts) if (touches(alert)) facts.add(alert.id);
  for (const discrepancy of known.discrepancies)
    if (target !== null && discrepancy.medRef === target.medRef) facts.add(discrepancy.id);
  if (payload.type === "RECONCILE_ITEM") facts.add(payload.target);
  if (payload.type === "REQUEST_REVIEW")
    for (const conflict of known.conflicts)
      if (conflict.isOpen && (conflict.id === payload.target || (target !== null && conflict.medRef === target.medRef)))
        facts.add(conflict.id);
  if (started !== null && context.traits[started.drugIndex]!.hasRenalClause && known.values.CREAT !== undefined)
    facts.add("lab:CREAT");
  for (const hit of hits) for (const fact of hit.facts) facts.add(fact);
  return [...facts];
}
