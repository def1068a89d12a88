import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { gunzipSync } from "node:zlib";
import { type EnvDefinition, PraxisError } from "@praxis/env";
import { hash384 } from "@praxis/llm";
import {
  defineRouting,
  type EmbeddedTable,
  embedTable,
  makeRoutingTable,
  type RoutingRow,
  type RoutingTable,
  readCsv,
  readJsonLines,
} from "@praxis/spindleflow";

/** Reads recorded outcomes from CSV, JSON lines (also gzipped) or Parquet. Throws INVALID_CONFIG saying what can't be used. */
export async function readRoutingTable(file: string): Promise<RoutingTable> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new PraxisError("INVALID_CONFIG", `'${file}' can't be read: ${(cause as Error).message}`, { cause });
  }
  return makeRoutingTable(file, await rowsOf(file, bytes));
}

async function rowsOf(file: string, bytes: Buffer): Promise<readonly RoutingRow[]> {
  switch (extname(file).toLowerCase()) {
    case ".csv":
      return readCsv(file, bytes.toString("utf8"));
    case ".jsonl":
    case ".ndjson":
      return readJsonLines(file, bytes.toString("utf8"));
    case ".gz":
      return readJsonLines(file, gunzipSync(bytes).toString("utf8"));
    case ".parquet":
      return readParquet(file, bytes);
    default:
      throw new PraxisError("INVALID_CONFIG", `'${file}' must end in .csv, .jsonl, .jsonl.gz or .parquet.`);
  }
}

/** Rows of a Parquet file; `line` is the row's number, from 1. Imported here, as other commands need no reader. */
async function readParquet(file: string, bytes: Buffer): Promise<readonly RoutingRow[]> {
  const { parquetReadObjects } = await import("hyparquet");
  try {
    const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
    return rows.map((cells, i) => ({ line: i + 1, cells: Object.fromEntries(Object.entries(cells).map(toNumber)) }));
  } catch (cause) {
    throw new PraxisError(
      "INVALID_CONFIG",
      `'${file}' is no Parquet file that can be read: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
}

/** Whole numbers of 64 bits come as BigInt. */
const toNumber = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  typeof value === "bigint" ? Number(value) : value,
];

/** A table with the vectors of the embedder that needs no files. */
export function embedRoutingTable(table: RoutingTable): EmbeddedTable {
  return embedTable(table, { id: hash384.id, embed: (text) => hash384.embed(text) });
}

/** SpindleFlow-Routing-v0 on a table's file. Throws as {@link readRoutingTable}. */
export async function loadRoutingEnvironment(file: string): Promise<EnvDefinition> {
  return defineRouting(embedRoutingTable(await readRoutingTable(file))) as unknown as EnvDefinition;
}
