// A small MCP server for tests: over stdio when started by itself, else its factory serves HTTP.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

export function makeServer() {
  const server = new McpServer({ name: "desk", version: "1.0.0" });
  server.registerTool(
    "add",
    { description: "Adds two numbers", inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  );
  server.registerTool("fail", { description: "Always fails", inputSchema: z.object({}) }, async () => ({
    isError: true,
    content: [{ type: "text", text: "out of paper" }],
  }));
  server.registerTool(
    "env",
    { description: "Shows a variable", inputSchema: z.object({ name: z.string() }) },
    async ({ name }) => ({ content: [{ type: "text", text: process.env[name] ?? "unset" }] }),
  );
  server.registerTool("slow", { description: "Takes long", inputSchema: z.object({}) }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 10_000).unref());
    return { content: [{ type: "text", text: "late" }] };
  });
  server.registerTool("grow", { description: "Adds a tool", inputSchema: z.object({}) }, async () => {
    server.registerTool("extra", { description: "Came later", inputSchema: z.object({}) }, async () => ({
      content: [{ type: "text", text: "extra!" }],
    }));
    return { content: [{ type: "text", text: "grown" }] };
  });
  return server;
}

if (process.argv[2] === "--stdio") serveStdio(makeServer);
