import { type EnvDefinition, type Policy, Rng, recordEpisode, type SyncEnv, type Trace } from "@praxis/env";
import { gridEnv } from "@praxis/env/testing";
import { Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { type MaskedDecision, MaskedPolicy, makeMaskedTask } from "../src/masked-policy.ts";
import { Sft, type SftExample, type SftMetrics, type SftOptions } from "../src/sft.ts";
import { readTraceExamples } from "../src/sft-traces.ts";
import type { LastResult } from "../src/small-policy.ts";

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

type Options = Partial<SftOptions<MaskedDecision>> & Pick<SftOptions<MaskedDecision>, "episodes">;

function make({ settings = {}, ...options }: Options): Sft<MaskedDecision> {
  const small = { epochs: 1, minibatchSize: 16, learningRate: 0.01, ...settings };
  return new Sft({ kernels, policy: gridPolicy(), envId: "Grid-v0", seed: 3, settings: small, ...options });
}

function iterate(sft: Sft<MaskedDecision>, times: number): SftMetrics[] {
  return Array.from({ length: times }, () => sft.iterate());
}

async function record(seeds: number, policy: Policy = straight): Promise<Trace[]> {
  const env = gridEnv.makeEnv();
  const traces: Trace[] = [];
  for (let seed = 0; seed < seeds; seed++)
    traces.push(await recordEpisode(gridEnv, env, policy, { seed }, { rng: Rng.fromSeed(seed) }));
  return traces;
}

const GRID = { definition: gridEnv as EnvDefinition, env: gridEnv.makeEnv() as SyncEnv, task: makeMaskedTask(gridEnv) };

for (const lstm of [null, { hidden: 16, layers: 1 }])
  test(`a policy trained on traces of a straight walk walks straight (${lstm === null ? "feed-forward" : "recurrent"})`, async () => {
    const traces = await record(60);
    const { episodes, failedSteps, illegalSteps } = readTraceExamples(traces, GRID);
    expect(episodes.map((examples) => examples.length)).toEqual(traces.map(({ steps }) => steps.length));
    expect([failedSteps, illegalSteps]).toEqual([0, 0]);
    const actionSpace = gridEnv.actionSpace!;
    const policy = new MaskedPolicy({ kernels, rng: Rng.fromSeed(1), inputs: 4, hidden: [32], actionSpace, lstm });
    const rows = iterate(make({ policy, episodes, settings: { epochs: 40 } }), 40);
    expect(rows[0]!["losses/cross_entropy"]).toBeGreaterThan(0.5);
    expect(rows[39]!["losses/cross_entropy"]).toBeLessThan(0.1);
    const { env, task } = GRID;
    let last: LastResult = env.reset({ seed: 1000 });
    let memory = policy.initialMemory();
    for (let t = 0; t < 12; t++) {
      const decision = task.decisionOf(last);
      const [chosen] = policy.choose(new Tape(kernels), [{ decision, memory, rng: null }]);
      memory = chosen!.memory;
      const result = env.step(task.actionOf(chosen!.choice, decision, last));
      last = result;
      if (result.terminated) break;
    }
    expect("terminated" in last && last.terminated).toBe(true);
  });

test("a trace that no longer repeats, or is of another environment, is refused and named", async () => {
  const [trace] = await record(1);
  const changed = { ...trace!, steps: trace!.steps.map((step) => ({ ...step, observationHash: "other" })) };
  expect(() => readTraceExamples([changed], GRID)).toThrow("Step 1 of 'Grid-v0-0'");
  const other = { ...trace!, header: { ...trace!.header, env: "CartPole-v1" } };
  expect(() => readTraceExamples([other], GRID)).toThrow("is of 'CartPole-v1', not of 'Grid-v0'");
});

test("masked actions and steps of a failed verifier are counted and not learnt from", async () => {
  const upwards: Policy = { name: "upwards", reset() {}, act: () => ({ direction: 0 }) };
  const [trace] = await record(1, upwards);
  expect(trace!.steps.at(-1)!.violations).toHaveLength(1);
  const failed = { code: "VERIFIER_ERROR", message: "timed out" };
  const steps = trace!.steps.map((step, i) => (i === 0 ? { ...step, infraError: failed } : step));
  const { episodes, failedSteps, illegalSteps } = readTraceExamples([{ ...trace!, steps }], GRID);
  expect(failedSteps).toBe(1);
  expect(illegalSteps).toBeGreaterThan(0);
  expect(episodes[0]!.filter(({ choice }) => choice === null)).toHaveLength(failedSteps + illegalSteps);
  expect(episodes[0]!.length).toBe(steps.length);
});

test("ten epochs, a resume and ten more equal twenty", async () => {
  const { episodes } = readTraceExamples(await record(10), GRID);
  const settings = { epochs: 20, learningRateSchedule: "linear" } as const;
  const whole = make({ episodes, settings });
  const rows = iterate(whole, 20);
  const first = make({ episodes, settings });
  iterate(first, 10);
  const second = make({ episodes, settings });
  second.restore(first.save());
  expect(iterate(second, 10)).toEqual(rows.slice(10));
  expect(second.save()).toEqual(whole.save());
  expect(whole.isDone).toBe(true);
  expect(() => second.restore({ ...first.save(), envId: "CartPole-v1" })).toThrow("is of sft on 'CartPole-v1'");
});

const example = (choice: number, weight?: number): SftExample<MaskedDecision> => ({
  decision: { observation: Float32Array.of(0, 0, 1, 1), mask: Uint8Array.of(1, 1, 1, 0) },
  choice: Float32Array.of(choice),
  ...(weight === undefined ? {} : { weight }),
});

test("examples count by their weight: twice is the same as weight two, and weight 0 as absence", () => {
  const lossOf = (examples: readonly SftExample<MaskedDecision>[]): number => {
    const settings = { minibatchSize: 8, epochs: 3 };
    return iterate(make({ episodes: [examples], settings }), 3)[2]!["losses/cross_entropy"]!;
  };
  const twice = lossOf([example(0), example(0), example(1)]);
  expect(lossOf([example(0, 2), example(1, 1)])).toBeCloseTo(twice, 5);
  expect(lossOf([example(0, 2), example(2, 0), example(1)])).toBeCloseTo(twice, 5);
});

test("a masked choice gets no probability however long one trains", () => {
  const policy = gridPolicy();
  iterate(make({ policy, episodes: [[example(1)]] }), 30);
  const ask = (choice: number) =>
    policy.evaluate(new Tape(kernels), [
      { decisions: [example(1).decision], choices: [Float32Array.of(choice)], memory: policy.initialMemory() },
    ]);
  expect(ask(1).logProbs[0]).toBeGreaterThan(-0.05);
  expect(() => ask(3)).toThrow("legal choices");
});

test("weights below 0 and nothing to learn from are refused", () => {
  expect(() => make({ episodes: [[example(0)], [example(0, -1)]] })).toThrow("Example 1 weighs -1");
  expect(() => make({ episodes: [[example(0, 0)]] })).toThrow("no example with a weight above 0");
});
