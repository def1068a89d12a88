import type { FeedbackStep } from "../../config/plan.ts";
import { FlowError } from "../../errors.ts";
import type { AgentRole, Execute, Frame, Outcome } from "../frame.ts";
import { ASKS, type Quoted, reviewAsk } from "../prompts.ts";
import { type Producer, parseVerdict, VERDICT_SCHEMA, type Verdict } from "../verdict.ts";
import { branchWork, runBranches } from "./parallel.ts";

/**
 * Producers draft, a reviewer judges, those with feedback revise; at most `maxIterations` reviews with revision, then a
 * closing review of the newest drafts, so that nothing unreviewed passes as approved. All drafts stay in sight in every
 * round, also those that nobody revises.
 */
export async function runFeedback(step: FeedbackStep, frame: Frame, execute: Execute): Promise<Outcome> {
  const { run, path } = frame;
  const first = await runBranches({
    branches: step.produce,
    frame,
    execute,
    maxConcurrency: step.maxConcurrency,
    isDecided: () => false,
  });
  for (const store of first.stores) frame.store.merge(store);
  const broken = stopOf(first.outcomes);
  if (broken !== undefined) return broken;
  const drafts = [...first.outcomes];
  const producers = step.produce.map(
    (branch): Producer => ({
      id: branch.id,
      names:
        branch.kind === "agent"
          ? [branch.id, branch.agent, frame.plan.agents.get(branch.agent)?.role ?? branch.agent]
          : [branch.id],
    }),
  );
  const targets = new Set(
    producers
      .filter((producer) => step.targets === undefined || producer.names.some((name) => step.targets!.includes(name)))
      .map((producer) => producer.id),
  );
  const remarks: Quoted[] = [];
  let approved = !step.enabled;

  for (let k = 1; step.enabled && !approved; k++) {
    const isClosing = k > step.maxIterations;
    const reviewed = await review(k, isClosing);
    if ("status" in reviewed) return reviewed;
    approved = reviewed.verdict.approved;
    run.emit("feedback.iteration", path, {
      k,
      approved,
      closing: isClosing,
      targets: approved || isClosing ? [] : [...feedbackFor(reviewed.verdict, reviewed.text).keys()],
    });
    if (approved || isClosing) break;
    const stop = await revise(k, feedbackFor(reviewed.verdict, reviewed.text));
    if (stop !== undefined) return stop;
  }
  if (!approved)
    run.warn(path, `The reviewer '${step.review.agent}' did not approve within ${step.maxIterations} rounds.`);
  return result();

  async function review(
    k: number,
    isClosing: boolean,
  ): Promise<Outcome | { readonly verdict: Verdict; readonly text: string }> {
    const model = frame.plan.models.get(step.review.model ?? frame.plan.agents.get(step.review.agent)!.model)!;
    const role: AgentRole = {
      kind: "review",
      ask: reviewAsk({
        producers: producers.map((producer) => producer.id),
        keyword: step.approvalKeyword,
        round: k,
        rounds: step.maxIterations,
        closing: isClosing,
        structured: model.nativeSchema,
      }),
      parts: { earlier: [...branchWork(step.produce, drafts), ...remarks] },
      softSchema: VERDICT_SCHEMA,
      names: producers
        .filter((producer) => targets.has(producer.id))
        .map((producer) => ({ id: producer.id, score: 1 })),
      round: k,
    };
    const outcome = await execute(
      { ...step.review, saveAs: undefined },
      { ...frame, path: `${path}/#${k}`, iteration: k, role },
    );
    if (outcome.status !== "completed")
      return outcome.status === "skipped"
        ? { status: "failed", tolerated: false, error: new FlowError("E499", "internal", "The review was skipped.") }
        : outcome;
    remarks.push({ author: step.review.agent, step: `review ${k}`, text: outcome.text });
    return { verdict: parseVerdict(outcome.text, step.approvalKeyword, producers), text: outcome.text };
  }

  /** Feedback for each target; where the reviewer names none, all get the whole review. */
  function feedbackFor(verdict: Verdict, text: string): ReadonlyMap<string, string> {
    const named = Object.entries(verdict.feedback).filter(([id]) => targets.has(id));
    if (named.length > 0) return new Map(named);
    if (Object.keys(verdict.feedback).length > 0) return new Map();
    return new Map([...targets].map((id) => [id, verdict.summary === "" ? text : verdict.summary]));
  }

  async function revise(k: number, feedback: ReadonlyMap<string, string>): Promise<Outcome | undefined> {
    const indices = step.produce.flatMap((branch, i) =>
      feedback.has(branch.id) && drafts[i]!.status !== "skipped" ? [i] : [],
    );
    const branches = indices.map((i) => step.produce[i]!);
    const roles = indices.map((i): AgentRole => {
      const branch = step.produce[i]!;
      const draft = drafts[i]!;
      const author = branch.kind === "agent" ? branch.agent : branch.id;
      return {
        kind: "revise",
        ask: ASKS.revise,
        round: k,
        parts: {
          ...(draft.status === "completed" ? { ownDraft: { author, step: branch.id, text: draft.text } } : {}),
          feedback: { author: step.review.agent, step: `review ${k}`, text: feedback.get(branch.id)! },
        },
      };
    });
    const revised = await runBranches({
      branches,
      frame: { ...frame, path: `${path}/#${k}`, iteration: k },
      execute,
      maxConcurrency: step.maxConcurrency,
      isDecided: () => false,
      roleOf: (i) => roles[i],
    });
    for (const store of revised.stores) frame.store.merge(store);
    const stop = stopOf(revised.outcomes);
    if (stop !== undefined) return stop;
    // A failed revision leaves the draft before it standing.
    for (const [n, i] of indices.entries())
      if (revised.outcomes[n]!.status === "completed") drafts[i] = revised.outcomes[n]!;
    return undefined;
  }

  async function result(): Promise<Outcome> {
    const work = branchWork(step.produce, drafts);
    const mark = approved ? "" : `Not approved after ${step.maxIterations} rounds.\n\n`;
    if (!step.finalSynthesis) {
      const text = work.length === 1 ? work[0]!.text : work.map((item) => `## ${item.step}\n${item.text}`).join("\n\n");
      return {
        status: "completed",
        text: `${mark}${text}`,
        json: { approved, drafts: Object.fromEntries(work.map((item) => [item.step, item.text])) },
      };
    }
    const role: AgentRole = {
      kind: "synthesize",
      ask: approved ? ASKS.synthesize : `${ASKS.synthesize} The drafts were not approved: say so first.`,
      parts: { earlier: work },
    };
    const outcome = await execute({ ...step.review, saveAs: undefined }, { ...frame, path: `${path}/#final`, role });
    return outcome.status === "completed" ? { ...outcome, text: `${mark}${outcome.text}` } : outcome;
  }
}

/** What ends the loop: a suspension, a cancellation, or failures only. */
function stopOf(outcomes: readonly Outcome[]): Outcome | undefined {
  const cancelled = outcomes.find((outcome) => outcome.status === "cancelled");
  if (cancelled !== undefined) return cancelled;
  if (outcomes.some((outcome) => outcome.status === "suspended")) return { status: "suspended" };
  const failures = outcomes.filter(
    (outcome): outcome is Outcome & { readonly status: "failed" } => outcome.status === "failed",
  );
  const budget = failures.find((outcome) => outcome.error.class === "budget");
  if (budget !== undefined) return budget;
  return outcomes.length > 0 && failures.length === outcomes.length ? { ...failures[0]!, tolerated: false } : undefined;
}
