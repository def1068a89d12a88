import type { ErrorData } from "../errors.ts";
import type { Usage } from "./usage.ts";

/** How a step ended. */
export type StepStatus = "completed" | "failed" | "skipped" | "cancelled" | "not_run";

/** One entry of the context store. */
export interface StepRecord {
  readonly stepId: string;
  readonly kind: string;
  readonly agentId: string | null;
  readonly role: string | null;
  /** Round of the loop or feedback around it, from 1; 0 outside. */
  readonly iteration: number;
  readonly status: StepStatus;
  readonly text: string;
  readonly json: unknown;
  readonly error: ErrorData | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** The step in which it ran; of a sub-agent the step of its parent. */
  readonly parentStepId: string | null;
  readonly attempt: number;
  readonly path: string;
}

/**
 * Append-only records of what was done, and saved names. Branches at the same time write to children of their own and
 * are merged in branch order, so that timing never changes what is read later.
 */
export class Store {
  readonly #parent: Store | undefined;
  readonly #records: StepRecord[] = [];
  readonly #byStep = new Map<string, StepRecord[]>();
  readonly #vars = new Map<string, unknown>();

  constructor(parent?: Store) {
    this.#parent = parent;
  }

  child(): Store {
    return new Store(this);
  }

  append(record: StepRecord): void {
    this.#records.push(record);
    const known = this.#byStep.get(record.stepId);
    if (known === undefined) this.#byStep.set(record.stepId, [record]);
    else known.push(record);
  }

  save(name: string, value: unknown): void {
    this.#vars.set(name, value);
  }

  /** Takes over all that a child wrote. */
  merge(child: Store): void {
    for (const record of child.#records) this.append(record);
    for (const [name, value] of child.#vars) this.#vars.set(name, value);
  }

  /** The newest successful record of a step. */
  newest(stepId: string): StepRecord | undefined {
    const own = this.#byStep.get(stepId)?.findLast((record) => record.status === "completed");
    return own ?? this.#parent?.newest(stepId);
  }

  /** The newest record of a step, however it ended. */
  latest(stepId: string): StepRecord | undefined {
    return this.#byStep.get(stepId)?.at(-1) ?? this.#parent?.latest(stepId);
  }

  /** All records of a step, oldest first. */
  history(stepId: string): readonly StepRecord[] {
    return [...(this.#parent?.history(stepId) ?? []), ...(this.#byStep.get(stepId) ?? [])];
  }

  /** All records, oldest first. */
  all(): readonly StepRecord[] {
    return this.#parent === undefined ? this.#records : [...this.#parent.all(), ...this.#records];
  }

  /** Records of this store alone. */
  own(): readonly StepRecord[] {
    return this.#records;
  }

  /** A saved value; undefined where there is none. */
  variable(name: string): unknown {
    return this.#vars.has(name) ? this.#vars.get(name) : this.#parent?.variable(name);
  }

  /** All saved values. */
  variables(): Record<string, unknown> {
    return { ...this.#parent?.variables(), ...Object.fromEntries(this.#vars) };
  }
}
