import assert from "node:assert/strict";
import test from "node:test";
import { checkEnv, PraxisError } from "@praxis/env";
import { definition } from "../src/index.ts";

test("the environment keeps the contract", async () => {
  const checks = await checkEnv(definition);
  assert.deepEqual(
    checks.filter((check) => !check.ok).map((check) => `${check.name}: ${check.message}`),
    [],
  );
});

test("halving the bounds finds any number within the guesses allowed", () => {
  const env = definition.makeEnv();
  for (let seed = 0; seed < 100; seed++) {
    let { observation } = env.reset({ seed });
    for (let ended = false; !ended; ) {
      const step = env.step({ guess: Math.floor((observation.low + observation.high) / 2) });
      ended = step.terminated;
      assert.equal(step.truncated, false);
      observation = step.observation;
    }
  }
});

test("a guess outside the bounds is a violation that tells nothing and costs a guess", () => {
  const env = definition.makeEnv();
  const { observation } = env.reset({ seed: 1 });
  const step = env.step({ guess: observation.high + 1 });
  assert.equal(step.info.violations?.[0]?.kind, "outOfBounds");
  assert.equal(step.reward, 0);
  assert.deepEqual(step.observation, { ...observation, guessesLeft: observation.guessesLeft - 1 });
});

test("a step after the end asks for a reset", () => {
  const env = definition.makeEnv();
  env.reset({ seed: 1, options: { highest: 2 } });
  for (const guess of [1, 2]) if (env.step({ guess }).terminated) break;
  assert.throws(
    () => env.step({ guess: 1 }),
    (error) => error instanceof PraxisError && error.code === "RESET_NEEDED",
  );
});
