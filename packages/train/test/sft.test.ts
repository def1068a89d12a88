import { type Policy, Rng, recordEpisode } from "@praxis/env";
import { gridEnv } from "@praxis/env/testing";
import { Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { type SftExample, sftExamplesFromTraces, trainSft } from "../src/sft.ts";
import { type MaskedDecision, MaskedPolicy, makeMaskedTask } from "../src/small-policy.ts";

const { kernels } = await selectKernels("wasm");

/** Walks straight to the goal, sideways first. */
const straight: Policy = {
  name: "straight",
  reset() {},
  act(observation) {
    const { x, y, goalX, goalY } = observation as Record<"x" | "y" | "goalX" | "goalY", number>;
    return { direction: x < goalX ? 1 : x > goalX ? 3 : y < goalY ? 2 : 0 };
  },
};

function gridPolicy(seed = 1): MaskedPolicy {
  const actionSpace = gridEnv.actionSpace!;
  return new MaskedPolicy({ kernels, rng: Rng.fromSeed(seed), inputs: 4, hidden: [32], actionSpace });
}

const options = { kernels, epochs: 1, minibatchSize: 16, learningRate: 0.01 };

test("a policy trained on traces of a straight walk walks straight", async () => {
  const env = gridEnv.makeEnv();
  const traces = [];
  for (let seed = 0; seed < 60; seed++)
    traces.push(await recordEpisode(gridEnv, env, straight, { seed }, { rng: Rng.fromSeed(seed) }));
  const task = makeMaskedTask(gridEnv);
  const examples = sftExamplesFromTraces(traces, { definition: gridEnv, env, task });
  expect(examples.length).toBe(traces.reduce((sum, { steps }) => sum + steps.length, 0));
  const policy = gridPolicy();
  const rows = [...trainSft({ ...options, policy, examples, rng: Rng.fromSeed(3), epochs: 40 })];
  expect(rows[0]!["losses/cross_entropy"]).toBeGreaterThan(0.5);
  expect(rows[39]!["losses/cross_entropy"]).toBeLessThan(0.1);
  let last = env.reset({ seed: 1000 });
  for (let t = 0; t < 12; t++) {
    const decision = task.decisionOf(last);
    const [choice] = policy.choose(new Tape(kernels), [decision], [null]);
    const result = env.step(task.actionOf(choice!, decision, last) as { direction: number });
    last = result;
    if (result.terminated) break;
  }
  expect("terminated" in last && last.terminated).toBe(true);
});

test("a trace that no longer repeats is refused at its step", async () => {
  const env = gridEnv.makeEnv();
  const trace = await recordEpisode(gridEnv, env, straight, { seed: 1 }, { rng: Rng.fromSeed(1) });
  const task = makeMaskedTask(gridEnv);
  const changed = { ...trace, steps: trace.steps.map((step) => ({ ...step, observationHash: "other" })) };
  expect(() => sftExamplesFromTraces([changed], { definition: gridEnv, env, task })).toThrow("Step 1 of 'Grid-v0-1'");
});

const example = (choice: number, weight?: number): SftExample<MaskedDecision> => ({
  decision: { observation: Float32Array.of(0, 0, 1, 1), mask: Uint8Array.of(1, 1, 1, 0) },
  choice: Float32Array.of(choice),
  ...(weight === undefined ? {} : { weight }),
});

test("examples count by their weight: twice is the same as weight two, and weight 0 as absence", () => {
  const lossOf = (examples: readonly SftExample<MaskedDecision>[]): number => {
    const policy = gridPolicy();
    const settings = { ...options, minibatchSize: 8, epochs: 3 };
    const rows = [...trainSft({ ...settings, policy, examples, rng: Rng.fromSeed(1) })];
    return rows[2]!["losses/cross_entropy"];
  };
  const twice = lossOf([example(0), example(0), example(1)]);
  expect(lossOf([example(0, 2), example(1, 1)])).toBeCloseTo(twice, 5);
  expect(lossOf([example(0, 2), example(2, 0), example(1)])).toBeCloseTo(twice, 5);
});

test("a masked choice gets no probability however long one trains", () => {
  const policy = gridPolicy();
  for (const _ of trainSft({ ...options, policy, examples: [example(1)], rng: Rng.fromSeed(1), epochs: 30 }));
  const { logProbs } = policy.evaluate(new Tape(kernels), [example(1).decision], [Float32Array.of(1)]);
  expect(logProbs[0]).toBeGreaterThan(-0.05);
  expect(() => policy.evaluate(new Tape(kernels), [example(3).decision], [Float32Array.of(3)])).toThrow(
    "legal choices",
  );
});

test("weights below 0 and nothing to learn from are refused", () => {
  const run = (examples: readonly SftExample<MaskedDecision>[]) => [
    ...trainSft({ ...options, policy: gridPolicy(), examples, rng: Rng.fromSeed(1) }),
  ];
  expect(() => run([example(0), example(0, -1)])).toThrow("Example 1 weighs -1");
  expect(() => run([example(0, 0)])).toThrow("no example with a weight above 0");
});
