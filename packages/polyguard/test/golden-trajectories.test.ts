import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { formatTrace, type Policy, parseTraces, Rng, recordEpisode, replayTrace } from "@praxis/env";
import { describe, expect, test } from "vitest";
import type { StepAction } from "../src/actions/schema.ts";
import { actionFor, definePolyGuard } from "../src/definition.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { Observation } from "../src/observation/schema.ts";

const definition = definePolyGuard(loadBundledKnowledgeBase());
const isUpdate = process.env.UPDATE_GOLDEN === "1";

/** Picks among the offered candidates by its own stream: touches many kinds of action. */
function randomPolicy(): Policy<StepAction, Observation> {
  let rng = Rng.fromSeed(0);
  return {
    name: "random-candidate",
    reset: (stream) => {
      rng = stream;
    },
    act: (observation) =>
      actionFor(observation, rng.choice(observation.candidates), {
        confidence: Math.round(rng.uniform() * 100) / 100,
        rationale: "golden",
      }),
  };
}

describe("golden trajectories", () => {
  test.each([
    ["easy", 3],
    ["medium", 5],
    ["hard", 8],
  ])("ddi %s seed %d is played exactly as recorded", async (difficulty, seed) => {
    const path = fileURLToPath(new URL(`golden/ddi-${difficulty}-seed${seed}.jsonl`, import.meta.url));
    if (isUpdate || !existsSync(path)) {
      expect(isUpdate, "record it with UPDATE_GOLDEN=1").toBe(true);
      const trace = await recordEpisode(
        definition as never,
        definition.makeEnv() as never,
        randomPolicy() as never,
        { seed, options: { difficulty } },
        { rng: Rng.fromSeed(seed, "golden") },
      );
      writeFileSync(path, formatTrace(trace));
    }
    const [trace] = parseTraces(readFileSync(path, "utf8"));
    expect(trace!.steps.length).toBeGreaterThan(2);
    expect(replayTrace(definition as never, definition.makeEnv() as never, trace!)).toBeNull();
  });
});
