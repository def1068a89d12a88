import type { DataKind, DataRow } from "@praxis/polyguard/data";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import { COLUMNS, parquetSchema } from "./parquet-schema.ts";

/** Rows of a group: a few megabytes of text, which viewers load page by page. */
const GROUP_ROWS = 500;

/** A Parquet file of one kind of rows, written group by group. */
export class ParquetFile {
  readonly #kind: DataKind;
  readonly #writer: ParquetWriter;
  readonly #waiting: DataRow[] = [];

  constructor(file: string, kind: DataKind, metadata: Readonly<Record<string, string>>) {
    this.#kind = kind;
    this.#writer = new ParquetWriter({
      writer: fileWriter(file),
      schema: parquetSchema(COLUMNS[kind]),
      createdBy: "praxis",
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    });
  }

  async add(row: DataRow): Promise<void> {
    this.#waiting.push(row);
    if (this.#waiting.length >= GROUP_ROWS) await this.#flush();
  }

  /** Writes what waits and the footer. */
  async finish(): Promise<void> {
    if (this.#waiting.length > 0) await this.#flush();
    await this.#writer.finish();
  }

  async #flush(): Promise<void> {
    const rows = this.#waiting.splice(0);
    await this.#writer.write({
      columnData: Object.keys(COLUMNS[this.#kind]).map((name) => ({
        name,
        data: rows.map((row) => Reflect.get(row, name) as unknown),
      })),
      rowGroupSize: GROUP_ROWS,
    });
  }
}
