import type { AgentStep } from "../../config/plan.ts";
import { runAgent } from "../agent.ts";
import { type Frame, inputText, type Outcome, renderTask } from "../frame.ts";
import { ASKS } from "../prompts.ts";

/** Runs the agent of a step once. */
export async function runAgentStep(step: AgentStep, frame: Frame): Promise<Outcome> {
  const { plan, role, run } = frame;
  const agent = plan.agents.get(step.agent)!;
  const task = step.input === undefined ? inputText(frame.defaultInput) : renderTask(frame, step.input);
  const answer = await runAgent({
    run,
    plan,
    agent,
    stepId: step.id,
    path: frame.path,
    scope: frame.scope,
    ledger: frame.ledger,
    store: frame.store,
    task,
    kind: role?.kind ?? "work",
    ask: role?.ask ?? ASKS.work,
    iteration: role?.round ?? frame.iteration,
    overrides: { model: step.model, temperature: step.temperature, maxTokens: step.maxTokens, context: step.context },
    retry: step.retry ?? agent.retry,
    lineage: [],
    tools: role?.kind !== "finalize",
    subAgents: role?.kind !== "finalize" && role?.kind !== "review",
    parts: role?.parts,
    softSchema: role?.softSchema,
    names: role?.names,
  });
  return { status: "completed", text: answer.text, json: answer.json };
}
