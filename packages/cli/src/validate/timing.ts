import { field, type Target } from "./target.ts";

const SAMPLES = 20;

/** Round trip of one kind of request over `/ws`, in milliseconds. */
export interface Timing {
  readonly request: "reset" | "step" | "state";
  readonly samples: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

function summarise(request: Timing["request"], times: readonly number[]): Timing {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (quantile: number): number => {
    const index = Math.max(0, Math.ceil(quantile * sorted.length) - 1);
    return Math.round(sorted[index]! * 100) / 100;
  };
  return { request, samples: sorted.length, median: at(0.5), p95: at(0.95), max: at(1) };
}

/** Times resets, steps and states in one session; empty when no session or no action is to be had. @param now milliseconds */
export async function measureTiming(target: Target, now: () => number): Promise<readonly Timing[]> {
  const times = { reset: [] as number[], step: [] as number[], state: [] as number[] };
  try {
    const action = await target.action();
    await target.withSession(async (socket) => {
      const timed = async (request: Timing["request"], message: unknown): Promise<unknown> => {
        const begun = now();
        const reply = await socket.ask(message);
        times[request].push(now() - begun);
        return reply;
      };
      for (let seed = 0; seed < SAMPLES; seed++) {
        await timed("reset", { type: "reset", data: { seed } });
        const reply = await timed("step", { type: "step", data: action });
        if (field(reply, "type") !== "observation") return;
        await timed("state", { type: "state" });
      }
    });
  } catch {
    // Why there is no session or action is already a check's result.
    return [];
  }
  return (["reset", "step", "state"] as const)
    .filter((request) => times[request].length > 0)
    .map((request) => summarise(request, times[request]));
}
