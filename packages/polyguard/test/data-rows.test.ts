import { PraxisError } from "@praxis/env";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { actionSchema } from "../src/actions/schema.ts";
import { loadPolyGuard } from "../src/bundled.ts";
import {
  advantagesOf,
  type DecisionRecord,
  LeakAudit,
  planUnit,
  playUnit,
  RowSelection,
  type SelectedRows,
  shortages,
  sourceQuotas,
  type UnitPlan,
} from "../src/data/index.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import { parseScenarioId } from "../src/scenario/source.ts";
import { isHeldOutDrug } from "../src/scenario/splits.ts";
import { SUB_ENVIRONMENTS } from "../src/scenario/types.ts";

const kb = loadBundledKnowledgeBase();
const env = loadPolyGuard().makeEnv();

const DDI: UnitPlan = {
  unit: 0,
  scenarioId: "ddi_risk/medium/train/41",
  split: "train",
  teacher: "planner_critic",
  policy: "rule_based",
};

let records: readonly DecisionRecord[] = [];

beforeAll(async () => {
  records = await playUnit(env, DDI);
});

function select(rows: number, taken: readonly DecisionRecord[]): SelectedRows & { readonly selection: RowSelection } {
  const selection = new RowSelection({ rows, kinds: ["sft", "preference", "traces"], dataSeed: 0 });
  return { ...selection.take(taken), selection };
}

describe("plans of units", () => {
  it("name a scenario of their own split, no scenario twice, and a policy that needs no latent state where the task is not the course's", () => {
    const seen = new Set<string>();
    for (let unit = 0; unit < 2700; unit++) {
      const { scenarioId, split, policy } = planUnit(unit, 3);
      const key = parseScenarioId(scenarioId);
      expect(key.split).toBe(split);
      expect(["train", "val"]).toContain(split);
      expect(seen.has(scenarioId)).toBe(false);
      seen.add(scenarioId);
      if (key.task === "new_drug" || key.task === "dangerous_combinations" || key.task === "precision_dosing")
        expect(policy).not.toBe("oracle_known");
    }
  });

  it("are one in ten of val and one in five of the planner, over every task and tier", () => {
    const plans = Array.from({ length: 270 }, (_, unit) => planUnit(unit, 0));
    expect(plans.filter(({ split }) => split === "val")).toHaveLength(27);
    expect(plans.filter(({ teacher }) => teacher === "planner_critic")).toHaveLength(54);
    const kinds = new Set(
      plans.map(({ scenarioId, split }) => `${scenarioId.split("/").slice(0, 2).join("/")}/${split}`),
    );
    expect(kinds.size).toBe(54);
  });

  it("differ with the data seed", () => {
    expect(planUnit(0, 1).scenarioId).not.toBe(planUnit(0, 0).scenarioId);
  });
});

describe("a played unit", () => {
  it("scores every offer of every step, illegal ones below the best legal one", () => {
    expect(records.length).toBeGreaterThan(3);
    for (const { offers, observation } of records) {
      expect(offers).toHaveLength(observation.candidates.length);
      const best = Math.max(...offers.filter(({ isLegal }) => isLegal).map(({ reward }) => reward));
      for (const { reward, isLegal, violations } of offers) {
        expect(isLegal).toBe(violations.length === 0);
        if (!isLegal) expect(reward).toBeLessThan(best);
      }
    }
  });

  it("scores an offer as the step does that carries it out", () => {
    const start = env.reset({ seed: 41, options: { scenario_id: DDI.scenarioId, score_task: false } });
    expect(start.observation).toEqual(records[0]!.observation);
    const snapshot = env.snapshot();
    for (const { action, reward } of records[0]!.offers) {
      env.restore(snapshot);
      expect(env.step(action).reward).toBe(reward);
    }
  });

  it("writes actions that the wire takes", () => {
    for (const { offers, chosen } of records)
      for (const { action } of [...offers, chosen]) expect(actionSchema.parse(action)).toEqual(action);
  });

  it("is equal when played again on another environment", async () => {
    expect(JSON.stringify(await playUnit(loadPolyGuard().makeEnv(), DDI))).toBe(JSON.stringify(records));
  });

  it("has finite gaps in a sub-environment that the course does not judge", async () => {
    const mining = await playUnit(env, {
      ...DDI,
      scenarioId: "dangerous_combinations/easy/train/3",
      policy: "rule_based",
    });
    // The first probes, and the declaration that ends the episode.
    expect(mining.map(({ chosen }) => chosen.action.action_type)).toEqual([
      ...["PROBE_COMBINATION", "PROBE_COMBINATION", "PROBE_COMBINATION"],
      "DECLARE_FINDINGS",
    ]);
    for (const { gap } of mining) expect(gap).toBeGreaterThanOrEqual(0);
  });

  it("names the held-out drugs of its list", async () => {
    const [first] = await playUnit(env, { ...DDI, scenarioId: "ddi_risk/easy/test_drug/200000" });
    const heldOut = new Set(kb.drugs.filter((drug) => isHeldOutDrug(kb, drug)).map(({ drugId }) => drugId));
    const listed = first!.observation.medications.flatMap(({ drug_id: id }) =>
      id !== null && heldOut.has(id) ? [id] : [],
    );
    expect(listed.length).toBeGreaterThan(0);
    for (const id of listed) expect(first!.holdouts).toContain(`held_out_drug:${id}`);
    for (const { holdouts } of records) expect(holdouts).toEqual([]);
  });
});

describe("the selection of rows", () => {
  it("never takes an observation twice", () => {
    const { sft, preference, selection } = select(1000, [...records, ...records]);
    const once = select(1000, records);
    expect(sft).toEqual(once.sft);
    expect(preference).toEqual(once.preference);
    expect(selection.drops.same_observation).toBe(records.length);
  });

  it("leaves out toss-ups, and decisions that touch a holdout from every kind", () => {
    const tied = records.map((record) => ({ ...record, gap: 0.0009 }));
    expect(select(1000, tied).sft).toEqual([]);
    expect(select(1000, tied).preference).toEqual([]);
    const held = records.map((record) => ({ ...record, holdouts: ["held_out_drug:x"] }));
    const { sft, preference, traces, selection } = select(1000, held);
    expect([sft, preference, traces]).toEqual([[], [], []]);
    expect(selection.drops.held_out).toBe(records.length);
  });

  it("keeps KEEP to a fifth of the rows at every moment", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), (areKeeps) => {
        const base = records[0]!;
        const keep = base.offers.find(({ action }) => action.action_type === "KEEP_REGIMEN")!;
        const other = base.offers.find(({ action, isLegal }) => isLegal && action.action_type !== "KEEP_REGIMEN")!;
        const made = areKeeps.map((isKeep, step) => ({
          ...base,
          step,
          gap: 1,
          observationHash: `${step}`,
          chosen: isKeep ? keep : other,
        }));
        const { sft } = select(400, made);
        const keeps = sft.filter(({ meta }) => meta.action_type === "KEEP_REGIMEN").length;
        expect(keeps).toBeLessThanOrEqual(0.2 * sft.length);
      }),
    );
  });

  it("fills each source to its share and no further", () => {
    expect(sourceQuotas(2000)).toEqual({ oracle_known: 1400, planner_critic: 300, correction: 200, abstention: 100 });
    const base = records[0]!;
    const made = Array.from({ length: 400 }, (_, step) => ({
      ...base,
      step,
      gap: 1,
      observationHash: `${step}`,
      needsAbstention: false,
      subEnvironment: SUB_ENVIRONMENTS[step % 8]!,
      teacher: Math.floor(step / 8) % 2 === 0 ? ("oracle_known" as const) : ("planner_critic" as const),
    }));
    const { sft, selection } = select(100, made);
    const count = (source: string): number => sft.filter(({ meta }) => meta.source === source).length;
    expect(count("planner_critic")).toBe(15);
    expect(count("correction")).toBe(10);
    expect(selection.lacking.abstention).toBe(5);
    expect(shortages(selection.lacking)).toEqual(["abstention: 5 rows short"]);
  });

  it("holds each sub-environment to a sixth of each kind", () => {
    const base = records[0]!;
    const made = Array.from({ length: 60 }, (_, step) => ({ ...base, step, gap: 1, observationHash: `${step}` }));
    const { sft, preference, traces, selection } = select(60, made);
    expect([sft.length, preference.length, traces.length]).toEqual([10, 10, 10]);
    expect(selection.drops.sub_environment_full).toBeGreaterThan(0);
  });

  it("shows a mistake with what is wrong about it before the correction", () => {
    const base = records[0]!;
    const made = Array.from({ length: 60 }, (_, step) => ({ ...base, step, gap: 1, observationHash: `${step}` }));
    const corrections = select(100, made).sft.filter(({ meta }) => meta.source === "correction");
    expect(corrections.length).toBeGreaterThan(0);
    for (const { messages } of corrections) {
      expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user", "assistant"]);
      expect(messages[2]!.content).not.toBe(messages[4]!.content);
      expect(messages[3]!.content).toMatch(/^(Refused\. V\d\d: |Legal, but)/);
      expect(JSON.parse(messages[4]!.content)).toEqual(base.chosen.action);
    }
  });

  it("puts four to eight answers in a group, the best and the worst by name", () => {
    const { preference } = select(1000, records);
    expect(preference.length).toBeGreaterThan(0);
    for (const { completions, rewards, advantages, chosen, rejected } of preference) {
      expect(completions.length).toBeGreaterThanOrEqual(4);
      expect(completions.length).toBeLessThanOrEqual(8);
      expect(new Set(completions).size).toBe(completions.length);
      expect(rewards[completions.indexOf(chosen)]).toBe(Math.max(...rewards));
      expect(rewards[completions.indexOf(rejected)]).toBe(Math.min(...rewards));
      expect(advantages).toEqual(advantagesOf(rewards));
    }
  });

  it("tells in a trace what every candidate would have earned", () => {
    const { traces } = select(1000, records);
    expect(traces).toHaveLength(records.length);
    for (const [i, trace] of traces.entries()) {
      expect(trace.candidate_rewards).toEqual(records[i]!.offers.map(({ reward }) => reward));
      expect(trace.candidates).toHaveLength(trace.candidate_legal.length);
    }
  });
});

describe("advantages", () => {
  it("are the distance from the group's mean in standard deviations", () => {
    const [low, high] = advantagesOf([0.4, 0.6]);
    expect(low).toBeCloseTo(-0.1 / 0.1001, 12);
    expect(high).toBeCloseTo(0.1 / 0.1001, 12);
    expect(advantagesOf([0.5, 0.5, 0.5])).toEqual([0, 0, 0]);
  });
});

describe("the leak audit", () => {
  const refusal = (run: () => void): string => {
    try {
      run();
    } catch (error) {
      if (error instanceof PraxisError) return error.message;
    }
    return "";
  };

  it("takes what the selection takes", () => {
    const audit = new LeakAudit(kb);
    const { sft, preference, traces } = select(1000, records);
    for (const row of [...sft, ...preference, ...traces]) audit.check(row);
    expect(sft.length).toBeGreaterThan(0);
  });

  it("refuses a row of a test split, and one whose scenario is of another split than it says", () => {
    const [row] = select(1000, records).traces;
    expect(refusal(() => new LeakAudit(kb).check({ ...row!, split: "test_iid" }))).toMatch(/'test_iid' is for tests/);
    const planted = { ...row!, scenario_id: "ddi_risk/medium/test_pair/200041" };
    expect(refusal(() => new LeakAudit(kb).check(planted))).toMatch(
      /its scenario is of split 'test_pair', not 'train'/,
    );
  });

  it("refuses a held-out drug on the list, whichever kind the row is of", () => {
    const drug = kb.drugs.find((each) => isHeldOutDrug(kb, each))!;
    const { observation } = records[0]!;
    const [first, ...others] = observation.medications;
    const planted = { ...observation, medications: [{ ...first!, drug_id: drug.drugId }, ...others] };
    const { sft, preference, traces } = select(
      1000,
      records.map((record) => ({ ...record, observation: planted })),
    );
    for (const row of [sft[0]!, preference[0]!, traces[0]!])
      expect(refusal(() => new LeakAudit(kb).check(row))).toContain(`'${drug.drugId}' is held out for test_drug`);
  });

  it("refuses an observation that is in train and in val", () => {
    const [row] = select(1000, records).traces;
    const audit = new LeakAudit(kb);
    audit.check(row!);
    const copy = { ...row!, split: "val", scenario_id: "ddi_risk/medium/val/100041" };
    expect(refusal(() => audit.check(copy))).toMatch(/the same observation is in split 'train' as well/);
  });
});
