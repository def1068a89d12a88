import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readCsv } from "@praxis/spindleflow";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, expect, test } from "vitest";
import { praxis } from "./run-praxis.ts";

const folder = mkdtempSync(join(tmpdir(), "praxis-routing-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const example = fileURLToPath(new URL("../../../examples/routing/outcomes.csv", import.meta.url));

test("a Parquet file of the same outcomes is routed as the CSV is", async () => {
  const rows = readCsv("example", readFileSync(example, "utf8")).map(({ cells }) => cells);
  const numbers = new Set(["score", "cost"]);
  const buffer = parquetWriteBuffer({
    columnData: Object.keys(rows[0]!).map((name) => ({
      name,
      data: rows.map((row) => (numbers.has(name) ? Number(row[name]) : String(row[name]))),
      type: numbers.has(name) ? ("DOUBLE" as const) : ("STRING" as const),
    })),
  });
  const file = join(folder, "outcomes.parquet");
  writeFileSync(file, Buffer.from(buffer));
  const csv = await praxis("routing", example, "--curves");
  expect(csv.code).toBe(0);
  expect(csv.out).toContain("| knn |");
  expect((await praxis("routing", file, "--curves")).out).toBe(csv.out);
});

test("a table that can't be used is refused with exit code 2 and its place", async () => {
  const file = join(folder, "bad.csv");
  writeFileSync(file, "query,model,score\nq,m,yes\n");
  const bad = await praxis("routing", file);
  expect([bad.code, bad.err]).toEqual([2, expect.stringContaining("line 2, column 'score': 'yes'")]);
  expect((await praxis("routing", join(folder, "none.csv"))).code).toBe(2);
});
