import { Rng, type StepResult } from "@praxis/env";
import { describe, expect, test } from "vitest";
import type { WireAction } from "../src/actions/schema.ts";
import { loadPolyGuard } from "../src/bundled.ts";
import { definePolyGuard } from "../src/definition.ts";
import type { PolyGuardEnv } from "../src/env.ts";
import type { EpisodeState } from "../src/episode.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { Observation } from "../src/observation/schema.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import type { AssessedCandidate } from "../src/reward/assessment.ts";
import { COMPONENTS, type ComponentName } from "../src/reward/settings.ts";
import { SUB_ENVIRONMENTS } from "../src/scenario/types.ts";
import { scoreEpisode } from "../src/score-episode.ts";
import { actionFor, isType } from "./episode-fixtures.ts";

const definition = definePolyGuard(loadBundledKnowledgeBase());
/** Sub-environments whose first state is a list with something wrong in it. */
const WITH_HAZARDS = ["DDI", "REGIMEN_RISK", "LONGITUDINAL_DEPRESCRIBING", "WEB_SEARCH_MISSING_DATA"] as const;
const SEEDS = 6;

function opened(
  subEnvironment: string,
  seed: number,
  difficulty = "easy",
): { readonly env: PolyGuardEnv; readonly state: EpisodeState } {
  const env = definition.makeEnv();
  env.reset({ seed, options: { sub_environment: subEnvironment, difficulty, score_task: false } });
  return { env, state: env.latentState()! };
}

/** One step from the state, and back. */
function tryStep(env: PolyGuardEnv, action: WireAction): StepResult<Observation> {
  const before = env.snapshot();
  const result = env.step(action);
  env.restore(before);
  return result;
}

function bestLegal({ assessment }: EpisodeState): AssessedCandidate | undefined {
  return assessment.candidates
    .filter((each) => each.isLegal && each.utility > assessment.keep.utility + 0.01)
    .sort((a, b) => b.utility - a.utility)[0];
}

describe.each(WITH_HAZARDS)("reward of %s", (name) => {
  test("the best legal action is worth more than KEEP, and KEEP more than an illegal action", () => {
    let compared = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const { env, state } = opened(name, seed);
      const rewardOf = ({ candidate }: AssessedCandidate): number =>
        tryStep(env, actionFor(state, candidate, { rationale: "as planned" })).reward;
      const keep = rewardOf(state.assessment.candidates.find(isType("KEEP_REGIMEN"))!);
      const best = bestLegal(state);
      // Where something is to be asked first, waiting is paid for as well.
      if (best !== undefined && !state.assessment.needsAbstention) {
        expect(rewardOf(best)).toBeGreaterThan(keep);
        compared++;
      }
      for (const illegal of state.assessment.candidates.filter((each) => !each.isLegal)) {
        expect(rewardOf(illegal)).toBeLessThan(keep);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(0);
  });
});

describe.each(SUB_ENVIRONMENTS)("candidates of %s", (name) => {
  test("their order and their ids have no part in the reward", () => {
    for (let seed = 0; seed < 2; seed++) {
      const { env, state } = opened(name, seed);
      const { offered, assessment } = state;
      const renamed = offered.map((each, i) => ({
        ...each,
        id: `c_renamed${i}`,
        wire: { ...each.wire, candidate_id: `c_renamed${i}` },
      }));
      const assessed = assessment.candidates.map((each, i) => ({ ...each, candidate: renamed[i]! }));
      const turned: EpisodeState = {
        ...state,
        offered: renamed.toReversed(),
        assessment: { ...assessment, candidates: assessed.toReversed() },
      };
      for (const [i, candidate] of offered.entries()) {
        const plain = tryStep(env, actionFor(state, candidate, { rationale: "as planned" }));
        const before = env.snapshot();
        env.restore({ ...before, data: withState(before.data, turned) });
        const other = env.step(actionFor(turned, renamed[i]!, { rationale: "as planned" }));
        env.restore(before);
        expect(other.reward).toBe(plain.reward);
        expect(other.info.rewardComponents).toEqual(plain.info.rewardComponents);
      }
    }
  });

  test("a long rationale raises no reward by more than .03", () => {
    const talk = "This choice was weighed with care against everything that is known of the patient. ".repeat(6);
    for (let seed = 0; seed < 2; seed++) {
      const { env, state } = opened(name, seed);
      for (const candidate of state.offered) {
        const silent = tryStep(env, actionFor(state, candidate, { rationale: "" })).reward;
        const verbose = tryStep(env, actionFor(state, candidate, { rationale: talk })).reward;
        expect(verbose - silent).toBeLessThanOrEqual(0.03 + 1e-9);
      }
    }
  });
});

/** Episodes a policy plays in each sub-environment; mining takes a second each. */
const EPISODES = 6;
const MINED = 2;
const CONTROLS = ["stop_all", "keep_always", "review_always", "random_legal"] as const;

describe.each(SUB_ENVIRONMENTS)("task score of %s", (name) => {
  test("stopping all, keeping always, reviewing always and chance score below the rules", async () => {
    const env = loadPolyGuard().makeEnv();
    const meanOf = async (policy: string): Promise<number> => {
      let sum = 0;
      const n = name === "BANDIT_MINING" ? MINED : EPISODES;
      for (let seed = 0; seed < n; seed++) {
        const { taskScore } = await scoreEpisode(env, makePolyguardPolicy(policy, env), {
          seed,
          options: { sub_environment: name, difficulty: "easy" },
          rng: Rng.fromSeed(seed, "policy"),
        });
        sum += (taskScore ?? 0) / n;
      }
      return sum;
    };
    const ruled = await meanOf("rule_based");
    for (const control of CONTROLS) expect(await meanOf(control), control).toBeLessThan(ruled);
  }, 120_000);
});

describe("each component", () => {
  test("reaches .95 and .10 in some state of some sub-environment", () => {
    const high = new Map<ComponentName, number>();
    const low = new Map<ComponentName, number>();
    const note = ({ info }: StepResult<Observation>): void => {
      for (const name of COMPONENTS) {
        const value = info.rewardComponents![name]!;
        high.set(name, Math.max(high.get(name) ?? 0, value));
        low.set(name, Math.min(low.get(name) ?? 1, value));
      }
    };
    const states = SUB_ENVIRONMENTS.flatMap((name) => [0, 1].map((seed) => opened(name, seed)));
    // A drug that fouls memory is offered for one that does not: the heaviest burden a step can add.
    states.push(opened("DDI", 5041, "medium"));
    for (const { env, state } of states) {
      note(tryStep(env, { raw: "{} {}" } as never));
      for (const candidate of state.offered)
        for (const confidence of [0, 1]) {
          const tried = tryStep(env, actionFor(state, candidate, { rationale: "see the list", confidence }));
          note(tried);
          const { facts } = tried.info.verifier as { readonly facts: string[] };
          note(tryStep(env, actionFor(state, candidate, { rationale: "see the list", evidence_ids: facts })));
        }
    }
    // An idle last step: only there is efficiency at its lowest.
    const { env } = opened("PRECISION_DOSING", 0);
    for (let state = env.latentState()!; state.world.clock.stepsLeft > 1; state = env.latentState()!)
      env.step(actionFor(state, state.offered.find(({ payload }) => payload.type === "KEEP_REGIMEN")!));
    note(env.step({ raw: "nothing" } as never));
    for (const name of COMPONENTS) {
      expect(high.get(name), name).toBeGreaterThanOrEqual(0.95);
      expect(low.get(name), name).toBeLessThanOrEqual(0.1);
    }
  }, 120_000);
});

/** A snapshot's data with another state of the episode. */
function withState(data: unknown, state: EpisodeState): unknown {
  const saved = data as { readonly episode: object };
  return { ...saved, episode: { ...saved.episode, state } };
}
