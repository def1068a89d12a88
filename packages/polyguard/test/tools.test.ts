import { PraxisError, type StepResult, type ToolContext } from "@praxis/env";
import { describe, expect, test } from "vitest";
import type { StepAction } from "../src/actions/schema.ts";
import { definePolyGuard } from "../src/definition.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { POLYGUARD_TOOLS } from "../src/tools.ts";

const definition = definePolyGuard(loadBundledKnowledgeBase());

function open(seed = 3) {
  const env = definition.makeEnv();
  let last: ToolContext["last"] = env.reset({ seed });
  const context = (): ToolContext => ({
    mode: "production",
    last,
    step: async (action) => {
      const result: StepResult<unknown> = env.step(action as StepAction);
      last = result;
      return result;
    },
  });
  const call = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const tool = POLYGUARD_TOOLS.find((each) => each.name === name)!;
    return (await tool.call(env, tool.input.parse(args), context())) as Record<string, unknown>;
  };
  return { env, call };
}

describe("tools of the agent", () => {
  test("the list is exactly this, and none is named like the trainer's door", () => {
    expect(POLYGUARD_TOOLS.map((tool) => tool.name)).toEqual([
      "get_observation",
      "list_candidates",
      "take_action",
      "lookup_drug",
      "check_interactions",
      "dose_check",
      "exposure",
      "search_evidence",
      "list_tasks",
      "get_history",
      "explain_reward",
    ]);
  });

  test("a drug is found by id, by name and by RxCUI; an unknown one is refused with the nearest name", async () => {
    const { call } = open();
    expect(await call("lookup_drug", { name: "lisinopril" })).toMatchObject({ drug_id: "lisinopril", unit: "mg/d" });
    expect(await call("lookup_drug", { name: "29046" })).toMatchObject({ drug_id: "lisinopril" });
    await expect(call("lookup_drug", { name: "warfarni" })).rejects.toThrow("Did you mean 'warfarin'?");
  });

  test("interactions come with severity, domain, management and source", async () => {
    const { call } = open();
    const { hits } = await call("check_interactions", { drugs: ["warfarin", "ibuprofen"] });
    expect(hits).toContainEqual(expect.objectContaining({ rule_id: "DDI001", severity: "major", domain: "BLEED" }));
  });

  test("the exposure tool reproduces simvastatin with diltiazem", async () => {
    const { call } = open();
    const { aucr } = await call("exposure", { victim: "simvastatin", perpetrators: ["diltiazem_er"] });
    expect(aucr as number).toBeCloseTo(4.808, 3);
  });

  test("read tools leave the episode as it is", async () => {
    const { env, call } = open();
    const before = env.latentState();
    for (const tool of POLYGUARD_TOOLS.filter((each) => each.readOnly))
      for (const example of tool.examples ?? []) await call(tool.name, example);
    expect(env.latentState()).toBe(before);
  });

  test("no read tool tells a value that the observation hides", async () => {
    const { call } = open(21);
    for (const name of ["get_observation", "get_history", "list_candidates"]) {
      const text = JSON.stringify(await call(name, {}));
      for (const word of ["utility", "genotype", "isLegal", "responses"]) expect(text).not.toContain(word);
    }
  });

  test("a search costs one unit of evidence and is a step", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const { env, call } = open(seed);
      const { candidates } = (await call("list_candidates", { action_type: "FETCH_EXTERNAL_EVIDENCE" })) as {
        candidates: unknown[];
      };
      if (candidates.length === 0) continue;
      const left = env.latentState()!.world.clock.evidenceLeft;
      await call("search_evidence", { query: "label dose interactions" });
      expect(env.latentState()!.world.clock).toMatchObject({ step: 1, evidenceLeft: left - 1 });
      return;
    }
    throw new Error("no search was offered");
  });

  test("taking an action is a step whose reward can be explained afterwards", async () => {
    const { call } = open();
    const observation = (await call("get_observation", {})) as { step_nonce: string };
    const { candidates } = (await call("list_candidates", { action_type: "KEEP_REGIMEN" })) as {
      candidates: { candidate_id: string }[];
    };
    const answer = await call("take_action", {
      action: {
        schema_version: "1.0",
        step_nonce: observation.step_nonce,
        candidate_id: candidates[0]!.candidate_id,
        action_type: "KEEP_REGIMEN",
        rationale: "wait",
        evidence_ids: [],
        confidence: 0.5,
      },
    });
    const explained = await call("explain_reward", { step: 0 });
    expect(explained.reward).toBe(answer.reward);
    expect(Object.keys(explained.components as object)).toHaveLength(13);
    await expect(call("explain_reward", { step: 1 })).rejects.toThrow(PraxisError);
  });

  test("tasks of a split are listed by id without making them", async () => {
    const { call } = open();
    const { ids, count } = (await call("list_tasks", { split: "train", difficulty: "hard" })) as {
      ids: string[];
      count: number;
    };
    expect(ids[0]).toBe("ddi_risk/hard/train/0");
    expect(count).toBe(900_000);
    const { ids: adds } = (await call("list_tasks", { split: "val", task: "safe_add" })) as { ids: string[] };
    expect(adds[0]).toBe("safe_add/easy/val/100000");
  });
});

describe("task set", () => {
  const tasks = definition.tasks!;

  test("entries are in the order task, tier, seed, and tell families only outside the test splits", () => {
    expect(tasks.get("val", 0)).toMatchObject({
      id: "ddi_risk/easy/val/100000",
      task: "ddi_risk",
      sub_environment: "DDI",
      seed: 100_000,
    });
    expect((tasks.get("val", 0).families as string[]).length).toBe(1);
    expect(tasks.get("test_iid", 3).families).toEqual([]);
  });

  test("a reset by split and index plays that task", () => {
    const env = definition.makeEnv();
    expect(env.reset({ seed: 1, options: { split: "val", index: 2 } }).info.scenario_id).toBe(tasks.get("val", 2).id);
  });

  test("an unknown split is refused with the nearest name", () => {
    expect(() => tasks.count("tets_iid")).toThrow("Did you mean 'test_iid'?");
  });
});
