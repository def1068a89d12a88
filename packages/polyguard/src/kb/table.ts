import { PraxisError } from "@praxis/env";

/** One line of a table with typed access to its cells; every refusal names file, row, column, value and what is allowed. */
export class TableRow {
  readonly #file: string;
  /** Line number in the file, header = 1. */
  readonly line: number;
  readonly #cells: ReadonlyMap<string, string>;

  constructor(file: string, line: number, cells: ReadonlyMap<string, string>) {
    this.#file = file;
    this.line = line;
    this.#cells = cells;
  }

  /** Throws INVALID_CONFIG for this row. `allowed` completes "allowed: ...". */
  refuse(column: string, allowed: string): never {
    const value = this.#cells.get(column) ?? "";
    throw new PraxisError(
      "INVALID_CONFIG",
      `${this.#file} row ${this.line}, column ${column}: ${JSON.stringify(value)} is not allowed; allowed: ${allowed}.`,
      { details: { file: this.#file, row: this.line, column, value } },
    );
  }

  /** The cell as it stands, possibly empty. */
  text(column: string): string {
    return this.#cells.get(column) ?? "";
  }

  /** A cell that must not be blank and matches `pattern`. */
  required(column: string, pattern: RegExp, allowed: string): string {
    const value = this.text(column);
    if (!pattern.test(value)) this.refuse(column, allowed);
    return value;
  }

  /** Blank = null, else the cell must match `pattern`. */
  optional(column: string, pattern: RegExp, allowed: string): string | null {
    return this.text(column) === "" ? null : this.required(column, pattern, `${allowed}, or blank`);
  }

  /** A plain decimal number in [min, max]. */
  number(column: string, min: number, max: number): number {
    const value = Number(this.required(column, DECIMAL, `a number from ${min} to ${max}`));
    if (value < min || value > max) this.refuse(column, `a number from ${min} to ${max}`);
    return value;
  }

  /** Blank = null, else a number in [min, max]. */
  optionalNumber(column: string, min: number, max: number): number | null {
    if (this.text(column) === "") return null;
    if (!DECIMAL.test(this.text(column))) this.refuse(column, `a number from ${min} to ${max}, or blank`);
    return this.number(column, min, max);
  }

  /** An integer in [min, max]. */
  integer(column: string, min: number, max: number): number {
    const value = Number(this.required(column, /^\d+$/, `an integer from ${min} to ${max}`));
    if (value < min || value > max) this.refuse(column, `an integer from ${min} to ${max}`);
    return value;
  }

  /** One of a closed list. */
  oneOf<T extends string>(column: string, allowed: readonly T[]): T {
    const value = this.text(column);
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) this.refuse(column, allowed.join(", "));
    return found;
  }

  /** Entries between `separator`; a blank cell is an empty list, a blank entry or a repeated one is refused. */
  list(column: string, separator: string, pattern: RegExp, allowed: string): string[] {
    const cell = this.text(column);
    if (cell === "") return [];
    const entries = cell.split(separator);
    for (const entry of entries) {
      if (!pattern.test(entry)) this.refuse(column, `entries separated by "${separator}", each ${allowed}`);
    }
    if (new Set(entries).size !== entries.length) this.refuse(column, "a list without repeated entries");
    return entries;
  }
}

const DECIMAL = /^\d+(\.\d+)?$/;

/**
 * Splits a tab separated table into rows. No quoting; a final newline is fine, blank lines are not.
 * Throws INVALID_CONFIG when the header differs from `columns` or a row has another number of cells.
 */
export function parseTable(file: string, text: string, columns: readonly string[]): TableRow[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const header = (lines[0] ?? "").split("\t");
  if (header.length !== columns.length || columns.some((column, i) => column !== header[i])) {
    throw new PraxisError(
      "INVALID_CONFIG",
      `${file} row 1: the header is ${JSON.stringify(header.join(","))}; allowed: ${columns.join(",")}.`,
      { details: { file, row: 1 } },
    );
  }
  const rows: TableRow[] = [];
  for (let i = 1; i < lines.length; i++) {
    const cells = lines[i]!.split("\t");
    if (cells.length !== columns.length || lines[i]!.includes("\r")) {
      throw new PraxisError(
        "INVALID_CONFIG",
        `${file} row ${i + 1}: ${cells.length} tab separated cells in ${JSON.stringify(lines[i]!.slice(0, 60))}; allowed: ${columns.length} cells and no carriage return.`,
        { details: { file, row: i + 1 } },
      );
    }
    rows.push(new TableRow(file, i + 1, new Map(columns.map((column, c) => [column, cells[c]!]))));
  }
  return rows;
}
