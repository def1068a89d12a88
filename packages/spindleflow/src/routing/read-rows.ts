import { PraxisError } from "@praxis/env";
import type { RoutingRow } from "./table.ts";

/** Rows of JSON lines, one object a line. Throws INVALID_CONFIG naming the line. */
export function readJsonLines(file: string, text: string): readonly RoutingRow[] {
  return text.split("\n").flatMap((line, i): RoutingRow[] => {
    if (line.trim() === "") return [];
    let cells: unknown;
    try {
      cells = JSON.parse(line);
    } catch (cause) {
      throw new PraxisError("INVALID_CONFIG", `${file}, line ${i + 1} is not JSON: ${line.slice(0, 40)}`, { cause });
    }
    if (typeof cells !== "object" || cells === null || Array.isArray(cells))
      throw new PraxisError("INVALID_CONFIG", `${file}, line ${i + 1} is no object: ${line.slice(0, 40)}`);
    return [{ line: i + 1, cells: cells as Record<string, unknown> }];
  });
}

/**
 * Rows of CSV as RFC 4180 has it: a header line, commas, quotes doubled inside quotes, line breaks allowed in quoted cells.
 * Throws INVALID_CONFIG for a row with another number of cells than the header and for a quote that is never closed.
 */
export function readCsv(file: string, text: string): readonly RoutingRow[] {
  const rows: RoutingRow[] = [];
  let header: readonly string[] | null = null;
  let cells: string[] = [];
  let cell = "";
  let line = 1;
  let begun = 1;
  let quotedFrom = 0;
  const endRow = (): void => {
    cells.push(cell);
    cell = "";
    if (cells.length > 1 || cells[0] !== "") {
      if (header === null) header = cells.map((name) => name.trim());
      else if (cells.length !== header.length)
        throw new PraxisError(
          "INVALID_CONFIG",
          `${file}, line ${begun} has ${cells.length} cells, the header ${header.length}. Put cells with commas in quotes.`,
        );
      else rows.push({ line: begun, cells: Object.fromEntries(header.map((name, i) => [name, cells[i]!])) });
    }
    cells = [];
    begun = line;
  };
  for (let i = text.startsWith("\ufeff") ? 1 : 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "\n") line++;
    if (quotedFrom > 0) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') cell += text[++i]!;
      else quotedFrom = 0;
    } else if (char === '"' && cell === "") quotedFrom = line;
    else if (char === ",") {
      cells.push(cell);
      cell = "";
    } else if (char === "\n") endRow();
    else if (char !== "\r") cell += char;
  }
  if (quotedFrom > 0)
    throw new PraxisError("INVALID_CONFIG", `${file}, line ${quotedFrom}: the quote that opens there is never closed.`);
  if (cell !== "" || cells.length > 0) endRow();
  return rows;
}
