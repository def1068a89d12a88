import type { StepPlan } from "../../config/plan.ts";
import type { Frame, Outcome } from "../frame.ts";

/** A field of structured answers on which branches differ. */
export interface Conflict {
  readonly topic: string;
  readonly agents: readonly string[];
}

/**
 * Fields in which structured answers of branches contradict each other: the same key holds different numbers, truth
 * values or single words. Longer texts differ by nature and are no conflict.
 */
export function findConflicts(branches: readonly StepPlan[], outcomes: readonly Outcome[]): readonly Conflict[] {
  const fields = new Map<string, { readonly agents: string[]; readonly values: Set<unknown> }>();
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.status !== "completed" || typeof outcome.json !== "object" || outcome.json === null) continue;
    if (Array.isArray(outcome.json)) continue;
    const branch = branches[i]!;
    for (const [key, value] of Object.entries(outcome.json)) {
      if (!isVerdict(value)) continue;
      const field = fields.get(key) ?? { agents: [], values: new Set() };
      fields.set(key, field);
      field.agents.push(branch.kind === "agent" ? branch.agent : branch.id);
      field.values.add(value);
    }
  }
  return [...fields].flatMap(([topic, { agents, values }]) => (values.size > 1 ? [{ topic, agents }] : []));
}

function isVerdict(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && /^\w+$/.test(value));
}

/** Tells of conflicts: found before, or resolved by the agent that saw all answers. */
export function tellConflicts(
  frame: Frame,
  type: "conflict.found" | "conflict.resolved",
  conflicts: readonly Conflict[],
  strategy: string,
): void {
  for (const { topic, agents } of conflicts) frame.run.emit(type, frame.path, { topic, agents, strategy });
}
