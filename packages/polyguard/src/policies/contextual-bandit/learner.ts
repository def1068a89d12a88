import type { Rng } from "@praxis/env";
import { BayesLinear } from "../mining/bayes-linear.ts";
import type { FeatureRow } from "../mining/combination-features.ts";
import type { RiskNetwork } from "../mining/neural-miner.ts";
import { ARM_ROW_LENGTH } from "./arm-rows.ts";

/** A bandit over the candidates of a step: scores arms while it explores, and learns from the gain of the chosen one. */
export interface ArmLearner {
  /** Scores to explore by; the highest is chosen. */
  explore(arms: readonly FeatureRow[]): readonly number[];
  /** Expected gain of each arm. */
  expect(arms: readonly FeatureRow[]): readonly number[];
  /** Takes note of the gain r - r_keep of a chosen arm. */
  learn(arm: FeatureRow, gain: number): void;
}

/** assumption: scatter of the gain of one action around what a linear model can say, and spread of a weight. */
const NOISE = 0.1;
const SPREAD = 0.1;
/** Posterior draws between which Thompson sampling takes turns. */
const DRAWS = 16;

/** LinUCB (Li et al. 2010) with one weight vector for all arms. @param alpha deviations added to the mean */
export function makeLinUcb(alpha: number, rng: Rng): ArmLearner & { weights(): Float64Array } {
  const model = new BayesLinear({ noise: NOISE, spreads: spreads(), members: 0 }, rng);
  return {
    explore: (arms) => arms.map((arm) => model.mean(arm) + alpha * model.deviation(arm)),
    expect: (arms) => arms.map((arm) => model.mean(arm)),
    learn: (arm, gain) => model.learn(arm, gain),
    weights: () => model.weights(),
  };
}

/** Linear Thompson sampling (Agrawal and Goyal 2013) with one weight vector for all arms. */
export function makeLinearThompson(rng: Rng): ArmLearner & { weights(): Float64Array } {
  const model = new BayesLinear({ noise: NOISE, spreads: spreads(), members: DRAWS }, rng.split("model"));
  const turns = rng.split("turns");
  return {
    explore: (arms) => {
      const member = turns.integer(0, DRAWS - 1);
      return arms.map((arm) => model.drawn(member, arm));
    },
    expect: (arms) => arms.map((arm) => model.mean(arm)),
    learn: (arm, gain) => model.learn(arm, gain),
    weights: () => model.weights(),
  };
}

function spreads(): Float64Array {
  return new Float64Array(ARM_ROW_LENGTH).fill(SPREAD);
}

/** Steps between two trainings of the network, and how many of the latest gains it learns from. */
const STEPS_PER_FIT = 500;
const MEMORY = 5000;

/** Neural-linear Thompson sampling (Riquelme et al. 2018) on a network that is handed in, of ARM_ROW_LENGTH inputs. */
export function makeNeuralThompson(network: RiskNetwork, rng: Rng): ArmLearner {
  const turns = rng.split("turns");
  const seen: { readonly arm: FeatureRow; readonly gain: number }[] = [];
  let fits = 0;
  let model = fit();

  function fit(): BayesLinear {
    const last = new Float64Array(network.hidden + 1).fill(1);
    const fresh = new BayesLinear({ noise: NOISE, spreads: last, members: DRAWS }, rng.split(`fit ${fits++}`));
    const latest = seen.slice(-MEMORY);
    if (latest.length === 0) return fresh;
    const arms = latest.map(({ arm }) => arm);
    network.fit(
      dense(arms),
      Float32Array.from(latest, ({ gain }) => gain),
    );
    for (const [i, row] of represent(network, arms).entries()) fresh.learn(row, latest[i]!.gain);
    return fresh;
  }

  return {
    explore: (arms) => {
      const member = turns.integer(0, DRAWS - 1);
      return represent(network, arms).map((row) => model.drawn(member, row));
    },
    expect: (arms) => represent(network, arms).map((row) => model.mean(row)),
    learn: (arm, gain) => {
      seen.push({ arm, gain });
      if (seen.length % STEPS_PER_FIT === 0) model = fit();
      else model.learn(represent(network, [arm])[0]!, gain);
    },
  };
}

function dense(arms: readonly FeatureRow[]): Float32Array {
  const inputs = new Float32Array(arms.length * ARM_ROW_LENGTH);
  arms.forEach(({ indexes, values }, row) => {
    indexes.forEach((index, i) => {
      inputs[row * ARM_ROW_LENGTH + index] = values[i]!;
    });
  });
  return inputs;
}

/** Last layer of each arm, with a constant. */
function represent(network: RiskNetwork, arms: readonly FeatureRow[]): readonly FeatureRow[] {
  const { hidden } = network;
  const outputs = network.represent(dense(arms), arms.length);
  const indexes = Array.from({ length: hidden + 1 }, (_, i) => i);
  return arms.map((_, row) => ({
    indexes,
    values: [1, ...outputs.subarray(row * hidden, (row + 1) * hidden)],
  }));
}
