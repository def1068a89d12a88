import type { Chart, ChartOffer } from "../chart.ts";
import { armsOf } from "./policy.ts";
import { loadExpectedGain } from "./weights.ts";

/** Expected gain over KEEP of the legal offers of a chart, by the weights that ship with the package. Node only. */
export function encodedArmScores(chart: Chart): ReadonlyMap<ChartOffer, number> {
  const expectedGain = loadExpectedGain();
  return new Map(armsOf(chart.kb, chart.observation, chart).map(({ offer, row }) => [offer, expectedGain(row)]));
}
