import { z } from "zod";
import { PraxisError } from "../errors.ts";
import { type HttpOptions, requestJson } from "./http.ts";
import { errorFromRpc, isRecord } from "./remote-error.ts";
import { makeHttpOptions, type ServerOptions } from "./remote-server.ts";

/** A tool as a server lists it. */
export interface RemoteTool {
  readonly name: string;
  /** Empty if the server gives none. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

const schemaSchema = z.record(z.string(), z.unknown());
const toolsSchema = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().nullish(),
      inputSchema: schemaSchema.nullish(),
      input_schema: schemaSchema.nullish(),
    }),
  ),
});

/** Tools of a `tools/list` result, in either spelling of the input schema. */
export function parseTools(result: unknown): RemoteTool[] {
  const parsed = toolsSchema.safeParse(result);
  if (!parsed.success)
    throw new PraxisError(
      "CONNECTION_LOST",
      `The server's tool list is not readable: ${parsed.error.issues[0]!.message}.`,
    );
  return parsed.data.tools.map((tool) => ({
    name: tool.name,
    description: tool.description ?? "",
    inputSchema: tool.inputSchema ?? tool.input_schema ?? { type: "object" },
  }));
}

/** The `result` of a JSON-RPC reply. Throws the error in it. */
export function unwrapRpc(reply: unknown): unknown {
  if (!isRecord(reply) || reply.jsonrpc !== "2.0")
    throw new PraxisError("CONNECTION_LOST", "The server's reply is not JSON-RPC 2.0.");
  if (reply.error !== undefined && reply.error !== null) throw errorFromRpc(reply.error);
  return reply.result;
}

/**
 * The plain value of a `tools/call` result: `data`, else the structured content, else the content as it is. A result marked as
 * an error is thrown as ENVIRONMENT_ERROR. Environments without a tool server answer with the whole call-tool observation,
 * whose `result` and `error` are read the same way.
 */
export function unwrapToolResult(result: unknown): unknown {
  if (!isRecord(result)) return result;
  if ("tool_name" in result && "result" in result) {
    if (isRecord(result.error)) {
      const { message, error_type: kind } = result.error;
      throw new PraxisError(
        kind === "tool_not_found" ? "UNKNOWN_NAME" : kind === "invalid_args" ? "VALIDATION_ERROR" : "ENVIRONMENT_ERROR",
        typeof message === "string" ? message : "The tool failed.",
        { details: { error_type: kind } },
      );
    }
    return unwrapToolResult(result.result);
  }
  if (result.is_error === true || result.isError === true) {
    const first: unknown = Array.isArray(result.content) ? result.content[0] : undefined;
    const text = isRecord(first) && typeof first.text === "string" ? first.text : "The tool failed.";
    throw new PraxisError("ENVIRONMENT_ERROR", text);
  }
  if ("data" in result) return result.data;
  const structured = result.structured_content ?? result.structuredContent;
  if (!isRecord(structured)) return "content" in result ? result.content : result;
  const keys = Object.keys(structured);
  return keys.length === 1 && keys[0] === "result" ? structured.result : structured;
}

/**
 * An agent's door: an MCP session over HTTP, in which tools can be listed and called but nothing else. It holds a session
 * slot until closed; a trainer may attach to it with `connect({ sessionId: tools.sessionId })` (OpenEnv 0.10 and Praxis).
 */
export class RemoteTools {
  readonly sessionId: string;
  readonly #http: HttpOptions;
  #nextId = 2;

  private constructor(http: HttpOptions, sessionId: string) {
    this.#http = http;
    this.sessionId = sessionId;
  }

  /** Opens a session. Throws CAPACITY_REACHED, FACTORY_ERROR, or NOT_SUPPORTED where MCP sessions are not known. */
  static async open(options: ServerOptions): Promise<RemoteTools> {
    const http = makeHttpOptions(options);
    const body = { jsonrpc: "2.0", method: "openenv/session/create", params: {}, id: 1 };
    const result = unwrapRpc(await requestJson(http, "/mcp", body));
    if (!isRecord(result) || typeof result.session_id !== "string")
      throw new PraxisError("CONNECTION_LOST", "The server created no MCP session: its reply has no session_id.");
    return new RemoteTools(http, result.session_id);
  }

  async list(): Promise<RemoteTool[]> {
    return parseTools(await this.#call("tools/list", {}));
  }

  /** Calls a tool and gives its plain value. */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return unwrapToolResult(await this.#call("tools/call", { name, arguments: args }));
  }

  /** Ends the session; harmless when it has ended already. While a socket is attached the server closes it afterwards. */
  async close(): Promise<void> {
    try {
      await this.#call("openenv/session/close", {});
    } catch (error) {
      if (!(error instanceof PraxisError && error.code === "UNKNOWN_SESSION")) throw error;
    }
  }

  async #call(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const body = { jsonrpc: "2.0", method, params: { ...params, session_id: this.sessionId }, id: this.#nextId++ };
    return unwrapRpc(await requestJson(this.#http, "/mcp", body));
  }
}
