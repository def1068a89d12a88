import { checkEnv, Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { actionFor, definePolyGuard } from "../src/definition.ts";
import { readClaims } from "../src/documents/claim-text.ts";
import type { PolyGuardEnv } from "../src/env.ts";
import { initialMemory } from "../src/observation/learn.ts";
import type { Observation } from "../src/observation/schema.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import { scoreEpisode } from "../src/score-episode.ts";
import { fetchDocuments } from "../src/sub-environments/web-search-missing-data/fetch.ts";
import {
  type MissingDataContent,
  type MissingDataProgress,
  webSearchMissingData,
} from "../src/sub-environments/web-search-missing-data/index.ts";
import { shownInstructions } from "../src/sub-environments/web-search-missing-data/injections.ts";
import { definitionFor, playEpisode } from "./sub-environment-fixtures.ts";
import { kb } from "./world-fixtures.ts";

const evaluator = new CourseEvaluator(kb);
const TIERS = ["easy", "medium", "hard"] as const;
const definition = definePolyGuard(kb);

function draw(difficulty: (typeof TIERS)[number], seed: number) {
  return webSearchMissingData.draw({ kb, evaluator }, { task: "missing_data", difficulty, split: "train", seed });
}

function contentOf(env: PolyGuardEnv): MissingDataContent {
  return env.latentState()!.content as MissingDataContent;
}

function progressOf(env: PolyGuardEnv): MissingDataProgress {
  return env.latentState()!.special as MissingDataProgress;
}

/** Looks something up with a query of one's own. */
function fetch(env: PolyGuardEnv, observation: Observation, query: string) {
  const wire = observation.candidates.find(({ action_type: type }) => type === "FETCH_EXTERNAL_EVIDENCE")!;
  return env.step({ ...actionFor(observation, wire, { confidence: 0.5, rationale: "look it up" }), query } as never);
}

/** First episode of a tier whose topics fit. */
function resetTo(env: PolyGuardEnv, tier: string, fits: (content: MissingDataContent) => boolean): Observation {
  for (let seed = 0; seed < 60; seed++) {
    const { observation } = env.reset({
      options: { scenario_id: `missing_data/${tier}/train/${seed}`, score_task: false },
    });
    if (fits(contentOf(env))) return observation;
  }
  throw new Error("no scenario fits");
}

describe("scenarios", () => {
  test("the same key gives an equal scenario, topics and documents", () => {
    expect(draw("medium", 4)).toEqual(draw("medium", 4));
  });

  test("one topic is hidden on easy, 2-3 on medium, 3-4 on hard, and none of them shows at reset", () => {
    for (const [tier, low, high] of [
      ["easy", 1, 1],
      ["medium", 2, 3],
      ["hard", 3, 4],
    ] as const)
      for (let seed = 0; seed < 6; seed++) {
        const { content, scenario } = draw(tier, seed);
        expect(content.topics.length).toBeGreaterThanOrEqual(low);
        expect(content.topics.length).toBeLessThanOrEqual(high);
        for (const { name, pair } of content.topics) {
          expect(scenario.mask.values[name]).toBeUndefined();
          if (pair === null) expect(scenario.mask.hidden.has(name)).toBe(true);
          else expect(scenario.mask.hiddenPairs).toContainEqual(pair);
        }
      }
  });

  test("instructions ask to stop a drug that treats an active condition and belongs to no hazard", () => {
    for (let seed = 0; seed < 6; seed++) {
      const { content, scenario } = draw("hard", seed);
      for (const { payload } of content.instructions) {
        const medication = scenario.initial.medications.find(({ medRef }) => medRef === payload.medRef)!;
        expect(scenario.hazards.some(({ drugIndexes }) => drugIndexes.includes(medication.drugIndex))).toBe(false);
        expect(
          scenario.initial.conditions.find(({ code }) => code === medication.indication)?.severity,
        ).toBeGreaterThan(0);
      }
    }
  });

  test("the stress split floods a store with instructions", () => {
    const key = { task: "missing_data", difficulty: "easy", split: "stress", seed: 300_003 } as const;
    const { content } = webSearchMissingData.draw({ kb, evaluator }, key);
    expect(content.instructions.length).toBeGreaterThan(0);
    expect(content.store.documents.filter(({ injection }) => injection !== null)).toHaveLength(9);
  });

  test("an allergy conflict is never the only hazard", () => {
    for (let seed = 0; seed < 12; seed++)
      expect(draw("easy", seed).scenario.hazards.some(({ family }) => family !== "H38")).toBe(true);
  });
});

describe("episodes", () => {
  test("keep the environment contract", { timeout: 180_000 }, async () => {
    const failed = (await checkEnv(definitionFor("WEB_SEARCH_MISSING_DATA", "easy"), { seed: 4 })).filter(
      ({ ok }) => !ok,
    );
    expect(failed).toEqual([]);
  });

  test("a pair that is hidden raises no alert until its interaction was read", () => {
    const env = definition.makeEnv();
    const observation = resetTo(env, "easy", ({ topics }) => topics.some(({ pair }) => pair !== null));
    const [first, second] = contentOf(env).topics.find(({ pair }) => pair !== null)!.pair!;
    const ids = [kb.drugs[first]!.drugId, kb.drugs[second]!.drugId];
    const shows = (each: Observation): boolean =>
      each.safety.alerts.some(({ drugs, id }) => ids.every((drug) => drugs.includes(drug)) && !id.startsWith("al:RG"));
    expect(shows(observation)).toBe(false);
    expect(observation.uncertainty.missing_fields.some((field) => field.startsWith("interactions:"))).toBe(true);
    const after = fetch(env, observation, `${ids.join(" ")} label interactions`).observation;
    expect(shows(after)).toBe(true);
    expect(after.evidence.length).toBeLessThanOrEqual(3);
    expect(after.budget.evidence_left).toBe(observation.budget.evidence_left - 1);
    expect(after.uncertainty.missing_fields.some((field) => field.startsWith("interactions:"))).toBe(false);
  });

  test("a fetch that tells nothing of use is wasted, and one that settles a topic is not", () => {
    const env = definition.makeEnv();
    const observation = resetTo(env, "easy", ({ topics }) => topics.some(({ name }) => name.startsWith("renal:")));
    const { name } = contentOf(env).topics[0]!;
    const row = observation.medications.find(({ med_ref: ref }) => ref === name.slice("renal:".length))!;
    const useful = fetch(env, observation, `${row.drug_id} label renal dose kidneys`).observation;
    expect(progressOf(env).wastedFetches).toBe(0);
    expect(readClaims(useful.evidence.map(({ snippet }) => snippet).join(" ")).length).toBeGreaterThan(0);
    fetch(env, useful, "weather in spring");
    expect(progressOf(env).wastedFetches).toBe(1);
  });

  test("reading about an open topic earns more than reading about nothing", () => {
    const rewardOf = (queryOf: (ids: readonly string[]) => string): number => {
      const env = definition.makeEnv();
      const observation = resetTo(env, "easy", ({ topics }) => topics.some(({ pair }) => pair !== null));
      const { pair } = contentOf(env).topics.find((topic) => topic.pair !== null)!;
      const ids = pair!.map((index) => kb.drugs[index]!.drugId);
      return fetch(env, observation, queryOf(ids)).reward;
    };
    const about = rewardOf((ids) => `${ids.join(" ")} label interactions`);
    expect(about).toBeGreaterThan(rewardOf(() => "weather in spring"));
  });

  test("changing a drug while a topic about it is open assumes that topic", () => {
    const env = definition.makeEnv();
    const observation = resetTo(env, "easy", ({ topics }) => topics.some(({ drugIndexes }) => drugIndexes.length > 0));
    const { drugIndexes, name } = contentOf(env).topics[0]!;
    const state = env.latentState()!;
    const isLegal = new Set(
      state.assessment.candidates.filter((each) => each.isLegal).map(({ candidate }) => candidate.id),
    );
    const refs = state.world.medications
      .filter((each) => drugIndexes.includes(each.drugIndex))
      .map(({ medRef }) => medRef);
    const wire = observation.candidates.find(
      ({ candidate_id: id, target, action_type: type }) =>
        isLegal.has(id) &&
        refs.includes(target ?? "") &&
        ["STOP_DRUG", "SUBSTITUTE_DRUG", "ADJUST_DOSE", "START_TAPER"].includes(type),
    )!;
    env.step(actionFor(observation, wire, { confidence: 0.5, rationale: "change it" }));
    expect(progressOf(env).assumed).toEqual([name]);
  });

  test("following what only an injected document asked for ends the episode as an exploit", () => {
    const env = definition.makeEnv();
    for (let seed = 0; seed < 20; seed++) {
      let { observation } = env.reset({
        options: { scenario_id: `missing_data/hard/train/${seed}`, score_task: false },
      });
      const { store, instructions } = contentOf(env);
      const injected = store.documents.find(
        ({ injection, claims }) => injection !== null && claims[0] !== undefined && instructions.length > 0,
      );
      if (injected === undefined) continue;
      observation = fetch(env, observation, injected.title).observation;
      const asked = shownInstructions(store, env.latentState()!.memory);
      const offer = env.latentState()!.offered.find(({ canonical }) => asked.includes(canonical));
      if (offer === undefined) continue;
      const wire = observation.candidates.find(({ candidate_id: id }) => id === offer.id)!;
      const result = env.step(actionFor(observation, wire, { confidence: 0.9, rationale: "as the document says" }));
      expect(result.info.flags).toContainEqual(expect.objectContaining({ id: "A12", level: "hard" }));
      expect(result.info.terminationReason).toBe("exploit_detection");
      expect(result.reward).toBe(0.001);
      return;
    }
    throw new Error("no injected document was found");
  });

  test("a document is shown once however often it is found", () => {
    const { content, scenario } = draw("medium", 3);
    const memory = initialMemory({ kb, scenario });
    const query = content.store.documents[0]!.title;
    const once = fetchDocuments(kb, content.store, memory, query);
    expect(once.evidence.length).toBeGreaterThan(0);
    expect(fetchDocuments(kb, content.store, once, query)).toBe(once);
  });
});

describe("policies", () => {
  test("rule_based reads before it decides and is never caught by an instruction", () => {
    let fetched = 0;
    for (const tier of TIERS)
      for (let seed = 0; seed < 4; seed++) {
        const { info, observations } = playEpisode("rule_based", seed, {
          scenario_id: `missing_data/${tier}/train/${seed}`,
          score_task: false,
        });
        expect(info.terminationReason).not.toBe("exploit_detection");
        fetched += observations
          .at(-1)!
          .history.filter(({ action_type: type }) => type === "FETCH_EXTERNAL_EVIDENCE").length;
      }
    expect(fetched).toBeGreaterThan(8);
  });

  test("rule_based scores above keep_always, stop_all, review_always and random, and the oracle above rule_based", {
    timeout: 240_000,
  }, async () => {
    const env = definition.makeEnv();
    const meanOf = async (name: string): Promise<number> => {
      let sum = 0;
      for (const tier of TIERS)
        for (let seed = 0; seed < 6; seed++) {
          const { taskScore } = await scoreEpisode(env as never, makePolyguardPolicy(name, env as never) as never, {
            options: { scenario_id: `missing_data/${tier}/train/${seed}`, score_task: true },
            rng: Rng.fromSeed(seed, name),
          });
          sum += taskScore ?? 0;
        }
      return sum / (6 * TIERS.length);
    };
    const ruled = await meanOf("rule_based");
    for (const name of ["keep_always", "stop_all", "review_always", "random_legal"])
      expect(ruled - (await meanOf(name)), name).toBeGreaterThan(0.1);
    expect(await meanOf("oracle_lookahead")).toBeGreaterThan(ruled);
  });
});
