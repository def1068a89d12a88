import { type MaybePromise, PraxisError } from "@praxis/env";
import type { ServerContext } from "../context.ts";
import type { ToolReply } from "../env-runner.ts";
import { internalError } from "../error-body.ts";
import type { Session } from "../session.ts";
import {
  parseRpcRequest,
  RPC_CODES,
  type RpcRequest,
  type RpcResponse,
  rpcFailure,
  rpcFailureOf,
  rpcInvalidRequest,
  rpcResult,
} from "./json-rpc.ts";
import { settle } from "./settle.ts";
import { answerOf, openEnvToolResult } from "./tool-result.ts";
import { parseToolArguments, type ToolListing, toolsOf, unknownToolMessage } from "./tools.ts";

/**
 * Answers one parsed message in OpenEnv's JSON-RPC dialect; never throws or rejects. Answers without a promise where the
 * environment does.
 * @param own the socket's session; null over HTTP, where a call without `session_id` runs in an environment of its own
 */
export function answerRpc(message: unknown, context: ServerContext, own: Session | null): MaybePromise<RpcResponse> {
  let request: RpcRequest;
  try {
    request = parseRpcRequest(message);
  } catch (error) {
    return rpcInvalidRequest(internalError(error));
  }
  return settle(
    () => dispatch(request, context, own),
    (response) => response,
    (error) => rpcFailureOf(request.id, internalError(error)),
  );
}

function dispatch(request: RpcRequest, context: ServerContext, own: Session | null): MaybePromise<RpcResponse> {
  switch (request.method) {
    case "openenv/session/create":
      return rpcResult(request.id, {
        session_id: (own ?? context.sessions.open(context.definition, "http-mcp")).id,
      });
    case "openenv/session/close":
      return closeSession(request, context, own);
    case "tools/list":
      return listTools(request, context, own);
    case "tools/call":
      return callTool(request, context, own);
    default:
      return rpcFailure(request.id, RPC_CODES.METHOD_NOT_FOUND, `Method not found: ${request.method}`);
  }
}

function closeSession(request: RpcRequest, context: ServerContext, own: Session | null): RpcResponse {
  const id = request.params.session_id;
  if (typeof id !== "string" || id === "")
    return rpcFailure(request.id, RPC_CODES.INVALID_PARAMS, "Invalid params - 'session_id' is required");
  if (id === own?.id)
    return rpcFailure(
      request.id,
      RPC_CODES.INVALID_REQUEST,
      "Cannot close active WebSocket-managed session via MCP method",
    );
  // Deferred while a socket is attached, so that an episode in progress isn't cut under its trainer.
  const outcome = context.sessions.requestClose(id, context.definition);
  return rpcResult(
    request.id,
    outcome === "closed" ? { session_id: id, closed: true } : { session_id: id, closed: false, closing: true },
  );
}

/** The session that a request is about: the one it names, else the socket's own; null for a call on its own. */
function sessionOf(request: RpcRequest, context: ServerContext, own: Session | null): Session | null {
  const id = request.params.session_id;
  const isNamed = id !== undefined && id !== null && id !== "";
  const session = isNamed ? context.sessions.get(String(id), context.definition) : own;
  session?.touch();
  return session;
}

function supportedTools(context: ServerContext) {
  const tools = toolsOf(context.definition, context.mode);
  if (!tools.isSupported) throw new PraxisError("NOT_SUPPORTED", "Environment does not support MCP");
  return tools;
}

/** The listing with the schema under both names: clients of OpenEnv 0.3 and 0.10 look for either. */
const openEnvListing = (tool: ToolListing): Record<string, unknown> => ({ ...tool, input_schema: tool.inputSchema });

function listTools(request: RpcRequest, context: ServerContext, own: Session | null): RpcResponse {
  sessionOf(request, context, own);
  return rpcResult(request.id, { tools: supportedTools(context).listings.map(openEnvListing) });
}

function callTool(request: RpcRequest, context: ServerContext, own: Session | null): MaybePromise<RpcResponse> {
  const { name, arguments: given } = request.params;
  if (typeof name !== "string" || name === "")
    return rpcFailure(request.id, RPC_CODES.INVALID_PARAMS, "Missing 'name' in params");
  const named = sessionOf(request, context, own);
  const tools = supportedTools(context);
  const tool = tools.find(name);
  if (tool === undefined) return rpcFailure(request.id, RPC_CODES.INTERNAL_ERROR, unknownToolMessage(name, tools));
  const args = parseToolArguments(tool, given);
  const session = named ?? context.sessions.temporary(context.definition);
  const finish = (): void => {
    if (named === null) session.close();
  };
  return settle<ToolReply, RpcResponse>(
    () => session.callTool(tool, args, context.mode),
    (reply) => {
      finish();
      return rpcResult(request.id, openEnvToolResult(answerOf(reply, context.mode)));
    },
    (error) => {
      finish();
      return rpcFailureOf(request.id, internalError(error));
    },
  );
}
