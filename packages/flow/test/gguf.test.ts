import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeRealClock } from "../src/engine/clock.ts";
import { loadGguf } from "../src/node/gguf.ts";
import { importPackage } from "../src/node/import-package.ts";
import { makeModelFactory } from "../src/providers/factory.ts";
import { planOf } from "./support/files.ts";
import { runPlan } from "./support/run.ts";

/** Where `.ci/run` puts a small model and its runtime (`node scripts/small-model.mjs --install`); any other GGUF by PRAXIS_GGUF. */
const FILE =
  process.env.PRAXIS_GGUF ??
  fileURLToPath(new URL("../../../.peers/llama/SmolLM2-135M-Instruct.Q4_1.gguf", import.meta.url));
const isHere =
  existsSync(FILE) &&
  (await importPackage("node-llama-cpp", FILE).then(
    () => true,
    () => false,
  ));

const flow = (model: string): string => `models:
  local: { provider: gguf, model: "${model}", max_tokens: 48, temperature: 0, context_window: 2048, options: { threads: 1 } }
agents:
  - { id: writer, role: a poet, goal: Write one short line, timeout_ms: 240000, retry: { max_attempts: 1 } }
  - { id: editor, role: an editor, goal: Answer in JSON, timeout_ms: 240000, retry: { max_attempts: 1 }, output: { schema: { type: object, properties: { score: { type: integer } }, required: [score] }, repair: 2 } }
workflow: { type: sequential, steps: [writer, editor] }
outputs: { line: outputs.writer.text, score: outputs.editor.json.score }
`;

test.runIf(isHere)(
  "two agents finish a flow on a real small model, its JSON held by a grammar (needs node scripts/small-model.mjs --install)",
  { timeout: 600_000 },
  async () => {
    let time = 0;
    const models = makeModelFactory({ fetch: globalThis.fetch, gguf: loadGguf });
    const ran = await runPlan(await planOf(flow(FILE)), {
      models,
      clock: makeRealClock(() => time++),
      input: "The sea at night",
    });
    expect(ran.result.error).toBeNull();
    expect(String(ran.result.outputs.line).length).toBeGreaterThan(0);
    expect(Number.isInteger(ran.result.outputs.score)).toBe(true);
    expect(ran.result.usage.outputTokens).toBeGreaterThan(0);
  },
);

test("a model file that does not exist is named, with what to do", async () => {
  const ran = await runPlan(await planOf(flow("/nowhere/model.gguf")), {
    models: makeModelFactory({ fetch: globalThis.fetch, gguf: loadGguf }),
  });
  expect(ran.result.error).toMatchObject({ code: "E401", class: "invalid_request" });
  expect(ran.result.error!.message).toContain("/nowhere/model.gguf");
});
