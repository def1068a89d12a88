import { encodeState, PraxisError, type WireStep } from "@praxis/env";
import type { MountedContext } from "./context.ts";
import type { SessionReply, StateReply } from "./env-runner.ts";
import { isToolStep, toolStep } from "./mcp/index.ts";
import type { Session } from "./session.ts";

/** Log entries kept for viewers. */
const MAX_LOG = 1000;

interface LogEntry {
  readonly timestamp: string;
  readonly action: unknown;
  readonly observation: unknown;
  readonly reward: number | null;
  readonly done: boolean;
  readonly step_count: number;
}

/** A viewer's socket. */
export interface Viewer {
  send(text: string): void;
}

/**
 * The one environment that the page plays, apart from all sessions and from the limit. Built at first use; every viewer
 * sees each reset and step.
 */
export class WebPlay {
  readonly #context: MountedContext;
  readonly #viewers = new Set<Viewer>();
  #session: Session | null = null;
  #log: LogEntry[] = [];
  #observation: unknown = null;
  #isReset = true;

  constructor(context: MountedContext) {
    this.#context = context;
  }

  async reset(keywords: Record<string, unknown>): Promise<WireStep> {
    const { request, warnings } = this.#context.parseReset(keywords);
    const { wire } = await this.#open().reset(request, warnings);
    this.#log = [];
    this.#isReset = true;
    await this.#show(wire);
    return wire;
  }

  async step(action: Record<string, unknown>): Promise<WireStep> {
    const session = this.#open();
    const given = prepared(action);
    const wire = isToolStep(given, this.#context)
      ? await toolStep(given, this.#context, session)
      : (await this.#step(session, given)).wire;
    const { step_count: stepCount } = (await session.state()).wire;
    this.#log.push({
      timestamp: this.#context.clock.timestamp(),
      action: given,
      observation: wire.observation,
      reward: wire.reward,
      done: wire.done,
      step_count: typeof stepCount === "number" ? stepCount : 0,
    });
    if (this.#log.length > MAX_LOG) this.#log.shift();
    this.#isReset = false;
    await this.#show(wire);
    return wire;
  }

  async state(): Promise<StateReply> {
    return this.#open().state();
  }

  /** Adds a viewer and shows it the present. */
  async watch(viewer: Viewer): Promise<void> {
    this.#viewers.add(viewer);
    viewer.send(await this.#update());
  }

  unwatch(viewer: Viewer): void {
    this.#viewers.delete(viewer);
  }

  close(): void {
    this.#session?.close();
    this.#session = null;
  }

  #open(): Session {
    if (this.#session === null || this.#session.isClosed)
      this.#session = this.#context.sessions.temporary(this.#context.definition, "web");
    return this.#session;
  }

  async #step(session: Session, action: Record<string, unknown>): Promise<SessionReply> {
    return session.step(this.#context.parseAction(action));
  }

  async #show(wire: WireStep): Promise<void> {
    this.#observation = wire.observation;
    if (this.#viewers.size === 0) return;
    const update = await this.#update();
    for (const viewer of this.#viewers) viewer.send(update);
  }

  async #update(): Promise<string> {
    // Watching builds no environment: until the first reset there is nothing to see.
    const state =
      this.#session === null ? encodeState({ episodeId: null, stepCount: 0 }) : (await this.#session.state()).wire;
    return JSON.stringify({
      type: "state_update",
      episode_state: {
        episode_id: state.episode_id,
        step_count: state.step_count,
        current_observation: this.#observation,
        action_logs: this.#log,
        is_reset: this.#isReset,
      },
    });
  }
}

/** Form fields arrive as text: token lists and tool arguments are read as the JSON they hold. */
function prepared(action: Record<string, unknown>): Record<string, unknown> {
  const result = { ...action };
  if (typeof action.tokens === "string") result.tokens = parseField(action.tokens, "tokens");
  if (action.type === "call_tool" && typeof action.arguments === "string")
    result.arguments = action.arguments.trim() === "" ? {} : parseField(action.arguments, "arguments");
  return result;
}

function parseField(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PraxisError("VALIDATION_ERROR", `${name}: not JSON.`, {
      fields: [{ type: "json_invalid", loc: [name], msg: "Invalid JSON", input: text }],
    });
  }
}

/** The action of a web step: `{"action":{…}}`, or the message of a chat environment. Undefined if there is neither. */
export function webAction(body: Record<string, unknown>): unknown {
  if (body.action === undefined && typeof body.message === "string") return { message: body.message };
  return body.action;
}
