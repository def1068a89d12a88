import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeDataSet } from "../src/data/write-data-set.ts";
import { runCli } from "../src/program.ts";
import type { Terminal } from "../src/terminal.ts";

const ROWS = 12;
const folder = mkdtempSync(join(tmpdir(), "praxis-data-"));
const first = join(folder, "first");

/** What a command said. */
async function praxis(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const terminal: Terminal = {
    out: (text) => {
      said.out += `${text}\n`;
    },
    err: (text) => {
      said.err += `${text}\n`;
    },
    isInteractive: false,
    hasColor: false,
  };
  return { code: await runCli(args, terminal), ...said };
}

/** Text of every file of a data set, by its path in the folder; Parquet as base 64. */
function contents(out: string): Record<string, string> {
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(out.length), readFileSync(path).toString("base64")]));
}

const request = (out: string, workers = 1): Parameters<typeof writeDataSet>[0] => ({
  ...{ rows: ROWS, out, dataSeed: 0, workers },
  kinds: ["sft", "preference", "traces"],
});

beforeAll(async () => {
  await writeDataSet(request(first));
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a data set", () => {
  it("has the rows of each kind that were asked for, and nothing else beside them than the card", () => {
    expect(readdirSync(first).sort()).toEqual(["README.md", "preference", "sft", "traces"]);
    for (const kind of ["preference", "sft", "traces"]) {
      const lines = readdirSync(join(first, kind))
        .filter((name) => name.endsWith(".jsonl"))
        .flatMap((name) =>
          readFileSync(join(first, kind, name), "utf8")
            .trim()
            .split("\n"),
        );
      expect(lines).toHaveLength(ROWS);
    }
  });

  it("has the same rows in Parquet as in JSON lines", async () => {
    for (const kind of ["preference", "sft", "traces"]) {
      const lines = readFileSync(join(first, kind, "train.jsonl"), "utf8")
        .trim()
        .split("\n");
      const file = await asyncBufferFromFile(join(first, kind, "train.parquet"));
      expect(await parquetReadObjects({ file })).toEqual(lines.map((line) => JSON.parse(line) as unknown));
    }
  });

  it("has a card with the notice, the generator, the tables' hash and a path to each file", () => {
    const card = readFileSync(join(first, "README.md"), "utf8");
    expect(card).toContain("Research simulation, not medical advice.");
    expect(card).toMatch(/Generator: PolyGuard \d+\.\d+\.\d+; knowledge base [0-9a-f]{16}/);
    expect(card).toContain("{ split: train, path: sft/train.parquet }");
    expect(card).toContain("| split | rows |");
    expect(card).toContain("| sub-environment | rows |");
    expect(card).toContain("| action type | rows |");
  });

  it("is equal byte for byte when two threads make it", async () => {
    const out = join(folder, "threads");
    await writeDataSet(request(out, 2));
    expect(contents(out)).toEqual(contents(first));
  }, 120_000);

  it("is equal byte for byte when it was interrupted in the middle of a unit and gone on with", async () => {
    const out = join(folder, "resumed");
    const stop = new Error("power cut");
    const interrupted = writeDataSet({
      ...request(out),
      onProgress: (_rows, units) => {
        if (units === 2) throw stop;
      },
    });
    await expect(interrupted).rejects.toBe(stop);
    const journal = join(out, "units.partial.jsonl");
    const text = readFileSync(journal, "utf8");
    writeFileSync(journal, `${text}{"unit":2,"rec`);
    await writeDataSet(request(out));
    expect(contents(out)).toEqual(contents(first));
  }, 120_000);
});

describe("praxis data", () => {
  it("never writes into a finished set or another folder in use, and says what to do", async () => {
    const before = contents(first);
    const again = await praxis("data", "polyguard", "--rows", "3", "--out", first);
    expect(again.code).toBe(2);
    expect(again.err).toMatch(/holds a finished data set; choose another --out/);
    expect(contents(first)).toEqual(before);
    const used = join(folder, "used");
    mkdirSync(used);
    writeFileSync(join(used, "notes.txt"), "mine");
    const other = await praxis("data", "polyguard", "--rows", "3", "--out", used);
    expect(other.code).toBe(2);
    expect(other.err).toMatch(/holds other files/);
  });

  it("refuses to go on with a run of another seed", async () => {
    const out = join(folder, "other-seed");
    mkdirSync(out);
    writeFileSync(join(out, "units.partial.jsonl"), '{"data_seed":7}\n');
    const { code, err } = await praxis("data", "polyguard", "--rows", "3", "--out", out);
    expect(code).toBe(2);
    expect(err).toMatch(/was begun by another run/);
  });

  it("refuses unknown kinds, other environments and numbers out of range before anything is written", async () => {
    const out = join(folder, "never");
    for (const [args, message] of [
      [["polyguard", "--kinds", "sft,prefrence"], /unknown kind 'prefrence'.*preference/],
      [["spindleflow"], /makes no training data/],
      [["polyguard", "--rows", "0"], /--rows: must be a whole number from 1/],
      [["polyguard", "--workers", "1.5"], /--workers: must be a whole number/],
    ] as const) {
      const { code, err } = await praxis("data", ...args, "--out", out);
      expect(code).toBe(2);
      expect(err).toMatch(message);
    }
    expect(readdirSync(folder)).not.toContain("never");
  });
});
