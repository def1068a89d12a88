import { ExposureModel } from "../engine/exposure.ts";
import { exposureTablesOf } from "../engine/exposure-tables.ts";
import { findDrug } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";

/** A published exposure ratio of one drug with another, and what the exposure model makes of the pair. */
export interface AucrPair {
  readonly ruleId: string;
  readonly victim: string;
  readonly perpetrator: string;
  /** Published and rounded (interaction table). */
  readonly observed: number;
  /** Of the model, the other drug alone, settled. */
  readonly predicted: number;
  readonly source: string;
}

/**
 * Pairs of two named drugs whose row gives a ratio, the model's beside it. Rows of classes are left out, as they give the size
 * of their strongest member, and so are prodrugs, whose row speaks of what they are turned into.
 */
export function aucrPairs(kb: KnowledgeBase): readonly AucrPair[] {
  const model = new ExposureModel(exposureTablesOf(kb));
  return kb.rules.flatMap(({ ruleId, a, b, object, aucrApprox, source }): readonly AucrPair[] => {
    if (a.kind !== "drug" || b.kind !== "drug" || object === null || aucrApprox === null) return [];
    const victim = findDrug(kb, object === "a" ? a.name : b.name);
    const perpetrator = findDrug(kb, object === "a" ? b.name : a.name);
    if (victim === undefined || perpetrator === undefined || model.isProdrug(victim.index)) return [];
    model.clearPerpetrators();
    model.addPerpetrator(perpetrator.index, 1);
    const predicted = model.aucr(victim.index);
    model.clearPerpetrators();
    const observed = aucrApprox;
    return [{ ruleId, victim: victim.drugId, perpetrator: perpetrator.drugId, observed, predicted, source }];
  });
}

/** Furthest prediction that the limits take for right. Source: Guest 2011, equation 4 (variability 1.25). @param observed above 0 */
export function guestLimits(observed: number): { readonly low: number; readonly high: number } {
  const ratio = observed >= 1 ? observed : 1 / observed;
  const limit = (1.25 + 2 * (ratio - 1)) / ratio;
  const [low, high] = [ratio / limit, ratio * limit];
  return observed >= 1 ? { low, high } : { low: 1 / high, high: 1 / low };
}

/** How near a prediction comes to what was observed. */
export interface AucrHit {
  readonly isWithinQuarter: boolean;
  readonly isWithinTwofold: boolean;
  readonly isWithinGuest: boolean;
}

/** Judges a prediction: within 1.25-fold, within 2-fold, within the limits of Guest. */
export function judgeAucr({ observed, predicted }: Pick<AucrPair, "observed" | "predicted">): AucrHit {
  const fold = Math.max(observed / predicted, predicted / observed);
  const { low, high } = guestLimits(observed);
  return {
    isWithinQuarter: fold <= 1.25,
    isWithinTwofold: fold <= 2,
    isWithinGuest: predicted >= low && predicted <= high,
  };
}
