import type { Context, Hono } from "hono";
import { isRecord } from "../action.ts";
import type { ServerContext } from "../context.ts";
import { internalError } from "../error-body.ts";
import { checkParsedText, parseJsonText } from "../json-text.ts";
import { rpcInvalidRequest, rpcParseError } from "./json-rpc.ts";
import { answerRpc } from "./openenv-rpc.ts";
import { isStandardMcp, StreamableHttp } from "./streamable-http.ts";

/**
 * Adds `/mcp` with two dialects on one path. OpenEnv's JSON-RPC answers every message with HTTP 200; a message that
 * initialises or carries a header of the standard protocol gets MCP's Streamable HTTP, whose statuses mean something.
 */
export function mountMcp(app: Hono, context: ServerContext): void {
  const streams = new StreamableHttp(context);

  app.post("/mcp", async (c) => {
    const text = await c.req.text();
    const { headers } = c.req.raw;
    let body: unknown;
    try {
      body = parseJsonText(text);
      checkParsedText(text, body);
    } catch (cause) {
      const error = internalError(cause);
      const response = error.code === "INVALID_JSON" ? rpcParseError() : rpcInvalidRequest(error);
      return c.json(response, isStandardMcp(headers, null) ? 400 : 200);
    }
    if (isStandardMcp(headers, body)) return streams.handle(c.req.raw, body);
    // OpenEnv over HTTP: what is not an object counts as unreadable, batches included.
    if (!isRecord(body)) return c.json(rpcParseError());
    return c.json(await answerRpc(body, context, null));
  });

  const streamOrRefuse = async (c: Context): Promise<Response> =>
    c.req.header("mcp-session-id") === undefined
      ? c.json({ detail: "Method Not Allowed" }, 405, { allow: "POST" })
      : streams.handle(c.req.raw);
  app.get("/mcp", streamOrRefuse);
  app.delete("/mcp", streamOrRefuse);
}
