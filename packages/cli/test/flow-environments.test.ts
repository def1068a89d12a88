import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EnvRegistry, Rng } from "@praxis/env";
import { makeRealClock } from "@praxis/flow";
import { runFlowFile } from "@praxis/flow/node";
import { loadPolyGuard } from "@praxis/polyguard";
import { createServer, type PraxisServer } from "@praxis/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { praxis } from "./run-praxis.ts";

const examples = fileURLToPath(new URL("../../../examples/flows/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "praxis-flow-env-"));
let server: PraxisServer;
let url = "";
beforeAll(async () => {
  server = createServer({ registry: new EnvRegistry([loadPolyGuard()] as never), port: 0, seed: 0 });
  ({ url } = await server.listen());
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the medication review uses PolyGuard's tools over MCP on a real server, and its answers reach the agents", async () => {
  const tools: { readonly name: unknown; readonly ok: unknown }[] = [];
  const outcome = await runFlowFile(join(examples, "medication-review.yml"), {
    now: () => 0,
    env: { POLYGUARD_MCP: `${url}/mcp` },
    fetch: globalThis.fetch,
    input: "Woman, 82: warfarin 5 mg, ibuprofen 400 mg three times a day, lisinopril 20 mg",
    rng: Rng.fromSeed(1),
    seed: "1",
    clock: () => makeRealClock(() => performance.now()),
    onEvent: ({ type, data }) => {
      if (type === "tool.completed") tools.push({ name: data.name, ok: data.ok });
    },
  });
  expect(outcome).toMatchObject({ kind: "ran", result: { status: "completed", error: null } });
  expect(tools.map((tool) => tool.name).sort()).toEqual(["polyguard/check_interactions", "polyguard/dose_check"]);
  expect(tools.every((tool) => tool.ok === true)).toBe(true);
});

test("a flow file plays an episode of an environment, recorded and replayed like any other policy", async () => {
  const trace = join(folder, "flow.jsonl");
  const play = ["play", "polyguard", "--policy", join(examples, "medication-agent.yml"), "--difficulty", "easy"];
  const played = await praxis(...play, "--seed", "7", "--trace", trace);
  expect(played).toMatchObject({ code: 0, err: expect.stringContaining("Trace written") });
  expect(played.out).toContain("ddi_risk/easy/train/7");
  expect(await praxis("replay", trace)).toMatchObject({ code: 0 });
});
