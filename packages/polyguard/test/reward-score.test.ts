import { describe, expect, test } from "vitest";
import type { OfferedCandidate } from "../src/actions/types.ts";
import { isInformationAction } from "../src/actions/types.ts";
import { assessState } from "../src/reward/assessment.ts";
import { keepReward } from "../src/reward/score.ts";
import { COMPONENTS, type ComponentName } from "../src/reward/settings.ts";
import type { Difficulty } from "../src/scenario/types.ts";
import {
  actionFor,
  bestLegal,
  evaluator,
  findCandidate,
  isType,
  makeEnv,
  resetTo,
  scoredOf,
} from "./episode-fixtures.ts";
import { scoreCandidates } from "./score-candidates.ts";

const env = makeEnv();
const STATES: readonly (readonly [Difficulty, number])[] = [
  ...Array.from({ length: 40 }, (_, seed) => ["easy", seed] as const),
  ...Array.from({ length: 40 }, (_, seed) => ["medium", seed] as const),
  ...Array.from({ length: 20 }, (_, seed) => ["hard", seed] as const),
];

describe("rewards over generated states", () => {
  test("the decision of highest reward loses on average at most .005 of U, and no net-harmful action beats KEEP", () => {
    let regret = 0;
    for (const [difficulty, seed] of STATES) {
      const state = resetTo(env, seed, difficulty);
      const scores = scoreCandidates(scoredOf(state));
      const { candidates, keep, best } = state.assessment;
      const keepScore = scores[candidates.findIndex(isType("KEEP_REGIMEN"))]!.reward;
      let top = -1;
      for (const [i, { isLegal, value, changeCost, candidate }] of candidates.entries()) {
        const { reward } = scores[i]!;
        if (isLegal && value.harm + changeCost - keep.harm > 0.002) expect(reward).toBeLessThanOrEqual(keepScore);
        // An information action leaves the visit open, so the decision is still to come.
        if (!isInformationAction(candidate.payload.type) && (top < 0 || reward > scores[top]!.reward)) top = i;
      }
      const chosen = candidates[top]!;
      expect(chosen.isLegal).toBe(true);
      regret += (best - chosen.utility) / STATES.length;
    }
    expect(regret).toBeLessThanOrEqual(0.005);
  });

  test("where a hazard can be settled: legal best above legal KEEP above anything illegal", () => {
    let settled = 0;
    for (const [difficulty, seed] of STATES) {
      const state = resetTo(env, seed, difficulty);
      const { assessment } = state;
      if (assessment.needsAbstention || assessment.best - assessment.keep.utility < 0.01) continue;
      settled++;
      const scores = scoreCandidates(scoredOf(state));
      const at = (index: number): number => scores[index]!.reward;
      const keep = at(assessment.candidates.findIndex(isType("KEEP_REGIMEN")));
      const best = bestLegal(state);
      expect(at(assessment.candidates.indexOf(best))).toBeGreaterThan(keep);
      for (const [i, { isLegal }] of assessment.candidates.entries()) if (!isLegal) expect(at(i)).toBeLessThan(keep);
    }
    expect(settled).toBeGreaterThanOrEqual(10);
  });

  test("rewards do not depend on the order or the ids of the candidates", () => {
    for (const [difficulty, seed] of STATES.slice(0, 6)) {
      const state = resetTo(env, seed, difficulty);
      const scored = scoredOf(state);
      const rewards = scoreCandidates(scored).map(({ reward }) => reward);
      const turned: OfferedCandidate[] = [...state.offered].reverse().map((each, i) => ({ ...each, id: `c_${i}` }));
      const assessment = assessState(state.context, evaluator, state.world, state.legality, turned);
      const again = scoreCandidates({ ...scored, assessment }).map(({ reward }) => reward);
      expect(again.reverse()).toEqual(rewards);
    }
  });

  test("every reward and component is in [.001, .999] with three decimals", () => {
    for (const [difficulty, seed] of STATES.slice(0, 10)) {
      for (const { reward, components, channels } of scoreCandidates(scoredOf(resetTo(env, seed, difficulty)))) {
        for (const value of [reward, ...Object.values(components), ...Object.values(channels)]) {
          expect(value).toBeGreaterThanOrEqual(0.001);
          expect(value).toBeLessThanOrEqual(0.999);
          expect(Number(value.toFixed(3))).toBe(value);
        }
      }
    }
  });

  test("r_keep belongs to the state: it is what KEEP earns in perfect form, with nothing halved and no gate", () => {
    for (const [difficulty, seed] of STATES.slice(0, 20)) {
      const state = resetTo(env, seed, difficulty);
      const scored = scoredOf(state);
      const keep = scoreCandidates(scored)[state.assessment.candidates.findIndex(isType("KEEP_REGIMEN"))]!;
      expect(keepReward(scored)).toBeGreaterThanOrEqual(keep.reward);
      expect(keepReward(scored)).toBe(keepReward(scored));
    }
  });
});

describe("steps of the environment", () => {
  const rewardOf = (seed: number, difficulty: Difficulty, change: Parameters<typeof actionFor>[2]): number => {
    const state = resetTo(env, seed, difficulty);
    return env.step(actionFor(state, bestLegal(state).candidate, change)).reward;
  };

  test("a verbose rationale never raises the reward by more than .03", () => {
    const verbose = "The list was reviewed with care and after long thought this seems the right thing to do. "
      .repeat(6)
      .slice(0, 600);
    for (let seed = 0; seed < 10; seed++) {
      const short = rewardOf(seed, "easy", { rationale: "" });
      expect(rewardOf(seed, "easy", { rationale: verbose }) - short).toBeLessThanOrEqual(0.03);
    }
  });

  test("a grounded explanation earns more than none, a made-up citation less", () => {
    const state = resetTo(env, 1, "easy");
    const { candidate } = bestLegal(state);
    const { target } = candidate.wire;
    const plain = rewardOf(1, "easy", { rationale: "" });
    if (target?.startsWith("m"))
      expect(rewardOf(1, "easy", { rationale: "see the list", evidence_ids: [target] })).toBeGreaterThan(plain);
    expect(rewardOf(1, "easy", { rationale: "trust me", evidence_ids: ["al:NOWHERE"] })).toBeLessThan(plain);
  });

  test("empty text, white space and an empty object are format 0, ground nothing and earn at most .05", () => {
    for (const raw of ["", "  \n ", "{}"]) {
      resetTo(env, 2, "easy");
      const { reward, info } = env.step({ raw });
      expect(info.rewardComponents).toMatchObject({
        format_compliance_score: 0.001,
        explanation_grounding_score: 0.001,
      });
      expect(reward).toBeLessThanOrEqual(0.05);
    }
  });

  test("raw text with reward, done or breakdown fields of its own ends as an exploit and writes no reward", () => {
    for (const key of ["reward", "done", "breakdown"]) {
      const state = resetTo(env, 3, "easy");
      const action = actionFor(state, bestLegal(state).candidate);
      const result = env.step({ raw: JSON.stringify({ ...action, [key]: 1 }) });
      expect(result).toMatchObject({
        reward: 0.001,
        terminated: true,
        info: { terminationReason: "exploit_detection" },
      });
    }
  });

  test("raw JSON of an action is the action: the same reward as typed", () => {
    const state = resetTo(env, 4, "easy");
    const action = actionFor(state, bestLegal(state).candidate);
    const typed = env.step(action).reward;
    resetTo(env, 4, "easy");
    expect(env.step({ raw: JSON.stringify(action) }).reward).toBe(typed);
  });

  test("inaction by silence never pays more than the worst legal attempt", () => {
    for (let seed = 0; seed < 8; seed++) {
      const state = resetTo(env, seed, "easy");
      // Finishing beside an open hit is no attempt but an exploit.
      const legal = state.assessment.candidates.filter((each) => each.isLegal && !isType("FINISH")(each));
      const worst = legal.reduce((low, each) => (each.utility < low.utility ? each : low));
      const attempt = env.step(actionFor(state, worst.candidate)).reward;
      resetTo(env, seed, "easy");
      expect(env.step({ raw: "" }).reward).toBeLessThanOrEqual(attempt);
    }
  });

  test("a wrong nonce is answered, judged as nothing, and the third time an exploit", () => {
    const state = resetTo(env, 5, "easy");
    const action = actionFor(state, bestLegal(state).candidate, { step_nonce: "old" });
    expect(env.step(action)).toMatchObject({ terminated: false, info: { failure_reasons: ["stale_step"] } });
    expect(env.latentState()!.world.clock.step).toBe(0);
    env.step(action);
    expect(env.step(action)).toMatchObject({ terminated: true, info: { terminationReason: "exploit_detection" } });
  });

  test("an illegal action changes nothing but the step and earns at most .15", () => {
    for (let seed = 0; seed < 10; seed++) {
      const state = resetTo(env, seed, "medium");
      const trap = findCandidate(state, ({ isLegal }) => !isLegal);
      if (trap === undefined) continue;
      const { reward } = env.step(actionFor(state, trap.candidate));
      expect(reward).toBeLessThanOrEqual(0.15);
      const after = env.latentState()!;
      expect(after.world.medications).toEqual(state.world.medications);
      expect(after.world.clock).toEqual({ ...state.world.clock, step: 1, stepsLeft: state.world.clock.stepsLeft - 1 });
    }
  });
});

describe("range of the components", () => {
  test("what a state decides, legality, safety, disease, abstention and process, reaches .95 and .10 in generated states", () => {
    const decided: readonly ComponentName[] = [
      "legality_score",
      "safety_delta_score",
      "disease_stability_score",
      "abstention_quality_score",
      "process_fidelity_score",
    ];
    const high = new Map<ComponentName, number>();
    const low = new Map<ComponentName, number>();
    for (const [difficulty, seed] of STATES.slice(0, 60)) {
      for (const { components } of scoreCandidates(scoredOf(resetTo(env, seed, difficulty)))) {
        for (const name of decided) {
          high.set(name, Math.max(high.get(name) ?? 0, components[name]));
          low.set(name, Math.min(low.get(name) ?? 1, components[name]));
        }
      }
    }
    for (const name of decided) {
      expect(high.get(name), name).toBeGreaterThanOrEqual(0.95);
      expect(low.get(name), name).toBeLessThanOrEqual(0.1);
    }
  });

  test("form, alignment, explanation and fair play reach both ends in steps", () => {
    const state = resetTo(env, 4, "easy");
    const { candidate } = bestLegal(state);
    const facts = (env.step(actionFor(state, candidate)).info.verifier as { facts: string[] }).facts;
    const again = resetTo(env, 4, "easy");
    const perfect = env.step(
      actionFor(again, bestLegal(again).candidate, { rationale: "see the list", evidence_ids: facts }),
    ).info.rewardComponents!;
    resetTo(env, 4, "easy");
    const broken = env.step({ raw: "{} {}" }).info.rewardComponents!;
    for (const name of COMPONENTS.filter((each) => /format|alignment|grounding|cheat/.test(each))) {
      expect(perfect[name], name).toBeGreaterThanOrEqual(0.95);
      expect(broken[name], name).toBeLessThanOrEqual(0.1);
    }
  });
});
