import { compileJsonSchema } from "../config/json-schema.ts";
import type { GuardrailPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import { matches } from "../expression/evaluate.ts";
import type { AgentJob } from "./agent-job.ts";
import { tryParse, wholeJson } from "./json-text.ts";

/** Shapes of common keys. assumption: patterns of widely used key formats, all with 16 characters and more after the prefix. */
const SECRET_SHAPES =
  /\b(?:sk-[A-Za-z0-9_-]{16,}|sk-ant-[A-Za-z0-9_-]{16,}|ghp_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|xox[abprs]-[A-Za-z0-9-]{16,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})|-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Applies an agent's checks to its task or its answer. @throws FlowError E404 naming the check */
export async function checkGuardrails(job: AgentJob, side: "input" | "output", text: string): Promise<void> {
  for (const [i, rule] of job.agent.guardrails[side].entries()) {
    const reason = await refusal(job, rule, text, `${job.path}/guard.${side}.${i}`);
    if (reason !== undefined)
      throw new FlowError(
        "E404",
        "guardrail",
        `The ${side} of '${job.agent.id}' was refused by ${rule.kind === "tool" ? rule.name : rule.kind}: ${reason}.`,
      );
  }
}

async function refusal(job: AgentJob, rule: GuardrailPlan, text: string, path: string): Promise<string | undefined> {
  switch (rule.kind) {
    case "max_length":
      return text.length > rule.limit ? `${text.length} characters, ${rule.limit} are allowed` : undefined;
    case "regex_deny":
      return matches(text.slice(0, 200_000), rule.pattern) ? "it matches a denied pattern" : undefined;
    case "json_schema": {
      const value = wholeJson(text);
      return value === undefined ? "it is not JSON" : (compileJsonSchema(rule.schema)(value) ?? undefined);
    }
    case "no_secrets":
      return SECRET_SHAPES.test(text) || job.run.redactor.text(text) !== text
        ? "it holds what looks like a key"
        : undefined;
    case "tool":
      return toolRefusal(job, rule.name, text, path);
  }
}

async function toolRefusal(job: AgentJob, name: string, text: string, path: string): Promise<string | undefined> {
  const { run, scope, agent } = job;
  const known = run.journal.tool(path);
  const reply =
    known ??
    (await run.busy(async () => {
      const [tool] = await run.clock.hold(run.env.tools.resolve(job.plan, { ...agent, tools: [name] }));
      if (tool === undefined) throw new FlowError("E403", "tool", `The guardrail '${name}' is not a tool.`);
      return scope.race(
        run.clock.hold(
          tool.execute({ text }, { signal: scope.signal, runId: run.runId, agentId: agent.id, stepId: job.stepId }),
        ),
      );
    }));
  if (known === undefined) run.log({ kind: "tool", path, reply });
  if (!reply.ok) return reply.content;
  const verdict = tryParse(reply.content) as { readonly ok?: unknown; readonly reason?: unknown } | undefined;
  // A check that says nothing clear has not passed.
  if (verdict?.ok === true) return undefined;
  return typeof verdict?.reason === "string" ? verdict.reason : "the check did not answer { ok: true }";
}
