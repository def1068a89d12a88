import { expect, test } from "vitest";
import { advanceCurriculum, CURRICULUM_START, type CurriculumState } from "../src/curriculum.ts";
import { EMPTY_LEARNING, learnEpisode, pathConsistency } from "../src/learning-state.ts";

const baselines = [0.1, 0.1, 0.1] as const;
const play = (episodes: number, reward: number, stepsShare = 0.1): CurriculumState => {
  let state = CURRICULUM_START;
  for (let i = 0; i < episodes; i++) state = advanceCurriculum(state, { reward, stepsShare, baselines });
  return state;
};

test("a phase is left only after 1,000 episodes that beat the baseline by more than 0.02", () => {
  expect(play(999, 0.2).phase).toBe(1);
  expect(play(1000, 0.2)).toEqual({ phase: 2, episodesInPhase: 0, recent: [] });
  expect(play(3000, 0.12).phase).toBe(1);
});

test("a phase ends when its share of the steps is used up, and the last one never ends", () => {
  expect(play(1, -1, 0.31).phase).toBe(2);
  expect(play(2, -1, 0.61).phase).toBe(3);
  expect(play(5, -1, 1).phase).toBe(3);
});

test("a first path earns an eighth, a path below its type's mean nothing, and a good path grows", () => {
  expect(pathConsistency(EMPTY_LEARNING, "0x0", "p", 0.1)).toBe(1 / 8);
  expect(pathConsistency(EMPTY_LEARNING, "0x0", "p", -0.1)).toBe(0);
  const good = { type: "0x0", path: "good", qualityDelta: 0.3, quality: 0.8 };
  const poor = { type: "0x0", path: "poor", qualityDelta: 0.1, quality: 0.3 };
  let learning = EMPTY_LEARNING;
  for (let i = 0; i < 30; i++) learning = learnEpisode(learning, [good, poor]);
  expect(pathConsistency(learning, "0x0", "poor", 0.1)).toBe(0);
  expect(pathConsistency(learning, "0x0", "good", 0.1)).toBeGreaterThan(0.3);
  expect(pathConsistency(learning, "0x0", "good", 0.1)).toBeLessThan(1);
});
