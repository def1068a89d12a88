import { type EnvDefinition, Rng, recordEpisode, type SyncEnv } from "@praxis/env";
import { Tape, zeroGradients } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { cartPole } from "../src/envs/cart-pole.ts";
import { grid } from "../src/envs/grid.ts";
import { evaluateSmallPolicy, makeSmallAgentPolicy } from "../src/evaluate-small.ts";
import { Grpo, grpoSettings } from "../src/grpo.ts";
import { type MaskedDecision, MaskedPolicy } from "../src/masked-policy.ts";
import { makeSmallAgent, type SmallAgent, smallAgentSettings } from "../src/small-agent.ts";
import type { DecisionSequence } from "../src/small-policy.ts";
import { trainGrpo } from "../src/train-small.ts";
import { makeProbe } from "./probe-envs.ts";

const { kernels } = await selectKernels("wasm");

function makeAgent(definition: EnvDefinition, settings: Parameters<typeof smallAgentSettings.parse>[0]) {
  const rng = Rng.fromSeed(1);
  return makeSmallAgent(definition, { kernels, rng, settings: smallAgentSettings.parse(settings) });
}

async function learn(definition: EnvDefinition, agent: SmallAgent<unknown>, iterations: number): Promise<number[]> {
  const settings = { groupsPerIteration: 8, learningRate: 0.01, iterations } as const;
  const grpo = new Grpo({ definition, ...agent, kernels, seed: 1, settings });
  const returns: number[] = [];
  while (!grpo.isDone) returns.push((await grpo.iterate()).values["charts/completion_return"]!);
  return returns;
}

test("sequences of any lengths evaluated together have the numbers and gradients of each alone, padding counts nowhere", () => {
  const actionSpace = { kind: "discrete", n: 5 } as const;
  const lstm = { hidden: 6, layers: 2 };
  const policy = new MaskedPolicy({ kernels, rng: Rng.fromSeed(1), inputs: 3, hidden: [8], actionSpace, lstm });
  const rng = Rng.fromSeed(2);
  const sequences = [1, 7, 128].map((length): DecisionSequence<MaskedDecision> => {
    const choices = Array.from({ length }, () => Float32Array.of(rng.integer(0, 4)));
    const decisions = choices.map(([choice]) => ({
      observation: Float32Array.from({ length: 3 }, () => rng.normal()),
      mask: Uint8Array.from({ length: 5 }, (_, j) => (j === choice || rng.uniform() < 0.5 ? 1 : 0)),
    }));
    return { decisions, choices, memory: policy.initialMemory().map(() => rng.normal()) };
  });
  const evaluate = (of: readonly DecisionSequence<MaskedDecision>[]) => {
    zeroGradients(policy.parameters());
    const { logProbs, entropies, backward } = policy.evaluate(new Tape(kernels), of);
    backward(new Float64Array(logProbs.length).fill(1), new Float64Array(logProbs.length).fill(0.5));
    const gradients = policy.parameters().map(({ gradient }) => gradient.slice());
    return { values: [...logProbs, ...entropies.map((x) => x)], gradients, logProbs: [...logProbs] };
  };
  const together = evaluate(sequences);
  const alone = sequences.map((sequence) => evaluate([sequence]));
  expect(together.logProbs).toHaveLength(136);
  alone
    .flatMap(({ logProbs }) => logProbs)
    .forEach((logProb, i) => {
      expect(together.logProbs[i]).toBeCloseTo(logProb, 5);
    });
  together.gradients.forEach((gradient, p) => {
    gradient.forEach((x, i) => {
      const sum = alone.reduce((total, { gradients }) => total + gradients[p]![i]!, 0);
      expect(Math.abs(x - sum)).toBeLessThan(1e-3 * (1 + Math.abs(sum)));
    });
  });
});

test("a policy with memory evaluates what it chose as it chose it, also from the middle of an episode", () => {
  const agent = makeAgent(grid as EnvDefinition, { policy: "lstm", lstmHidden: 6, hiddenSizes: [8] });
  const env = grid.makeEnv() as SyncEnv;
  const rng = Rng.fromSeed(3);
  let memory = agent.policy.initialMemory();
  const played: { decision: unknown; choice: Float32Array; before: Float32Array }[] = [];
  let last = env.reset({ seed: 4 });
  for (let t = 0; t < 6; t++) {
    const decision = agent.task.decisionOf(last);
    const [chosen] = agent.policy.choose(new Tape(kernels), [{ decision, memory, rng }]);
    played.push({ decision, choice: chosen!.choice, before: memory });
    memory = chosen!.memory;
    const result = env.step(agent.task.actionOf(chosen!.choice, decision, last));
    if (result.terminated) break;
    last = result;
  }
  expect(played.length).toBeGreaterThan(3);
  const logProbs = (from: number): number[] => [
    ...agent.policy.evaluate(new Tape(kernels), [
      {
        decisions: played.slice(from).map(({ decision }) => decision),
        choices: played.slice(from).map(({ choice }) => choice),
        memory: played[from]!.before,
      },
    ]).logProbs,
  ];
  const whole = logProbs(0);
  logProbs(2).forEach((logProb, i) => {
    expect(logProb).toBeCloseTo(whole[2 + i]!, 5);
  });
});

test("a grid is learnt by scoring the steps that it offers", async () => {
  const agent = makeAgent(grid as EnvDefinition, { decisions: "candidates", hiddenSizes: [16] });
  const returns = await learn(grid as EnvDefinition, agent, 40);
  expect(returns.at(-1)!).toBeGreaterThan(returns[0]! + 0.3);
  const request = { definition: grid as EnvDefinition, kernels, ...agent, episodes: 20, seed: 77 };
  const { returns: evaluated, excluded } = evaluateSmallPolicy(request);
  expect([evaluated.length, excluded]).toEqual([20, 0]);
  expect(evaluated.every((x) => x > 0.9)).toBe(true);
  const policy = makeSmallAgentPolicy("candidates", { ...agent, kernels });
  const trace = await recordEpisode(
    grid as EnvDefinition,
    grid.makeEnv(),
    policy,
    { seed: 5 },
    { rng: Rng.fromSeed(0) },
  );
  expect(trace.steps.at(-1)!.terminationReason).toBe("goal");
});

test("what depends on a set as a whole is learnt from blocks by GRPO too", async () => {
  const definition = makeProbe<number[]>({
    name: "Bag",
    observationSize: 8,
    actionSpace: { kind: "discrete", n: 2 },
    begin: (uniform) => Array.from({ length: 4 }, () => 2 * uniform() - 1),
    observe: (items) => [1, 1, 1, 1, ...items],
    step: (items, action) => ({
      state: items,
      reward: action === (items.reduce((sum, x) => sum + x) > 0 ? 1 : 0) ? 1 : -1,
      terminated: true,
    }),
  });
  const blocks = [{ kind: "set", name: "bag", items: 4, features: 1 }];
  const encoder = { observationBlocks: blocks, encoderWidth: 8, encoderHeads: 2, hiddenSizes: [8] };
  const agent = makeAgent(definition, encoder);
  const returns = await learn(definition, agent, 60);
  expect(returns.slice(-5).reduce((sum, x) => sum + x / 5, 0)).toBeGreaterThan(0.7);
});

test("an evaluation leaves out the episodes that an environment failed in, and needs a step limit", () => {
  let resets = 0;
  const shaky = makeProbe({
    ...{ name: "Shaky", observationSize: 1, actionSpace: { kind: "discrete", n: 2 } as const, observe: () => [0] },
    begin: () => resets++,
    step: (state: number) => {
      if (state === 1) throw new Error("gone");
      return { state, reward: 1, terminated: true };
    },
  });
  const agent = makeAgent(shaky, {});
  const request = { definition: shaky as EnvDefinition, kernels, ...agent, episodes: 4, seed: 1 };
  expect(evaluateSmallPolicy(request)).toEqual({ returns: [1, 1, 1], excluded: 1, outcomes: {} });
  const { maxEpisodeSteps: _, ...endless } = shaky;
  expect(() => evaluateSmallPolicy({ ...request, definition: endless as EnvDefinition })).toThrow("has no step limit");
});

test("a run whose groups were all dropped keeps counting, says why, and names its files in step", async () => {
  const broken = makeProbe<number>({
    ...{ name: "Broken", observationSize: 1, actionSpace: { kind: "discrete", n: 2 } as const, observe: () => [0] },
    begin: () => 0,
    step: () => {
      throw new Error("the back end is gone");
    },
  });
  const notes: string[] = [];
  const rows: number[] = [];
  const files: number[] = [];
  const result = await trainGrpo({
    ...{ definition: broken as EnvDefinition, kernels, seed: 1, checkpointEvery: 1 },
    settings: grpoSettings.parse({ iterations: 3, groupsPerIteration: 2, partialGroups: "drop" }),
    agentSettings: smallAgentSettings.parse({}),
    onNote: (note) => notes.push(note),
    onIteration: (row) => rows.push(row.iteration!),
    onCheckpoint: (position, { state }) => files.push(position, (state as { iteration: number }).iteration),
  });
  expect(result).toEqual({ ended: "done", position: 3, iterations: 3, evaluation: null });
  expect(rows).toEqual([1, 2, 3]);
  expect(files).toEqual([1, 1, 2, 2, 3, 3]);
  expect(notes).toHaveLength(3);
  expect(notes[0]).toContain("the back end is gone");
});

test("agents that an environment or setting does not allow are refused with what to change", () => {
  expect(() => makeAgent(cartPole as EnvDefinition, { decisions: "candidates" })).toThrow("offers no candidates");
  expect(() => makeAgent(grid as EnvDefinition, { decisions: "candidates", policy: "lstm" })).toThrow("no LSTM");
  const { observationSpace: _, ...bare } = grid;
  expect(() => makeAgent(bare as EnvDefinition, {})).toThrow("has no box observationSpace");
});
