import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { didYouMean, PraxisError } from "@praxis/env";
import { type Checkpoint, checkpointName, latestCheckpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { formatEventHeader, formatScalars } from "./tensorboard.ts";

/** What a run is of; written to `config.json`. */
export interface RunConfig {
  readonly env: string;
  readonly algorithm: Checkpoint["algorithm"];
  readonly seed: number;
  /** Resolved, defaults included. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Versions, kernel set, git commit and the like. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** One line of `metrics.jsonl`. */
export type MetricsRow = Readonly<Record<string, number>>;

/** Name of a run's folder. @param startedAt time of the start; seconds matter, zone is UTC */
export function runName({ env, algorithm, seed }: RunConfig, startedAt: Date): string {
  const time = startedAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `${env}__${algorithm}__seed${seed}__${time}`;
}

/**
 * The folder of one run: `config.json`, `metrics.jsonl`, `checkpoints/`, TensorBoard's `events.out.tfevents.*`. A folder is
 * never overwritten; a resumed run goes on in its own.
 */
export class RunFolder {
  readonly path: string;
  readonly config: RunConfig;
  readonly #now: () => number;
  readonly #events: string;

  private constructor(path: string, config: RunConfig, now: () => number) {
    this.path = path;
    this.config = config;
    this.#now = now;
    // TensorBoard reads every event file of a folder; a resumed run begins another.
    this.#events = join(path, `events.out.tfevents.${String(Math.floor(now() / 1000)).padStart(10, "0")}.praxis`);
    appendFileSync(this.#events, formatEventHeader(now() / 1000));
  }

  /** A new folder below `root`. @param now milliseconds since 1970. Throws VALIDATION_ERROR if it exists. */
  static create(root: string, config: RunConfig, now: () => number): RunFolder {
    const path = join(root, runName(config, new Date(now())));
    if (existsSync(path))
      throw new PraxisError("VALIDATION_ERROR", `The run '${path}' exists; runs are never overwritten. Wait a second.`);
    mkdirSync(join(path, "checkpoints"), { recursive: true });
    writeFileSync(join(path, "config.json"), `${JSON.stringify(config, null, 2)}\n`, { flag: "wx" });
    writeFileSync(join(path, "metrics.jsonl"), "", { flag: "wx" });
    return new RunFolder(path, config, now);
  }

  /**
   * The folder of a run that goes on, and its newest checkpoint. Metrics after that checkpoint are cut off: they are of steps
   * that will be made again. Throws VALIDATION_ERROR when there is none.
   */
  static resume(path: string, now: () => number): { readonly run: RunFolder; readonly checkpoint: Checkpoint } {
    const config = readRunConfig(path);
    const newest = latestCheckpoint(join(path, "checkpoints"));
    if (newest === null)
      throw new PraxisError("VALIDATION_ERROR", `The run '${path}' has no checkpoint to resume from. Start it again.`);
    cutMetrics(join(path, "metrics.jsonl"), Number(basename(newest).slice("step-".length)));
    return { run: new RunFolder(path, config, now), checkpoint: readCheckpoint(newest) };
  }

  /**
   * Appends a row to `metrics.jsonl` and to TensorBoard's file, where `row.steps` or `row.iteration` is the step.
   * @param timing numbers of the clock, for TensorBoard only: `metrics.jsonl` of equal runs is equal
   */
  log(row: MetricsRow, timing: MetricsRow = {}): void {
    appendFileSync(join(this.path, "metrics.jsonl"), `${JSON.stringify(row)}\n`);
    const { steps, iteration, ...scalars } = row;
    appendFileSync(this.#events, formatScalars(this.#now() / 1000, steps ?? iteration ?? 0, { ...scalars, ...timing }));
  }

  /** Writes a checkpoint of that step; one that is there already is kept. */
  saveCheckpoint(steps: number, checkpoint: Checkpoint): void {
    const folder = join(this.path, "checkpoints", checkpointName(steps));
    if (!existsSync(folder)) writeCheckpoint(folder, checkpoint);
  }
}

/** Drops rows past `steps`, and a last line that was cut in the middle. */
function cutMetrics(path: string, steps: number): void {
  let keep = 0;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const row = parseRow(line);
    if (row === null || (row.steps ?? row.iteration ?? 0) > steps) break;
    keep += Buffer.byteLength(line) + 1;
  }
  truncateSync(path, keep);
}

function parseRow(line: string): MetricsRow | null {
  try {
    return JSON.parse(line) as MetricsRow;
  } catch {
    return null;
  }
}

/** `config.json` of a run. Throws VALIDATION_ERROR naming the folder if it is no run. */
export function readRunConfig(path: string): RunConfig {
  try {
    return JSON.parse(readFileSync(join(path, "config.json"), "utf8")) as RunConfig;
  } catch (cause) {
    throw new PraxisError("VALIDATION_ERROR", `'${path}' is not the folder of a run: it has no readable config.json.`, {
      cause,
    });
  }
}

/** Rows of a run in order; a last line that was cut in the middle is passed over. */
export function readMetrics(path: string): MetricsRow[] {
  const rows: MetricsRow[] = [];
  for (const line of readFileSync(join(path, "metrics.jsonl"), "utf8").split("\n")) {
    const row = parseRow(line);
    if (row !== null) rows.push(row);
  }
  return rows;
}

/** Names of the runs below `root`, sorted; none when the folder is missing. */
export function listRuns(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => existsSync(join(root, name, "config.json")))
    .sort();
}

/** Path of a run given as a path or as a name below `root`. Throws UNKNOWN_NAME with the nearest name. */
export function findRun(root: string, name: string): string {
  for (const path of [name, join(root, name)]) if (existsSync(join(path, "config.json"))) return path;
  const names = listRuns(root);
  throw new PraxisError(
    "UNKNOWN_NAME",
    `There is no run '${name}'.${didYouMean(name, names)} '${root}' has ${names.length}.`,
  );
}
