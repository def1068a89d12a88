import { canonicalJson } from "@praxis/env";
import { type CheckGroup, CheckSkip, expect, show } from "./check.ts";
import type { SocketProbe } from "./socket-probe.ts";
import { field, type Target } from "./target.ts";

/** Steps of each compared episode. */
const STEPS = 4;
const SEED = 7;

/** The data of a reply as text that is equal for equal data, whatever the order of keys. */
const comparable = (reply: unknown): string => canonicalJson(field(reply, "data") ?? null);

async function openPair(target: Target): Promise<[SocketProbe, SocketProbe]> {
  const first = await target.openSession();
  const second = await target.openSession();
  const replies = [await first.ask({ type: "state" }), await second.ask({ type: "state" })];
  if (replies.some((reply) => field(reply, "data", "code") === "CAPACITY_REACHED")) {
    await Promise.all([first.finish(), second.finish()]);
    throw new CheckSkip("the server takes only one session");
  }
  return [first, second];
}

async function play(socket: SocketProbe, action: unknown, seed: number): Promise<string[]> {
  const seen = [comparable(await socket.ask({ type: "reset", data: { seed, episode_id: "validate" } }))];
  for (let step = 0; step < STEPS; step++) seen.push(comparable(await socket.ask({ type: "step", data: action })));
  return seen;
}

/** Rules about seeds and about sessions not touching each other. */
export const determinismChecks: CheckGroup<Target> = {
  name: "Determinism",
  checks: [
    {
      id: "seed_repeats",
      title: "Two sessions with one seed, stepped in turns, give the trajectory of one alone",
      required: false,
      async run(target) {
        const action = await target.action();
        const alone = await target.withSession((socket) => play(socket, action, SEED));
        const [first, second] = await openPair(target);
        try {
          const reset = { type: "reset", data: { seed: SEED, episode_id: "validate" } };
          const seen: [string[], string[]] = [
            [comparable(await first.ask(reset))],
            [comparable(await second.ask(reset))],
          ];
          for (let step = 0; step < STEPS; step++) {
            seen[0].push(comparable(await first.ask({ type: "step", data: action })));
            seen[1].push(comparable(await second.ask({ type: "step", data: action })));
          }
          for (const [session, replies] of seen.entries()) {
            const at = replies.findIndex((reply, index) => reply !== alone[index]);
            expect(
              at === -1,
              `session ${session + 1} differs at ${at === 0 ? "its reset" : `step ${at}`}: ${show(replies[at])}`,
            );
          }
          return `${STEPS} steps, byte for byte`;
        } finally {
          await Promise.all([first.finish(), second.finish()]);
        }
      },
    },
    {
      id: "sessions_isolated",
      title: "A step in one session leaves another's state alone",
      required: true,
      async run(target) {
        const action = await target.action();
        const [first, second] = await openPair(target);
        try {
          await first.ask({ type: "reset", data: { seed: SEED } });
          await second.ask({ type: "reset", data: { seed: SEED } });
          const before = show(await second.ask({ type: "state" }));
          await first.ask({ type: "step", data: action });
          const after = show(await second.ask({ type: "state" }));
          expect(after === before, `the other session's state went from ${before} to ${after}`);
        } finally {
          await Promise.all([first.finish(), second.finish()]);
        }
      },
    },
  ],
};
