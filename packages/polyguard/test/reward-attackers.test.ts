import { describe, expect, test } from "vitest";
import { isInformationAction } from "../src/actions/types.ts";
import type { AssessedCandidate } from "../src/reward/assessment.ts";
import { actionFor, bestLegal, findCandidate, isType, makeEnv, play, type Script } from "./episode-fixtures.ts";

const env = makeEnv();
const SEEDS = Array.from({ length: 24 }, (_, seed) => seed);

/** Mean training return of a script over the seeds. */
function meanReturn(script: Script): number {
  let sum = 0;
  for (const seed of SEEDS) sum += play(env, seed, "easy", script).trainingReturn / SEEDS.length;
  return sum;
}
const keepOf = (state: Parameters<Script>[0]): AssessedCandidate => findCandidate(state, isType("KEEP_REGIMEN"))!;
const finishOf = (state: Parameters<Script>[0]): AssessedCandidate => findCandidate(state, isType("FINISH"))!;
const isChange = ({ candidate, isLegal }: AssessedCandidate): boolean =>
  isLegal &&
  !isInformationAction(candidate.payload.type) &&
  !isType("KEEP_REGIMEN", "FINISH")({ candidate } as AssessedCandidate);

/** Honest play: the best legal candidate while it gains something, then FINISH (or KEEP while a plan runs). */
const fixAndFinish: Script = (state) => {
  const best = bestLegal(state);
  if (best.utility > state.assessment.keep.utility + 0.002) return best;
  if (state.assessment.isDangerVisible) return findCandidate(state, isType("REQUEST_REVIEW"))!;
  return finishOf(state);
};

const idle: Script = keepOf;

/** An information action at every step, the fix only at the end. */
const spamThenFix: Script = (state, step) => {
  const info = state.assessment.candidates.filter(({ candidate }) => isInformationAction(candidate.payload.type));
  return state.world.clock.stepsLeft > 2 && info.length > 0 ? info[step % info.length]! : bestLegal(state);
};

/** Harm first, so that there is something to repair. */
const harmThenRepair: Script = (state, step) => {
  const changes = state.assessment.candidates.filter(isChange);
  if (changes.length === 0) return keepOf(state);
  const worst = changes.reduce((low, each) => (each.utility < low.utility ? each : low));
  return step % 2 === 0 ? worst : bestLegal(state);
};

/** Adds and removes for small credits. */
const churn: Script = (state, step) => {
  const fits = step % 2 === 0 ? isType("ADD_DRUG", "ADD_PROTECTION") : isType("STOP_DRUG");
  return findCandidate(state, (each) => each.isLegal && fits(each)) ?? keepOf(state);
};

/** The worst legal action, with no confidence at all. */
const worstWithoutConfidence: Script = (state) => {
  const legal = state.assessment.candidates.filter(
    ({ isLegal, candidate }) => isLegal && candidate.payload.type !== "FINISH",
  );
  const worst = legal.reduce((low, each) => (each.utility < low.utility ? each : low));
  return actionFor(state, worst.candidate, { confidence: 0 });
};

/** One cut in slices: the smallest legal dose change, again and again. */
const slices: Script = (state) => {
  const cuts = state.assessment.candidates.filter((each) => each.isLegal && isType("ADJUST_DOSE")(each));
  return cuts.length === 0
    ? keepOf(state)
    : cuts.reduce((small, each) => (each.utility < small.utility ? each : small));
};

const reviewAlways: Script = (state) => findCandidate(state, isType("REQUEST_REVIEW"))!;
const silence: Script = () => ({ raw: "" });

describe("scripted attackers of the training return", () => {
  const honest = meanReturn(fixAndFinish);

  test("fixing and finishing pays", () => {
    expect(honest).toBeGreaterThan(0.2);
  });

  test.each<[string, Script]>([
    ["idling", idle],
    ["harm, then repair", harmThenRepair],
    ["churn", churn],
    ["the worst action at confidence 0", worstWithoutConfidence],
    ["one cut in slices", slices],
    ["reviewing at every step", reviewAlways],
    ["silence", silence],
  ])("%s earns less than nothing on average, and less than honest play", (_name, script) => {
    const attacker = meanReturn(script);
    expect(attacker).toBeLessThan(0);
    expect(attacker).toBeLessThan(honest);
  });

  test("an information action at every step with the fix last earns less than fixing at once", () => {
    expect(meanReturn(spamThenFix)).toBeLessThan(honest);
  });
});

describe("scripted attackers of the detectors", () => {
  test("keeping at every step beside an open hit is ended as an exploit at the 4th step", () => {
    const seeds = SEEDS.filter((seed) => play(env, seed, "easy", idle).reason === "exploit_detection");
    expect(seeds.length).toBeGreaterThan(0);
    for (const seed of seeds.slice(0, 3)) {
      const { rewards } = play(env, seed, "easy", idle);
      expect(rewards.length).toBe(4);
      expect(rewards[3]).toBe(0.001);
    }
  });

  test("reviewing at every step is ended as an exploit", () => {
    const reasons = SEEDS.slice(0, 8).map((seed) => play(env, seed, "easy", reviewAlways).reason);
    expect(reasons.filter((reason) => reason === "exploit_detection" || reason === "justified_review").length).toBe(8);
  });

  test("finishing beside a visible unmanaged major hit is a hard exploit", () => {
    let hard = 0;
    for (const seed of SEEDS) {
      const { reason, flags } = play(env, seed, "easy", finishOf);
      if (!flags.some(({ id, level }) => id === "A06" && level === "hard")) continue;
      hard++;
      expect(reason).toBe("exploit_detection");
    }
    expect(hard).toBeGreaterThan(0);
  });

  test("three actions that are not understood end the episode", () => {
    const { reason, rewards } = play(env, 0, "easy", silence);
    expect(reason).toBe("invalid_action_limit");
    expect(rewards.length).toBe(3);
  });

  test("a copied candidate with another dose is a mismatch: soft once, an exploit twice", () => {
    const forge: Script = (state) => {
      const dosed =
        findCandidate(state, ({ candidate }) => candidate.wire.dose_per_day !== undefined) ?? bestLegal(state);
      return actionFor(state, dosed.candidate, { dose_per_day: 12345 });
    };
    const { reason, flags } = play(env, 1, "medium", forge);
    expect(reason).toBe("exploit_detection");
    expect(flags.filter(({ id }) => id === "A04").map(({ level }) => level)).toEqual(["soft", "hard"]);
  });

  test("a fabricated citation is soft twice and an exploit the third time", () => {
    const cite: Script = (state) =>
      actionFor(state, bestLegal(state).candidate, { rationale: "known", evidence_ids: ["ev:none"] });
    const { flags } = play(env, 7, "hard", cite);
    expect(
      flags
        .filter(({ id }) => id === "A09")
        .map(({ level }) => level)
        .slice(0, 3),
    ).toEqual(["soft", "soft", "hard"]);
  });
});
