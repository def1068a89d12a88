import {
  type CallToolRequest,
  type CallToolResult,
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { PraxisError } from "@praxis/env";
import { isRecord } from "../action.ts";
import type { ServerContext } from "../context.ts";
import { internalError } from "../error-body.ts";
import type { Session } from "../session.ts";
import { RPC_CODES, type RpcId, rpcFailure, rpcFailureOf } from "./json-rpc.ts";
import { answerOf, STEPS_META_KEY } from "./tool-result.ts";
import { parseToolArguments, toolsOf, unknownToolMessage } from "./tools.ts";

/** Code of MCP SDKs for a session that is gone; their clients then initialise anew. */
const SESSION_NOT_FOUND = -32001;
/** How long a client that found no free slot is asked to wait. */
const RETRY_AFTER_SECONDS = 1;

const SESSION_HEADER = "mcp-session-id";
const VERSION_HEADER = "mcp-protocol-version";

/** True for messages of the standard protocol: they initialise, or carry a header that only its clients send. */
export function isStandardMcp(headers: Headers, body: unknown): boolean {
  if (headers.has(SESSION_HEADER) || headers.has(VERSION_HEADER)) return true;
  return isRecord(body) && body.method === "initialize";
}

/** Id of a request that could be read far enough to have one. */
function idOf(body: unknown): RpcId {
  if (!isRecord(body)) return null;
  return typeof body.id === "string" || typeof body.id === "number" ? body.id : null;
}

const HEADER_NEEDED = "Bad Request: Mcp-Session-Id header is required; send initialize first";
const INITIALIZE_NEEDS = "Invalid params: initialize needs protocolVersion, capabilities and clientInfo";

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });

const refuse = (body: unknown, code: number, message: string): Response =>
  json(400, rpcFailure(idOf(body), code, message));

/** One MCP session. */
interface Stream {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Ids of the calls that run: a second request of the same id would take the first one's answer, and one would wait for ever. */
  readonly running: Set<RpcId>;
}

/**
 * The standard Streamable HTTP transport of MCP for one environment. Each MCP session owns one session and its slot, under
 * the same id, until DELETE or the idle limit; the environment is reset (unseeded) before the first tool call.
 */
export class StreamableHttp {
  readonly #context: ServerContext;
  readonly #streams = new WeakMap<Session, Stream>();

  constructor(context: ServerContext) {
    this.#context = context;
  }

  /** Answers a GET, POST or DELETE. @param body parsed JSON of a POST */
  async handle(request: Request, body?: unknown): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id !== null) return this.#continue(id, request, body);
    if (!isRecord(body) || body.method !== "initialize") return refuse(body, RPC_CODES.SERVER_ERROR, HEADER_NEEDED);
    if (!isJSONRPCRequest(body)) return refuse(body, RPC_CODES.INVALID_REQUEST, "Invalid request: not JSON-RPC 2.0");
    if (!isInitializeRequest(body)) return refuse(body, RPC_CODES.INVALID_PARAMS, INITIALIZE_NEEDS);
    return this.#initialize(request, body);
  }

  async #continue(id: string, request: Request, body: unknown): Promise<Response> {
    const stream = this.#find(id);
    if (stream === null) {
      const message = "Session not found; send initialize to begin another";
      return json(404, rpcFailure(idOf(body), SESSION_NOT_FOUND, message));
    }
    const requestId = idOf(body);
    if (stream.running.has(requestId))
      return refuse(body, RPC_CODES.INVALID_REQUEST, `Invalid request: a call with id ${requestId} is still running`);
    return stream.transport.handleRequest(request, { parsedBody: body });
  }

  #find(id: string): Stream | null {
    let session: Session;
    try {
      session = this.#context.sessions.get(id, this.#context.definition);
    } catch {
      return null;
    }
    session.touch();
    return this.#streams.get(session) ?? null;
  }

  async #initialize(request: Request, body: JSONRPCRequest): Promise<Response> {
    const { definition, mode, sessions } = this.#context;
    if (!toolsOf(definition, mode).isSupported)
      return json(200, rpcFailureOf(body.id, new PraxisError("NOT_SUPPORTED", "Environment does not support MCP")));
    let session: Session;
    try {
      session = sessions.open(definition, "mcp-stream");
    } catch (cause) {
      const error = internalError(cause);
      const headers: Record<string, string> =
        error.row.status === 503 ? { "retry-after": String(RETRY_AFTER_SECONDS) } : {};
      return json(error.row.status, rpcFailureOf(body.id, error), headers);
    }
    try {
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => session.id,
        onsessionclosed: () => {
          session.close();
          this.#streams.delete(session);
        },
      });
      const running = new Set<RpcId>();
      this.#streams.set(session, { transport, running });
      session.setOwner({ sessionEnded: () => this.#closeTransport(transport) });
      await this.#makeServer(session, running).connect(transport);
      const response = await transport.handleRequest(request, { parsedBody: body });
      // A refused handshake (wrong Accept or content type) gives the slot back at once.
      if (transport.sessionId === undefined) session.close();
      return response;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  #closeTransport(transport: WebStandardStreamableHTTPServerTransport): void {
    transport.close().catch((error: unknown) => this.#context.log.warn({ err: error }, "MCP transport did not close"));
  }

  #makeServer(session: Session, running: Set<RpcId>) {
    const { definition, mode } = this.#context;
    const instructions = [definition.description, definition.notice].filter((text) => text !== undefined).join(" ");
    const { server } = new McpServer(
      { name: definition.name, title: definition.id, version: definition.version },
      { capabilities: { tools: {} }, instructions },
    );
    server.setRequestHandler("tools/list", () => ({ tools: [...toolsOf(definition, mode).listings] }));
    server.setRequestHandler("tools/call", async (call, { mcpReq }) => {
      running.add(mcpReq.id);
      try {
        return await this.#callTool(call, session);
      } finally {
        running.delete(mcpReq.id);
      }
    });
    return server;
  }

  async #callTool({ params }: CallToolRequest, session: Session): Promise<CallToolResult> {
    const { definition, mode } = this.#context;
    const tools = toolsOf(definition, mode);
    const tool = tools.find(params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownToolMessage(params.name, tools));
    try {
      const answer = answerOf(await session.callTool(tool, parseToolArguments(tool, params.arguments), mode), mode);
      return {
        content: answer.text === null ? [] : [{ type: "text", text: answer.text }],
        ...(answer.structured === null ? {} : { structuredContent: answer.structured }),
        ...(answer.steps.length === 0 ? {} : { _meta: { [STEPS_META_KEY]: answer.steps } }),
      };
    } catch (cause) {
      // A result and no protocol error, so that the model reads it and can try again.
      const error = internalError(cause);
      const errors = error.fields.length === 0 ? {} : { errors: error.fields };
      return {
        content: [{ type: "text", text: error.message }],
        structuredContent: { code: error.code, message: error.message, ...errors },
        isError: true,
      };
    }
  }
}
