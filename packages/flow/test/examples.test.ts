import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { checkFlow } from "../src/config/check.ts";
import { formatProblems } from "../src/config/problem.ts";
import { allPolicy } from "../src/engine/delegation-policy.ts";
import { graphFlow } from "../src/graph/graph-flow.ts";
import { makeInMemoryStore } from "../src/memory/in-memory-store.ts";
import { makeMemory } from "../src/memory/service.ts";
import { builtInTools } from "../src/node/built-in-tools.ts";
import { diskFiles } from "../src/node/files.ts";
import { makeToolSource } from "../src/tools/source.ts";
import { wordEmbedder } from "./support/embedder.ts";
import { runPlan } from "./support/run.ts";

const FOLDER = `${import.meta.dirname}/../../../examples/flows`;
const FILES = readdirSync(FOLDER).filter((name) => /^[\w-]+\.yml$/.test(name));
const INPUTS: Readonly<Record<string, unknown>> = {
  "data-cleanup.yml": [{ name: "ACME" }, { name: "Blue Sky" }],
  "medication-agent.yml": { environment: "PolyGuard-v0", observation: { candidates: [{ text: "Keep the regimen" }] } },
};

/** PolyGuard's tools as its server lists them, answered with fixed text. */
const polyguard = {
  tools: async () =>
    ["check_interactions", "dose_check", "lookup_drug"].map((name) => ({
      name,
      description: name,
      inputSchema: { type: "object" },
      execute: async (input: unknown) => ({ ok: true, content: `${name} ${JSON.stringify(input)}` }),
    })),
  close: async () => undefined,
};

test("there are at least ten examples, each named in the README", () => {
  expect(FILES.length).toBeGreaterThanOrEqual(10);
  const readme = readFileSync(`${FOLDER}/README.md`, "utf8");
  for (const file of FILES) expect(readme).toContain(`\`${file}\``);
});

test.each(FILES)(
  "acceptance 1: %s loads without a problem, runs to its end on the simulated provider, and can be drawn",
  async (file) => {
    const checked = await checkFlow(`${FOLDER}/${file}`, { files: diskFiles });
    expect(formatProblems(checked.problems, checked.texts)).toBe("");
    const plan = checked.plan!;
    const embedder = wordEmbedder();
    const ran = await runPlan(plan, {
      input:
        INPUTS[basename(file)] ??
        "Our nightly export locks the orders table; who can tune the query? Please refund one invoice.",
      tools: makeToolSource({
        builtIns: builtInTools({ now: () => performance.now(), fetch: globalThis.fetch }),
        connect: async () => polyguard,
      }),
      memory: async () =>
        makeMemory(
          makeInMemoryStore({ embedder: embedder.id, dimension: embedder.dim }),
          embedder,
          { maxRecords: 10, ttlDays: undefined },
          () => 0,
        ),
      embedder,
      onHuman: async () => ({ go: true }),
      // Policies are the host's; any will do to see that the flow runs.
      policies: async () => allPolicy,
    });
    expect(ran.result.error).toBeNull();
    expect(ran.result.status).toBe("completed");
    for (const value of Object.values(ran.result.outputs)) expect(value).not.toBeNull();
    for (const record of ran.result.records)
      if (record.agentId !== null)
        expect(file.includes("quorum") ? ["completed", "cancelled"] : ["completed", "skipped"]).toContain(
          record.status,
        );
    expect(graphFlow(plan, "ascii")).toContain(plan.workflow.id);
    expect(graphFlow(plan, "svg")).toMatch(/^<svg [\s\S]*<\/svg>$/);
  },
);
