import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FlowPlan } from "../config/plan.ts";
import { Redactor } from "../engine/events.ts";
import type { FlowResult } from "../engine/run.ts";
import { outlineFlow } from "../graph/outline.ts";
import { renderSvg, renderTiming } from "../graph/svg.ts";

/** Writes what people read about a run into its folder: results, a file a step, a summary, graphs on demand. */
export function writeReports(
  folder: string,
  options: { readonly plan: FlowPlan; readonly text: string; readonly result: FlowResult; readonly graphs: boolean },
): void {
  const { plan, result } = options;
  const redactor = new Redactor(plan.secrets);
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), redactor.text(text));
  const { records, ...rest } = result;
  write(
    "result.json",
    `${JSON.stringify({ ...rest, steps: records.map(({ text: _, json: __, ...record }) => record) }, null, 2)}\n`,
  );
  mkdirSync(join(folder, "steps"), { recursive: true });
  for (const [i, record] of records.entries()) {
    if (record.agentId === null && record.kind !== "human") continue;
    const name = `${String(i + 1).padStart(2, "0")}-${record.stepId.replace(/[^\w.-]/g, "_")}.md`;
    const head = [
      `# ${record.stepId}`,
      "",
      `- agent: ${record.agentId ?? "a person"}`,
      `- status: ${record.status}`,
      `- time: ${record.endedAt - record.startedAt} ms`,
      `- tokens: ${record.usage.inputTokens + record.usage.outputTokens}`,
    ];
    if (record.error !== null) head.push(`- error: ${record.error.code} ${record.error.message}`);
    write(join("steps", name), `${head.join("\n")}\n\n${record.text}\n`);
  }
  write(
    "final.md",
    `${Object.entries(result.outputs)
      .map(
        ([name, value]) =>
          `# ${name}\n\n${typeof value === "string" ? value : `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``}`,
      )
      .join("\n\n")}\n`,
  );
  write("summary.md", summaryTable(plan, result));
  write("config.yml", options.text);
  if (!options.graphs) return;
  write("graph.svg", renderSvg(outlineFlow(plan)));
  write(
    "timing.svg",
    renderTiming(
      records
        .filter((record) => record.status !== "not_run")
        .map((record) => ({
          id: record.stepId,
          startedAt: record.startedAt,
          endedAt: record.endedAt,
          status: record.status,
        })),
    ),
  );
}

function summaryTable(plan: FlowPlan, result: FlowResult): string {
  const cost = (value: number | null): string => (value === null ? "unknown" : `$${value.toFixed(6)}`);
  const rows = result.records.map(
    (record) =>
      `| ${record.stepId} | ${record.agentId ?? record.kind} | ${record.status} | ${record.endedAt - record.startedAt} | ${record.usage.inputTokens} | ${record.usage.outputTokens} | ${record.costUsd === 0 && record.usage.llmCalls === 0 ? "–" : cost(record.costUsd)} |`,
  );
  return [
    `# ${plan.name}`,
    "",
    `Run ${result.runId}: ${result.status}${result.error === null ? "" : ` (${result.error.code} ${result.error.message})`}.`,
    `${result.usage.llmCalls} model calls, ${result.usage.toolCalls} tool calls, ${result.usage.inputTokens} prompt and ${result.usage.outputTokens} output tokens, cost ${cost(result.costUsd)}.`,
    "",
    "| step | agent | status | ms | prompt tokens | output tokens | cost |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
