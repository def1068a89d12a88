import { existsSync, readFileSync } from "node:fs";
import { hashText } from "@praxis/env";
import type { FoundValue } from "./jobs.ts";
import { appendJsonLines } from "./results-file.ts";

/** Lines of a cache that can be used, and the number of those that can't. */
export interface ReadValues {
  readonly known: readonly FoundValue[];
  readonly damaged: number;
}

/**
 * Values of a cache file: JSON lines `[key, value, check]`, the check a hash of the other two. A line that does not check is
 * passed over, be it cut off or changed: a wrong number would make another scenario. An absent file holds nothing. The file
 * is never rewritten, as another process may be adding to it.
 */
export function readValues(path: string): ReadValues {
  const known: FoundValue[] = [];
  let damaged = 0;
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  for (const line of lines) {
    if (line === "") continue;
    const value = readLine(line);
    if (value === null) damaged++;
    else known.push(value);
  }
  return { known, damaged };
}

/** Adds values to a cache file in one write; its folder is made if need be. */
export function appendValues(path: string, values: readonly FoundValue[]): void {
  appendJsonLines(
    path,
    values.map(([key, value]) => [key, value, checkOf(key, value)]),
  );
}

function readLine(line: string): FoundValue | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return null;
  }
  if (!Array.isArray(parsed) || parsed.length !== 3) return null;
  const [key, value, check] = parsed as [string, FoundValue[1], unknown];
  return check === checkOf(key, value) ? [key, value] : null;
}

function checkOf(key: string, value: FoundValue[1]): string {
  return hashText(JSON.stringify([key, value]));
}
