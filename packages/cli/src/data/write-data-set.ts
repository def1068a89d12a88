import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PraxisError } from "@praxis/env";
import { loadBundledKnowledgeBase, NOTICE, POLYGUARD_VERSION } from "@praxis/polyguard";
import {
  DATA_SPLITS,
  type DataKind,
  type DataRow,
  dataCard,
  LeakAudit,
  RowCounts,
  RowSelection,
  shortages,
} from "@praxis/polyguard/data";
import { ParquetFile } from "./parquet-file.ts";
import { type PlayedUnit, playUnits } from "./play-units.ts";
import { UnitJournal } from "./unit-journal.ts";

/** What to write. */
export interface DataSetRequest {
  readonly rows: number;
  readonly out: string;
  readonly kinds: readonly DataKind[];
  readonly dataSeed: number;
  readonly workers: number;
  readonly onProgress?: (rows: number, units: number) => void;
}

/** What was written. */
export interface DataSetReport {
  readonly out: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly units: number;
  readonly drops: Readonly<Record<string, number>>;
  /** Sources that the set lacks rows of, in words; empty = none. */
  readonly shortages: readonly string[];
}

/** Units after which a set is closed although sources lack rows: four for each row asked for, and never fewer than 90. */
const UNITS_PER_ROW = 4;
const LEAST_UNITS = 90;
const JOURNAL = "units.partial.jsonl";
const CARD = "README.md";

/**
 * Writes data sets with their card into a folder, each split as JSON lines and as Parquet. A run that was interrupted goes on when it is
 * started again on its folder; a finished folder is never overwritten. The files depend on rows, kinds and data seed alone.
 * Throws VALIDATION_ERROR for a folder in use and for a leak.
 */
export async function writeDataSet(request: DataSetRequest): Promise<DataSetReport> {
  const { rows, out, kinds, dataSeed } = request;
  checkFolder(out);
  const kb = loadBundledKnowledgeBase();
  const journal = new UnitJournal(join(out, JOURNAL), {
    ...{ data_seed: dataSeed, version: POLYGUARD_VERSION, knowledge_base: kb.hash },
  });
  const selection = new RowSelection({ rows, kinds, dataSeed });
  const files = new Map<string, JsonLinesFile>();
  const most = Math.max(LEAST_UNITS, rows * UNITS_PER_ROW);
  let units = 0;
  try {
    for await (const played of unitsOf(journal, request)) {
      const taken = selection.take(played.records);
      for (const kind of kinds) for (const row of taken[kind]) fileOf(files, out, kind, row.split).add(row);
      units++;
      request.onProgress?.(selection.count, units);
      if (selection.isFull || units >= most) break;
    }
  } finally {
    for (const file of files.values()) file.close();
  }
  const missing = shortages(selection.lacking);
  const counts = await auditAndConvert(request, [...files.keys()]);
  const { drops } = selection;
  writeFileSync(
    join(out, CARD),
    dataCard({
      ...{ notice: NOTICE, version: POLYGUARD_VERSION, kbHash: kb.hash, rows, dataSeed, units, counts, drops },
      shortages: missing,
    }),
    { flag: "wx" },
  );
  journal.remove();
  return {
    ...{ out, units, drops, shortages: missing },
    rows: Object.fromEntries(
      kinds.map((kind) => [kind, DATA_SPLITS.reduce((sum, split) => sum + (counts[kind]?.ofSplit(split) ?? 0), 0)]),
    ),
  };
}

function checkFolder(out: string): void {
  if (!existsSync(out)) return;
  const entries = readdirSync(out);
  if (entries.includes(CARD))
    throw new PraxisError("VALIDATION_ERROR", `'${out}' holds a finished data set; choose another --out.`);
  if (entries.length > 0 && !entries.includes(JOURNAL))
    throw new PraxisError("VALIDATION_ERROR", `'${out}' holds other files; choose a new or empty folder for --out.`);
}

async function* unitsOf(journal: UnitJournal, { dataSeed, workers }: DataSetRequest): AsyncGenerator<PlayedUnit> {
  yield* journal.units;
  for await (const played of playUnits({ first: journal.units.length, dataSeed, workers })) {
    journal.append(played);
    yield played;
  }
}

class JsonLinesFile {
  readonly #descriptor: number;

  constructor(file: string) {
    this.#descriptor = openSync(file, "w");
  }

  add(row: DataRow): void {
    writeSync(this.#descriptor, `${JSON.stringify(row)}\n`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** The open file of a kind and split, by `<kind>/<split>`. */
function fileOf(files: Map<string, JsonLinesFile>, out: string, kind: DataKind, split: string): JsonLinesFile {
  const name = `${kind}/${split}`;
  let file = files.get(name);
  if (file === undefined) {
    mkdirSync(join(out, kind), { recursive: true });
    file = new JsonLinesFile(join(out, `${name}.jsonl`));
    files.set(name, file);
  }
  return file;
}

/** Reads what was written, checks every row for leaks, and writes it as Parquet as well. Throws VALIDATION_ERROR for a leak. */
async function auditAndConvert(
  { out, kinds }: DataSetRequest,
  names: readonly string[],
): Promise<Partial<Record<DataKind, RowCounts>>> {
  const kb = loadBundledKnowledgeBase();
  const audit = new LeakAudit(kb);
  const counts: Partial<Record<DataKind, RowCounts>> = {};
  for (const kind of kinds) {
    const counted = new RowCounts();
    counts[kind] = counted;
    for (const split of DATA_SPLITS) {
      const name = `${kind}/${split}`;
      if (!names.includes(name)) continue;
      const metadata = { notice: NOTICE, generator: `PolyGuard ${POLYGUARD_VERSION}`, knowledge_base: kb.hash };
      const parquet = new ParquetFile(join(out, `${name}.parquet`), kind, metadata);
      for await (const line of createInterface({ input: createReadStream(join(out, `${name}.jsonl`)) })) {
        const row = JSON.parse(line) as DataRow;
        audit.check(row);
        counted.add(row);
        await parquet.add(row);
      }
      await parquet.finish();
    }
  }
  return counts;
}
