import type { RngStreams } from "@praxis/env";

/** Standard deviation of a verifier's reading of an answer. Source: the test on recorded outcomes, `score + N(0, 0.5)`. */
export const VERIFIER_SIGMA = 0.5;

/** A verifier's reading of a model's answer; drawn by task and model, so that every policy meets the same. */
export function readAnswer(streams: RngStreams, task: number, model: number, score: number): number {
  return score + VERIFIER_SIGMA * streams.keyed("judge", task, model).normal();
}
