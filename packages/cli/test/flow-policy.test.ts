import { type EnvDefinition, PraxisError, Rng } from "@praxis/env";
import { gridEnv } from "@praxis/env/testing";
import { checkFlow, type FlowResult, makeRealClock, runFlow } from "@praxis/flow";
import { makeScriptedModel } from "@praxis/flow/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { makeFlowPolicy, type RunFlowOnce } from "../src/flow-policy.ts";

const FLOW =
  "models:\n  m: { provider: scripted, model: m }\nagents:\n  - { id: mover, role: a player, goal: Reach the goal }\nworkflow: { type: sequential, steps: [mover] }\ninput: { type: object }\n";

async function player(
  replies: readonly string[],
): Promise<{ readonly runOnce: RunFlowOnce; readonly prompts: () => string }> {
  const { plan } = await checkFlow("play.yml", {
    files: { resolve: (_, name) => name, read: async () => ({ kind: "text", text: FLOW }) },
  });
  const model = makeScriptedModel(replies.map((text) => ({ text })));
  // One model serves several runs: its script is looked at by the test, not at the end of each run.
  const models = async () => ({ ...model, verifyFinished: () => undefined });
  return {
    runOnce: (input, rng): Promise<FlowResult> =>
      runFlow({ plan: plan!, input, rng, models, clock: makeRealClock(() => 0) }).result,
    prompts: () => JSON.stringify(model.calls.map((call) => call.prompt)),
  };
}

const grid = gridEnv as EnvDefinition;
const schema = z.toJSONSchema(grid.schemas.action);

describe("a flow as the agent of an environment", () => {
  test("it is shown observation, mask and action schema, and its answer is the action", async () => {
    const action = { direction: 1 };
    const { runOnce, prompts } = await player([`\`\`\`json\n${JSON.stringify(action)}\n\`\`\``]);
    const policy = makeFlowPolicy(grid, runOnce, schema);
    policy.reset(Rng.fromSeed(1));
    expect(await policy.act({ row: 0 }, {})).toEqual(action);
    expect(prompts()).toContain("action_schema");
  });

  test("an answer that is no action is sent back once with what is wrong, then it is an error and no other action", async () => {
    const { runOnce, prompts } = await player(["north-ish", "still not"]);
    const policy = makeFlowPolicy(grid, runOnce, schema);
    policy.reset(Rng.fromSeed(1));
    await expect(policy.act({ row: 0 }, {})).rejects.toBeInstanceOf(PraxisError);
    expect(prompts()).toContain("problem_of_last_answer");
  });

  test("acting before reset is refused", async () => {
    const { runOnce } = await player([]);
    await expect(makeFlowPolicy(grid, runOnce, schema).act({}, {})).rejects.toMatchObject({ code: "RESET_NEEDED" });
  });
});
