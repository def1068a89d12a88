import { readFileSync, writeFileSync } from "node:fs";
import { PraxisError } from "@praxis/env";

/** One measured number that the project claims. */
export interface Figure {
  /** Stable id, `server.ws64`. */
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  /** The bar, `>= 10`, or null for a number that is only reported. */
  readonly goal: string | null;
  /** Whether the value reaches the goal; null without a goal. */
  readonly met: boolean | null;
  /** What it was compared with in the same run, and that peer's own number. */
  readonly peer: string | null;
  /** Units behind the interval (rounds, scenarios, clients …). */
  readonly n: number;
  /** 95 % interval of the value, or null where the value is an exact count. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly command: string;
  /** Commit measured; `+` after it when the tree had changes. */
  readonly commit: string;
  /** ISO 8601 date of the run. */
  readonly when: string;
  readonly note: string;
}

/** What a benchmark reports; the runner adds command, commit, date and `met`. */
export type Measurement = Omit<Figure, "command" | "commit" | "when" | "met">;

const GOAL = /^(>=|<=|<|>|=)\s*(-?[\d.]+)$/;

/** Judges a value by a goal such as `>= 10`. Throws INVALID_CONFIG for a goal of another form. */
export function judge(value: number, goal: string | null): boolean | null {
  if (goal === null) return null;
  const match = GOAL.exec(goal);
  if (match === null) throw new PraxisError("INVALID_CONFIG", `Goal '${goal}' must look like '>= 10'.`);
  const bar = Number(match[2]);
  switch (match[1]) {
    case ">=":
      return value >= bar;
    case "<=":
      return value <= bar;
    case ">":
      return value > bar;
    case "<":
      return value < bar;
    default:
      return value === bar;
  }
}

/** Reads the recorded rows; a missing file has none. */
export function readFigures(path: string): Figure[] {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Figure[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new PraxisError("INVALID_CONFIG", `${path} is not readable as figures: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Puts new rows in place of rows of the same id and keeps the file ordered by id. */
export function mergeFigures(recorded: readonly Figure[], measured: readonly Figure[]): Figure[] {
  const rows = new Map(recorded.map((row) => [row.id, row]));
  for (const row of measured) rows.set(row.id, row);
  return [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Writes the rows, one a line, so that a change of one figure is a change of one line. */
export function writeFigures(path: string, figures: readonly Figure[]): void {
  writeFileSync(path, `[\n${figures.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
}

const digits = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 1e6
    ? String(value)
    : Math.abs(value) >= 1000
      ? Math.round(value).toLocaleString("en-US")
      : String(Number(value.toPrecision(3)));

/** A number with its interval as people read it. */
export function formatValue(row: Pick<Figure, "value" | "unit" | "interval">): string {
  const interval = row.interval === null ? "" : ` [${digits(row.interval[0])}, ${digits(row.interval[1])}]`;
  return `${digits(row.value)} ${row.unit}${interval}`;
}

/** Markdown table of figures: what stands in README and docs between the figure marks. */
function formatTable(figures: readonly Figure[]): string {
  const cells = figures.map((row) => [
    `\`${row.id}\``,
    formatValue(row),
    row.peer ?? "",
    String(row.n),
    row.goal ?? "reported",
    row.met === null ? "" : row.met ? "yes" : "**no**",
    row.note,
  ]);
  const header = ["figure", "value [95 % interval]", "peer of the same run", "n", "goal", "met", "note"];
  return [header, header.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/**
 * Markdown grid of figures `PREFIX.<row>.<column>`, values with their intervals; a row tells the least and the most n of its
 * figures. Rows and columns in the order of `figures`, columns by their means, so that the grid reads from worst to best.
 */
function formatGrid(prefix: string, figures: readonly Figure[]): string {
  const placed = figures.flatMap((figure) => {
    const [row, column] = figure.id.slice(prefix.length + 1).split(".");
    return row === undefined || column === undefined ? [] : [{ row, column, figure }];
  });
  const rows = [...new Set(placed.map(({ row }) => row))];
  const meanOf = (column: string): number => {
    const own = placed.filter((each) => each.column === column);
    return own.reduce((sum, { figure }) => sum + figure.value, 0) / own.length;
  };
  const columns = [...new Set(placed.map(({ column }) => column))].sort((a, b) => meanOf(a) - meanOf(b));
  const body = rows.map((row) => {
    const own = placed.filter((each) => each.row === row);
    const counts = own.map(({ figure }) => figure.n);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    const cells = columns.map((column) => {
      const found = own.find((each) => each.column === column);
      return found === undefined ? "-" : formatValue({ ...found.figure, unit: "" }).replace("  ", " ");
    });
    return [row.toUpperCase(), least === most ? String(most) : `${least}-${most}`, ...cells];
  });
  const header = [placed[0]!.figure.unit, "n", ...columns];
  const table = [header, header.map(() => "---"), ...body].map((row) => `| ${row.join(" | ")} |`).join("\n");
  const commands = [...new Set(figures.map(({ command }) => `\`${command}\``))].join(", ");
  return `${table}\n\nMeans with their 95 % intervals over scenarios. Made by ${commands}.`;
}

const MARK = /(<!-- (figures|grid): ([^>]*?) -->\n)([\s\S]*?)(<!-- \/\2 -->)/g;

/**
 * Fills every block `<!-- figures: PREFIX … --> … <!-- /figures -->` of a document with the rows whose ids begin with one of the
 * prefixes, and every block `<!-- grid: PREFIX --> … <!-- /grid -->` with a grid of them.
 */
export function fillFigures(markdown: string, figures: readonly Figure[]): string {
  return markdown.replace(MARK, (_, open: string, form: string, prefixes: string, __, close: string) => {
    const wanted = prefixes.trim().split(/\s+/);
    const rows = figures.filter((row) => wanted.some((prefix) => row.id === prefix || row.id.startsWith(`${prefix}.`)));
    const table =
      rows.length === 0 ? "Nothing recorded yet." : form === "grid" ? formatGrid(wanted[0]!, rows) : formatTable(rows);
    return `${open}\n${table}\n\n${close}`;
  });
}
