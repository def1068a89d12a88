import type { AgentPlan, AgentStep, DelegateStep } from "../../config/plan.ts";
import { FlowError } from "../../errors.ts";
import { type Contribution, orchestrate } from "../delegation.ts";
import { allPolicy, type DelegationPolicy, greedyPolicy, makeRandomPolicy } from "../delegation-policy.ts";
import { type Execute, type Frame, inputText, type Outcome, renderTask } from "../frame.ts";
import { ASKS } from "../prompts.ts";

/** An orchestrator chooses whom of a roster to call, step by step, until it stops; what they gave is the result. */
export async function runDelegate(step: DelegateStep, frame: Frame, execute: Execute): Promise<Outcome> {
  const { run, plan } = frame;
  const members = step.roster.flatMap((id) => plan.agents.get(id) ?? []);
  const policy = await policyOf(step, frame);
  const task = step.input === undefined ? inputText(frame.defaultInput) : renderTask(frame, step.input);
  const store = frame.store.child();
  let stop: Outcome | undefined;
  const call = async (member: AgentPlan, earlier: readonly Contribution[], number: number): Promise<Contribution> => {
    const outcome = await execute(memberStep(step, member), {
      ...frame,
      store,
      path: `${frame.path}/#${number + 1}`,
      input: task,
      defaultInput: task,
      role: { kind: "work", ask: ASKS.work, parts: { earlier: earlier.map((item) => item.quoted) } },
    });
    if (outcome.status === "completed")
      return { ok: true, quoted: { author: member.id, step: step.id, text: outcome.text } };
    if (outcome.status === "suspended" || outcome.status === "cancelled") stop ??= outcome;
    const why = outcome.status === "failed" ? `${outcome.error.class}: ${outcome.error.message}` : outcome.status;
    if (outcome.status === "failed" && outcome.error.class === "budget") stop ??= outcome;
    return {
      ok: false,
      quoted: { author: member.id, step: `${step.id} failed`, text: `This contribution failed (${why}).` },
    };
  };
  const contributions = await orchestrate({
    job: { run, path: frame.path, task, ledger: frame.ledger, plan, scope: frame.scope },
    policy: {
      decide: (state) =>
        stop === undefined
          ? policy.decide(state)
          : { meta: "stop", mode: "sequential", members: [], reason: "ended from outside" },
    },
    members,
    maxSteps: step.maxSteps,
    slaMs: step.slaMs,
    call,
  });
  if (stop !== undefined) return stop;
  const good = contributions.filter((item) => item.ok);
  if (good.length === 0)
    throw new FlowError(
      "E401",
      "internal",
      `Nobody of the roster of '${step.id}' delivered: ${contributions.map((item) => item.quoted.text).join(" ") || "nobody was called"}`,
    );
  return {
    status: "completed",
    text:
      good.length === 1
        ? good[0]!.quoted.text
        : good.map((item) => `## ${item.quoted.author}\n${item.quoted.text}`).join("\n\n"),
    json: Object.fromEntries(good.map((item) => [item.quoted.author, item.quoted.text])),
  };
}

async function policyOf(step: DelegateStep, frame: Frame): Promise<DelegationPolicy> {
  const { run } = frame;
  switch (step.policy) {
    case "greedy":
      return greedyPolicy;
    case "all":
      return allPolicy;
    case "random":
      return makeRandomPolicy((name) => run.uniform("delegate", name));
    default: {
      const policy = await run.busy(() => run.clock.hold(run.env.policies(step.policy, frame.plan)));
      // No silent fallback: a policy that was asked for and can't be had ends the step.
      if (policy === undefined)
        throw new FlowError(
          "E499",
          "internal",
          `The policy '${step.policy}' of '${step.id}' can't be loaded here; 'greedy' is the policy without training.`,
        );
      return policy;
    }
  }
}

function memberStep(step: DelegateStep, member: AgentPlan): AgentStep {
  return {
    kind: "agent",
    id: `${step.id}.${member.id}`,
    agent: member.id,
    position: step.position,
    when: undefined,
    input: undefined,
    retry: undefined,
    timeoutMs: undefined,
    budget: undefined,
    onError: { kind: "fail" },
    saveAs: undefined,
    model: undefined,
    temperature: undefined,
    maxTokens: undefined,
    context: { ...member.context, from: "none" },
  };
}
