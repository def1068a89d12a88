import type { Rng } from "@praxis/env";
import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";
import { MAX_PROBES_PER_STEP } from "../../sub-environments/bandit-mining/tiers.ts";
import { Arms } from "./arms.ts";
import { BayesLinear } from "./bayes-linear.ts";
import { calibrateThreshold, findingsAbove } from "./calibrated-findings.ts";
import { CombinationFeatures, type FeatureRow } from "./combination-features.ts";
import type { Miner, MiningProblem } from "./miner.ts";

/** A small network that learns risks from feature rows; what is in it is the caller's choice. */
export interface RiskNetwork {
  /** Units of the last hidden layer. */
  readonly hidden: number;
  /** Trains on all rows seen so far. @param inputs [targets.length, inputs], row-major */
  fit(inputs: Float32Array, targets: Float32Array): void;
  /** Last hidden layer for `rows` feature rows, [rows, hidden], row-major. */
  represent(inputs: Float32Array, rows: number): Float32Array;
}

/** Makes a network for rows of `inputs` features. */
export type MakeRiskNetwork = (inputs: number, rng: Rng) => RiskNetwork;

/** assumption: spread of a weight on the last layer, and what it can't explain. */
const WEIGHT_SPREAD = 1;
const MODEL_ERROR = 0.1;
const RANDOM_SHARE = 0.15;
const HOLD_OUT_EVERY = 5;
/** Batches of probes between two trainings of the network. */
const BATCHES_PER_FIT = 4;

/**
 * Neural-linear Thompson sampling (Riquelme et al. 2018): a network is fitted to the probes, a Bayesian linear model on its
 * last hidden layer draws the risks. Needs the shown population, whose combinations are the arms and the findings.
 */
export class NeuralMiner implements Miner {
  readonly #problem: MiningProblem;
  readonly #arms: Arms;
  readonly #features: CombinationFeatures;
  readonly #network: RiskNetwork;
  readonly #rng: Rng;
  readonly #probed: { readonly combination: readonly number[]; readonly observed: number }[] = [];
  /** Last layer of every shown arm, and the linear model on it; null before the first fit. */
  #fitted: { readonly rows: readonly FeatureRow[]; readonly model: BayesLinear } | null = null;
  #fits = 0;
  #batches = 0;

  constructor(problem: MiningProblem, makeNetwork: MakeRiskNetwork, rng: Rng) {
    this.#problem = problem;
    this.#arms = new Arms(problem, rng.split("arms"));
    this.#features = new CombinationFeatures(problem);
    this.#network = makeNetwork(this.#features.length, rng.split("network"));
    this.#rng = rng.split("model");
  }

  propose(probesLeft: number): readonly (readonly number[])[] {
    const count = Math.min(MAX_PROBES_PER_STEP, probesLeft);
    if (this.#arms.shown.length === 0 || this.#probed.length < RANDOM_SHARE * this.#problem.probes)
      return Array.from({ length: count }, () => this.#arms.random());
    if (this.#fitted === null || this.#batches++ % BATCHES_PER_FIT === 0) this.#fitted = this.#fit(this.#arms.shown);
    const { rows, model } = this.#fitted;
    return Array.from({ length: count }, (_, member) => {
      let best = 0;
      let most = Number.NEGATIVE_INFINITY;
      rows.forEach((row, arm) => {
        const value = model.drawn(member, row);
        if (value > most) {
          most = value;
          best = arm;
        }
      });
      return Array.from(this.#arms.shown[best]!);
    });
  }

  learn(combination: readonly number[], relativeRisk: number): void {
    this.#probed.push({ combination, observed: relativeRisk });
  }

  declare(): readonly Finding[] {
    const { population } = this.#problem;
    if (population === null || this.#probed.length < HOLD_OUT_EVERY) return [];
    const { rows, model } = this.#fit(population);
    const held = this.#probed.filter((_, i) => isHeldOut(i));
    const heldRows = this.#represent(held.map(({ combination }) => combination));
    const believe = (row: FeatureRow) => ({ mean: model.mean(row), deviation: model.deviation(row) });
    const threshold = calibrateThreshold(
      held.map(({ observed }, i) => ({ ...believe(heldRows[i]!), observed })),
      this.#problem.noise,
    );
    const rowOf = new Map(population.map((combination, i) => [combination, rows[i]!]));
    return findingsAbove(population, (combination) => believe(rowOf.get(combination)!), threshold);
  }

  /** Trains the network on what is not held out, then the linear model on its last layer. */
  #fit(shown: readonly Uint8Array[]): { readonly rows: readonly FeatureRow[]; readonly model: BayesLinear } {
    const learned = this.#probed.filter((_, i) => !isHeldOut(i));
    const combinations = learned.map(({ combination }) => combination);
    const targets = Float32Array.from(learned, ({ observed }) => observed - 1);
    this.#network.fit(this.#dense(combinations), targets);
    const model = new BayesLinear(
      {
        length: this.#network.hidden + 1,
        noise: Math.hypot(this.#problem.noise, MODEL_ERROR),
        spread: WEIGHT_SPREAD,
        members: MAX_PROBES_PER_STEP,
      },
      this.#rng.split(`fit ${this.#fits++}`),
    );
    for (const [i, row] of this.#represent(combinations).entries()) model.learn(row, learned[i]!.observed);
    return { rows: this.#represent(shown), model };
  }

  #dense(combinations: readonly ArrayLike<number>[]): Float32Array {
    const { length } = this.#features;
    const inputs = new Float32Array(combinations.length * length);
    for (const [i, combination] of combinations.entries()) this.#features.writeDense(combination, inputs, i * length);
    return inputs;
  }

  /** Last layer of each combination, with a constant. */
  #represent(combinations: readonly ArrayLike<number>[]): readonly FeatureRow[] {
    const { hidden } = this.#network;
    const outputs = this.#network.represent(this.#dense(combinations), combinations.length);
    const indexes = Array.from({ length: hidden + 1 }, (_, i) => i);
    return combinations.map((_, row) => ({
      indexes,
      values: [1, ...outputs.subarray(row * hidden, (row + 1) * hidden)],
    }));
  }
}

function isHeldOut(probe: number): boolean {
  return probe % HOLD_OUT_EVERY === HOLD_OUT_EVERY - 1;
}
