import type { StepPlan } from "../../config/plan.ts";
import { runAgent } from "../agent.ts";
import { type Frame, inputText, type Outcome, renderTask } from "../frame.ts";
import { type BudgetError, finalizeReserve } from "../ledger.ts";
import { ASKS } from "../prompts.ts";
import { closingAgent } from "./parallel.ts";

/**
 * After a budget is used up: lets the aggregator or last agent answer from what exists, within the tokens kept back for
 * it. Undefined where the budget stops hard, no agent can answer, or its answer does not fit either.
 */
export async function finalizeStep(step: StepPlan, frame: Frame, error: BudgetError): Promise<Outcome | undefined> {
  const { run, plan, ledger } = frame;
  const { budget } = ledger;
  const closing = closingAgent(step);
  if (
    budget === undefined ||
    budget.onExceeded !== "finalize" ||
    closing === undefined ||
    frame.scope.reason !== undefined
  )
    return undefined;
  // With nothing done yet there is nothing to answer from; a lone agent may still answer its task shortly.
  if (
    step.kind !== "agent" &&
    !frame.store.all().some((record) => record.status === "completed" && record.agentId !== null)
  )
    return undefined;
  const agent = plan.agents.get(closing.agent)!;
  const model = plan.models.get(closing.model ?? agent.model)!;
  const reserve = budget.maxTokens === undefined ? budget.finalizeTokens : finalizeReserve(budget);
  const path = `${frame.path}/${step.id}/finalize`;
  ledger.beginFinalize();
  // Half of what was kept back is for the prompt, half for the answer.
  const half = Math.max(16, Math.floor(reserve / 2));
  try {
    const answer = await runAgent({
      run,
      plan,
      agent: {
        ...agent,
        output: undefined,
        memory: { ...agent.memory, read: false, write: false },
        guardrails: { input: [], output: agent.guardrails.output },
      },
      stepId: closing.id,
      path,
      scope: frame.scope,
      ledger,
      store: frame.store,
      task: closing.input === undefined ? inputText(frame.defaultInput) : safeTask(frame, closing),
      kind: "finalize",
      ask: ASKS.finalize,
      iteration: frame.iteration,
      overrides: {
        model: closing.model,
        temperature: closing.temperature,
        maxTokens: Math.min(half, model.maxTokens),
        context: { ...agent.context, mode: "auto", maxTokens: Math.max(32, half - 400) },
      },
      retry: { ...agent.retry, maxAttempts: 1 },
      lineage: [],
      tools: false,
      subAgents: false,
    });
    return { status: "completed", text: answer.text, json: answer.json };
  } catch (failure) {
    run.warn(
      path,
      `The closing answer after '${error.notice.which}' did not fit either: ${(failure as Error).message}`,
    );
    return undefined;
  }
}

/** The closing agent's task may name work that never came. */
function safeTask(frame: Frame, closing: NonNullable<ReturnType<typeof closingAgent>>): string {
  try {
    return renderTask(frame, closing.input!);
  } catch {
    return inputText(frame.defaultInput);
  }
}
