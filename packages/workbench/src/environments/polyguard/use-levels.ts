import type { RemoteServer } from "@praxis/env/remote";
import { useEffect, useState } from "react";
import type { Beginning, Branch } from "../../play/branch.ts";

/** Expected level of one day, with a 90 % interval. */
export interface LevelDay {
  readonly day: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** What the dosing model expects after `step` steps; null until the server has said, or where it can't. */
export function useLevels(
  isWanted: boolean,
  server: RemoteServer,
  beginning: Beginning,
  branch: Branch,
  step: number,
): readonly LevelDay[] | null {
  const result = branch.resultAt(step);
  const [known, setKnown] = useState<{ readonly of: unknown; readonly days: readonly LevelDay[] | null }>({
    of: null,
    days: null,
  });
  // A policy at full speed is not slowed down by questions that nobody reads.
  const isAsked = isWanted && branch.running === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `result` stands for all that led to it
  useEffect(() => {
    if (!isAsked) return;
    let isOver = false;
    const { seed, episodeId, options } = beginning;
    const actions = branch.turns.slice(0, step).map((turn) => turn.action);
    server
      .service("/levels", { seed, ...(episodeId === null ? {} : { episode_id: episodeId }), options, actions })
      .then((reply) => {
        const { days } = reply as { days?: readonly LevelDay[] | null };
        if (!isOver) setKnown({ of: result, days: days ?? null });
      })
      .catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [result, isAsked, server]);
  return known.of === result ? known.days : null;
}
