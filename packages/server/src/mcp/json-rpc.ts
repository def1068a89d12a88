import type { FieldError, PraxisError } from "@praxis/env";
import { z } from "zod";
import { parseLax } from "../lax-parse.ts";

/** Error codes of JSON-RPC 2.0; SERVER_ERROR is the first of its range for implementations. */
export const RPC_CODES = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
  SERVER_ERROR: -32000,
} as const;

/** Id of a request, echoed by its response; null for one without or one that could not be read. */
export type RpcId = string | number | null;

/** A response with exactly one of `result` and `error`, keys in the order that OpenEnv sends. */
export type RpcResponse = Record<string, unknown>;

const requestSchema = z.strictObject({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  id: z.union([z.string(), z.int(), z.null()]).default(null),
});

/** A request in OpenEnv's strict envelope. */
export type RpcRequest = z.infer<typeof requestSchema>;

/** A successful response. */
export function rpcResult(id: RpcId, result: unknown): RpcResponse {
  return { jsonrpc: "2.0", id, result };
}

/** A failed response; `data` is always present. */
export function rpcFailure(id: RpcId, code: number, message: string, data: unknown = null): RpcResponse {
  return { jsonrpc: "2.0", id, error: { code, message, data } };
}

/** The response to text that is not JSON. @param detail the parser's words; left out over HTTP */
export function rpcParseError(detail?: string): RpcResponse {
  return rpcFailure(null, RPC_CODES.PARSE_ERROR, detail === undefined ? "Parse error" : `Parse error: ${detail}`);
}

function codeOf(error: PraxisError): number {
  switch (error.code) {
    case "UNKNOWN_SESSION":
      return RPC_CODES.INVALID_PARAMS;
    case "SESSION_BUSY":
      return RPC_CODES.INVALID_REQUEST;
    case "CAPACITY_REACHED":
    case "FACTORY_ERROR":
    case "SHUTTING_DOWN":
    case "SESSION_EXPIRED":
      return RPC_CODES.SERVER_ERROR;
    default:
      // OpenEnv reports every failure of a tool as an internal error, bad arguments included.
      return RPC_CODES.INTERNAL_ERROR;
  }
}

/** The response to a request that failed. */
export function rpcFailureOf(id: RpcId, error: PraxisError): RpcResponse {
  const code = codeOf(error);
  const data =
    code === RPC_CODES.SERVER_ERROR && Object.keys(error.details).length > 0
      ? error.details
      : { code: error.code, ...(error.fields.length === 0 ? {} : { errors: error.fields }) };
  return rpcFailure(id, code, error.message, data);
}

/** The response that tells a WebSocket `/mcp` client why no session was opened. */
export function rpcError(error: PraxisError): RpcResponse {
  return rpcFailure(null, RPC_CODES.SERVER_ERROR, error.message, error.details);
}

const line = (field: FieldError): string => `${field.loc.join(".")}\n  ${field.msg} [type=${field.type}]`;

/** The response to JSON that is no request; `error` says why, its fields where. */
export function rpcInvalidRequest(error: PraxisError): RpcResponse {
  const { fields } = error;
  const count = `${fields.length} validation error${fields.length === 1 ? "" : "s"}`;
  const text = fields.length === 0 ? error.message : [`${count} for JsonRpcRequest`, ...fields.map(line)].join("\n");
  return rpcFailure(null, RPC_CODES.INVALID_REQUEST, `Invalid request: ${text}`);
}

/** Reads a request. Throws VALIDATION_ERROR. */
export function parseRpcRequest(message: unknown): RpcRequest {
  return parseLax(requestSchema, message);
}
