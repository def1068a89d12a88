import type { RemoteEnv, RemoteResult } from "@praxis/env/remote";
import type { Problem } from "../server/problem.ts";

/** A JSON object, as actions and observations are on the wire. */
export type WireObject = Readonly<Record<string, unknown>>;

/** What one agent of a policy said before an action, as the server tells it. */
export interface Said {
  readonly role: string;
  readonly message: string;
  readonly isVeto?: boolean;
  readonly evidenceIds?: readonly string[];
}

/** Chances of the choices of each part of an action, by the part's name and the choice's, as a policy states them. */
export type Odds = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** One step of a branch: who did what, and what came of it. */
export interface Turn {
  readonly action: WireObject;
  /** `you`, or the name of a policy. */
  readonly by: string;
  readonly result: RemoteResult;
  readonly said: readonly Said[];
  /** Null for people and for policies that state none. */
  readonly odds: Odds | null;
}

/** How an episode begins. */
export interface Beginning {
  readonly seed: number;
  readonly episodeId: string | null;
  readonly options: WireObject;
}

/** What a branch is doing. `lost`: its session is gone; it can be played again from its actions. */
export type BranchState = "opening" | "ready" | "busy" | "lost";

/** One line of play with a session of its own. Mutable: its episode tells listeners of every change. */
export class Branch {
  readonly id: number;
  /** Steps that it shares with the branch it was forked from; 0 for the first. */
  readonly forkedAt: number;
  readonly parent: number | null;
  env: RemoteEnv | null = null;
  start: RemoteResult | null = null;
  readonly turns: Turn[] = [];
  /** Sum of the rewards up to and with each turn. */
  readonly returns: number[] = [];
  state: BranchState = "opening";
  problem: Problem | null = null;
  /** Said in words when playing again gave something else than before. */
  warning: string | null = null;
  /** Policy that plays on by itself; null while it is paused. */
  running: string | null = null;

  constructor(id: number, parent: number | null, forkedAt: number) {
    this.id = id;
    this.parent = parent;
    this.forkedAt = forkedAt;
  }

  /** A, B, C … */
  get name(): string {
    const letter = String.fromCharCode(65 + (this.id % 26));
    return this.id < 26 ? letter : `${letter}${Math.floor(this.id / 26)}`;
  }

  /** Result after `step` steps; 0 is the reset. Null before it is there. */
  resultAt(step: number): RemoteResult | null {
    return step === 0 ? this.start : (this.turns[step - 1]?.result ?? null);
  }

  get last(): RemoteResult | null {
    return this.resultAt(this.turns.length);
  }

  get isOver(): boolean {
    return this.last?.done === true;
  }

  get total(): number {
    return this.returns.at(-1) ?? 0;
  }

  add(turn: Turn): void {
    this.turns.push(turn);
    this.returns.push(this.total + turn.result.reward);
  }

  /** Forgets all turns beyond `count`. */
  cut(count: number): void {
    this.turns.length = count;
    this.returns.length = count;
  }
}
