import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { definePolyGuard } from "../src/definition.ts";
import type { Observation } from "../src/observation/schema.ts";
import { DIFFICULTIES, SUB_ENVIRONMENTS } from "../src/scenario/types.ts";
import { kb } from "./policy-fixtures.ts";

/** Episodes a cell: raise it for a sweep. */
const SEEDS = 1;
const definition = definePolyGuard(kb);

/** Places of numbers that are not finite in a value. */
function badNumbers(value: unknown, path: string): string[] {
  if (typeof value === "number") return Number.isFinite(value) ? [] : [`${path} = ${value}`];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => badNumbers(each, `${path}.${key}`));
}

const STARTS = ["ADD_DRUG", "SUBSTITUTE_DRUG"];

/** Starts among the offers that name no dose above 0. */
function emptyStarts({ candidates }: Observation): string[] {
  return candidates.flatMap(({ action_type: type, dose_per_day: dose, text }) =>
    STARTS.includes(type) && !((dose ?? 0) > 0) ? [text] : [],
  );
}

/** An episode of random legal actions; what was wrong in it. */
function play(subEnvironment: string, difficulty: string, seed: number): string[] {
  const env = definition.makeEnv();
  const rng = Rng.fromSeed(seed, "play");
  let last: Parameters<typeof definition.sampleAction>[1] = env.reset({
    seed,
    options: { sub_environment: subEnvironment, difficulty, score_task: false, expose_legality: true },
  });
  const bad = [...badNumbers(last, "reset"), ...emptyStarts(last.observation)];
  for (let step = 0; ; step++) {
    const result = env.step(definition.sampleAction(rng, last));
    bad.push(...badNumbers(result, `step ${step}`), ...emptyStarts(result.observation));
    if (result.terminated || result.truncated || bad.length > 0) return bad;
    last = result;
  }
}

describe("numbers of an episode", () => {
  test.each(SUB_ENVIRONMENTS.flatMap((sub) => DIFFICULTIES.map((difficulty) => ({ sub, difficulty }))))(
    "every number of reward, information and observation is finite and every start has a dose: $sub $difficulty",
    ({ sub, difficulty }) => {
      for (let seed = 0; seed < SEEDS; seed++) expect(play(sub, difficulty, seed), `seed ${seed}`).toEqual([]);
    },
  );
});
