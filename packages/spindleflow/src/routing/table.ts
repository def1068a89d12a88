import { didYouMean, PraxisError } from "@praxis/env";

/** Splits of recorded queries. */
export type RoutingSplit = "train" | "test";

/** A model of a table. Plain data. */
export interface RoutingModel {
  readonly id: string;
  /** The text that is embedded: size, family, speciality, price. The id itself where nobody wrote one. */
  readonly text: string;
}

/** One recorded query with what every model made of it. Plain data. */
export interface RoutingQuery {
  readonly text: string;
  /** Task family; shifts are of one. */
  readonly task: string;
  readonly split: RoutingSplit;
  /** Per model of the table, 0 … 1. */
  readonly scores: readonly number[];
  /** Per model, in the table's own unit of money; 0 where none was recorded. */
  readonly costs: readonly number[];
}

/** Recorded outcomes of real models. Plain data. */
export interface RoutingTable {
  readonly models: readonly RoutingModel[];
  readonly queries: readonly RoutingQuery[];
  /** Queries left out, as a model's outcome was missing. */
  readonly incomplete: number;
  /** Index of the model that is cheapest on average over training queries; ties to the lower score, then the first. */
  readonly cheapest: number;
}

/** A cell as a reader of files gives it, with where it stood. */
export interface RoutingRow {
  readonly line: number;
  readonly cells: Readonly<Record<string, unknown>>;
}

const NEEDED = ["query", "model", "score"] as const;
const COLUMNS = [...NEEDED, "cost", "task", "split", "text"] as const;

function refuse(file: string, line: number, column: string, value: unknown, want: string): PraxisError {
  const seen = value === undefined || value === "" ? "nothing" : `'${String(value).slice(0, 40)}'`;
  return new PraxisError("INVALID_CONFIG", `${file}, line ${line}, column '${column}': ${seen} stands there; ${want}.`);
}

function numberAt(file: string, { line, cells }: RoutingRow, column: string, high: number): number {
  const given = cells[column];
  const value = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
  const want = high === 1 ? "a score is a number from 0 to 1" : `a ${column} is a number of at least 0`;
  if (typeof value !== "number" || !(value >= 0 && value <= high)) throw refuse(file, line, column, given, want);
  return value;
}

function textAt(file: string, { line, cells }: RoutingRow, column: string): string {
  const given = cells[column];
  if (typeof given === "string" && given.trim() !== "") return given;
  throw refuse(file, line, column, given, "a text is needed");
}

/** Refuses a table whose first row lacks a column, and names the column that was probably meant. */
function checkColumns(file: string, { line, cells }: RoutingRow): void {
  const given = Object.keys(cells);
  for (const column of NEEDED)
    if (!given.includes(column))
      throw new PraxisError(
        "INVALID_CONFIG",
        `${file}, line ${line}: column '${column}' is missing.${didYouMean(column, given)} Columns: ${COLUMNS.join(", ")}; the last four may be left out.`,
      );
}

/**
 * Makes a table of rows (query, model, score, and if recorded cost, task, split, text of the model). Without a split column,
 * every fifth query of a family is for tests, in the order of the file. Queries that lack a model are left out and counted.
 * Throws INVALID_CONFIG with file, line, column and value for anything that can't be used.
 */
export function makeRoutingTable(file: string, rows: readonly RoutingRow[]): RoutingTable {
  if (rows.length === 0) throw new PraxisError("INVALID_CONFIG", `${file} holds no rows.`);
  checkColumns(file, rows[0]!);
  const models = new Map<string, string>();
  const byQuery = new Map<string, Map<string, { score: number; cost: number; line: number }>>();
  const about = new Map<string, { task: string; split: RoutingSplit | null }>();
  for (const row of rows) {
    const query = textAt(file, row, "query");
    const model = textAt(file, row, "model");
    const text = row.cells.text;
    if (!models.has(model)) models.set(model, typeof text === "string" && text.trim() !== "" ? text : model);
    const { split, cost } = row.cells;
    const hasCost = cost !== undefined && cost !== null && cost !== "";
    const outcome = {
      score: numberAt(file, row, "score", 1),
      cost: hasCost ? numberAt(file, row, "cost", Number.MAX_VALUE) : 0,
      line: row.line,
    };
    if (split !== undefined && split !== null && split !== "" && split !== "train" && split !== "test")
      throw refuse(file, row.line, "split", split, "a split is train or test");
    const outcomes = byQuery.get(query) ?? new Map<string, typeof outcome>();
    const twice = outcomes.get(model);
    if (twice !== undefined)
      throw refuse(file, row.line, "model", model, `its outcome on this query stands in line ${twice.line} already`);
    byQuery.set(query, outcomes.set(model, outcome));
    const task = row.cells.task;
    if (!about.has(query))
      about.set(query, {
        task: typeof task === "string" && task !== "" ? task : "all",
        split: split === "train" || split === "test" ? split : null,
      });
  }
  const ids = [...models.keys()];
  if (ids.length < 2)
    throw new PraxisError("INVALID_CONFIG", `${file} knows only the model '${ids[0]}'; routing needs at least two.`);
  const counts = new Map<string, number>();
  const queries: RoutingQuery[] = [];
  for (const [text, outcomes] of byQuery) {
    if (outcomes.size < ids.length) continue;
    const { task, split } = about.get(text)!;
    const nth = counts.get(task) ?? 0;
    counts.set(task, nth + 1);
    queries.push({
      ...{ text, task },
      split: split ?? (nth % 5 === 4 ? "test" : "train"),
      scores: ids.map((id) => outcomes.get(id)!.score),
      costs: ids.map((id) => outcomes.get(id)!.cost),
    });
  }
  for (const split of ["train", "test"] as const)
    if (!queries.some((query) => query.split === split))
      throw new PraxisError(
        "INVALID_CONFIG",
        `${file} has no complete query of split '${split}'; ${byQuery.size - queries.length} of ${byQuery.size} queries lack a model.`,
      );
  const train = queries.filter(({ split }) => split === "train");
  const mean = (of: (query: RoutingQuery) => number): number =>
    train.reduce((sum, query) => sum + of(query), 0) / train.length;
  const ranked = ids
    .map((_, i) => ({ i, cost: mean(({ costs }) => costs[i]!), score: mean(({ scores }) => scores[i]!) }))
    .sort((a, b) => a.cost - b.cost || a.score - b.score || a.i - b.i);
  return {
    models: ids.map((id) => ({ id, text: models.get(id)! })),
    queries,
    incomplete: byQuery.size - queries.length,
    cheapest: ranked[0]!.i,
  };
}
