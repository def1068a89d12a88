import { Rng } from "@praxis/env";
import { VERIFIER_SIGMA } from "./answer.ts";
import { type EmbeddedTable, type Expected, knnExpected } from "./knn.ts";

/** Neighbours of kNN routers. Source: the published routers' usual choice; 20 to 100 differ little. */
const NEIGHBOURS = 50;

/** What a router sees of a query: what is expected of each model, and the readings of those called so far. */
export interface RoutingScene {
  readonly expected: Expected;
  readonly readings: ReadonlyMap<number, number>;
  /** Price of a unit of cost, in score. */
  readonly lambda: number;
}

/** Chooses the model to call next; null = stop and answer with the best reading so far. */
export interface Router {
  readonly name: string;
  /** `prepare` gives what `scene.expected` shall be for a query. */
  prepare(embedded: EmbeddedTable, query: number): Expected;
  next(scene: RoutingScene): number | null;
}

const argMax = (count: number, value: (i: number) => number): number => {
  let best = 0;
  for (let i = 1; i < count; i++) if (value(i) > value(best)) best = i;
  return best;
};

/** One call of the model with the best expected score less its price. */
function single(name: string, prepare: Router["prepare"]): Router {
  return {
    name,
    prepare,
    next: ({ expected, readings, lambda }) =>
      readings.size > 0
        ? null
        : argMax(expected.scores.length, (m) => expected.scores[m]! - lambda * expected.costs[m]!),
  };
}

/** Means over all training queries: the best single model, whatever the query. */
function overall({ table }: EmbeddedTable): Expected {
  const train = table.queries.filter(({ split }) => split === "train");
  const mean = (of: "scores" | "costs"): number[] =>
    table.models.map((_, m) => train.reduce((sum, query) => sum + query[of][m]!, 0) / train.length);
  return { scores: mean("scores"), costs: mean("costs") };
}

/** Φ, the normal distribution function. Source: Abramowitz and Stegun 1964, 7.1.26, absolute error below 1e-7. */
function normalBelow(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
  const tail =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) *
    Math.exp(-x * x * 0.5);
  return x < 0 ? tail / 2 : 1 - tail / 2;
}

/** Probability that a model's answer is right after its reading, scores taken as 0 or 1. Bayes' rule. */
function posterior(prior: number, reading: number): number {
  const likelihood = (score: number): number => Math.exp(-((reading - score) ** 2) / (2 * VERIFIER_SIGMA ** 2));
  const right = prior * likelihood(1);
  return right / (right + (1 - prior) * likelihood(0));
}

/**
 * Calls one model after another while the next is expected to improve the answer by more than it costs. The gain is in closed
 * form: the answer changes only if the new reading is the higher one, which a right answer makes likelier than a wrong one.
 */
const cascade: Router = {
  name: "cascade",
  prepare: (embedded, query) => knnExpected(embedded, query, NEIGHBOURS),
  next({ expected, readings, lambda }) {
    const { scores, costs } = expected;
    if (readings.size === 0) return argMax(scores.length, (m) => scores[m]! - lambda * costs[m]!);
    const standing = argMaxKey(readings);
    const reading = readings.get(standing)!;
    const now = posterior(scores[standing]!, reading);
    let best: number | null = null;
    let most = 0;
    for (let m = 0; m < scores.length; m++) {
      if (readings.has(m)) continue;
      const higher = (score: number): number => normalBelow((score - reading) / VERIFIER_SIGMA);
      const replaces = scores[m]! * higher(1) + (1 - scores[m]!) * higher(0);
      const gain = scores[m]! * higher(1) - replaces * now - lambda * costs[m]!;
      if (gain <= most) continue;
      best = m;
      most = gain;
    }
    return best;
  },
};

/** Model with the highest reading; ties to the one called first. */
export function argMaxKey(readings: ReadonlyMap<number, number>): number {
  let best = -1;
  let most = Number.NEGATIVE_INFINITY;
  for (const [model, reading] of readings) {
    if (reading <= most) continue;
    best = model;
    most = reading;
  }
  return best;
}

/** Two models only, the cheapest and the best on average: the dear one where it is expected to be worth its price. */
const threshold: Router = {
  name: "threshold",
  prepare(embedded, query) {
    const { scores, costs } = knnExpected(embedded, query, NEIGHBOURS);
    const mean = overall(embedded);
    const best = argMax(scores.length, (m) => mean.scores[m]!);
    return { scores: scores.map((score, m) => (m === best || m === embedded.table.cheapest ? score : -1)), costs };
  },
  next: single("", (embedded) => overall(embedded)).next,
};

/** A uniform draw that depends on the query only. */
const random: Router = {
  name: "random",
  prepare({ table }, query) {
    const chosen = Rng.fromSeed(query, "random-router").integer(0, table.models.length - 1);
    return { scores: table.models.map((_, m) => (m === chosen ? 1 : 0)), costs: table.models.map(() => 0) };
  },
  next: single("", (embedded) => overall(embedded)).next,
};

/** Routers by name. `oracle` reads the recorded outcome itself: a bound, never a baseline. */
export const ROUTERS: readonly Router[] = [
  cascade,
  single("knn", (embedded, query) => knnExpected(embedded, query, NEIGHBOURS)),
  single("bestSingle", overall),
  threshold,
  single("cheapest", ({ table }) => ({
    scores: table.models.map((_, m) => (m === table.cheapest ? 1e9 : 0)),
    costs: table.models.map(() => 0),
  })),
  random,
  single("oracle", ({ table }, query) => table.queries[query]!),
];
