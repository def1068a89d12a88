import { z } from "zod";
import type { Env, EnvDefinition, EnvTool, ResetRequest, ResetResult, ServerMode, StepResult } from "./env.ts";
import { PraxisError, toPraxisError } from "./errors.ts";
import { canonicalJson } from "./hash.ts";
import { didYouMean } from "./names.ts";

/** Why a tool call failed, in OpenEnv's words. */
export type ToolErrorType = "tool_not_found" | "invalid_args" | "execution_error";

/** What a session answers to a tool call; `error` is null if it went well. */
export interface ToolCallResult {
  readonly data: unknown;
  /** True once the episode has ended. */
  readonly done: boolean;
  readonly error: { readonly type: ToolErrorType; readonly message: string } | null;
}

/** One line of a session's tool trace. `reward` is what the environment gave during the call. */
export interface ToolTraceEntry {
  readonly name: string;
  readonly arguments: unknown;
  readonly result: ToolCallResult;
  readonly reward: number;
}

/** What a session knows of its episode: the only source of a final reward. */
export interface Verification {
  /** Sum of the step rewards; null if a step was marked with an infra error, as it is then unscored. */
  readonly envReward: number | null;
  readonly done: boolean;
  readonly metrics: Readonly<Record<string, number>>;
}

/** Limits of a session. */
export interface SessionLimits {
  /** Tool calls before `callTool` throws; default 100. */
  readonly maxToolCalls?: number;
}

/** What an agent with its own loop gets of an environment: messages to begin with, tools, and a verdict. Never reset or step. */
export class ResourceSession {
  readonly episodeId: string;
  readonly initialMessages: readonly { readonly role: "user"; readonly content: string }[];
  readonly #env: Env;
  readonly #tools: readonly EnvTool[];
  readonly #mode: ServerMode;
  readonly #maxToolCalls: number;
  readonly #trace: ToolTraceEntry[] = [];
  #last: ResetResult<unknown> | StepResult<unknown>;
  #return = 0;
  #steps = 0;
  #hasInfraError = false;
  #done = false;

  constructor(
    definition: EnvDefinition,
    env: Env,
    begun: ResetResult<unknown>,
    { maxToolCalls = 100, mode = "production" }: SessionLimits & { readonly mode?: ServerMode },
  ) {
    this.#env = env;
    this.#last = begun;
    this.#mode = mode;
    this.#maxToolCalls = maxToolCalls;
    this.#tools = (definition.tools ?? []).filter((tool) => tool.modes?.includes(mode) ?? true);
    this.episodeId = env.state().episodeId ?? "";
    this.initialMessages = [
      { role: "user", content: `${definition.description}\n\n${canonicalJson(begun.observation)}` },
    ];
  }

  get toolTrace(): readonly ToolTraceEntry[] {
    return this.#trace;
  }

  /** The tools as MCP lists them. */
  listTools(): readonly { readonly name: string; readonly description: string; readonly inputSchema: unknown }[] {
    return this.#tools.map(({ name, description, input }) => ({
      name,
      description,
      inputSchema: z.toJSONSchema(input),
    }));
  }

  /** Calls a tool. A failing tool is a result with `error`; throws CAPACITY_REACHED beyond the limit of calls. */
  async callTool(name: string, args: unknown = {}): Promise<ToolCallResult> {
    if (this.#trace.length >= this.#maxToolCalls)
      throw new PraxisError("CAPACITY_REACHED", `The session has used its ${this.#maxToolCalls} tool calls.`);
    const before = this.#return;
    const result = await this.#run(name, args);
    this.#trace.push({ name, arguments: args, result, reward: this.#return - before });
    return result;
  }

  /** The verdict so far. */
  verify(): Verification {
    return {
      envReward: this.#hasInfraError ? null : this.#return,
      done: this.#done,
      metrics: { steps: this.#steps, toolCalls: this.#trace.length },
    };
  }

  /** Throws REWARD_MISMATCH unless `reward` is the environment's: orchestration forwards rewards, it does not make them. */
  checkFinalReward(reward: number | null): void {
    const { envReward } = this.verify();
    if (reward !== envReward)
      throw new PraxisError("REWARD_MISMATCH", `The final reward is ${reward}, but the environment gave ${envReward}.`);
  }

  async close(): Promise<void> {
    await this.#env.close();
  }

  async #run(name: string, args: unknown): Promise<ToolCallResult> {
    const tool = this.#tools.find((each) => each.name === name);
    const fail = (type: ToolErrorType, message: string) => ({ data: null, done: this.#done, error: { type, message } });
    if (tool === undefined) {
      const names = this.#tools.map((each) => each.name);
      return fail("tool_not_found", `Unknown tool '${name}'.${didYouMean(name, names)}`);
    }
    const parsed = tool.input.safeParse(args);
    if (!parsed.success) return fail("invalid_args", z.prettifyError(parsed.error));
    try {
      const step = (action: unknown) => this.#step(action);
      const data = await tool.call(this.#env, parsed.data, { mode: this.#mode, last: this.#last, step });
      return { data, done: this.#done, error: null };
    } catch (error) {
      return fail("execution_error", toPraxisError(error).message);
    }
  }

  async #step(action: unknown): Promise<StepResult<unknown>> {
    const result = await this.#env.step(action);
    this.#last = result;
    this.#return += result.reward;
    this.#steps++;
    this.#hasInfraError ||= result.info.infraError !== undefined;
    this.#done = result.terminated || result.truncated;
    return result;
  }
}

/** Begins an episode in an environment of its own; the session closes it. */
export async function makeResourceSession(
  definition: EnvDefinition,
  request: ResetRequest = {},
  options: SessionLimits & { readonly mode?: ServerMode } = {},
): Promise<ResourceSession> {
  const env = definition.makeEnv();
  try {
    return new ResourceSession(definition, env, await env.reset(request), options);
  } catch (error) {
    await env.close();
    throw error;
  }
}
