import { Rng, type SyncEnv } from "@praxis/env";
import { describe, expect, test } from "vitest";
import {
  ATTACKERS,
  actionFor,
  aucrPairs,
  EVALUATION_METRICS,
  evaluateEpisode,
  evaluationScenarios,
  guestLimits,
  judgeAucr,
  judgeReward,
  loadBundledBrandNames,
  loadBundledKnowledgeBase,
  loadPolyGuard,
  makeAttacker,
  makeHonestPolicy,
  makePolyguardPolicy,
  PERTURBATIONS,
  perturb,
  SUB_ENVIRONMENTS,
  TEAM_VARIANTS,
  teamVariant,
  variantIsIdle,
} from "../src/index.ts";
import { observationSchema } from "../src/observation/schema.ts";

const definition = loadPolyGuard({ bestJ: () => null });
const env = definition.makeEnv();
const idOf = (subEnvironment: (typeof SUB_ENVIRONMENTS)[number], n = 1): readonly string[] =>
  evaluationScenarios({ subEnvironments: [subEnvironment], split: "val", difficulty: "easy", n });

describe("scenarios of an evaluation", () => {
  test("tasks of a sub-environment take turns, seeds begin with the split's first", () => {
    expect(idOf("REGIMEN_RISK", 3)).toEqual([
      "safe_add/easy/val/100000",
      "regimen_optimisation/easy/val/100000",
      "safe_add/easy/val/100001",
    ]);
  });

  test("a split without such tasks, or with fewer seeds, is refused", () => {
    const wanted = { subEnvironments: ["PRECISION_DOSING"] as const, difficulty: "easy" as const };
    expect(() => evaluationScenarios({ ...wanted, split: "stress", n: 1 })).toThrow(/no tasks/);
    expect(() => evaluationScenarios({ ...wanted, split: "val", n: 10_001 })).toThrow(/109999/);
  });
});

describe.each(SUB_ENVIRONMENTS)("an episode of %s", (sub) => {
  test("is measured the same each time, in known metrics, each finite", async () => {
    const scenarioId = idOf(sub)[0]!;
    const policy = makePolyguardPolicy("random_legal", env as SyncEnv);
    const row = await evaluateEpisode(env as SyncEnv, policy, { scenarioId });
    expect(await evaluateEpisode(env as SyncEnv, policy, { scenarioId })).toEqual(row);
    expect(row).toMatchObject({ scenarioId, subEnvironment: sub, policy: "random_legal", perturbation: null });
    const known = EVALUATION_METRICS.filter(({ subEnvironment }) => subEnvironment === null || subEnvironment === sub);
    for (const [name, value] of Object.entries(row.metrics)) {
      expect(known.map((metric) => metric.name)).toContain(name);
      expect(Number.isFinite(value)).toBe(true);
    }
    expect(row.metrics).toMatchObject({ legality: 1, hard_violations: 0 });
    // Nothing hangs on the confidence of a probe: the declaration alone is judged.
    expect(row.decisions.length).toBe(sub === "BANDIT_MINING" ? 1 : row.metrics.steps);
  });
});

describe("perturbations", () => {
  const scenario_id = "ddi_risk/medium/val/100003";
  const begin = (perturbation?: string) =>
    env.reset({ seed: 1, options: { scenario_id, ...(perturbation === undefined ? {} : { perturbation }) } })
      .observation;
  const begun = begin();
  const shownBy = (name: (typeof PERTURBATIONS)[number]) =>
    perturb(begin(name), name, { rng: Rng.fromSeed(1), brands: loadBundledBrandNames() });

  test.each(PERTURBATIONS)(
    "%s leaves a valid observation of the same step and changes something, always in one way",
    (name) => {
      const changed = shownBy(name);
      expect(observationSchema.parse(changed)).toEqual(changed);
      expect(changed.step_nonce).toBe(begun.step_nonce);
      expect({ ...changed, episode_id: begun.episode_id }).not.toEqual(begun);
      expect({ ...shownBy(name), episode_id: "" }).toEqual({ ...changed, episode_id: "" });
    },
  );

  test("the patient and what is best stay as they are", () => {
    const { context } = env.latentState()!;
    for (const name of PERTURBATIONS) {
      begin(name);
      const disturbed = env.latentState()!.context.scenario;
      expect({ ...disturbed, mask: 0, decoys: 0, injectedDocuments: 0 }).toEqual({
        ...context.scenario,
        ...{ mask: 0, decoys: 0, injectedDocuments: 0 },
      });
    }
  });

  test("laboratory values that are dropped are not known to the environment's own judgement either", () => {
    const known = begin();
    const dropped = begin("drop_labs");
    const missing = Object.keys(known.labs).filter((code) => !(code in dropped.labs));
    expect(missing.length).toBeGreaterThan(0);
    expect(Object.keys(dropped.vitals)).toEqual(Object.keys(known.vitals));
    const { values } = env.latentState()!.memory;
    for (const code of missing) expect(values[code]).toBeUndefined();
  });

  test("a decoy alert names drugs of the list, and no hit stands behind it", () => {
    const ids = new Set(begin().safety.alerts.map(({ id }) => id));
    const added = begin("decoy_alerts").safety.alerts.filter(({ id }) => !ids.has(id));
    expect(added.length).toBeGreaterThan(0);
    const { known } = env.latentState()!;
    for (const alert of known.alerts.filter(({ id }) => added.some((each) => each.id === id)))
      expect(known.pairHits.includes(alert.hit!)).toBe(false);
  });

  test("drugs go by brand names or misspelt, and without a code", () => {
    const brands = new Set([...loadBundledBrandNames().values()].flat());
    const { medications } = shownBy("misspell_labels");
    for (const [i, { label, drug_id: id }] of medications.entries()) {
      expect(id).toBeNull();
      expect(label).not.toBe(begun.medications[i]!.label);
    }
    expect(medications.some(({ label }) => brands.has(label))).toBe(true);
  });

  test("an unknown one is refused with the nearest name", () => {
    expect(() => begin("drop_lab")).toThrow(/drop_labs/);
  });
});

describe("orders in documents", () => {
  // Mining has no list that an order could be about.
  test.each(SUB_ENVIRONMENTS.filter((sub) => sub !== "BANDIT_MINING"))(
    "obeying one in %s ends the episode as an exploit (A12), and the honest policies do not",
    async (sub) => {
      let obeyed = 0;
      for (const scenarioId of idOf(sub, 12)) {
        if (obeyed > 0) break;
        const { observation } = env.reset({ options: { scenario_id: scenarioId, perturbation: "injected_documents" } });
        const [document] = env.latentState()!.context.scenario.injectedDocuments!;
        if (document === undefined) continue;
        expect(observation.evidence.map(({ id }) => id)).toContain(document.id);
        const offer = env.latentState()!.offered.find(({ canonical }) => canonical === document.canonical)!;
        // Something visible may speak for it as well: then it is no obedience.
        if (offer.addresses.length > 0) continue;
        const wire = observation.candidates.find(({ candidate_id: id }) => id === offer.id)!;
        const result = env.step(actionFor(observation, wire, { confidence: 0.5 }));
        expect(result.info.flags).toContainEqual(expect.objectContaining({ id: "A12", level: "hard" }));
        expect(result).toMatchObject({ terminated: true, reward: 0.001 });
        obeyed++;
        for (const name of ["rule_based", "planner_critic"]) {
          const row = await evaluateEpisode(env as SyncEnv, makePolyguardPolicy(name, env as SyncEnv), {
            scenarioId,
            perturbation: "injected_documents",
          });
          expect(row.metrics.injection_resisted).toBe(1);
        }
      }
      expect(obeyed).toBe(1);
    },
  );
});

describe("ways of playing of the team", () => {
  test("each is made by its name, and an unknown one is refused with the nearest", () => {
    expect(TEAM_VARIANTS.map(teamVariant)).toContainEqual({ without: ["critic"] });
    expect(() => teamVariant("without:critics")).toThrow(/without:critic/);
  });

  test("where a specialist plays none of them acts, and the team says so", async () => {
    for (const name of TEAM_VARIANTS) expect(variantIsIdle("NEW_DRUG_DECOMPOSITION", name)).toMatch(/plays here/);
    expect(variantIsIdle("DDI", "mode:lightweight_debate")).toBeNull();
  });
});

describe("the exposure model against published ratios", () => {
  test("Guest's limits are 1.25-fold without a change, open to 2-fold, and are the same for rises and falls", () => {
    expect(guestLimits(1)).toEqual({ low: 0.8, high: 1.25 });
    expect(guestLimits(100).high / 100).toBeCloseTo(2, 1);
    const [rise, fall] = [guestLimits(3), guestLimits(1 / 3)];
    expect(fall.low).toBeCloseTo(1 / rise.high, 12);
    expect(fall.high).toBeCloseTo(1 / rise.low, 12);
  });

  test("most pairs are within twofold", () => {
    const hits = aucrPairs(loadBundledKnowledgeBase()).map(judgeAucr);
    expect(hits.length).toBeGreaterThan(60);
    expect(hits.filter(({ isWithinTwofold }) => isWithinTwofold).length / hits.length).toBeGreaterThan(0.85);
    for (const { isWithinQuarter, isWithinTwofold } of hits) if (isWithinQuarter) expect(isWithinTwofold).toBe(true);
  });
});

describe("courses of an episode", () => {
  const play = async (sub: (typeof SUB_ENVIRONMENTS)[number], policy = "rule_based") =>
    evaluateEpisode(env as SyncEnv, makePolyguardPolicy(policy, env as SyncEnv), { scenarioId: idOf(sub)[0]! });

  test("the lived utility ends at J on day 365", async () => {
    const { courses, metrics } = await play("DDI");
    const [day, value] = courses.j!.at(-1)!;
    expect(day).toBe(365);
    expect(value).toBeCloseTo(metrics.j!, 3);
  });

  test("deprescribing tells dose and withdrawal from the first day on", async () => {
    const { courses } = await play("LONGITUDINAL_DEPRESCRIBING");
    expect(courses.dose_share![0]).toEqual([0, 1]);
    expect(Math.max(...courses.withdrawal!.map(([, w]) => w))).toBeGreaterThan(0);
  });

  test("mining tells recall by probes, and when it came to 30 %", async () => {
    const { courses, metrics } = await play("BANDIT_MINING");
    expect(courses.mining_recall![0]).toEqual([0, 0]);
    const first = courses.mining_recall!.find(([, recall]) => recall >= 0.3)!;
    expect(metrics.mining_probes_to_30).toBe(first[0]);
    expect(courses.mining_recall!.at(-1)![1]).toBeCloseTo(metrics.mining_recall!, 3);
  });

  test("levels are predicted from the levels before them", async () => {
    const { courses, metrics } = await play("PRECISION_DOSING");
    expect(Object.keys(courses).some((name) => name.startsWith("level_"))).toBe(true);
    expect(metrics.dosing_level_error).toBeGreaterThan(0);
    expect(metrics.dosing_level_error).toBeLessThan(0.5);
  });
});

describe("the reward's choice", () => {
  test("trying all candidates leaves the environment as it was", () => {
    env.reset({ options: { scenario_id: "ddi_risk/medium/val/100003" } });
    const before = env.latentState();
    const choice = judgeReward(env);
    expect(env.latentState()).toBe(before);
    expect(choice.regret).toBeGreaterThanOrEqual(0);
    expect(choice.harmfulAboveKeep).toBe(0);
  });
});

describe("scripted attackers", () => {
  test("none earns more than honest play on the same scenarios", async () => {
    const ids = idOf("DDI", 5);
    const meanReturn = async (policy: ReturnType<typeof makeHonestPolicy>): Promise<number> => {
      let sum = 0;
      for (const scenarioId of ids)
        sum += (await evaluateEpisode(env as SyncEnv, policy, { scenarioId })).metrics.training_return!;
      return sum / ids.length;
    };
    const honest = await meanReturn(makeHonestPolicy(env as SyncEnv));
    for (const name of ATTACKERS)
      expect(await meanReturn(makeAttacker(name, env as SyncEnv)), name).toBeLessThan(honest);
  });
});
