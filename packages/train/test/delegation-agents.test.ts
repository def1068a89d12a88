import { type EnvDefinition, Rng, type SyncEnv } from "@praxis/env";
import { Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { EpisodePpo } from "../src/episode-ppo.ts";
import { evaluateSmallPolicy } from "../src/evaluate-small.ts";
import { Grpo } from "../src/grpo.ts";
import { loadRecordedPolicy, RecordedPlayer } from "../src/load-recorded.ts";
import { PhaseCurriculum } from "../src/phase-curriculum.ts";
import { CALL } from "../src/policies/delegation-action.ts";
import { DelegationPolicy } from "../src/policies/delegation-policy.ts";
import { makeDelegationTask } from "../src/policies/delegation-task.ts";
import { makeSlotLayout } from "../src/policies/slot-layout.ts";
import { RecordedSmallPolicy } from "../src/recorded-small-policy.ts";
import type { FinishedEpisode } from "../src/replayed-episode.ts";
import { Sft, type SftExample } from "../src/sft.ts";
import { makeSmallAgent, smallAgentSettings } from "../src/small-agent.ts";
import { makeRosterProbe } from "./roster-env.ts";

const { kernels } = await selectKernels("wasm");
const E = 6;
const SLOTS = 3;
const SMALL = { width: 16, hidden: 16, slotHidden: 8, headHidden: 16 } as const;

/** Two steps; whoever's first number is positive should be called. */
const probe = makeRosterProbe<{ roster: number[][]; at: number }>({
  ...{ name: "Positive", slots: SLOTS, embedding: E },
  begin: (uniform) => ({
    roster: Array.from({ length: SLOTS }, () => Array.from({ length: E }, () => uniform() - 0.5)),
    at: 0,
  }),
  view: ({ roster, at }) => ({ roster, task: [1, 0, 0, 0, 0, 0], scalars: [at / 10] }),
  step: ({ roster, at }, { chosen }) => ({
    state: { roster, at: at + 1 },
    reward: roster.reduce((sum, row, i) => sum + (chosen.includes(i) === row[0]! > 0 ? 1 : 0), 0) / (2 * SLOTS),
    terminated: at === 1,
  }),
});

function makePolicy(settings: object = {}): DelegationPolicy {
  const { inputs } = makeSlotLayout(SLOTS, E);
  return new DelegationPolicy({
    ...{ kernels, rng: Rng.fromSeed(2), inputs, embedding: E, settings: { ...SMALL, ...settings } },
  });
}

/** The action of a script that knows the rule, by names. */
function teacher(observation: ArrayLike<number>): object {
  const { rosterAt } = makeSlotLayout(SLOTS, E);
  const good = Array.from({ length: SLOTS }, (_, i) => i).filter((i) => observation[rosterAt + i * E]! > 0);
  return { meta: "callSpecialist", slots: good.length > 0 ? good : [0], mode: "parallel" };
}

test("a script's actions by name are cloned, and the clone acts as its teacher", async () => {
  const policy = makePolicy();
  const task = makeDelegationTask(probe, policy);
  const env = probe.makeEnv() as SyncEnv;
  const episodes = Array.from({ length: 60 }, (_, seed) => {
    let last = env.reset({ seed });
    return Array.from({ length: 2 }, (): SftExample<ReturnType<typeof task.decisionOf>> => {
      const decision = task.decisionOf(last);
      const read = task.choiceOf(teacher(last.observation as number[]), decision, last)!;
      expect(read.isLegal).toBe(true);
      last = env.step(task.actionOf(read.choice, decision, last));
      return { decision, choice: read.choice };
    });
  });
  const small = new RecordedSmallPolicy(policy);
  const settings = { epochs: 18, minibatchSize: 20, learningRate: 0.015 };
  const sft = new Sft({ kernels, policy: small, episodes, envId: probe.id, seed: 3, settings });
  const first = sft.iterate()["losses/cross_entropy"]!;
  let last = first;
  while (!sft.isDone) last = sft.iterate()["losses/cross_entropy"]!;
  expect(last).toBeLessThan(first / 3);
  const { returns } = evaluateSmallPolicy({
    ...{ definition: probe as EnvDefinition, kernels, policy: small, task, episodes: 50, seed: 900, resetOptions: {} },
  });
  expect(returns.reduce((sum, x) => sum + x, 0) / returns.length).toBeGreaterThan(0.85);
});

test("actions that a policy can't make are told apart from illegal ones", () => {
  const task = makeDelegationTask(probe, makePolicy());
  const env = probe.makeEnv() as SyncEnv;
  const last = env.reset({ seed: 1 });
  const decision = task.decisionOf(last);
  expect(task.choiceOf({ meta: "callEverybody" }, decision, last)).toBeNull();
  expect(
    task.choiceOf({ meta: "callSpecialist", slots: [1], params: { timeBudgetMs: 900 } }, decision, last),
  ).toBeNull();
  expect(task.choiceOf({ meta: "stop" }, decision, last)?.isLegal).toBe(false);
  const named = { meta: "callSpecialist", slots: [2, 0], mode: "iterative", params: { rounds: 5, threshold: 0.75 } };
  const { choice, isLegal } = task.choiceOf(named, decision, last)!;
  expect([isLegal, ...choice]).toEqual([true, CALL, 3, 4, 2, 4, 4, 2, 0, 1]);
  const vector = task.actionOf(choice, decision, last) as number[];
  expect(task.choiceOf({ vector }, decision, last)!.choice).toEqual(choice);
  expect(task.choiceOf(vector, decision, last)!.choice).toEqual(choice);
});

test("sequences are valued as they were played, from their beginning or from a state within", () => {
  for (const memory of ["shift", "none"]) {
    const small = new RecordedSmallPolicy(makePolicy({ memory }));
    const task = makeDelegationTask(probe, small.policy as DelegationPolicy);
    const tape = new Tape(kernels);
    const rng = Rng.fromSeed(7);
    const played = [1, 2, 3].map((seed) => {
      const env = probe.makeEnv() as SyncEnv;
      let last = env.reset({ seed });
      let memoryRow = small.initialMemory();
      return [0, 1].map(() => {
        tape.reset();
        const decision = task.decisionOf(last);
        const before = memoryRow;
        const [chosen] = small.choose(tape, [{ decision, memory: before, rng }]);
        memoryRow = chosen!.memory;
        last = env.step(task.actionOf(chosen!.choice, decision, last));
        return { decision, choice: chosen!.choice, memory: before };
      });
    });
    const sequence = (steps: (typeof played)[number]) => ({
      ...{ decisions: steps.map(({ decision }) => decision), choices: steps.map(({ choice }) => choice) },
      memory: steps[0]!.memory,
    });
    tape.reset();
    const whole = [...small.evaluate(tape, played.map(sequence)).logProbs];
    tape.reset();
    const later = [
      ...small.evaluate(tape, [...played.map((steps) => sequence(steps.slice(1))), sequence(played[0]!)]).logProbs,
    ];
    expect(later[0]).toBeCloseTo(whole[1]!, 5);
    expect(later[2]).toBeCloseTo(whole[5]!, 5);
    expect(later[3]).toBeCloseTo(whole[0]!, 5);
    expect(later[4]).toBeCloseTo(whole[1]!, 5);
  }
});

test("groups with equal seeds teach whom to call without a critic, from any state", async () => {
  const policy = makePolicy();
  const task = makeDelegationTask(probe, policy);
  const settings = {
    ...{ iterations: 14, groupsPerIteration: 16, groupSize: 6, learningRate: 0.01 },
    forkAt: "anywhere" as const,
  };
  const grpo = new Grpo({
    definition: probe,
    policy: new RecordedSmallPolicy(policy),
    task,
    kernels,
    seed: 4,
    settings,
  });
  const rows: Readonly<Record<string, number>>[] = [];
  for (let i = 0; i < 14; i++) rows.push((await grpo.iterate()).values);
  const perStep = (at: number): number =>
    rows.at(at)!["charts/completion_return"]! / rows.at(at)!["charts/completion_length"]!;
  // Each of two steps is worth ½ at most and ¼ by chance.
  expect(perStep(-1)).toBeGreaterThan(0.4);
  expect(perStep(0)).toBeLessThan(0.33);
});

test("an agent of SFT and GRPO is an orchestrator where its settings say so", () => {
  const { low, high } = { low: -1, high: 3 };
  const definition = {
    ...probe,
    observationSpace: { kind: "box", shape: [makeSlotLayout(2).inputs], low, high },
  } as const;
  const settings = smallAgentSettings.parse({
    decisions: "delegation",
    delegation: { encoder: "gnn", width: 8, hidden: 4 },
  });
  const agent = makeSmallAgent(definition, { kernels, rng: Rng.fromSeed(1), settings });
  expect(agent.policy).toBeInstanceOf(RecordedSmallPolicy);
  expect(agent.policy.parameters().some(({ name }) => name.startsWith("trunk.1.teammate"))).toBe(true);
});

test("a player loads a checkpoint of its own architecture and embedder alone, and says how sure it is", async () => {
  const settings = { numEnvs: 4, batchSteps: 32, minibatches: 2, epochs: 1, totalSteps: 100 };
  const identity = { embedder: "hash384" };
  const ppo = new EpisodePpo({ definition: probe, kernels, policy: makePolicy(), seed: 1, settings, identity });
  await ppo.iterate();
  const checkpoint = await ppo.save();
  const policy = makePolicy();
  expect(() => loadRecordedPolicy(policy, { definition: probe, checkpoint, identity: { embedder: "minilm" } })).toThrow(
    "It differs in embedder (checkpoint: hash384, here: minilm).",
  );
  expect(() =>
    loadRecordedPolicy(makePolicy({ hidden: 8, memory: "none" }), { definition: probe, checkpoint, identity }),
  ).toThrow("It differs in hidden (checkpoint: 16, here: 8), memory (checkpoint: shift, here: none)");
  const other = new EpisodePpo({ definition: probe, kernels, policy: makePolicy(), seed: 1, settings });
  await expect(other.restore(checkpoint)).rejects.toThrow("embedder (checkpoint: hash384, here: none)");
  loadRecordedPolicy(policy, { definition: probe, checkpoint, identity });
  const player = new RecordedPlayer("trained", { definition: probe, policy, kernels });
  const env = probe.makeEnv() as SyncEnv;
  const { observation, info } = env.reset({ seed: 5 });
  player.reset();
  const { action, probability, valueEstimate } = player.decide(observation, info);
  expect(probability).toBeGreaterThan(0);
  expect(probability).toBeLessThanOrEqual(1);
  expect(Number.isFinite(valueEstimate)).toBe(true);
  player.reset();
  expect(player.act(observation, info)).toEqual(action);
  expect((action as number[]).length).toBe(SLOTS + 6);
});

/** An episode of one step that earned `reward` and began in `phase`. */
function finished(reward: number, phase: number, isExcluded = false): FinishedEpisode {
  const nothing = { numbers: new Float32Array(0), rows: [] };
  const step = { record: nothing, action: new Float32Array(0), mask: new Uint8Array(0), logProb: 0, value: 0, reward };
  return {
    ...{ env: 0, index: 0, resetOptions: { phase }, terminated: true, finalValue: 0, finalInfo: {} },
    steps: [{ ...step, isExcluded, kept: null }],
  };
}

test("a phase ends when the rule is beaten by enough episodes that began in it, or when its share of steps is used up", () => {
  const make = () => new PhaseCurriculum({ baselines: [0.2, 0.3], window: 4, minEpisodes: 6 });
  const of = (count: number, reward: number, phase: number) =>
    Array.from({ length: count }, () => finished(reward, phase));
  const report = (episodes: FinishedEpisode[], steps = 0) => ({ episodes, steps, totalSteps: 100 });
  const curriculum = make();
  curriculum.update(report(of(5, 1, 1)));
  expect(curriculum.phase).toBe(1);
  curriculum.update(report(of(4, 0.21, 1)));
  expect(curriculum.phase).toBe(1);
  expect(curriculum.update(report([...of(4, 0.23, 1), finished(-9, 1, true)]))).toEqual({
    "curriculum/phase": 1,
    "curriculum/mean_reward": expect.closeTo(0.23, 10),
  });
  expect(curriculum.resetOptions()).toEqual({ phase: 2 });
  // Leftovers of the first phase prove nothing in the second.
  curriculum.update(report(of(9, 5, 1)));
  expect(curriculum.phase).toBe(2);
  const resumed = make();
  resumed.restore(JSON.parse(JSON.stringify(curriculum.save())));
  resumed.update(report(of(6, 5, 2)));
  expect(resumed.phase).toBe(3);
  resumed.update(report(of(9, 5, 3), 99));
  expect(resumed.phase).toBe(3);
  const slow = make();
  slow.update(report([], 29));
  expect(slow.phase).toBe(1);
  slow.update(report([], 30));
  slow.update(report([], 59));
  expect(slow.phase).toBe(2);
  slow.update(report([], 60));
  expect(slow.phase).toBe(3);
  expect(() => new PhaseCurriculum({ baselines: [] })).toThrow("Curriculum setting 'baselines'");
});
