import { scoreText } from "./text-score.ts";

/** A real specialist as the orchestrator sees it. */
export interface LiveMember {
  readonly id: string;
  readonly description: string;
  /** Cosine of the task's text and the description. */
  readonly similarity: number;
  readonly called: boolean;
  readonly failed: boolean;
  /** False where a call's worst case does not fit a budget. */
  readonly allowed: boolean;
}

/** Work on a real task so far: what an execution backend tells before each decision. */
export interface LiveScene {
  readonly task: string;
  readonly roster: readonly LiveMember[];
  /** Texts delivered so far. Calls that failed have none: a broken connection is nobody's bad work and is never scored. */
  readonly outputs: readonly { readonly id: string; readonly text: string }[];
  readonly step: number;
  readonly maxSteps: number;
  readonly elapsedMs: number;
  readonly slaMs: number | undefined;
}

/** A decision for an execution backend. */
export interface LiveDecision {
  readonly meta: "stop" | "call";
  readonly mode: "sequential" | "parallel";
  readonly members: readonly string[];
  /** Score of what was delivered, null before anything was. */
  readonly measured: number | null;
  readonly reason: string;
}

/** Scores a text against its task, 0 … 1: {@link scoreText}, or a judge that is handed in. */
export type TextJudge = (task: string, text: string) => number | Promise<number>;

/** Score at which the cascade is content. `assumption:` as in simulation. */
const GOOD_ENOUGH = 0.6;

/**
 * The rule `cascade` on real specialists: one at a time, most similar first, until what was delivered scores 0.6, the steps or
 * the time are used up or nobody is left. A member that failed is passed over for the next; its failure lowers no score.
 */
export function makeLiveCascade(judge: TextJudge = scoreText): {
  decide(scene: LiveScene): Promise<LiveDecision>;
} {
  return {
    async decide(scene) {
      const { task, outputs, roster, step, maxSteps, elapsedMs, slaMs } = scene;
      const scores = await Promise.all(outputs.map(({ text }) => judge(task, text)));
      const measured = scores.length === 0 ? null : Math.max(...scores);
      const stop = (reason: string): LiveDecision => ({
        meta: "stop",
        mode: "sequential",
        members: [],
        measured,
        reason,
      });
      if (measured !== null && measured >= GOOD_ENOUGH) return stop(`measured ${measured.toFixed(2)} is good enough`);
      if (step >= maxSteps) return stop("the steps are used up");
      if (slaMs !== undefined && elapsedMs >= slaMs) return stop("the time is used up");
      const next = roster
        .filter(({ called, allowed }) => !called && allowed)
        .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))[0];
      if (next === undefined) return stop("nobody is left");
      const why =
        measured !== null
          ? `measured ${measured.toFixed(2)} is not enough`
          : roster.some(({ failed }) => failed)
            ? "the call before it failed"
            : "nothing is there yet";
      const reason = `${why}; nearest of those left (${next.similarity.toFixed(2)})`;
      return { meta: "call", mode: "sequential", members: [next.id], measured, reason };
    },
  };
}
