import type { BranchStep, ForeachStep, LoopStep } from "../../config/plan.ts";
import { FlowError } from "../../errors.ts";
import { plain } from "../../expression/evaluate.ts";
import { type Execute, evaluateIn, type Frame, holdsIn, letsGoOn, type Outcome } from "../frame.ts";
import { wholeJson } from "../json-text.ts";
import { runPool } from "./pool.ts";

const MAX_ITEMS = 1_000;

/** The first case whose condition holds, else `else`, else nothing. */
export async function runBranch(step: BranchStep, frame: Frame, execute: Execute): Promise<Outcome> {
  const chosen = step.cases.find((item) => holdsIn(frame, item.when))?.step ?? step.otherwise;
  return chosen === undefined ? { status: "completed", text: "", json: null } : execute(chosen, frame);
}

/** The body again until the condition holds or the limit is reached. */
export async function runLoop(step: LoopStep, frame: Frame, execute: Execute): Promise<Outcome> {
  let last: Outcome = { status: "completed", text: "", json: null };
  for (let iteration = 1; iteration <= step.maxIterations; iteration++) {
    const inner: Frame = { ...frame, path: `${frame.path}/#${iteration}`, iteration };
    const outcome = await execute(step.body, inner);
    if (!letsGoOn(outcome)) return outcome;
    if (outcome.status === "completed") last = outcome;
    if (holdsIn(inner, step.until)) return last;
  }
  frame.run.warn(frame.path, `The loop '${step.id}' ended at its limit of ${step.maxIterations} rounds.`);
  return last;
}

/** The body once for every item; outputs in the order of the items, null for a tolerated failure. */
export async function runForeach(step: ForeachStep, frame: Frame, execute: Execute): Promise<Outcome> {
  const items = listOf(evaluateIn(frame, step.items), step);
  const scope = frame.scope.child();
  const outcomes = new Array<Outcome | undefined>(items.length).fill(undefined);
  try {
    await runPool(items.length, step.maxConcurrency, async (i) => {
      const inner: Frame = {
        ...frame,
        scope,
        store: frame.store.child(),
        path: `${frame.path}/[${i}]`,
        defaultInput: items[i],
        items: { ...frame.items, [step.as]: items[i], index: i },
      };
      const outcome = await execute(step.body, inner);
      outcomes[i] = outcome;
      if (outcome.status === "failed" && !outcome.tolerated && outcome.error.class !== "budget")
        scope.cancel(new FlowError("E408", "cancelled", "Another item failed."));
    });
  } finally {
    scope.close();
  }
  const known = outcomes as Outcome[];
  const failed = known.find((outcome) => outcome.status === "failed" && !outcome.tolerated);
  if (failed !== undefined) return failed;
  const cancelled = known.find((outcome) => outcome.status === "cancelled");
  if (cancelled !== undefined) return cancelled;
  if (known.some((outcome) => outcome.status === "suspended")) return { status: "suspended" };
  const values = known.map((outcome) => (outcome.status === "completed" ? (outcome.json ?? outcome.text) : null));
  if (step.collect !== undefined) frame.store.save(step.collect, values);
  return {
    status: "completed",
    text: known.flatMap((outcome) => (outcome.status === "completed" ? [outcome.text] : [])).join("\n\n"),
    json: values,
  };
}

/** A list, or a JSON list in a text. */
function listOf(value: unknown, step: ForeachStep): readonly unknown[] {
  const bare = plain(value);
  const list = Array.isArray(bare) ? (bare as unknown[]) : typeof bare === "string" ? wholeJson(bare) : bare;
  if (!Array.isArray(list))
    throw new FlowError(
      "E402",
      "internal",
      `The items of '${step.id}' are not a list but ${bare === null ? "nothing" : typeof bare}.`,
    );
  if (list.length > MAX_ITEMS)
    throw new FlowError("E402", "internal", `'${step.id}' has ${list.length} items; ${MAX_ITEMS} are allowed.`);
  return list as unknown[];
}
