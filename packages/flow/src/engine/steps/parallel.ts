import type { AgentStep, ParallelStep, StepPlan } from "../../config/plan.ts";
import { FlowError } from "../../errors.ts";
import type { AgentRole, Execute, Frame, Outcome } from "../frame.ts";
import { BudgetError } from "../ledger.ts";
import { ASKS, type Quoted } from "../prompts.ts";
import type { Scope } from "../scope.ts";
import type { Store } from "../store.ts";
import { findConflicts, tellConflicts } from "./conflicts.ts";
import { runPool } from "./pool.ts";

/** Branches at the same time, each with a store of its own; then the join, then the aggregator. */
export async function runParallel(step: ParallelStep, frame: Frame, execute: Execute): Promise<Outcome> {
  const { branches } = step;
  const { outcomes, stores } = await runBranches({
    branches,
    frame,
    execute,
    maxConcurrency: step.maxConcurrency,
    isDecided: (outcomes) => decide(step, outcomes),
  });
  // In branch order, whatever the order in time.
  for (const store of stores) frame.store.merge(store);
  const joined = join(step, frame, outcomes);
  const conflicts = findConflicts(branches, outcomes);
  const strategy = step.aggregator === undefined ? "none" : "aggregator";
  tellConflicts(frame, "conflict.found", conflicts, strategy);
  if (joined.status !== "completed" || step.aggregator === undefined) return joined;
  const role: AgentRole = {
    kind: "aggregate",
    ask: ASKS.aggregate,
    parts: { earlier: branchWork(branches, outcomes) },
  };
  const result = await execute(step.aggregator, { ...frame, role });
  if (result.status === "completed") tellConflicts(frame, "conflict.resolved", conflicts, strategy);
  return result;
}

/** Runs branches under one scope; `isDecided` ends the others as soon as the result can't change any more. */
export async function runBranches(options: {
  readonly branches: readonly StepPlan[];
  readonly frame: Frame;
  readonly execute: Execute;
  readonly maxConcurrency: number;
  readonly isDecided: (outcomes: readonly (Outcome | undefined)[]) => boolean;
  readonly roleOf?: (index: number) => AgentRole | undefined;
}): Promise<{ readonly outcomes: readonly Outcome[]; readonly stores: readonly Store[] }> {
  const { branches, frame, execute } = options;
  const scope: Scope = frame.scope.child();
  const stores = branches.map(() => frame.store.child());
  const outcomes = new Array<Outcome | undefined>(branches.length).fill(undefined);
  // Branches that an earlier part of the run finished come first: they may decide the join before a paid call is made.
  const done = branches.flatMap((branch, i) => (isDone(frame, branch) ? [i] : []));
  try {
    await runPool(
      branches.length,
      options.maxConcurrency,
      async (i) => {
        outcomes[i] = await execute(branches[i]!, { ...frame, scope, store: stores[i]!, role: options.roleOf?.(i) });
        if (scope.reason === undefined && options.isDecided(outcomes))
          scope.cancel(new FlowError("E408", "cancelled", "The other branches decided the result."));
      },
      done,
    );
  } finally {
    scope.close();
  }
  return { outcomes: outcomes as Outcome[], stores };
}

function isDone(frame: Frame, branch: StepPlan): boolean {
  const path = `${frame.path}/${branch.id}`;
  return frame.run.journal.step(path)?.status === "completed" || frame.run.journal.branchStatus(path) === "completed";
}

/** Whether running branches can't change the result any more. */
function decide(step: ParallelStep, outcomes: readonly (Outcome | undefined)[]): boolean {
  const known = outcomes.filter((outcome) => outcome !== undefined);
  const successes = known.filter((outcome) => outcome.status === "completed").length;
  if (step.join.kind === "need" && successes >= step.join.count) return true;
  if (step.onBranchError !== "fail_fast") return false;
  // A branch that the budget refused does not end the others: what they do is paid for and kept.
  const failures = known.filter(
    (outcome) => outcome.status === "failed" && !outcome.tolerated && outcome.error.class !== "budget",
  ).length;
  const needed = step.join.kind === "need" ? step.join.count : outcomes.length;
  return outcomes.length - failures < needed;
}

function join(step: ParallelStep, frame: Frame, outcomes: readonly Outcome[]): Outcome {
  const successes = outcomes.filter(
    (outcome): outcome is Outcome & { readonly status: "completed" } => outcome.status === "completed",
  );
  const failed = outcomes.find(
    (outcome): outcome is Outcome & { readonly status: "failed" } => outcome.status === "failed" && !outcome.tolerated,
  );
  const isSuspended = outcomes.some((outcome) => outcome.status === "suspended");
  const cancelled = outcomes.find(
    (outcome): outcome is Outcome & { readonly status: "cancelled" } => outcome.status === "cancelled",
  );
  const result = combine(step.branches, outcomes);
  // A budget of this step or above is not a failure of one branch: what is around decides how to close.
  const spent = outcomes.find(
    (outcome) =>
      outcome.status === "failed" &&
      outcome.error instanceof BudgetError &&
      frame.ledger.isWithin(outcome.error.ledger),
  );
  if (step.join.kind === "need") {
    if (successes.length >= step.join.count) return result;
    if (isSuspended) return { status: "suspended" };
    if (spent !== undefined) return spent;
    if (failed !== undefined) return failed;
    if (cancelled !== undefined) return cancelled;
    return {
      status: "failed",
      tolerated: false,
      error: new FlowError(
        "E499",
        "internal",
        `Only ${successes.length} of ${step.join.count} branches of '${step.id}' succeeded.`,
      ),
    };
  }
  if (spent !== undefined) return spent;
  if (failed !== undefined && step.onBranchError === "fail_fast") return failed;
  if (isSuspended) return { status: "suspended" };
  if (failed === undefined) return cancelled ?? result;
  if (step.onBranchError === "wait_all") return failed;
  // continue: failures reach the aggregator as records; with nothing but failures there is nothing to bring together.
  return successes.length > 0 ? result : failed;
}

/** All successes as one text, in branch order. */
function combine(branches: readonly StepPlan[], outcomes: readonly Outcome[]): Outcome {
  const parts = outcomes.flatMap((outcome, i) =>
    outcome.status === "completed" ? [{ id: branches[i]!.id, outcome }] : [],
  );
  if (parts.length === 1) return parts[0]!.outcome;
  return {
    status: "completed",
    text: parts.map((part) => `## ${part.id}\n${part.outcome.text}`).join("\n\n"),
    json: Object.fromEntries(parts.map((part) => [part.id, part.outcome.json ?? part.outcome.text])),
  };
}

/** Branches as an aggregator or reviewer is shown them: failures are named as such. */
export function branchWork(branches: readonly StepPlan[], outcomes: readonly Outcome[]): readonly Quoted[] {
  return outcomes.flatMap((outcome, i): Quoted[] => {
    const branch = branches[i]!;
    const author = branch.kind === "agent" ? branch.agent : branch.id;
    if (outcome.status === "completed") return [{ author, step: branch.id, text: outcome.text }];
    if (outcome.status === "failed")
      return [
        {
          author,
          step: `${branch.id} failed`,
          text: `This branch failed (${outcome.error.class}): ${outcome.error.message}`,
        },
      ];
    return [];
  });
}

/** The agent step that closes a step: aggregator, reviewer, or the last agent in it. */
export function closingAgent(step: StepPlan): AgentStep | undefined {
  switch (step.kind) {
    case "agent":
      return step;
    case "sequential":
      return [...step.steps]
        .reverse()
        .map(closingAgent)
        .find((found) => found !== undefined);
    case "parallel":
      return (
        step.aggregator ??
        [...step.branches]
          .reverse()
          .map(closingAgent)
          .find((found) => found !== undefined)
      );
    case "feedback":
      return step.review;
    case "dag":
      return [...step.nodes]
        .reverse()
        .map((node) => closingAgent(node.step))
        .find((found) => found !== undefined);
    case "branch":
      return [step.otherwise, ...[...step.cases].reverse().map((item) => item.step)]
        .map((inner) => (inner === undefined ? undefined : closingAgent(inner)))
        .find((found) => found !== undefined);
    case "loop":
    case "foreach":
      return closingAgent(step.body);
    case "subflow":
    case "human":
    case "delegate":
      return undefined;
  }
}
