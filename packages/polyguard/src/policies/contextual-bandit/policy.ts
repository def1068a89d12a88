import { encodeFeatures } from "../../features/features.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import { type Chart, type ChartOffer, ChartReader } from "../chart.ts";
import { actionOf } from "../explain.ts";
import type { FeatureRow } from "../mining/combination-features.ts";
import type { PolyGuardPolicy } from "../own-play.ts";
import { armRows } from "./arm-rows.ts";

/** An arm that the verifier allows on what is known. */
export interface Arm {
  readonly offer: ChartOffer;
  readonly row: FeatureRow;
}

/** Legal candidates of a chart with their rows; all when none is legal. */
export function armsOf(kb: KnowledgeBase, observation: Observation, chart: Chart): readonly Arm[] {
  const rows = armRows(encodeFeatures(kb, observation));
  const arms = chart.offers.flatMap((offer): Arm[] => {
    const row = rows[observation.candidates.indexOf(offer.wire)];
    return row === undefined ? [] : [{ offer, row }];
  });
  const legal = arms.filter(({ offer }) => offer.isLegal);
  return legal.length > 0 ? legal : arms;
}

/** Position of the highest score; the first of equals. */
export function bestOf(scores: readonly number[]): number {
  let best = 0;
  for (let i = 1; i < scores.length; i++) if (scores[i]! > scores[best]!) best = i;
  return best;
}

/** How sure the policy says it is of its choice. */
const CONFIDENCE = 0.7;

/**
 * Picks the legal candidate of the highest score.
 * @param score of each arm, in order
 * @param onChoice told of the arm that was chosen
 */
export function makeArmPolicy(
  name: string,
  kb: KnowledgeBase,
  score: (arms: readonly FeatureRow[]) => readonly number[],
  onChoice: (arm: FeatureRow) => void = () => {},
): PolyGuardPolicy {
  let reader = new ChartReader(kb);
  return {
    name,
    reset: () => {
      reader = new ChartReader(kb);
    },
    act: (observation) => {
      const chart = reader.read(observation);
      const arms = armsOf(kb, observation, chart);
      if (arms.length === 0) return { raw: "" };
      const { offer, row } = arms[bestOf(score(arms.map((arm) => arm.row)))]!;
      reader.choose(chart, offer.payload);
      onChoice(row);
      return actionOf(chart, {
        offer,
        reason: "Of the legal candidates this one has the highest expected gain over keeping the regimen.",
        confidence: CONFIDENCE,
      });
    },
  };
}
