import { type CheckGroup, expect, show } from "./check.ts";
import type { SocketProbe } from "./socket-probe.ts";
import { field, type Target } from "./target.ts";

/** How long a server may take to notice that a client has gone. */
const SLOT_FREED_MS = 5000;
const RETRY_MS = 50;

interface Opened {
  readonly socket: SocketProbe;
  readonly reply: unknown;
}

async function openMany(target: Target, count: number): Promise<Opened[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, seed) => {
      const socket = await target.openSession();
      return { socket, reply: await socket.ask({ type: "reset", data: { seed } }) };
    }),
  );
}

const isRefused = ({ reply }: Opened): boolean => field(reply, "data", "code") === "CAPACITY_REACHED";

async function eventuallyTakesSessions(target: Target, count: number): Promise<void> {
  for (let waited = 0; ; waited += RETRY_MS) {
    const opened = await openMany(target, count);
    await Promise.all(opened.map(({ socket }) => socket.finish()));
    if (!opened.some(isRefused)) return;
    expect(waited < SLOT_FREED_MS, `slots were still taken ${SLOT_FREED_MS} ms after their clients had gone`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Rules about many sessions at once. */
export const capacityChecks: CheckGroup<Target> = {
  name: "Capacity",
  checks: [
    {
      id: "capacity",
      title: "Sessions opened at once are all served, or refused with CAPACITY_REACHED and close 1000",
      required: true,
      async run(target) {
        const { sessions } = target.options;
        const opened = await openMany(target, sessions);
        try {
          const refused = opened.filter(isRefused);
          for (const { socket, reply } of opened) {
            if (field(reply, "type") === "observation") continue;
            expect(field(reply, "data", "code") === "CAPACITY_REACHED", `a session was answered ${show(reply)}`);
            const { code } = await socket.closed();
            expect(code === 1000, `a refused socket was closed with ${code}`);
          }
          expect(refused.length < sessions, "no session was served");
          return `${sessions - refused.length} of ${sessions} served`;
        } finally {
          await Promise.all(opened.map(({ socket }) => socket.finish()));
        }
      },
    },
    {
      id: "slots_freed",
      title: "Slots of clients that say close, and of clients that vanish, are free again",
      required: true,
      async run(target) {
        const opened = await openMany(target, target.options.sessions);
        const served = opened.filter((each) => !isRefused(each));
        served.forEach(({ socket }, index) => {
          if (index % 2 === 0) socket.cut();
        });
        await Promise.all(served.filter((_, index) => index % 2 === 1).map(({ socket }) => socket.finish()));
        await eventuallyTakesSessions(target, served.length);
      },
    },
  ],
};
