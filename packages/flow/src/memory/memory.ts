import type { Scope } from "../engine/scope.ts";

/** Something remembered that fits a question. */
export interface MemoryHit {
  readonly id: string;
  readonly agentId: string;
  readonly excerpt: string;
  readonly score: number;
}

/** What an agent wants to recall. */
export interface MemoryQuestion {
  readonly agentId: string;
  readonly text: string;
  readonly topK: number;
  readonly minScore: number;
  readonly scope: "namespace" | "agent";
}

/** What an agent did, to be remembered. */
export interface MemoryNote {
  readonly agentId: string;
  readonly role: string;
  readonly task: string;
  readonly text: string;
  readonly runId: string;
  readonly path: string;
  readonly timeMs: number;
}

/** Long-term memory of agents. */
export interface Memory {
  /** Best first. @throws FlowError E409 */
  recall(question: MemoryQuestion, scope: Scope): Promise<readonly MemoryHit[]>;
  /** Id of the record; null when the text has no features to be found by. @throws FlowError E409 */
  remember(note: MemoryNote, scope: Scope): Promise<string | null>;
}
