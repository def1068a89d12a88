import type { Rng } from "@praxis/env";
import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";
import { MAX_PROBES_PER_STEP } from "../../sub-environments/bandit-mining/tiers.ts";
import { Arms } from "./arms.ts";
import { BayesLinear } from "./bayes-linear.ts";
import {
  calibrateThreshold,
  findingsAbove,
  type HeldOut,
  isValidating,
  validationPool,
} from "./calibrated-findings.ts";
import { CombinationFeatures, type FeatureRow } from "./combination-features.ts";
import type { Miner, MiningProblem } from "./miner.ts";

/** How a linear miner picks a combination. */
export type Exploration =
  | { readonly kind: "uniform" }
  /** Best mean, but a random one with probability `epsilon`. */
  | { readonly kind: "epsilon_greedy"; readonly epsilon: number }
  /** Best mean + alpha deviations (Li et al. 2010). */
  | { readonly kind: "linucb"; readonly alpha: number }
  /** Best by a draw of the posterior (Agrawal and Goyal 2013). */
  | { readonly kind: "thompson" };

/** assumption: what a linear model can't explain counts as noise of this size. */
const MODEL_ERROR = 0.15;
/** First share of the probes that is random, so that the model begins with an overview. */
const RANDOM_SHARE = 0.15;

/**
 * Mines with a Bayesian linear model of the risk in drugs, known pairs and burden, and one of the usual ways to explore. It
 * declares single combinations of the shown population; without the population it has nothing to declare.
 */
export class LinearMiner implements Miner {
  readonly #problem: MiningProblem;
  readonly #exploration: Exploration;
  readonly #rng: Rng;
  readonly #features: CombinationFeatures;
  readonly #arms: Arms;
  readonly #model: BayesLinear;
  readonly #rows = new Map<ArrayLike<number>, FeatureRow>();
  readonly #heldOut: { readonly row: FeatureRow; readonly observed: number }[] = [];
  /** Shown combinations that were believed dangerous when learning ended; null before. */
  #believed: readonly Finding[] | null = null;
  #probes = 0;

  constructor(problem: MiningProblem, exploration: Exploration, rng: Rng) {
    this.#problem = problem;
    this.#exploration = exploration;
    this.#rng = rng.split("choices");
    this.#features = new CombinationFeatures(problem);
    this.#arms = new Arms(problem, rng.split("arms"));
    this.#model = new BayesLinear(
      {
        noise: Math.hypot(problem.noise, MODEL_ERROR),
        spreads: this.#features.spreads(),
        members: exploration.kind === "thompson" ? MAX_PROBES_PER_STEP : 0,
      },
      rng.split("model"),
    );
  }

  propose(probesLeft: number): readonly (readonly number[])[] {
    const count = Math.min(MAX_PROBES_PER_STEP, probesLeft);
    const isLast = isValidating(this.#probes, this.#problem.probes);
    return Array.from({ length: count }, (_, member) => (isLast ? this.#pickBelieved() : this.#pick(member)));
  }

  learn(combination: readonly number[], relativeRisk: number): void {
    const row = this.#features.row(combination);
    if (isValidating(this.#probes++, this.#problem.probes)) this.#heldOut.push({ row, observed: relativeRisk });
    else this.#model.learn(row, relativeRisk - 1);
  }

  declare(): readonly Finding[] {
    const heldOut = this.#heldOut.map(({ row, observed }): HeldOut => ({ ...this.#believe(row), observed }));
    const threshold = calibrateThreshold(heldOut, this.#problem.noise);
    return findingsAbove(
      this.#problem.population ?? [],
      (combination) => this.#believe(this.#rowOf(combination)),
      threshold,
    );
  }

  /** One of those believed dangerous, at random. */
  #pickBelieved(): readonly number[] {
    this.#believed ??= validationPool(this.#arms.shown, (combination) => this.#believe(this.#rowOf(combination)));
    return this.#believed.length === 0 ? this.#arms.random() : this.#rng.choice(this.#believed).drugs;
  }

  #pick(member: number): readonly number[] {
    if (this.#probes < RANDOM_SHARE * this.#problem.probes) return this.#arms.random();
    const model = this.#model;
    switch (this.#exploration.kind) {
      case "uniform":
        return this.#arms.random();
      case "epsilon_greedy":
        return this.#rng.bernoulli(this.#exploration.epsilon)
          ? this.#arms.random()
          : this.#arms.best((combination) => model.mean(this.#rowOf(combination)));
      case "linucb": {
        const { alpha } = this.#exploration;
        return this.#arms.best((combination) => {
          const row = this.#rowOf(combination);
          return model.mean(row) + alpha * model.deviation(row);
        });
      }
      case "thompson":
        return this.#arms.best((combination) => model.drawn(member, this.#rowOf(combination)));
    }
  }

  #believe(row: FeatureRow): { readonly mean: number; readonly deviation: number } {
    return { mean: 1 + this.#model.mean(row), deviation: this.#model.deviation(row) };
  }

  /** Rows of shown combinations are kept, as they are looked at in every step. */
  #rowOf(combination: ArrayLike<number>): FeatureRow {
    if (!(combination instanceof Uint8Array)) return this.#features.row(combination);
    let row = this.#rows.get(combination);
    if (row === undefined) {
      row = this.#features.row(combination);
      this.#rows.set(combination, row);
    }
    return row;
  }
}
