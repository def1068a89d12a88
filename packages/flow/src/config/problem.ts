import { CODES, type Code } from "../codes.ts";

/** A place in a file; lines and columns count from 1, columns in UTF-16 units. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A stretch of a file on one line or more; `endColumn` is the first column after it. */
export interface Range extends Position {
  readonly endLine: number;
  readonly endColumn: number;
}

/** One thing wrong (or doubtful) in a flow file. */
export interface Problem extends Range {
  readonly code: Code;
  readonly name: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** The nearest known name. */
  readonly suggestion?: string;
  readonly known?: readonly string[];
  /** Further places that belong to it. */
  readonly related?: readonly (Position & { readonly message: string })[];
}

/** What a problem says beside its place. */
export interface ProblemDetails {
  readonly suggestion?: string | undefined;
  readonly known?: readonly string[] | undefined;
  readonly related?: readonly (Position & { readonly message: string })[] | undefined;
}

/** A problem of that code at that place; codes that begin with W are warnings. */
export function makeProblem(code: Code, range: Range, message: string, details: ProblemDetails = {}): Problem {
  return {
    code,
    name: CODES[code].name,
    severity: code.startsWith("W") ? "warning" : "error",
    file: range.file,
    line: range.line,
    column: range.column,
    endLine: range.endLine,
    endColumn: range.endColumn,
    message,
    ...(details.suggestion === undefined ? {} : { suggestion: details.suggestion }),
    ...(details.known === undefined ? {} : { known: details.known }),
    ...(details.related === undefined ? {} : { related: details.related }),
  };
}

/** Problems by file (the first file first), then position, then code; exact repeats are dropped. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const order = new Map<string, number>();
  for (const problem of problems) if (!order.has(problem.file)) order.set(problem.file, order.size);
  const sorted = [...problems].sort(
    (a, b) =>
      order.get(a.file)! - order.get(b.file)! ||
      a.line - b.line ||
      a.column - b.column ||
      (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  );
  const seen = new Set<string>();
  return sorted.filter((problem) => {
    const key = JSON.stringify([problem.file, problem.line, problem.column, problem.code, problem.message]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const MAX_SHOWN = 50;

/**
 * Problems as text: `file:line:column code name: message`, an excerpt with the place underlined, the nearest name. At
 * most 50 are written out, then a count.
 *
 * @param texts content of each file, for the excerpts
 */
export function formatProblems(problems: readonly Problem[], texts: ReadonlyMap<string, string>): string {
  const parts = problems.slice(0, MAX_SHOWN).map((problem) => formatProblem(problem, texts.get(problem.file)));
  if (problems.length > MAX_SHOWN) parts.push(`… and ${problems.length - MAX_SHOWN} more problems.`);
  return parts.join("\n");
}

function formatProblem(problem: Problem, text: string | undefined): string {
  const lines = [
    `${problem.file}:${problem.line}:${problem.column} ${problem.code} ${problem.name}: ${problem.message}`,
  ];
  if (text !== undefined && text !== "") lines.push(...excerpt(problem, text));
  for (const place of problem.related ?? [])
    lines.push(`  ${place.file}:${place.line}:${place.column} ${place.message}`);
  const hints: string[] = [];
  if (problem.suggestion !== undefined) hints.push(`did you mean "${problem.suggestion}"?`);
  if (problem.known !== undefined && problem.known.length > 0) hints.push(`known: ${shortList(problem.known)}`);
  if (hints.length > 0) lines.push(`  ${hints.join("  ")}`);
  return lines.join("\n");
}

function shortList(names: readonly string[]): string {
  return names.length <= 20 ? names.join(", ") : `${names.slice(0, 20).join(", ")}, … (${names.length} in all)`;
}

/** The line, the one before it, and the underline; tabs count as one column so that the marks stay below their text. */
function excerpt(problem: Problem, text: string): string[] {
  const all = text.split(/\r\n|\n|\r/);
  const line = all[problem.line - 1];
  if (line === undefined) return [];
  const width = Math.max(4, String(problem.line).length);
  const show = (number: number, mark: string): string =>
    `${mark}${String(number).padStart(width)} | ${all[number - 1]!.replaceAll("\t", " ").slice(0, 200)}`;
  const shown: string[] = [];
  if (problem.line > 1 && all[problem.line - 2]!.trim() !== "") shown.push(show(problem.line - 1, " "));
  shown.push(show(problem.line, ">"));
  const end = problem.endLine === problem.line ? problem.endColumn : line.length + 1;
  const length = Math.max(1, Math.min(end, 200) - problem.column);
  shown.push(` ${" ".repeat(width)} | ${" ".repeat(problem.column - 1)}${"^".repeat(length)}`);
  return shown;
}
