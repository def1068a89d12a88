import type { DagStep } from "../../config/plan.ts";
import { type Execute, type Frame, letsGoOn, type Outcome } from "../frame.ts";
import type { Store } from "../store.ts";
import { recordUnstarted } from "./record.ts";

/**
 * Nodes start the moment their last need is done, not in layers; those that are ready together start in file order. What
 * depends on a failure is skipped; the rest runs to its end.
 */
export async function runDag(step: DagStep, frame: Frame, execute: Execute): Promise<Outcome> {
  const { nodes } = step;
  const index = new Map(nodes.map((node, i) => [node.name, i]));
  const outcomes = new Array<Outcome | undefined>(nodes.length).fill(undefined);
  const stores = new Array<Store | undefined>(nodes.length).fill(undefined);
  const started = new Set<number>();
  let running = 0;

  await new Promise<void>((resolve, reject) => {
    const advance = (): void => {
      for (let changed = true; changed; ) {
        changed = false;
        for (const [i, node] of nodes.entries()) {
          if (started.has(i)) continue;
          const needs = node.needs.map((name) => outcomes[index.get(name)!]);
          if (needs.some((outcome) => outcome !== undefined && !letsGoOn(outcome))) {
            // Waits for nothing: a need that failed never becomes done.
            started.add(i);
            outcomes[i] = needs.some((outcome) => outcome?.status === "suspended") ? { status: "suspended" } : skip(i);
            changed = true;
          } else if (running < step.maxConcurrency && needs.every((outcome) => outcome !== undefined)) {
            started.add(i);
            running++;
            start(i).then((outcome) => {
              outcomes[i] = outcome;
              running--;
              advance();
            }, reject);
          }
        }
      }
      if (running === 0 && started.size === nodes.length) resolve();
    };
    advance();
  });
  for (const store of stores) if (store !== undefined) frame.store.merge(store);
  return join();

  function start(i: number): Promise<Outcome> {
    const reading = frame.store.child();
    for (const need of ancestors(i)) {
      const store = stores[need];
      if (store !== undefined) reading.merge(store);
    }
    const own = reading.child();
    stores[i] = own;
    return execute(nodes[i]!.step, { ...frame, store: own });
  }

  function skip(i: number): Outcome {
    const { step: child } = nodes[i]!;
    const path = `${frame.path}/${child.id}`;
    frame.run.emit("step.skipped", path, { stepId: child.id, kind: child.kind, reason: "a need failed" });
    const store = frame.store.child();
    recordUnstarted(child, { ...frame, store }, "skipped");
    stores[i] = store;
    return { status: "failed", tolerated: false, error: firstError(i) };
  }

  function firstError(i: number) {
    for (const name of nodes[i]!.needs) {
      const outcome = outcomes[index.get(name)!];
      if (outcome?.status === "failed" || outcome?.status === "cancelled") return outcome.error;
    }
    throw new Error("A node is skipped only after a failed need.");
  }

  /** All that a node depends on, in file order. */
  function ancestors(i: number): number[] {
    const found = new Set<number>();
    const open = [i];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const name of nodes[next]!.needs) {
        const need = index.get(name)!;
        if (found.has(need)) continue;
        found.add(need);
        open.push(need);
      }
    return [...found].sort((a, b) => a - b);
  }

  function join(): Outcome {
    const known = outcomes as Outcome[];
    const failed = known.find(
      (outcome): outcome is Outcome & { readonly status: "failed" } =>
        outcome.status === "failed" && !outcome.tolerated,
    );
    const cancelled = known.find((outcome) => outcome.status === "cancelled");
    if (cancelled !== undefined) return cancelled;
    if (failed !== undefined) return failed;
    if (known.some((outcome) => outcome.status === "suspended")) return { status: "suspended" };
    const needed = new Set(nodes.flatMap((node) => node.needs));
    const ends = nodes.flatMap((node, i) =>
      !needed.has(node.name) && known[i]!.status === "completed"
        ? [{ id: node.step.id, outcome: known[i] as Outcome & { readonly status: "completed" } }]
        : [],
    );
    if (ends.length === 1) return ends[0]!.outcome;
    return {
      status: "completed",
      text: ends.map((end) => `## ${end.id}\n${end.outcome.text}`).join("\n\n"),
      json: Object.fromEntries(ends.map((end) => [end.id, end.outcome.json ?? end.outcome.text])),
    };
  }
}
