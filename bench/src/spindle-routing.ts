import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bootstrap } from "@praxis/eval";
import { hash384 } from "@praxis/llm";
import { embedTable, evaluateRouters, makeRoutingTable, ROUTERS, readCsv, readJsonLines } from "@praxis/spindleflow";
import type { Measurement } from "./figures.ts";

const EXAMPLE = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "examples", "routing", "outcomes.csv");

/** Routers on recorded outcomes: of the table that SPINDLE_ROUTING_DATA names, else of the example, which was drawn. */
export async function measureSpindleRouting(report: (measurement: Measurement) => void): Promise<void> {
  const named = process.env.SPINDLE_ROUTING_DATA;
  const file = named ?? EXAMPLE;
  const text = readFileSync(file, "utf8");
  const table = makeRoutingTable("the table", file.endsWith(".csv") ? readCsv(file, text) : readJsonLines(file, text));
  const embedded = embedTable(table, { id: hash384.id, embed: (query) => hash384.embed(query) });
  const results = new Map(evaluateRouters(embedded, ROUTERS).map((result) => [result.name, result]));
  const ours = results.get("cascade")!;
  const about = `${table.models.length} models, ${named === undefined ? "example table, drawn and not measured" : `table ${basename(named)}`}`;
  for (const name of ["knn", "bestSingle"] as const) {
    const other = results.get(name)!;
    const gain = bootstrap(ours.free.map(({ score }, i) => score - other.free[i]!.score));
    report({
      id: name === "knn" ? "spindle.routing" : "spindle.routing_single",
      value: gain.mean,
      unit: "score",
      goal: ">= 0",
      peer: null,
      n: gain.n,
      interval: [gain.low, gain.high],
      note: `cascade that reads a verifier after each call, minus ${name}, which calls one model; ${about}`,
    });
  }
  const best = Math.max(...["knn", "bestSingle", "threshold"].map((name) => results.get(name)!.averageQuality));
  report({
    id: "spindle.routing_area",
    value: ours.averageQuality - best,
    unit: "score",
    goal: "> 0",
    peer: null,
    n: ours.free.length,
    interval: null,
    note: `area under the hull of (cost, score) over its range, cascade ${ours.averageQuality.toFixed(3)}, the best of kNN, best single and threshold ${best.toFixed(3)}, oracle ${results.get("oracle")!.averageQuality.toFixed(3)}; ${about}`,
  });
}
