import type { FlowEvent } from "./events.ts";

/** One line about an event for people; undefined for events that only tools want. */
export function describeEvent(event: FlowEvent): string | undefined {
  const { data } = event;
  const text = (key: string): string => String(data[key] ?? "");
  const seconds = (key: string): string => `${(Number(data[key] ?? 0) / 1_000).toFixed(1)} s`;
  switch (event.type) {
    case "run.started":
      return `run ${event.runId} of ${text("flow")}`;
    case "run.resumed":
      return `run ${event.runId} goes on`;
    case "run.completed":
    case "run.failed":
    case "run.cancelled":
    case "run.suspended": {
      const error = data.error as { readonly code?: string; readonly message?: string } | undefined;
      return `run ${text("status")}${error === undefined ? "" : `: ${error.code} ${error.message}`}`;
    }
    case "step.started":
      return data.kind === "agent"
        ? `▸ ${text("stepId")}${Number(data.attempt) > 1 ? ` (attempt ${text("attempt")})` : ""}`
        : undefined;
    case "step.completed": {
      const usage = data.usage as { readonly inputTokens: number; readonly outputTokens: number };
      return data.kind === "agent" || data.kind === "human"
        ? `✔ ${text("stepId")} in ${seconds("durationMs")}, ${usage.inputTokens + usage.outputTokens} tokens`
        : undefined;
    }
    case "step.failed":
      return `✘ ${text("stepId")} ${text("status")}: ${(data.error as { readonly message?: string } | null)?.message ?? text("reason")}`;
    case "step.skipped":
      return `– ${text("stepId")} skipped (${text("reason")})`;
    case "step.retrying":
      return `↻ ${event.spanId.replace(/^flow\//, "")} attempt ${text("attempt")} in ${seconds("durationMs")} (${text("reason")})`;
    case "subagents.planned":
      return `  ${text("parent")} calls ${(data.calls as readonly { readonly id: string }[]).map((call) => call.id).join(", ")} (${text("source")})`;
    case "tool.completed":
      return `  tool ${text("name")} ${data.ok === true ? "answered" : "failed"}`;
    case "tool.denied":
      return `  tool ${text("name")} denied: ${text("reason")}`;
    case "feedback.iteration":
      return `  review ${text("k")}: ${data.approved === true ? "approved" : "not approved"}`;
    case "delegation.decided":
      return `  ${data.meta === "stop" ? "stops" : `calls ${(data.slots as readonly string[]).join(", ")}`}: ${text("reason")}`;
    case "conflict.found":
      return `! ${(data.agents as readonly string[]).join(", ")} disagree on ${text("topic")}`;
    case "budget.warned":
    case "budget.exceeded":
      return `! budget ${text("which")}: ${text("used")} of ${text("limit")}`;
    case "rate.waited":
      return `  waited ${seconds("ms")} for ${text("provider")}`;
    case "human.requested":
      return `? ${text("prompt")} [${text("token")}]`;
    case "log":
      return data.level === "warn" ? `! ${text("message")}` : undefined;
    default:
      return undefined;
  }
}
