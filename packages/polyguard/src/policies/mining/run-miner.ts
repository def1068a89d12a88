import type { Rng } from "@praxis/env";
import { type FindingsScore, scoreFindings } from "../../sub-environments/bandit-mining/findings.ts";
import type { MiningInstance } from "../../sub-environments/bandit-mining/instance.ts";
import { meanRisk } from "../../sub-environments/bandit-mining/risk.ts";
import type { Miner } from "./miner.ts";

/** What a miner would have declared after some probes. */
export interface MiningPoint extends FindingsScore {
  readonly probes: number;
}

/**
 * Lets a miner work on a task without the environment around it: one point each time the probes reach one of `checkpoints`
 * (ascending), and one at the end. @param rng noise of the probes
 */
export function runMiner(
  instance: MiningInstance,
  miner: Miner,
  { rng, checkpoints = [] }: { readonly rng: Rng; readonly checkpoints?: readonly number[] },
): readonly MiningPoint[] {
  const points: MiningPoint[] = [];
  const budget = instance.tier.probes;
  const measure = (probes: number): void => {
    points.push({ probes, ...scoreFindings(instance, miner.declare()) });
  };
  let probes = 0;
  while (probes < budget) {
    const proposed = miner.propose(budget - probes);
    if (proposed.length === 0) break;
    for (const combination of proposed) {
      miner.learn(combination, meanRisk(instance, combination) + rng.normal(0, instance.tier.noise));
      probes++;
      if (probes < budget && checkpoints.includes(probes)) measure(probes);
    }
  }
  measure(probes);
  return points;
}
