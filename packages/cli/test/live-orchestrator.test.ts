import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Rng } from "@praxis/env";
import { makeRealClock } from "@praxis/flow";
import { runFlowFile } from "@praxis/flow/node";
import { hash384 } from "@praxis/llm";
import type { LiveScene } from "@praxis/spindleflow";
import { expect, test } from "vitest";
import { flowHost } from "../src/flow-host.ts";
import { makeLiveOrchestrator } from "../src/spindleflow/live-orchestrator.ts";
import { loadOrchestrator, orchestratorFolder } from "../src/spindleflow/orchestrator.ts";

const minilm = fileURLToPath(new URL("../../../.peers/minilm", import.meta.url));
const example = fileURLToPath(new URL("../../../examples/flows/delegate-trained.yml", import.meta.url));
const embed = (text: string): Float32Array => hash384.embed(text);
const roster = ["tables and indexes", "screens", "jobs and alerts", "contracts", "texts", "charts", "payments"].map(
  (description, i) => ({
    id: `agent${i}`,
    description,
    similarity: 0.5,
    called: false,
    failed: false,
    allowed: i !== 2,
  }),
);
const begin: LiveScene & { readonly path: string } = {
  task: "Our nightly export locks the orders table; how do we speed it up?",
  ...{ roster, outputs: [], step: 0, maxSteps: 5, elapsedMs: 0, slaMs: 60_000, path: "flow/delegate" },
};

/** Plays a trained orchestrator on agents that always answer, and returns what it decided. */
async function play(judge: () => number): Promise<readonly string[][]> {
  const player = await loadOrchestrator(orchestratorFolder("set"));
  const policy = makeLiveOrchestrator("set", player, embed, judge);
  const calls: string[][] = [];
  let scene = begin;
  for (let step = 0; step <= begin.maxSteps; step++) {
    const decision = await policy.decide({ ...scene, step });
    if (decision.meta === "stop") return [...calls, [decision.reason]];
    calls.push([...decision.members]);
    for (const id of decision.members) {
      const member = scene.roster.find((each) => each.id === id)!;
      expect([id, member.called, member.allowed]).toEqual([id, false, true]);
      expect(decision.probabilities).toHaveLength(decision.members.length);
    }
    scene = {
      ...scene,
      elapsedMs: scene.elapsedMs + 4000,
      roster: scene.roster.map((each) => (decision.members.includes(each.id) ? { ...each, called: true } : each)),
      outputs: [...scene.outputs, ...decision.members.map((id) => ({ id, text: `${id} answers` }))],
    };
  }
  throw new Error("it never stopped");
}

test("a trained orchestrator calls only whom it may, nobody twice, stops, and decides the same again", async () => {
  const calls = await play(() => 0.4);
  expect(calls.length).toBeGreaterThan(1);
  expect(calls.at(-1)![0]).toMatch(/^set: measured 0\.40; call \d+ %, stop \d+ %$|the steps are used up/);
  expect(await play(() => 0.4)).toEqual(calls);
});

test("it does not hand in nothing while somebody can be asked, and stops when nobody can", async () => {
  const player = await loadOrchestrator(orchestratorFolder("set"));
  const policy = makeLiveOrchestrator("set", player, embed);
  expect((await policy.decide(begin)).meta).toBe("call");
  const nobody = { ...begin, roster: roster.map((each) => ({ ...each, allowed: false })) };
  expect(await policy.decide(nobody)).toMatchObject({ meta: "stop", members: [] });
});

test("an orchestrator that is not there is named before anything runs", async () => {
  await expect(flowHost().policies!("spindleflow:sett", {} as never)).rejects.toThrow("Did you mean 'set'?");
  expect(await flowHost().policies!("elsewhere", {} as never)).toBeUndefined();
});

test.skipIf(!existsSync(join(minilm, "model.safetensors")))(
  "the example is driven by the trained orchestrator with the embedder it was trained with (needs node scripts/minilm.mjs --install)",
  async () => {
    process.env.PRAXIS_MINILM = minilm;
    const reasons: string[] = [];
    const outcome = await runFlowFile(example, {
      ...flowHost(),
      input: begin.task,
      rng: Rng.fromSeed(1),
      seed: "1",
      clock: () => makeRealClock(() => performance.now()),
      onEvent: ({ type, data }) => {
        if (type === "delegation.decided") reasons.push(String(data.reason));
      },
    });
    delete process.env.PRAXIS_MINILM;
    expect(outcome).toMatchObject({ kind: "ran", result: { status: "completed", error: null } });
    expect(reasons.length).toBeGreaterThan(1);
    for (const reason of reasons) expect(reason).toMatch(/^set: /);
  },
);
