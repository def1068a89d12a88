import { isInAny, needsGastroprotection, TRIGGER_GROUPS } from "../interactions/indications.ts";
import { managementOf } from "../interactions/managed.ts";
import { findAllergy } from "./allergies.ts";
import { startedOrRaised } from "./effect.ts";
import { forEachKnownHit, isHitManaged, type LegalityContext } from "./legality-context.ts";
import { type LegalityRule, nameOf } from "./rule.ts";
import { activeIndicationsOf } from "./target-rules.ts";

const QTC_LIMIT_MS = 470;
const POTASSIUM_LIMIT = 3.5;

/** V04, soft side: a cephalosporin after a penicillin, side chains to be compared. */
const cautionAllergy: LegalityRule = (context, { started }) => {
  if (started === null || context.known.allergies.length === 0) return null;
  const drug = context.kb.drugs[started.drugIndex]!;
  const found = findAllergy(context.kb, context.known.allergies, drug);
  if (found?.bearing !== "soft") return null;
  return {
    id: "V04",
    text: `${drug.genericName} after ${found.allergy.substance}: compare the side chains`,
    facts: [found.allergy.id],
  };
};

/** S1: a Beers AVOID drug for an active indication that a drug without that mark treats. */
const checkBeersAvoid: LegalityRule = (context, { started }) => {
  if (started === null || !context.traits[started.drugIndex]!.isBeersAvoid) return null;
  const drug = context.kb.drugs[started.drugIndex]!;
  const code = activeIndicationsOf(context, drug).find((indication) =>
    context.kb.drugs.some(
      (other) => !context.traits[other.index]!.isBeersAvoid && other.indications.includes(indication),
    ),
  );
  return code === undefined
    ? null
    : { id: "S1", text: `${drug.genericName} is a Beers AVOID drug for ${code}`, facts: [] };
};

/** S2: a dose above the advice for age 65 and over. */
const checkOlderAdultDose: LegalityRule = (context, effect) => {
  const changed = startedOrRaised(effect);
  if (changed === null) return null;
  const { maxDailyAge65, genericName } = context.kb.drugs[changed.drugIndex]!;
  return maxDailyAge65 !== null && changed.dosePerDay > maxDailyAge65 * (1 + 1e-9)
    ? { id: "S2", text: `${genericName} above ${maxDailyAge65} at this age`, facts: [] }
    : null;
};

/** S3: an unmanaged major hit that the action creates. */
const checkMajorHit: LegalityRule = (context, effect) => {
  const { started, target } = effect;
  if (started === null) return null;
  for (const other of context.listed) {
    if (other.drugIndex === started.drugIndex || other.medRef === target?.medRef) continue;
    if (context.ranks[started.drugIndex * context.table.drugCount + other.drugIndex]! <= 1) continue;
    let isUnmanaged = false;
    forEachKnownHit(context, started, other, (entry) => {
      if (isUnmanaged || entry.severityRank !== 1) return;
      const side = {
        drugIndex: started.drugIndex,
        dosePerDay: started.dosePerDay,
        startDay: context.known.clock.day,
        doseHistory: [],
        lastInRangeLevelDay: null,
        isTapering: false,
        isReviewed: context.reviewed.has(started.drugIndex),
      };
      isUnmanaged = !isHitManaged(
        context,
        entry,
        side,
        other,
        managementAfter(context, started.drugIndex, started.orders),
      );
    });
    if (isUnmanaged)
      return {
        id: "S3",
        text: `${nameOf(context, started.drugIndex)} has an unmanaged major interaction with ${nameOf(context, other.drugIndex)}`,
        facts: [other.medRef],
      };
  }
  return null;
};

function managementAfter(context: LegalityContext, drugIndex: number, orders: readonly string[]) {
  return managementOf(context.kb, [...context.listedDrugs, drugIndex], [...context.orders, ...orders]);
}

/** S4: a start or doubling without its monitoring. */
const checkMonitoring: LegalityRule = (context, effect) => {
  const { started, target, adjustedTo, payload } = effect;
  const isDoubled = target !== null && adjustedTo !== null && adjustedTo >= 2 * target.dosePerDay * (1 - 1e-9);
  if (started === null && !isDoubled) return null;
  const drug = context.kb.drugs[started?.drugIndex ?? target!.drugIndex]!;
  const orders = started?.orders ?? (payload.type === "ADJUST_DOSE" ? payload.orders : []);
  const missing = drug.monitoring.filter((code) => !orders.includes(code) && !context.orders.has(code));
  return missing.length === 0
    ? null
    : {
        id: "S4",
        text: `${drug.genericName} without ${missing.join(", ")}`,
        facts: target === null ? [] : [target.medRef],
      };
};

/** S5: a drug of known QT risk with a long QTc or low potassium. */
const checkQtRisk: LegalityRule = (context, effect) => {
  const changed = startedOrRaised(effect);
  if (changed === null || context.kb.drugs[changed.drugIndex]!.qtRisk !== "KR") return null;
  const { qtcMs, potassiumMmolPerL } = context.facts;
  if (qtcMs !== null && qtcMs > QTC_LIMIT_MS)
    return { id: "S5", text: `${nameOf(context, changed.drugIndex)} with QTc ${qtcMs} ms`, facts: ["lab:QTC"] };
  if (potassiumMmolPerL !== null && potassiumMmolPerL < POTASSIUM_LIMIT)
    return { id: "S5", text: `${nameOf(context, changed.drugIndex)} with K ${potassiumMmolPerL}`, facts: ["lab:K"] };
  return null;
};

/** S6: an anticholinergic drug in dementia. */
const checkDementia: LegalityRule = (context, effect) => {
  const changed = startedOrRaised(effect);
  if (changed === null || context.kb.drugs[changed.drugIndex]!.acb < 2 || !context.facts.conditions.has("DEMENTIA"))
    return null;
  return { id: "S6", text: `anticholinergic ${nameOf(context, changed.drugIndex)} in dementia`, facts: [] };
};

/** S8: a PPI stopped while its protection is needed. */
const checkProtectionLost: LegalityRule = (context, { target, leaves, payload, started }) => {
  if (target === null || !context.traits[target.drugIndex]!.isPpi) return null;
  if (leaves === null && payload.type !== "START_TAPER") return null;
  if (started !== null && context.traits[started.drugIndex]!.isPpi) return null;
  if (context.listed.some(({ medRef, drugIndex }) => medRef !== target.medRef && context.traits[drugIndex]!.isPpi))
    return null;
  const bleeders = context.listed.filter(({ drugIndex }) =>
    isInAny(context.kb.drugs[drugIndex]!, TRIGGER_GROUPS.bleeder),
  ).length;
  const flags = { hasUlcer: context.facts.conditions.has("GI_ULCER"), isAge75: context.facts.ageYears >= 75 };
  if (!needsGastroprotection(bleeders, flags)) return null;
  return { id: "S8", text: "the PPI protects the stomach", facts: [target.medRef] };
};

/** S7: a drug stopped for an active indication without a word of reason. @param rationale null = not given yet, as for an offered candidate */
export function checkReason(
  context: LegalityContext,
  effect: Parameters<LegalityRule>[1],
  rationale: string | null,
): ReturnType<LegalityRule> {
  if (rationale === null || rationale.trim() !== "" || effect.target === null) return null;
  if (effect.leaves !== "stop" && effect.payload.type !== "START_TAPER") return null;
  const [code] = activeIndicationsOf(context, context.kb.drugs[effect.target.drugIndex]!);
  return code === undefined
    ? null
    : { id: "S7", text: `stopped without a reason although ${code} is active`, facts: [effect.target.medRef] };
}

/** S-rules that need no rationale, in table order. */
export const SOFT_RULES: readonly LegalityRule[] = [
  cautionAllergy,
  checkBeersAvoid,
  checkOlderAdultDose,
  checkMajorHit,
  checkMonitoring,
  checkQtRisk,
  checkDementia,
  checkProtectionLost,
];
