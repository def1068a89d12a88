import type { RemoteResult, RemoteServer } from "@praxis/env/remote";
import { useEffect, useState } from "react";
import type { Beginning, Branch } from "../../play/branch.ts";

/** What a text says of one specialist. */
interface SeatReading {
  readonly slot: number;
  readonly similarity: number;
  readonly claims: readonly string[];
  readonly cues: Readonly<Record<string, number>>;
  readonly flags: readonly string[];
}

/** Where the task in hand stands, as the server tells it: public facts only. */
export interface Situation {
  readonly readClass: string;
  readonly usualSpecialists: number;
  readonly clarified: boolean;
  readonly taskFlags: readonly string[];
  readonly tier: number;
  readonly slaMs: number;
  readonly elapsedMs: number;
  readonly costUnits: number;
  readonly openConflicts: number;
  readonly openFailures: number;
  readonly depth: number;
  readonly maxDepth: number;
  readonly stepsLeft: number;
  readonly seats: readonly (SeatReading | null)[];
}

/** What had been hidden of an ended shift. */
interface ShiftTruth {
  readonly tasks: readonly {
    readonly text: string;
    readonly class: string;
    readonly shape: string;
    readonly skills: readonly { readonly name: string; readonly weight: number }[];
    readonly expected: number;
  }[];
  readonly seats: readonly ({
    readonly slot: number;
    readonly competence: Readonly<Record<string, number>>;
    readonly failure: number;
    readonly latencyMs: number;
  } | null)[];
}

type Asked = WeakMap<RemoteResult, Promise<unknown>>;
/** Answers by what was seen: looking back asks nothing again. */
const asked: Readonly<Record<"situation" | "truth", Asked>> = { situation: new WeakMap(), truth: new WeakMap() };

/** Where an answer is asked about. */
interface Place {
  readonly server: RemoteServer;
  readonly beginning: Beginning;
  readonly branch: Branch;
  readonly step: number;
}

function ask(what: "situation" | "truth", { server, beginning, branch, step }: Place): Promise<unknown> {
  const result = branch.resultAt(step)!;
  let answer = asked[what].get(result);
  if (answer === undefined) {
    const { seed, episodeId, options } = beginning;
    const actions = branch.turns.slice(0, step).map((turn) => turn.action);
    const body = { seed, ...(episodeId === null ? {} : { episode_id: episodeId }), options, actions };
    answer = server.service(`/${what}`, body).then(
      (reply) => (reply as Readonly<Record<string, unknown>>)[what] ?? null,
      () => {
        asked[what].delete(result);
        return null;
      },
    );
    asked[what].set(result, answer);
  }
  return answer;
}

function useAnswer<T>(what: "situation" | "truth", isWanted: boolean, place: Place): T | null {
  const result = place.branch.resultAt(place.step);
  const [known, setKnown] = useState<{ readonly of: unknown; readonly answer: T | null }>({ of: null, answer: null });
  // A policy at full speed is not slowed down by questions that nobody reads.
  const isAsked = isWanted && result !== null && place.branch.running === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `result` stands for all that led to it
  useEffect(() => {
    if (!isAsked) return;
    let isOver = false;
    void ask(what, place).then((answer) => {
      if (!isOver) setKnown({ of: result, answer: answer as T | null });
    });
    return () => {
      isOver = true;
    };
  }, [result, isAsked, place.server]);
  return known.of === result ? known.answer : null;
}

/** The situation after a step; null until the server has said, or where it can't. */
export const useSituation = (place: Place): Situation | null => useAnswer("situation", true, place);

/** The truth of an ended shift; null before. */
export const useTruth = (isOver: boolean, place: Place): ShiftTruth | null => useAnswer("truth", isOver, place);
