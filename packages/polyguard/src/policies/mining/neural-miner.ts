import type { Rng } from "@praxis/env";
import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";
import { MAX_PROBES_PER_STEP } from "../../sub-environments/bandit-mining/tiers.ts";
import { Arms } from "./arms.ts";
import { BayesLinear } from "./bayes-linear.ts";
import { type Belief, calibrateThreshold, findingsAbove, isValidating, validationPool } from "./calibrated-findings.ts";
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

/** A linear model on the last layer, with the last layer of each arm. */
interface Fitted {
  readonly rowOf: ReadonlyMap<ArrayLike<number>, FeatureRow>;
  readonly model: BayesLinear;
}

/** Makes a network for rows of `inputs` features. */
export type MakeRiskNetwork = (inputs: number, rng: Rng) => RiskNetwork;

/** assumption: spread of a weight on the last layer, and what it can't explain. */
const WEIGHT_SPREAD = 1;
const MODEL_ERROR = 0.1;
const RANDOM_SHARE = 0.15;
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
  /** Probes that calibrate the declaration. */
  readonly #heldOut: { readonly combination: readonly number[]; readonly observed: number }[] = [];
  /** Shown combinations that were believed dangerous when learning ended; null before. */
  #believed: readonly Finding[] | null = null;
  /** Probes that are learned from. */
  readonly #probed: { readonly combination: readonly number[]; readonly observed: number }[] = [];
  /** The latest fit; null before the first. */
  #fitted: Fitted | null = null;
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
    const { shown } = this.#arms;
    const { probes } = this.#problem;
    if (shown.length === 0 || this.#probed.length < RANDOM_SHARE * probes)
      return Array.from({ length: count }, () => this.#arms.random());
    if (isValidating(this.#probed.length + this.#heldOut.length, probes)) {
      this.#believed ??= this.#believedDangerous(shown);
      const believed = this.#believed;
      return Array.from({ length: count }, () =>
        believed.length === 0 ? this.#arms.random() : this.#rng.choice(believed).drugs,
      );
    }
    if (this.#fitted === null || this.#batches++ % BATCHES_PER_FIT === 0) this.#fitted = this.#fit(shown);
    const { rowOf, model } = this.#fitted;
    return Array.from({ length: count }, (_, member) =>
      this.#arms.best((combination) => model.drawn(member, rowOf.get(combination)!)),
    );
  }

  learn(combination: readonly number[], relativeRisk: number): void {
    const list = isValidating(this.#probed.length + this.#heldOut.length, this.#problem.probes)
      ? this.#heldOut
      : this.#probed;
    list.push({ combination, observed: relativeRisk });
  }

  declare(): readonly Finding[] {
    const { population, noise } = this.#problem;
    if (population === null || this.#heldOut.length === 0) return [];
    const { rowOf, model } = this.#fit(population);
    const heldRows = this.#represent(this.#heldOut.map(({ combination }) => combination));
    const threshold = calibrateThreshold(
      this.#heldOut.map(({ observed }, i) => ({ ...believe(model, heldRows[i]!), observed })),
      noise,
    );
    return findingsAbove(population, (combination) => believe(model, rowOf.get(combination)!), threshold);
  }

  #believedDangerous(shown: readonly Uint8Array[]): readonly Finding[] {
    const { rowOf, model } = this.#fit(shown);
    return validationPool(shown, (combination) => believe(model, rowOf.get(combination)!));
  }

  /** Trains the network on what is not held out, then the linear model on its last layer. */
  #fit(shown: readonly Uint8Array[]): Fitted {
    const learned = this.#probed;
    const combinations = learned.map(({ combination }) => combination);
    const targets = Float32Array.from(learned, ({ observed }) => observed - 1);
    this.#network.fit(this.#dense(combinations), targets);
    const model = new BayesLinear(
      {
        noise: Math.hypot(this.#problem.noise, MODEL_ERROR),
        spreads: new Float64Array(this.#network.hidden + 1).fill(WEIGHT_SPREAD),
        members: MAX_PROBES_PER_STEP,
      },
      this.#rng.split(`fit ${this.#fits++}`),
    );
    for (const [i, row] of this.#represent(combinations).entries()) model.learn(row, learned[i]!.observed - 1);
    const rows = this.#represent(shown);
    return { rowOf: new Map(shown.map((combination, i) => [combination, rows[i]!])), model };
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

function believe(model: BayesLinear, row: FeatureRow): Belief {
  return { mean: 1 + model.mean(row), deviation: model.deviation(row) };
}
