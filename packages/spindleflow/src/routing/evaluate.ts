import { Rng, RngStreams } from "@praxis/env";
import { readAnswer } from "./answer.ts";
import type { EmbeddedTable, Expected } from "./knn.ts";
import { argMaxKey, type Router } from "./routers.ts";

/** What a router reached on one query. */
export interface RoutedQuery {
  readonly query: number;
  readonly score: number;
  readonly cost: number;
  readonly calls: number;
}

/** A router's expectations on the test queries, worked out once for all prices. */
interface PreparedRouter {
  readonly router: Router;
  readonly expected: readonly { readonly query: number; readonly expected: Expected }[];
}

/** Prepares a router on the test queries of a table. */
function prepareRouter(embedded: EmbeddedTable, router: Router): PreparedRouter {
  return {
    router,
    expected: embedded.table.queries.flatMap(({ split }, query) =>
      split === "test" ? [{ query, expected: router.prepare(embedded, query) }] : [],
    ),
  };
}

/** Routes every test query at a price; readings are the same for every router. @param seed of the readings */
function route(embedded: EmbeddedTable, prepared: PreparedRouter, lambda: number, seed = 0): RoutedQuery[] {
  const { queries } = embedded.table;
  const streams = new RngStreams(Rng.fromSeed(seed, "routing"));
  return prepared.expected.map(({ query, expected }) => {
    const { scores, costs } = queries[query]!;
    const readings = new Map<number, number>();
    let cost = 0;
    for (;;) {
      const model = prepared.router.next({ expected, readings, lambda });
      if (model === null || readings.has(model)) break;
      readings.set(model, readAnswer(streams, query, model, scores[model]!));
      cost += costs[model]!;
    }
    return { query, score: scores[argMaxKey(readings)]!, cost, calls: readings.size };
  });
}

/** Mean cost and score of a router at a price. */
export interface CurvePoint {
  readonly lambda: number;
  readonly cost: number;
  readonly score: number;
}

/** Prices at which a cost curve is drawn: 0, then a geometric ladder around the price at which all score buys mean cost. */
function pricesOf({ table }: EmbeddedTable): readonly number[] {
  const mean = table.queries.reduce((sum, { costs }) => sum + Math.max(...costs), 0) / table.queries.length;
  return mean === 0 ? [0] : [0, ...Array.from({ length: 13 }, (_, i) => 2 ** (i - 8) / mean), Number.MAX_SAFE_INTEGER];
}

/**
 * Area under the upper concave hull of (cost, score) from the cheapest model's cost to the dearest's, divided by that range:
 * what a router reaches on average over budgets (AIQ). Mixing two points by lot reaches every point between them, and the
 * best point is good for every larger budget. @param low and @param high mean costs per query
 */
export function averageQuality(points: readonly CurvePoint[], low: number, high: number): number {
  const sorted = [...points].sort((a, b) => a.cost - b.cost || b.score - a.score);
  const hull: CurvePoint[] = [];
  for (const point of sorted) {
    if (hull.length > 0 && point.score <= hull.at(-1)!.score) continue;
    while (hull.length >= 2) {
      const [a, b] = [hull.at(-2)!, hull.at(-1)!];
      if ((b.score - a.score) * (point.cost - a.cost) > (point.score - a.score) * (b.cost - a.cost)) break;
      hull.pop();
    }
    hull.push(point);
  }
  if (hull.length === 0) return 0;
  if (high <= low) return hull.at(-1)!.score;
  const at = (cost: number): number => {
    if (cost <= hull[0]!.cost) return hull[0]!.score;
    for (let i = 1; i < hull.length; i++) {
      const [a, b] = [hull[i - 1]!, hull[i]!];
      if (cost <= b.cost) return a.score + ((b.score - a.score) * (cost - a.cost)) / (b.cost - a.cost);
    }
    return hull.at(-1)!.score;
  };
  const stops = [low, ...hull.map(({ cost }) => cost).filter((cost) => cost > low && cost < high), high];
  let area = 0;
  for (let i = 1; i < stops.length; i++)
    area += ((at(stops[i - 1]!) + at(stops[i]!)) / 2) * (stops[i]! - stops[i - 1]!);
  return area / (high - low);
}

/** What a router reaches on a table's test queries. */
export interface RouterResult {
  readonly name: string;
  /** Per test query, without a price. */
  readonly free: readonly RoutedQuery[];
  readonly curve: readonly CurvePoint[];
  readonly averageQuality: number;
}

/** Evaluates routers over all prices. Every curve has the cheapest model's point, as any router could always call it. */
export function evaluateRouters(embedded: EmbeddedTable, routers: readonly Router[], seed = 0): RouterResult[] {
  const { table } = embedded;
  const test = table.queries.filter(({ split }) => split === "test");
  const meanOf = (m: number, of: "scores" | "costs"): number =>
    test.reduce((sum, query) => sum + query[of][m]!, 0) / test.length;
  const costs = table.models.map((_, m) => meanOf(m, "costs"));
  const low = costs[table.cheapest]!;
  const anchor: CurvePoint = { lambda: Number.MAX_SAFE_INTEGER, cost: low, score: meanOf(table.cheapest, "scores") };
  return routers.map((router) => {
    const prepared = prepareRouter(embedded, router);
    const curve = pricesOf(embedded).map((lambda): CurvePoint => {
      const routed = route(embedded, prepared, lambda, seed);
      const mean = (of: "cost" | "score"): number => routed.reduce((sum, each) => sum + each[of], 0) / routed.length;
      return { lambda, cost: mean("cost"), score: mean("score") };
    });
    return {
      name: router.name,
      free: route(embedded, prepared, 0, seed),
      curve,
      averageQuality: averageQuality([anchor, ...curve], low, Math.max(...costs)),
    };
  });
}
