import type { CheckedFlow } from "../../src/config/check.ts";
import { checkFlow } from "../../src/config/check.ts";
import type { Environment } from "../../src/config/environment.ts";
import type { FlowPlan } from "../../src/config/plan.ts";
import { formatProblems } from "../../src/config/problem.ts";
import type { FlowFiles } from "../../src/config/sources.ts";

/** Flow files in memory, all in one folder. */
export function memoryFiles(texts: Readonly<Record<string, string>>): FlowFiles {
  return {
    resolve: (_, name) => name.replace(/^\.\//, ""),
    read: async (file) => {
      const text = texts[file];
      return text === undefined ? { kind: "missing", siblings: Object.keys(texts) } : { kind: "text", text };
    },
  };
}

/** Checks one text as `flow.yml`, with further files beside it. */
export function checkText(
  text: string,
  options: {
    readonly others?: Readonly<Record<string, string>>;
    readonly env?: Environment;
    readonly hostTools?: readonly string[];
  } = {},
): Promise<CheckedFlow> {
  return checkFlow("flow.yml", {
    files: memoryFiles({ "flow.yml": text, ...options.others }),
    env: options.env ?? {},
    ...(options.hostTools === undefined ? {} : { hostTools: options.hostTools }),
  });
}

/** `line:column code` of every problem. */
export function places(checked: CheckedFlow): string[] {
  return checked.problems.map((problem) => `${problem.line}:${problem.column} ${problem.code}`);
}

/** The plan of a text that must be right. */
export async function planOf(text: string, options: Parameters<typeof checkText>[1] = {}): Promise<FlowPlan> {
  const checked = await checkText(text, options);
  if (checked.plan === null) throw new Error(formatProblems(checked.problems, checked.texts));
  return checked.plan;
}

/** Beginning of a flow with one simulated model and the agents of these ids. */
export function team(...ids: readonly string[]): string {
  const agents = ids.map((id) => `  - { id: ${id}, role: ${id} role, goal: Do what ${id} does }`);
  return `models:\n  sim: { provider: simulated, model: sim-1 }\nagents:\n${agents.join("\n")}\n`;
}
