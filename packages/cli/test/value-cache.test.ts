import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { appendValues, readValues } from "../src/evaluation/value-cache.ts";

const folder = mkdtempSync(join(tmpdir(), "praxis-cache-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("values of a cache come back as they were written, and an absent file holds none", () => {
  const path = join(folder, "new", "a.jsonl");
  expect(readValues(path)).toEqual({ known: [], damaged: 0 });
  appendValues(path, [["draft|a", 7]]);
  appendValues(path, [["grades|b", [0.1, -1 / 3, -1]]]);
  expect(readValues(path).known).toEqual([
    ["draft|a", 7],
    ["grades|b", [0.1, -1 / 3, -1]],
  ]);
});

it("a line that was cut off or changed is passed over and counted, the others stand", () => {
  const path = join(folder, "b.jsonl");
  appendValues(path, [
    ["draft|a", 7],
    ["draft|b", 11],
    ["draft|c", 13],
  ]);
  writeFileSync(path, readFileSync(path, "utf8").replace('"draft|b",11', '"draft|b",12'));
  appendFileSync(path, '["draft|d",1');
  expect(readValues(path)).toEqual({
    known: [
      ["draft|a", 7],
      ["draft|c", 13],
    ],
    damaged: 2,
  });
});
