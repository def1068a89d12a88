import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Lines of a JSON-lines file that may have been cut off by a kill: a last line without its end is taken off the file. An absent
 * file has no lines. Throws SyntaxError for a line that is not JSON.
 */
export function readJsonLines<Line>(path: string): Line[] {
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) truncateSync(path, end);
  return bytes
    .subarray(0, end)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

/** Adds lines to a file in one write; its folder is made if need be. */
export function appendJsonLines(path: string, lines: readonly unknown[]): void {
  if (lines.length === 0) return;
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
