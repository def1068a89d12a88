import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { FlowEvent } from "../engine/events.ts";
import type { LogEntry, LogSink } from "../engine/journal.ts";
import { FlowError } from "../errors.ts";
import { dropLock, lockOwner, takeLock } from "./pid-lock.ts";

/** A file of JSON lines that is only ever added to. Each line is handed to the system before the call returns. */
class LineFile {
  readonly #handle: number;

  constructor(path: string) {
    this.#handle = openSync(path, "a");
  }

  append(value: unknown): void {
    // One write a line: a process that is killed leaves whole lines and at most one that is torn.
    writeSync(this.#handle, `${JSON.stringify(value)}\n`);
  }

  close(): void {
    fsyncSync(this.#handle);
    closeSync(this.#handle);
  }
}

/** Lines of a file as values, up to one that a kill has torn; `repair` cuts that off, which only the file's writer may do. */
function readLines<T>(path: string, repair: boolean): T[] {
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  const values: T[] = [];
  let good = 0;
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    if (end === -1) break;
    const line = bytes.subarray(start, end).toString("utf8");
    try {
      values.push(JSON.parse(line) as T);
    } catch {
      break;
    }
    good = end + 1;
    start = end + 1;
  }
  if (repair && good < bytes.length) truncateSync(path, good);
  return values;
}

/** The folder of one run: its log, which is the checkpoint, and its events. */
export interface RunFolder {
  readonly path: string;
  /** Entries of earlier parts of the run. */
  readonly entries: readonly LogEntry[];
  /** Number of events of earlier parts. */
  readonly firstSeq: number;
  /** Time of the last event, for a clock that goes on. */
  readonly lastTime: number;
  readonly sink: LogSink;
  onEvent(event: FlowEvent): void;
  close(): void;
}

const LOG = "checkpoint.ndjson";
const EVENTS = "events.ndjson";

/** Opens a run's folder, made when absent, for this process alone. @throws FlowError E412 while another process runs it */
export function openRunFolder(path: string): RunFolder {
  mkdirSync(path, { recursive: true });
  const lock = join(path, "run.lock");
  if (!takeLock(lock))
    throw new FlowError(
      "E412",
      "invalid_request",
      `The run in '${path}' is being run by the process ${lockOwner(lock)}.`,
    );
  const entries = readLines<LogEntry>(join(path, LOG), true);
  const events = readLines<FlowEvent>(join(path, EVENTS), true);
  const log = new LineFile(join(path, LOG));
  const eventFile = new LineFile(join(path, EVENTS));
  return {
    path,
    entries,
    firstSeq: events.length,
    lastTime: events.at(-1)?.time ?? 0,
    sink: log,
    onEvent: (event) => eventFile.append(event),
    close: () => {
      log.close();
      eventFile.close();
      dropLock(lock);
    },
  };
}

/** Entries of a run's log, without opening it for writing. */
export function readRunLog(path: string): readonly LogEntry[] {
  return readLines<LogEntry>(join(path, LOG), false);
}

/** Events of a run. */
export function readRunEvents(path: string): readonly FlowEvent[] {
  return readLines<FlowEvent>(join(path, EVENTS), false);
}

/** Whether a folder holds a run. */
export function isRunFolder(path: string): boolean {
  return existsSync(join(path, LOG));
}
