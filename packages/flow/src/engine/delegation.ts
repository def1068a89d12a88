import type { AgentPlan, BudgetPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import { type AgentAnswer, type AgentJob, metaFor, modelRequest } from "./agent-job.ts";
import type { DelegationDecision, DelegationPolicy } from "./delegation-policy.ts";
import { greedyPolicy } from "./delegation-policy.ts";
import { firstObject } from "./json-text.ts";
import { BudgetError, type Ledger } from "./ledger.ts";
import { callModel } from "./model-call.ts";
import { ASKS, planAsk, type Quoted, systemPrompt, userPrompt } from "./prompts.ts";
import { containsPhrase, contentWords, cosine, keywordOverlap } from "./relevance.ts";
import { type RunContext, SuspendSignal } from "./run-context.ts";

/** What a sub-agent gave. */
export interface Contribution {
  readonly ok: boolean;
  readonly quoted: Quoted;
}

interface Assignment {
  readonly agent: AgentPlan;
  readonly task: string;
  readonly needs: readonly string[];
}

/** Levels of agents that wait for one another: max_delegation_depth allows 4 below a step's agent, and references may chain. */
const MAX_LINEAGE = 8;

/** Text by which an agent is found for a task. */
function describeAgent(agent: AgentPlan): string {
  return [agent.role, agent.goal, agent.specialization ?? ""].join("\n");
}

/** Fit of an agent's description to a task: cosine with an embedder, else overlap of words. */
function similarity(run: RunContext, task: string, description: string): number {
  const embed = run.env.embedder?.embedSync?.bind(run.env.embedder);
  return embed === undefined
    ? keywordOverlap(contentWords(description), task)
    : Math.max(0, cosine(embed(task), embed(description)));
}

/** Runs an agent; handed in, as agents and sub-agents call each other. */
type RunAgent = (job: AgentJob) => Promise<AgentAnswer>;

/** Runs the sub-agents of an agent by its strategy: plan, then run; the caller synthesises. */
export async function runSubAgents(job: AgentJob, runAgent: RunAgent): Promise<readonly Contribution[]> {
  const { agent } = job;
  switch (agent.strategy) {
    case "sequential":
      return execute(
        job,
        agent.subAgents.map((sub, i) => ({
          agent: sub,
          task: job.task,
          needs: agent.subAgents.slice(0, i).map((earlier) => earlier.id),
        })),
        "sequential",
        runAgent,
      );
    case "parallel":
      return execute(
        job,
        agent.subAgents.map((sub) => ({ agent: sub, task: job.task, needs: [] })),
        "parallel",
        runAgent,
      );
    case "auto":
      return execute(job, await planned(job), "auto", runAgent);
    case "learned":
      return learned(job, runAgent);
  }
}

/** 0.6·share of trigger phrases found + 0.4·similarity. */
function candidateScores(
  job: AgentJob,
): { readonly agent: AgentPlan; readonly trigger: number; readonly score: number }[] {
  return job.agent.subAgents.map((sub) => {
    const trigger =
      sub.triggers.length === 0
        ? 0
        : sub.triggers.filter((phrase) => containsPhrase(job.task, phrase)).length / sub.triggers.length;
    return { agent: sub, trigger, score: 0.6 * trigger + 0.4 * similarity(job.run, job.task, describeAgent(sub)) };
  });
}

async function planned(job: AgentJob): Promise<Assignment[]> {
  const { run, agent, path } = job;
  const scored = candidateScores(job);
  const names = scored.map((entry) => ({ id: entry.agent.id, score: entry.score }));
  const ask = planAsk(
    scored.map((entry) => ({
      id: entry.agent.id,
      about: [entry.agent.role, entry.agent.specialization ?? entry.agent.goal].join(": "),
      score: entry.score,
    })),
  );
  let reason = "";
  try {
    const reply = await callModel(
      modelRequest(job, {
        path: `${path}/plan`,
        prompt: [
          {
            role: "system",
            content: systemPrompt(agent, { tag: run.fenceTag, outputRule: undefined, toolRule: undefined }),
          },
          { role: "user", content: [{ type: "text", text: userPrompt(run.fenceTag, { task: job.task, ask }) }] },
        ],
        tools: [],
        schema: undefined,
        meta: { ...metaFor(job, "plan", `${path}/plan`), names },
        overhead: true,
      }),
    );
    const plan = readPlan(job, reply.text);
    if (plan.assignments.length > 0) {
      run.emit("subagents.planned", path, {
        parent: agent.id,
        calls: plan.assignments.map((item) => ({ id: item.agent.id, needs: item.needs })),
        reason: plan.reason,
        source: "planner",
      });
      return plan.assignments;
    }
    reason = "the plan was empty or unreadable";
  } catch (error) {
    job.scope.check();
    if (error instanceof FlowError && ["budget", "cancelled"].includes(error.class)) throw error;
    if (error instanceof FlowError && error.code === "E412") throw error;
    reason = `the planner failed: ${(error as Error).message}`;
  }
  // Calling everybody is the expensive failure: those whose phrases were found, else the one that fits best.
  const triggered = scored.filter((entry) => entry.trigger > 0);
  const chosen = triggered.length > 0 ? triggered : [...scored].sort((a, b) => b.score - a.score).slice(0, 1);
  run.emit("subagents.planned", path, {
    parent: agent.id,
    calls: chosen.map((entry) => ({ id: entry.agent.id, needs: [] })),
    reason,
    source: "fallback",
  });
  return chosen.map((entry) => ({ agent: entry.agent, task: job.task, needs: [] }));
}

function readPlan(job: AgentJob, text: string): { readonly assignments: Assignment[]; readonly reason: string } {
  const object = firstObject(text);
  const calls = Array.isArray(object?.calls) ? (object.calls as unknown[]) : [];
  const known = new Map(job.agent.subAgents.map((sub) => [sub.id, sub]));
  const assignments: Assignment[] = [];
  const dropped: string[] = [];
  for (const entry of calls) {
    const { id, task, needs } = (typeof entry === "object" && entry !== null ? entry : {}) as {
      readonly id?: unknown;
      readonly task?: unknown;
      readonly needs?: unknown;
    };
    const sub = typeof id === "string" ? known.get(id) : undefined;
    if (sub === undefined || assignments.some((item) => item.agent === sub)) {
      dropped.push(String(id));
      continue;
    }
    assignments.push({
      agent: sub,
      task: typeof task === "string" && task.trim() !== "" ? task : job.task,
      needs: Array.isArray(needs) ? needs.filter((need): need is string => typeof need === "string") : [],
    });
  }
  if (dropped.length > 0)
    job.run.warn(job.path, "The plan named unknown or repeated members; they were dropped.", { dropped });
  // Needs may point to earlier calls only: an order that goes in circles could never start.
  const ordered = assignments.map((item, i) => ({
    ...item,
    needs: item.needs.filter((need) => assignments.slice(0, i).some((earlier) => earlier.agent.id === need)),
  }));
  return { assignments: ordered, reason: typeof object?.reason === "string" ? object.reason : "" };
}

/** Runs assignments, each as soon as what it needs is done; results in the order of the assignments. */
async function execute(
  job: AgentJob,
  assignments: readonly Assignment[],
  strategy: string,
  runAgent: RunAgent,
): Promise<readonly Contribution[]> {
  if (strategy !== "auto")
    job.run.emit("subagents.planned", job.path, {
      parent: job.agent.id,
      calls: assignments.map((item) => ({ id: item.agent.id, needs: item.needs })),
      reason: strategy,
      source: "policy",
    });
  const done = new Map<string, Promise<Contribution>>();
  for (const item of assignments) {
    const others = assignments.filter((other) => other !== item);
    const start = async (): Promise<Contribution> => {
      const earlier = await Promise.all(item.needs.map((need) => done.get(need)!));
      return runOne(job, item, earlier, others, runAgent);
    };
    done.set(item.agent.id, start());
  }
  const settled = await Promise.allSettled(done.values());
  for (const result of settled) if (result.status === "rejected") throw result.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<Contribution>).value);
}

/** One sub-agent. Its failure is a contribution that says so, never an empty success. */
async function runOne(
  job: AgentJob,
  item: Assignment,
  earlier: readonly Contribution[],
  others: readonly Assignment[],
  runAgent: RunAgent,
): Promise<Contribution> {
  const { run, agent } = job;
  const sub = item.agent;
  const lineage = [...job.lineage, agent.id];
  if (lineage.includes(sub.id))
    throw new FlowError(
      "E410",
      "internal",
      `Delegation comes back to '${sub.id}', which waits for it: ${[...lineage, sub.id].join(" → ")}.`,
    );
  // Rosters are checked when a file is read; this holds for plans that were made in code as well.
  if (lineage.length > MAX_LINEAGE)
    throw new FlowError(
      "E410",
      "internal",
      `Delegation to '${sub.id}' is deeper than ${MAX_LINEAGE} levels: ${[...lineage, sub.id].join(" → ")}.`,
    );
  const path = `${job.path}/sub:${sub.id}`;
  const notMine = others
    .filter((other) => other.task !== item.task || other.agent.specialization !== undefined)
    .map(
      (other) =>
        `${other.agent.id}: ${(other.task === job.task ? (other.agent.specialization ?? other.agent.role) : other.task).slice(0, 300)}`,
    );
  const ledger = openLedger(run, job.ledger, path, sub.budget);
  try {
    const answer = await runAgent({
      ...job,
      agent: sub,
      path,
      ledger,
      task: item.task,
      kind: "work",
      ask: ASKS.work,
      overrides: {},
      retry: sub.retry,
      parts: { parentGoal: agent.goal, notMine, earlier: earlier.map((contribution) => contribution.quoted) },
      lineage,
      subAgents: true,
      tools: true,
    });
    return { ok: true, quoted: { author: sub.id, step: job.stepId, text: answer.text } };
  } catch (error) {
    job.scope.check();
    if (error instanceof SuspendSignal) throw error;
    const failure =
      error instanceof FlowError
        ? error
        : new FlowError("E499", "internal", (error as Error).message, { cause: error });
    // A budget above is not this contribution's failure.
    if (error instanceof BudgetError && job.ledger.isWithin(error.ledger)) throw error;
    if (failure.class === "cancelled" || failure.code === "E410" || failure.code === "E412") throw failure;
    const message = run.redactor.text(failure.message);
    run.warn(path, `The sub-agent '${sub.id}' failed: ${message}`, { agentId: sub.id, class: failure.class });
    return {
      ok: false,
      quoted: {
        author: sub.id,
        step: `${job.stepId} failed`,
        text: `This contribution failed (${failure.class}): ${message}`,
      },
    };
  }
}

/** A ledger of a part that already counts what an earlier part of a resumed run used below its path. */
export function openLedger(run: RunContext, parent: Ledger, path: string, budget: BudgetPlan | undefined): Ledger {
  const ledger = parent.child(path, budget);
  restoreLedger(run, ledger, path);
  return ledger;
}

/** Counts what an earlier part of a resumed run used below a path. */
export function restoreLedger(run: RunContext, ledger: Ledger, path: string): void {
  for (const entry of run.journal.earlierCalls(path)) ledger.restore(entry.reply.usage, entry.costUsd, entry.overhead);
  for (let i = run.journal.earlierToolCalls(path); i > 0; i--) ledger.restoreTool();
}

/** Sub-agents chosen step by step by a policy. */
async function learned(job: AgentJob, runAgent: RunAgent): Promise<readonly Contribution[]> {
  const policy =
    (await job.run.busy(() => job.run.clock.hold(job.run.env.policies("learned", job.plan)))) ?? greedyPolicy;
  const members = job.agent.subAgents;
  return orchestrate({
    job,
    policy,
    members,
    maxSteps: members.length,
    slaMs: undefined,
    call: (sub, earlier) => runOne(job, { agent: sub, task: job.task, needs: [] }, earlier, [], runAgent),
  });
}

/** Lets a policy choose members until it stops; its choices are kept in the log. */
export async function orchestrate(options: {
  readonly job: Pick<AgentJob, "run" | "path" | "task" | "ledger" | "plan" | "scope">;
  readonly policy: DelegationPolicy;
  readonly members: readonly AgentPlan[];
  readonly maxSteps: number;
  readonly slaMs: number | undefined;
  readonly call: (member: AgentPlan, earlier: readonly Contribution[], step: number) => Promise<Contribution>;
}): Promise<readonly Contribution[]> {
  const { job, members } = options;
  const { run } = job;
  const began = run.clock.now();
  const results = new Map<string, Contribution>();
  for (let step = 0; step < options.maxSteps + 1; step++) {
    const key = `${job.path}/decision.${step}`;
    const known = run.journal.effect(key)?.value as DelegationDecision | undefined;
    const roster = members.map((member) => ({
      id: member.id,
      description: describeAgent(member),
      similarity: similarity(run, job.task, describeAgent(member)),
      called: results.has(member.id),
      failed: results.get(member.id)?.ok === false,
      allowed: (job.plan.models.get(member.model)?.maxTokens ?? 0) < job.ledger.tokensLeft,
    }));
    const state = {
      task: job.task,
      roster,
      outputs: [...results].flatMap(([id, { ok, quoted }]) => (ok ? [{ id, text: quoted.text }] : [])),
      step,
      maxSteps: options.maxSteps,
      elapsedMs: run.clock.now() - began,
      slaMs: options.slaMs,
      path: job.path,
    };
    const decision =
      known ?? (await run.busy(async () => run.clock.hold(Promise.resolve(options.policy.decide(state)))));
    if (known === undefined) {
      run.log({ kind: "effect", path: key, value: decision });
      run.emit("delegation.decided", job.path, {
        step,
        meta: decision.meta,
        mode: decision.mode,
        slots: decision.members,
        reason: decision.reason,
        ...(decision.probabilities === undefined ? {} : { probabilities: decision.probabilities }),
        ...(decision.valueEstimate === undefined ? {} : { valueEstimate: decision.valueEstimate }),
      });
    }
    if (decision.meta === "stop") break;
    const chosen = decision.members.flatMap((id) => members.find((member) => member.id === id) ?? []);
    if (decision.mode === "parallel") {
      const earlier = [...results.values()];
      const given = await Promise.all(chosen.map((member) => options.call(member, earlier, step)));
      for (const [i, member] of chosen.entries()) results.set(member.id, given[i]!);
    } else for (const member of chosen) results.set(member.id, await options.call(member, [...results.values()], step));
  }
  return [...results.values()];
}
