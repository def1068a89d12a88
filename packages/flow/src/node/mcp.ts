import { dirname, resolve } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ServerPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import type { ServerConnection } from "../tools/source.ts";

/** assumption: time for a server to start, as one that is fetched by its package runner first takes many seconds. */
const START_TIMEOUT_MS = 30_000;

/** Where a server is, without what may be secret in its address. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** What failed, with the system's code behind a bare "fetch failed". */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
  return cause?.code === undefined ? message : `${message} (${cause.code})`;
}

/** Text of the parts of a tool's answer. */
function contentText(result: { readonly content?: unknown; readonly structuredContent?: unknown }): string {
  const parts = Array.isArray(result.content)
    ? (result.content as readonly {
        readonly type?: string;
        readonly text?: string;
        readonly mimeType?: string;
        readonly resource?: { readonly uri?: string; readonly text?: string };
      }[])
    : [];
  const texts = parts.map((part) => {
    if (part.type === "text") return part.text ?? "";
    if (part.type === "resource") return part.resource?.text ?? `[resource ${part.resource?.uri ?? ""}]`;
    return `[${part.type ?? "part"}${part.mimeType === undefined ? "" : ` ${part.mimeType}`}]`;
  });
  if (texts.length === 0 && result.structuredContent !== undefined) return JSON.stringify(result.structuredContent);
  return texts.join("\n");
}

/**
 * Connects to an MCP server over stdio or streamable HTTP with the official client. The list of tools is read page by page
 * and again after a notice of change; a call ends with its signal, and the server is told.
 *
 * @throws FlowError E403 when the server can't be reached
 */
export async function connectMcp(server: ServerPlan, file: string): Promise<ServerConnection> {
  const { transport: how } = server;
  let transport: Transport;
  if (how.kind === "stdio") {
    // Of our own environment only harmless variables go to the server, and what the file names.
    const env = { ...getDefaultEnvironment(), ...how.env };
    const folder = dirname(resolve(file));
    transport = new StdioClientTransport({
      command: how.command,
      args: [...how.args],
      env,
      cwd: how.cwd === undefined ? folder : resolve(folder, how.cwd),
      stderr: "ignore",
    });
  } else
    transport = new StreamableHTTPClientTransport(new URL(how.url), { requestInit: { headers: { ...how.headers } } });
  let listed: ReturnType<ServerConnection["tools"]> | undefined;
  const client = new Client(
    { name: "praxis-flow", version: "0.1.0" },
    {
      listChanged: {
        tools: {
          onChanged: () => {
            listed = undefined;
          },
        },
      },
    },
  );
  try {
    await client.connect(transport, { timeout: Math.max(server.timeoutMs, START_TIMEOUT_MS) });
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw new FlowError(
      "E403",
      "tool",
      `The tool server '${server.name}' can't be reached (${how.kind === "stdio" ? how.command : addressOf(how.url)}): ${reasonOf(error)}. Is it running?`,
    );
  }
  const list = async (): ReturnType<ServerConnection["tools"]> => {
    // The client writes to the console when it is asked for what the server does not have.
    if (client.getServerCapabilities()?.tools === undefined) return [];
    const { tools } = await client.listTools(undefined, { timeout: server.timeoutMs });
    return tools.map((tool) => ({
      name: tool.name,
      description: tool.description ?? tool.name,
      inputSchema: tool.inputSchema as Readonly<Record<string, unknown>>,
      async execute(input, { signal }) {
        const result = await client.callTool(
          { name: tool.name, arguments: input as Record<string, unknown> },
          { signal, timeout: server.timeoutMs },
        );
        return { ok: result.isError !== true, content: contentText(result) };
      },
    }));
  };
  return {
    tools: () => {
      listed ??= list().catch((error: unknown) => {
        listed = undefined;
        throw new FlowError(
          "E403",
          "tool",
          `The tool server '${server.name}' does not list its tools: ${(error as Error).message}`,
        );
      });
      return listed;
    },
    close: () => client.close(),
  };
}
