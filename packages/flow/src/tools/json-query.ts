import { asText, evaluate } from "../expression/evaluate.ts";
import { parseExpression } from "../expression/parse.ts";
import type { Tool } from "./tool.ts";

/** Reads values out of JSON with the expression language of flows; `data` is the root. */
export const jsonQuery: Tool = {
  name: "json_query",
  description:
    'Evaluates a query over JSON data, such as data.items[0].name, len(data.items), or data.total > 3 and "x" in data.tags.',
  inputSchema: {
    type: "object",
    properties: { data: {}, query: { type: "string", minLength: 1, maxLength: 1_000 } },
    required: ["data", "query"],
    additionalProperties: false,
  },
  approval: "never",
  idempotent: true,
  async execute(input) {
    const { data, query } = input as { readonly data: unknown; readonly query: string };
    const parsed = parseExpression(query);
    if ("fault" in parsed) return { ok: false, content: `Column ${parsed.fault.at + 1}: ${parsed.fault.message}` };
    const root = typeof data === "string" ? (parseJson(data) ?? data) : data;
    try {
      const value = evaluate(parsed.expression, {
        root: (name) => (name === "data" ? root : undefined),
        history: () => [],
      });
      return { ok: true, content: value === null ? "null" : asText(value) };
    } catch (error) {
      return { ok: false, content: (error as Error).message };
    }
  },
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
