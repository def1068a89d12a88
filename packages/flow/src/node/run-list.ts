import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FlowEvent } from "../engine/events.ts";
import { isRunFolder, readRunEvents } from "./run-folder.ts";

const RUN_ID = /^[\w.-]{1,200}$/;

/** Folder of a run; undefined for a name that is none, `..` among them. */
export function runFolder(runs: string, id: string): string | undefined {
  if (!RUN_ID.test(id) || id.startsWith(".")) return undefined;
  const folder = join(runs, id);
  return isRunFolder(folder) ? folder : undefined;
}

/** A run as lists show it. */
export interface RunInfo {
  readonly id: string;
  readonly flow: string;
  readonly status: string;
  readonly runId: string | null;
  readonly events: number;
}

/** What is known of each run, and the size of its events when that was found: only runs that grew are read again. */
export type RunCache = Map<string, { readonly size: number; readonly info: RunInfo }>;

/** Runs of a folder, the newest first; without the folder none. */
export function listRuns(runs: string, cache: RunCache): readonly RunInfo[] {
  if (!existsSync(runs)) return [];
  const ids = readdirSync(runs).filter((id) => runFolder(runs, id) !== undefined);
  return ids
    .map((id) => {
      const path = join(runs, id, "events.ndjson");
      const size = existsSync(path) ? statSync(path).size : 0;
      const known = cache.get(id);
      if (known?.size === size) return known.info;
      const events = readRunEvents(join(runs, id));
      const ends = events.filter((event) => event.type.startsWith("run."));
      const last = ends.at(-1);
      const status =
        last === undefined || last.type === "run.started" || last.type === "run.resumed"
          ? "running"
          : String(last.data.status);
      const info: RunInfo = {
        id,
        flow: String(events[0]?.data.flow ?? id),
        status,
        runId: events[0]?.runId ?? null,
        events: events.length,
      };
      cache.set(id, { size, info });
      return info;
    })
    .reverse();
}

/** Events of one run of a folder; undefined where there is none of that name. */
export function readRun(runs: string, id: string): readonly FlowEvent[] | undefined {
  const folder = runFolder(runs, id);
  return folder === undefined ? undefined : readRunEvents(folder);
}
