import type { Fetch } from "../providers/http-models.ts";
import type { Tool } from "./tool.ts";

/** One hit of a search. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** A search engine. */
export type SearchAdapter = (
  query: string,
  options: { readonly limit: number; readonly signal: AbortSignal },
) => Promise<readonly SearchHit[]>;

/** The search tool over an adapter; without one there is no such tool. */
export function makeSearchTool(
  adapter: SearchAdapter,
  settings: { readonly limit: number; readonly approval: Tool["approval"] },
): Tool {
  return {
    name: "web_search",
    description: "Searches the web and gives titles, addresses and short texts.",
    inputSchema: {
      type: "object",
      properties: { query: { type: "string", minLength: 1, maxLength: 400 } },
      required: ["query"],
      additionalProperties: false,
    },
    approval: settings.approval,
    idempotent: true,
    async execute(input, { signal }) {
      const hits = await adapter((input as { readonly query: string }).query, { limit: settings.limit, signal });
      if (hits.length === 0) return { ok: true, content: "Nothing was found." };
      return {
        ok: true,
        content: hits
          .slice(0, settings.limit)
          .map((hit) => `${hit.title}\n${hit.url}\n${hit.text}`)
          .join("\n\n"),
      };
    },
  };
}

/** Brave Search over its web API (`GET /res/v1/web/search`, header `X-Subscription-Token`). */
export function makeBraveSearch(options: {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly fetch: Fetch;
}): SearchAdapter {
  return async (query, { limit, signal }) => {
    const url = `${options.baseUrl.replace(/\/+$/, "")}/res/v1/web/search?q=${encodeURIComponent(query)}&count=${limit}`;
    const response = await options.fetch(url, {
      signal,
      headers: { accept: "application/json", "x-subscription-token": options.apiKey },
    });
    if (!response.ok) throw new Error(`The search answered ${response.status}.`);
    const body = (await response.json()) as {
      readonly web?: {
        readonly results?: readonly { readonly title?: string; readonly url?: string; readonly description?: string }[];
      };
    };
    return (body.web?.results ?? []).map((hit) => ({
      title: hit.title ?? "",
      url: hit.url ?? "",
      text: hit.description ?? "",
    }));
  };
}
