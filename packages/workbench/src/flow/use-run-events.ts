import { useEffect, useState } from "react";
import { useLink } from "../server/link.tsx";
import { describeProblem, type Problem } from "../server/problem.ts";
import type { FlowEvent } from "./run-model.ts";

const ASK_EVERY_MS = 1_000;

/** Events of a run, asked on from where they end while it goes on. */
export function useRunEvents(run: string): { readonly events: readonly FlowEvent[]; readonly problem: Problem | null } {
  const { server } = useLink();
  const [events, setEvents] = useState<readonly FlowEvent[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const all: FlowEvent[] = [];
    const ask = async (): Promise<void> => {
      let waitMs = ASK_EVERY_MS;
      try {
        const reply = (await server.service("/flow/events", { run, from: all.length })) as {
          events: readonly FlowEvent[];
          total: number;
        };
        if (isOver) return;
        if (reply.events.length > 0) {
          all.push(...reply.events);
          setEvents([...all]);
        }
        if (all.length < reply.total) waitMs = 0;
        setProblem(null);
      } catch (error) {
        if (isOver) return;
        setProblem(describeProblem(error));
      }
      timer = setTimeout(() => void ask(), waitMs);
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [server, run]);
  return { events, problem };
}
