import { dirname, resolve, sep } from "node:path";
import { FlowError } from "../errors.ts";
import type { Fetch } from "../providers/http-models.ts";
import { calculator } from "../tools/calculator.ts";
import { makeCodeTool } from "../tools/code.ts";
import { jsonQuery } from "../tools/json-query.ts";
import type { MakeTool, ToolSettings } from "../tools/source.ts";
import type { Tool } from "../tools/tool.ts";
import { makeBraveSearch, makeSearchTool, type SearchAdapter } from "../tools/web-search.ts";
import { makeFilesystemTool } from "./filesystem-tool.ts";
import { makeFetchTool } from "./http-fetch-tool.ts";

const MEBIBYTE = 1_048_576;

/** The built-in tools, with their settings and defaults. */
export function builtInTools(host: {
  readonly now: () => number;
  readonly fetch: Fetch;
  readonly search?: SearchAdapter;
}): Readonly<Record<string, MakeTool>> {
  return {
    calculator: (settings) => ({ ...calculator, approval: approvalOf(settings) }),
    json_query: (settings) => ({ ...jsonQuery, approval: approvalOf(settings) }),
    code: (settings) =>
      makeCodeTool(
        {
          timeoutMs: number(settings.timeout_ms, 1_000),
          memoryMb: number(settings.memory_mb, 32),
          approval: approvalOf(settings),
        },
        host.now,
      ),
    filesystem: (settings, file) =>
      makeFilesystemTool({
        root: rootOf(settings, file),
        allow: strings(settings.allow) ?? ["read", "list", "exists"],
        extensions: strings(settings.extensions),
        maxBytes: number(settings.max_bytes, MEBIBYTE),
        approval: approvalOf(settings),
      }),
    http_fetch: (settings) =>
      makeFetchTool({
        hosts: strings(settings.hosts) ?? [],
        allowPrivate: strings(settings.allow_private) ?? [],
        maxBytes: number(settings.max_bytes, MEBIBYTE),
        timeoutMs: number(settings.timeout_ms, 20_000),
        approval: approvalOf(settings),
      }),
    web_search: (settings) => {
      const key = settings.api_key;
      const adapter =
        host.search ??
        (typeof key === "string"
          ? makeBraveSearch({
              apiKey: key,
              baseUrl: String(settings.base_url ?? "https://api.search.brave.com"),
              fetch: host.fetch,
            })
          : undefined);
      if (adapter === undefined)
        throw new FlowError(
          "E403",
          "tool",
          "web_search has no search engine: set tools.web_search.api_key_env, or hand an adapter in.",
        );
      return makeSearchTool(adapter, { limit: number(settings.limit, 5), approval: approvalOf(settings) });
    },
  };
}

function approvalOf(settings: ToolSettings): Tool["approval"] {
  return settings.approval === "always" || settings.approval === "first" ? settings.approval : "never";
}

function number(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}

/** The folder of the filesystem tool; an agent's own folder must lie within that of the file. */
function rootOf(settings: ToolSettings, file: string): string {
  const folder = dirname(resolve(file));
  const root = resolve(folder, typeof settings.root === "string" ? settings.root : ".");
  const inside = typeof settings.inside === "string" ? resolve(folder, settings.inside) : undefined;
  if (inside !== undefined && root !== inside && !root.startsWith(inside + sep))
    throw new FlowError("E403", "tool", `The agent's filesystem root '${root}' is not within '${inside}'.`);
  return root;
}
