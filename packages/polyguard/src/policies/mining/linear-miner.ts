import type { Rng } from "@praxis/env";
import type { Finding } from "../../sub-environments/bandit-mining/findings.ts";
import { MAX_PROBES_PER_STEP } from "../../sub-environments/bandit-mining/tiers.ts";
import { Arms } from "./arms.ts";
import { BayesLinear } from "./bayes-linear.ts";
import { calibrateThreshold, findingsAbove, type HeldOut } from "./calibrated-findings.ts";
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

/** Spread of a weight before anything is seen. assumption: about the size of one drug's share in a risk. */
const WEIGHT_SPREAD = 0.2;
/** assumption: what a linear model can't explain counts as noise of this size. */
const MODEL_ERROR = 0.15;
/** First share of the probes that is random, so that the model begins with an overview. */
const RANDOM_SHARE = 0.15;
/** Every n-th probe is held out to calibrate the declaration. */
const HOLD_OUT_EVERY = 5;

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
  #probes = 0;

  constructor(problem: MiningProblem, exploration: Exploration, rng: Rng) {
    this.#problem = problem;
    this.#exploration = exploration;
    this.#rng = rng.split("choices");
    this.#features = new CombinationFeatures(problem);
    this.#arms = new Arms(problem, rng.split("arms"));
    this.#model = new BayesLinear(
      {
        length: this.#features.length,
        noise: Math.hypot(problem.noise, MODEL_ERROR),
        spread: WEIGHT_SPREAD,
        members: exploration.kind === "thompson" ? MAX_PROBES_PER_STEP : 0,
      },
      rng.split("model"),
    );
  }

  propose(probesLeft: number): readonly (readonly number[])[] {
    const count = Math.min(MAX_PROBES_PER_STEP, probesLeft);
    const proposed: (readonly number[])[] = [];
    for (let i = 0; i < count; i++) proposed.push(this.#pick(i));
    return proposed;
  }

  learn(combination: readonly number[], relativeRisk: number): void {
    const row = this.#features.row(combination);
    if (this.#probes++ % HOLD_OUT_EVERY === HOLD_OUT_EVERY - 1) this.#heldOut.push({ row, observed: relativeRisk });
    else this.#model.learn(row, relativeRisk);
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
    return { mean: this.#model.mean(row), deviation: this.#model.deviation(row) };
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
