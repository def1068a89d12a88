import { bootstrap, pairedBootstrap, showEstimate } from "@praxis/eval";
import type { Command } from "commander";
import { embedRoutingTable, readRoutingTable } from "../routing-table.ts";
import type { Terminal } from "../terminal.ts";

/** Adds `praxis routing TABLE`: routers on what real models really did. */
export function registerRouting(program: Command, terminal: Terminal): void {
  program
    .command("routing")
    .description(
      "Evaluate routers on recorded outcomes (query, model, score, cost): scores, cost curves, area under them.\n\n  praxis routing examples/routing/outcomes.csv",
    )
    .argument("<table>", "CSV, JSON lines (also gzipped) or Parquet")
    .option("--seed <number>", "seed of the verifier's readings", Number, 0)
    .option("--curves", "also the points of each cost curve")
    .option("--json", "as one JSON document")
    .action(async (file: string, options: { seed: number; curves?: boolean; json?: boolean }) => {
      const { evaluateRouters, ROUTERS } = await import("@praxis/spindleflow");
      const table = await readRoutingTable(file);
      const embedded = embedRoutingTable(table);
      const results = evaluateRouters(embedded, ROUTERS, options.seed);
      const [first] = results;
      const rows = results.map(({ name, free, curve, averageQuality }) => ({
        router: name,
        score: bootstrap(free.map(({ score }) => score)),
        minusFirst: pairedBootstrap(
          free.map(({ score }) => score),
          first!.free.map(({ score }) => score),
        ),
        cost: free.reduce((sum, { cost }) => sum + cost, 0) / free.length,
        calls: free.reduce((sum, { calls }) => sum + calls, 0) / free.length,
        averageQuality,
        ...(options.curves === true ? { curve } : {}),
      }));
      const testCount = first!.free.length;
      if (options.json === true) {
        const { queries, models, incomplete } = table;
        const head = { file, queries: queries.length, incomplete, test: testCount, models: models.map(({ id }) => id) };
        terminal.out(JSON.stringify({ ...head, embedder: embedded.embedderId, rows }));
        return;
      }
      terminal.out(
        `${table.queries.length} queries, ${testCount} of them for tests, ${table.models.length} models; ${table.incomplete} incomplete queries left out; embedder ${embedded.embedderId}\n`,
      );
      terminal.out(
        `| router | score [95 %] | minus ${first!.name} [95 %] | cost | calls | AIQ |\n|---|---|---|---|---|---|`,
      );
      const f = (x: number): string => x.toFixed(3);
      for (const { router, score, minusFirst, cost, calls, averageQuality } of rows)
        terminal.out(
          `| ${router} | ${showEstimate(score)} | ${showEstimate(minusFirst)} | ${cost.toPrecision(3)} | ${calls.toFixed(2)} | ${f(averageQuality)} |`,
        );
      if (options.curves === true)
        for (const { name, curve } of results)
          terminal.out(
            `\n${name}: ${curve.map(({ cost, score }) => `(${cost.toPrecision(3)}, ${f(score)})`).join(" ")}`,
          );
      terminal.err(
        "AIQ: area under the hull of (cost, score), divided by the range of costs. `oracle` knows the outcomes.",
      );
    });
}
