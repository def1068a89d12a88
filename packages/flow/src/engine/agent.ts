import { compileJsonSchema } from "../config/json-schema.ts";
import type { AgentPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import type { Tool } from "../tools/tool.ts";
import { type AgentAnswer, type AgentJob, metaFor, modelRequest } from "./agent-job.ts";
import { buildPrompt } from "./agent-prompt.ts";
import { runSubAgents } from "./delegation.ts";
import { checkGuardrails } from "./guardrails.ts";
import { wholeJson } from "./json-text.ts";
import { callModel } from "./model-call.ts";
import { outputRule, type Quoted, repairAsk } from "./prompts.ts";
import { converse } from "./tool-loop.ts";
/**
 * Runs an agent once: guardrails, memory, sub-agents, model and tools, structured output with repair, guardrails, memory.
 *
 * @throws FlowError for a failure, SuspendSignal when it waits for a person
 */
export async function runAgent(job: AgentJob): Promise<AgentAnswer> {
  const { run, agent, path, scope } = job;
  run.emit("agent.started", path, { agentId: agent.id, role: agent.role, stepId: job.stepId });
  // What an agent does not use is not awaited: each wait is paid by every step of every flow.
  if (agent.guardrails.input.length > 0) await checkGuardrails(job, "input", job.task);
  const memory = agent.memory.read ? await recall(job) : [];
  const tools =
    job.tools && agent.tools.length > 0
      ? await run.busy(() => scope.race(run.clock.hold(run.env.tools.resolve(job.plan, agent))))
      : [];
  const contributions = job.subAgents && agent.subAgents.length > 0 ? await runSubAgents(job, runAgent) : undefined;
  const single =
    contributions?.length === 1 && contributions[0]!.ok && agent.skipSynthesisIfSingle ? contributions[0] : undefined;
  const answer =
    single === undefined
      ? await think(
          job,
          tools,
          memory,
          contributions?.map((item) => item.quoted),
        )
      : { text: single.quoted.text, json: wholeJson(single.quoted.text) ?? null };
  if (agent.guardrails.output.length > 0) await checkGuardrails(job, "output", answer.text);
  if (agent.memory.write) await remember(job, answer.text);
  run.emit("agent.completed", path, () => ({
    agentId: agent.id,
    role: agent.role,
    stepId: job.stepId,
    outputChars: answer.text.length,
    ...run.content("output", answer.text),
  }));
  return answer;
}

async function think(
  job: AgentJob,
  tools: readonly Tool[],
  memory: readonly Quoted[],
  contributions: readonly Quoted[] | undefined,
): Promise<AgentAnswer> {
  const { agent } = job;
  const kind = contributions === undefined ? job.kind : "synthesize";
  const schema = job.softSchema ?? agent.output?.schema;
  const rule = job.softSchema === undefined && agent.output !== undefined ? outputRule(agent.output.schema) : undefined;
  const prompt = await buildPrompt(job, { tools, memory, contributions, outputRule: rule, kind });
  const conversation = await converse({ job: kind === job.kind ? job : { ...job, kind }, prompt, tools, schema });
  const text = conversation.text;
  if (agent.output === undefined || job.softSchema !== undefined) {
    if (text.trim() === "") throw new FlowError("E405", "bad_output", `The agent '${agent.id}' answered nothing.`);
    return { text, json: wholeJson(text) ?? null };
  }
  return repaired(job, conversation, agent.output);
}

/** Checks a structured answer and asks again, with what is wrong, as often as allowed. */
async function repaired(
  job: AgentJob,
  first: Awaited<ReturnType<typeof converse>>,
  output: NonNullable<AgentPlan["output"]>,
): Promise<AgentAnswer> {
  const check = compileJsonSchema(output.schema);
  let { text } = first;
  const prompt = [...first.prompt];
  for (let round = 0; ; round++) {
    const value = wholeJson(text);
    const fault = value === undefined ? "it is not JSON" : check(value);
    if (fault === null) return { text, json: value };
    if (round >= output.repair)
      throw new FlowError(
        "E405",
        "bad_output",
        `The answer of '${job.agent.id}' does not fit its schema after ${round} repairs: ${fault}.`,
      );
    prompt.push(
      { role: "assistant", content: [{ type: "text", text: text === "" ? "(nothing)" : text }] },
      { role: "user", content: [{ type: "text", text: repairAsk(fault) }] },
    );
    const reply = await callModel(
      modelRequest(job, {
        path: `${job.path}/repair.${round + 1}`,
        prompt,
        tools: [],
        schema: output.schema,
        meta: metaFor(job, "repair", `${job.path}/repair.${round + 1}`),
        overhead: false,
      }),
    );
    text = reply.text;
  }
}

async function recall(job: AgentJob): Promise<readonly Quoted[]> {
  const { run, agent, path, scope } = job;
  const key = `${path}/recall`;
  const known = run.journal.effect(key);
  if (known !== undefined) return known.value as readonly Quoted[];
  const memory = await run.memory(job.plan);
  if (memory === undefined) return [];
  const { topK, minScore, scope: range } = agent.memory;
  const hits = await run.busy(() =>
    run.clock.hold(
      memory.recall(
        { agentId: agent.id, text: `${agent.role}\n${agent.goal}\n${job.task}`, topK, minScore, scope: range },
        scope,
      ),
    ),
  );
  run.emit("memory.queried", path, { agentId: agent.id, count: hits.length, topScore: hits[0]?.score ?? null });
  const quoted = hits.map((hit): Quoted => ({ author: hit.agentId, step: hit.id, text: hit.excerpt }));
  run.log({ kind: "effect", path: key, value: quoted });
  return quoted;
}

async function remember(job: AgentJob, text: string): Promise<void> {
  const { run, agent, path, scope } = job;
  const key = `${path}/remember`;
  if (run.journal.effect(key) !== undefined) return;
  const memory = await run.memory(job.plan);
  if (memory === undefined) return;
  try {
    const id = await run.busy(() =>
      run.clock.hold(
        memory.remember(
          {
            agentId: agent.id,
            role: agent.role,
            task: job.task,
            text,
            runId: run.runId,
            path,
            timeMs: run.env.wallNow(),
          },
          scope,
        ),
      ),
    );
    if (id === null) run.warn(path, "Nothing was remembered: the text has no features to be found by.");
    else run.emit("memory.stored", path, { agentId: agent.id, id });
    run.log({ kind: "effect", path: key, value: id });
  } catch (error) {
    // Work that is done is not lost because it could not be remembered.
    scope.check();
    run.warn(path, `Nothing was remembered: ${(error as Error).message}`);
  }
}
