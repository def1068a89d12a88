import { type EnvService, PraxisError } from "@praxis/env";
import { listRuns, type RunCache, readRun } from "@praxis/flow/node";
import { z } from "zod";

const askSchema = z.strictObject({ run: z.string(), from: z.int().min(0).default(0) });

/** Events told at once; a reader asks again from where they end. */
const PAGE = 5_000;

/**
 * Services of the whole server over runs of agent teams in a folder, `runs` unless told otherwise: `GET /flow/runs` lists
 * them, `POST /flow/events` gives a run's events from a number on. They read files only, so runs of any process are seen.
 */
export function flowServices(runs: string): readonly EnvService[] {
  const cache: RunCache = new Map();
  return [
    {
      method: "GET",
      path: "/flow/runs",
      description: "Runs of agent teams, newest first.",
      call: () => ({ runs: listRuns(runs, cache) }),
    },
    {
      method: "POST",
      path: "/flow/events",
      description: "Events of a run from a number on.",
      call(body) {
        let value: unknown;
        try {
          value = JSON.parse(body);
        } catch (cause) {
          throw new PraxisError("INVALID_JSON", "The body is not JSON.", { cause });
        }
        const parsed = askSchema.safeParse(value);
        if (!parsed.success)
          throw new PraxisError(
            "VALIDATION_ERROR",
            `A run and a number are needed: ${parsed.error.issues[0]!.message}.`,
          );
        const { run, from } = parsed.data;
        const events = readRun(runs, run);
        if (events === undefined)
          throw new PraxisError("UNKNOWN_NAME", `There is no run '${run}' here. GET /flow/runs lists those there are.`);
        return { events: events.slice(from, from + PAGE), total: events.length };
      },
    },
  ];
}
