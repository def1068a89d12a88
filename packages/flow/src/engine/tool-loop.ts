import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
} from "@ai-sdk/provider";
import { estimateTokens } from "../config/defaults.ts";
import { compileJsonSchema, type JsonCheck } from "../config/json-schema.ts";
import { nearestName } from "../config/nearest.ts";
import type { JsonSchema } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import { hash64 } from "../hash.ts";
import { promptText } from "../providers/model.ts";
import { replyText, type Tool, wireName } from "../tools/tool.ts";
import type { AgentJob } from "./agent-job.ts";
import { metaFor, modelRequest } from "./agent-job.ts";
import { cutMiddle } from "./context.ts";
import { fenceText, findInjection } from "./fence.ts";
import type { ModelReply, ToolReply } from "./journal.ts";
import { wholeJson } from "./json-text.ts";
import { BudgetError } from "./ledger.ts";
import { backoffMs, callModel } from "./model-call.ts";
import { ASKS } from "./prompts.ts";
import { SuspendSignal } from "./run-context.ts";

/** A conversation's end: the final text, and the messages so far. */
export interface Conversation {
  readonly text: string;
  readonly prompt: LanguageModelV3Prompt;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

const PARALLEL_TOOLS = 4;

/**
 * Model and tools in turn until the model answers without a call. At the limit it is asked once more, without tools, to
 * answer from what it has. A call that can't be made (unknown name, bad input, refusal) is answered with the reason and
 * the run goes on.
 */
export async function converse(options: {
  readonly job: AgentJob;
  readonly prompt: LanguageModelV3Prompt;
  readonly tools: readonly Tool[];
  readonly schema: JsonSchema | undefined;
}): Promise<Conversation> {
  const { job, tools } = options;
  const prompt: LanguageModelV3Prompt = [...options.prompt];
  const isNative = job.plan.models.get(job.overrides.model ?? job.agent.model)!.nativeTools;
  const offered = isNative ? tools.map(functionTool) : [];
  let used = 0;
  for (let turn = 1; ; turn++) {
    const open = tools.length > 0 && used < job.agent.maxToolCalls;
    if (tools.length > 0 && !open)
      prompt.push({ role: "user", content: [{ type: "text", text: ASKS.answerWithoutTools }] });
    const path = `${job.path}/llm.${turn}`;
    if (turn > 1) trimResults(job, prompt);
    const reply = await callModel(
      modelRequest(job, {
        path,
        prompt,
        tools: open ? offered : [],
        schema: options.schema,
        meta: metaFor(job, job.kind, path),
        overhead: false,
      }),
    );
    const text = isNative ? undefined : open ? textCall(reply.text) : undefined;
    const calls: readonly Call[] = !open ? [] : isNative ? reply.toolCalls : text === undefined ? [] : [text];
    if (calls.length === 0) return { text: reply.text, prompt };
    const replies = await runCalls(job, tools, calls, used);
    used += calls.length;
    job.run.emit("agent.progress", job.path, {
      agentId: job.agent.id,
      role: job.agent.role,
      status: "uses tools",
      progress: Math.min(1, used / Math.max(1, job.agent.maxToolCalls)),
    });
    if (isNative) pushNative(job, prompt, reply, calls, replies);
    else {
      const body = fenceText(job.run.fenceTag, { author: `tool ${calls[0]!.name}` }, shown(job, replies[0]!));
      prompt.push(
        { role: "assistant", content: [{ type: "text", text: reply.text }] },
        { role: "user", content: [{ type: "text", text: `${TEXT_RESULT}\n${body}` }] },
      );
    }
  }
}

/** assumption: a result shown whole takes at most this share of the window; further in, older ones give way. */
const RESULT_SHARE = 1 / 4;

/** Cuts results of tools, then drops the oldest, until the conversation leaves room for its answer. */
function trimResults(job: AgentJob, prompt: LanguageModelV3Prompt): void {
  const model = job.plan.models.get(job.overrides.model ?? job.agent.model)!;
  const answer = Math.min(
    job.overrides.maxTokens ?? job.agent.maxTokens ?? model.maxTokens,
    Math.floor(model.contextWindow / 2),
  );
  const room = model.contextWindow - answer;
  const size = (): number => estimateTokens(promptText(prompt));
  let dropped = 0;
  for (let i = 0; i < prompt.length && size() > room; i++) {
    const message = prompt[i]!;
    if (message.role === "tool") {
      prompt[i] = {
        ...message,
        content: message.content.map((part) =>
          part.type === "tool-result" ? { ...part, output: { type: "text", value: LEFT_OUT } } : part,
        ),
      };
      dropped++;
    } else if (
      message.role === "user" &&
      message.content[0]?.type === "text" &&
      message.content[0].text.startsWith(TEXT_RESULT)
    ) {
      prompt[i] = { ...message, content: [{ type: "text", text: `${TEXT_RESULT}\n${LEFT_OUT}` }] };
      dropped++;
    }
  }
  if (dropped > 0)
    job.run.warn(
      job.path,
      `The conversation of '${job.agent.id}' outgrew its window; ${dropped} older tool results were left out.`,
      { dropped },
    );
}

const LEFT_OUT = "(left out: the conversation outgrew the window)";
const TEXT_RESULT = "Result of the tool:";

/** A reply as the model is shown it, cut in its middle where it is very long. */
function shown(job: AgentJob, reply: ToolReply): string {
  const model = job.plan.models.get(job.overrides.model ?? job.agent.model)!;
  return cutMiddle(replyText(reply), Math.floor(model.contextWindow * RESULT_SHARE));
}

function functionTool(tool: Tool): LanguageModelV3FunctionTool {
  return {
    type: "function",
    name: wireName(tool.name),
    description: tool.description,
    inputSchema: tool.inputSchema as never,
  };
}

function pushNative(
  job: AgentJob,
  prompt: LanguageModelV3Prompt,
  reply: ModelReply,
  calls: readonly Call[],
  replies: readonly ToolReply[],
): void {
  prompt.push({
    role: "assistant",
    content: [
      ...(reply.text === "" ? [] : [{ type: "text" as const, text: reply.text }]),
      ...calls.map((call) => ({
        type: "tool-call" as const,
        toolCallId: call.id,
        toolName: call.name,
        input: wholeJson(call.input) ?? {},
      })),
    ],
  });
  const results: LanguageModelV3ToolResultPart[] = calls.map((call, i) => {
    const result = replies[i]!;
    const value = fenceText(job.run.fenceTag, { author: `tool ${call.name}` }, shown(job, result));
    return {
      type: "tool-result",
      toolCallId: call.id,
      toolName: call.name,
      output: result.ok ? { type: "text", value } : { type: "error-text", value },
    };
  });
  prompt.push({ role: "tool", content: results });
}

/** What is wrong with an input. A schema of a server that can't be read checks nothing: the server checks for itself. */
function inputFault(tool: Tool, input: unknown): string | null {
  let check: JsonCheck;
  try {
    check = compileJsonSchema(tool.inputSchema);
  } catch {
    return null;
  }
  return check(input);
}

/** A call in words: the fenced or bare JSON object with `tool`. Text that only mentions one is an answer. */
function textCall(text: string): Call | undefined {
  const body =
    /```(?:json)?\s*\n?(\{[\s\S]*?)\s*```/.exec(text)?.[1] ?? (/^\s*\{[\s\S]*\}\s*$/.test(text) ? text : undefined);
  if (body === undefined || !/"tool"\s*:/.test(body)) return undefined;
  const value = wholeJson(body);
  if (typeof value !== "object" || value === null) return { id: "text", name: "", input: body };
  const { tool, input } = value as { readonly tool?: unknown; readonly input?: unknown };
  return { id: "text", name: typeof tool === "string" ? tool : "", input: JSON.stringify(input ?? {}) };
}

/** Runs calls of one turn, four at a time; results in the order of the calls. */
async function runCalls(
  job: AgentJob,
  tools: readonly Tool[],
  calls: readonly Call[],
  used: number,
): Promise<ToolReply[]> {
  const replies = new Array<ToolReply>(calls.length);
  let suspended: SuspendSignal | undefined;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < calls.length) {
      const i = next++;
      try {
        replies[i] =
          used + i >= job.agent.maxToolCalls
            ? { ok: false, content: `The limit of ${job.agent.maxToolCalls} tool calls is reached.` }
            : await runCall(job, tools, calls[i]!, `${job.path}/tool.${used + i + 1}`);
      } catch (error) {
        // One call that waits for a person lets the others end: their results are kept in the log.
        if (!(error instanceof SuspendSignal)) throw error;
        suspended ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_TOOLS, calls.length) }, worker));
  if (suspended !== undefined) throw suspended;
  return replies;
}

async function runCall(job: AgentJob, tools: readonly Tool[], call: Call, path: string): Promise<ToolReply> {
  const { run } = job;
  const known = run.journal.tool(path);
  if (known !== undefined) return known;
  const tool = tools.find((candidate) => wireName(candidate.name) === call.name || candidate.name === call.name);
  if (tool === undefined) {
    const names = tools.map((candidate) => wireName(candidate.name));
    const near = nearestName(call.name, names);
    return deny(
      job,
      path,
      call.name,
      call.name === ""
        ? `The call is not valid JSON of the form { "tool": "name", "input": { … } }: ${call.input.slice(0, 200)}`
        : `There is no tool '${call.name}'.${near === undefined ? "" : ` Did you mean '${near}'?`} Known: ${names.join(", ")}.`,
    );
  }
  const input = call.input.trim() === "" ? {} : wholeJson(call.input);
  if (input === undefined)
    return deny(job, path, tool.name, `The input is not valid JSON: ${call.input.slice(0, 200)}`);
  const fault = inputFault(tool, input);
  if (fault !== null) return deny(job, path, tool.name, `The input does not fit the tool's schema: ${fault}.`);
  if (!(await isApproved(job, tool, input, path))) return deny(job, path, tool.name, "A person refused this call.");
  try {
    job.ledger.countTool();
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    return deny(job, path, tool.name, error.message);
  }
  if (run.env.replay)
    throw new FlowError("E412", "internal", `The log holds no result for '${path}'; a replay calls no tools.`);
  const began = run.clock.now();
  run.emit("tool.called", path, { name: tool.name, agentId: job.agent.id, ...run.content("input", call.input) });
  const reply = await run.busy(() => executeWithRetry(job, tool, input, path));
  const clean: ToolReply = { ok: reply.ok, content: run.redactor.text(reply.content) };
  run.log({ kind: "tool", path, reply: clean });
  run.emit("tool.completed", path, {
    name: tool.name,
    agentId: job.agent.id,
    ok: clean.ok,
    durationMs: run.clock.now() - began,
    ...run.content("output", clean.content),
  });
  const flags = findInjection(clean.content);
  if (flags.length > 0)
    run.warn(path, `The result of '${tool.name}' looks like instructions; it stays quoted.`, {
      tool: tool.name,
      flags,
    });
  return clean;
}

function deny(job: AgentJob, path: string, name: string, reason: string): ToolReply {
  const reply: ToolReply = { ok: false, content: reason };
  job.run.emit("tool.denied", path, { name, agentId: job.agent.id, reason });
  job.run.log({ kind: "tool", path, reply });
  return reply;
}

async function isApproved(job: AgentJob, tool: Tool, input: unknown, path: string): Promise<boolean> {
  const { run } = job;
  if (tool.approval === "never" || (tool.approval === "first" && run.wasApproved(tool.name))) return true;
  const answer = await run.askHuman({
    path: `${path}/approval`,
    stepId: job.stepId,
    prompt: `May '${job.agent.id}' call ${tool.name} with ${JSON.stringify(input).slice(0, 2_000)}?`,
    schema: { type: "boolean" },
    timeoutMs: undefined,
    fallback: undefined,
    scope: job.scope,
  });
  if (answer === true) run.approve(tool.name);
  return answer === true;
}

/** What a tool throws becomes an error for the model; it is tried again only where that can't do harm. */
async function executeWithRetry(job: AgentJob, tool: Tool, input: unknown, path: string): Promise<ToolReply> {
  const { run, scope, retry } = job;
  for (let attempt = 1; ; attempt++) {
    try {
      return await scope.race(
        run.clock.hold(
          tool.execute(input, { signal: scope.signal, runId: run.runId, agentId: job.agent.id, stepId: job.stepId }),
        ),
      );
    } catch (error) {
      scope.check();
      const message = error instanceof Error ? error.message : String(error);
      if (!tool.idempotent || attempt >= retry.maxAttempts)
        return { ok: false, content: `The tool failed: ${message.slice(0, 500)}` };
      const waitMs = backoffMs(run, retry, attempt, `${path} ${hash64(tool.name)}`);
      run.emit("step.retrying", path, { attempt: attempt + 1, reason: "tool", durationMs: waitMs });
      await run.clock.sleep(waitMs, scope);
    }
  }
}
