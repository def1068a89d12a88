import { LocalVectorEnv, Rng, type SyncEnvDefinition } from "@praxis/env";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeDecision, judgeChoice, readAction } from "../src/action.ts";
import { sha256 } from "../src/audit/chain.ts";
import { BankIndex } from "../src/bank/bank-index.ts";
import { playShift } from "../src/baselines/evaluate.ts";
import { RULES } from "../src/baselines/rules.ts";
import { callable } from "../src/baselines/script.ts";
import { defineSpindleFlow, randomAction } from "../src/definition.ts";
import { canDelegate, graphDepth, reaches } from "../src/engine/graph.ts";
import { sumOf, type TaskReward } from "../src/engine/reward.ts";
import { mayConsult } from "../src/engine/teamwork.ts";
import { makeSpindleFlowEnv } from "../src/env.ts";
import { worldOf } from "../src/episode.ts";
import { type Decision, decide, META_ACTIONS, MODES } from "../src/names.ts";
import { nodeOfParty, observationLayout, readEdges } from "../src/observation.ts";
import { EpisodeTierLock } from "../src/tiers.ts";
import { makeWordBank } from "./support/word-bank.ts";

const bank = makeWordBank({ tasksPerDesk: 60, specialists: 160 });
const parts = { index: new BankIndex(bank), settings: {} };

/** Plays random legal actions and calls `look` before each. */
function playRandomly(seed: number, look: (env: ReturnType<typeof makeSpindleFlowEnv>) => void): void {
  const env = makeSpindleFlowEnv(parts);
  const rng = Rng.fromSeed(seed, "test");
  env.reset({ seed });
  for (let ended = false; !ended; ) {
    look(env);
    ended = env.step(randomAction(rng, env.latentState()!.masks)).terminated;
  }
}

test("the observation of six slots has 5,490 numbers, of any number of slots 876 + 769 · S", () => {
  expect(observationLayout(6).length).toBe(5490);
  for (let size = 1; size <= 8; size++) {
    expect(observationLayout(size).length).toBe(876 + 769 * size);
    const env = makeSpindleFlowEnv({ ...parts, settings: { maxSpecialists: size } });
    expect(env.reset({ seed: size }).observation.vector).toHaveLength(876 + 769 * size);
  }
});

test("all 56 combinations of meta-action and mode can be said with the 12-vector", () => {
  const seen = new Set<string>();
  for (let meta = 0; meta < 8; meta++)
    for (let mode = 0; mode < 7; mode++) {
      const vector = new Float32Array(12);
      vector[0] = meta;
      vector[7] = mode;
      const choice = readAction({ vector }, { size: 6, slaMs: 1000, normalized: false });
      seen.add(`${choice.meta}/${choice.mode}`);
      const normal = vector.map((x, i) => (i === 0 ? (2 * x) / 7 - 1 : i === 7 ? (2 * x) / 6 - 1 : x));
      const affine = readAction({ vector: normal }, { size: 6, slaMs: 1000, normalized: true });
      expect([affine.meta, affine.mode]).toEqual([choice.meta, choice.mode]);
    }
  expect(seen.size).toBe(META_ACTIONS.length * MODES.length);
});

test("an emitted decision decodes to itself, set and order kept", () => {
  const bins = [0, 0.25, 0.5, 0.75, 1];
  const bin = fc.constantFrom(...bins);
  const free = {
    meta: new Array(8).fill(true),
    slots: new Array(6).fill(true),
    modes: new Array(7).fill(true),
    leads: new Array(6).fill(true),
    consult: Array.from({ length: 6 }, (_, lead) => Array.from({ length: 6 }, (_, slot) => slot !== lead)),
  };
  fc.assert(
    fc.property(
      fc.constantFrom("callSpecialist", "parallelSpawn", "delegateSubtask" as const),
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 2 }),
      fc.constantFrom(...MODES),
      fc.tuple(bin, bin, bin, bin),
      (meta, slots, mode, [a, b, c, d]) => {
        const slaMs = 8000;
        const decision: Decision = {
          meta: meta as Decision["meta"],
          slots,
          mode,
          parameters: {
            rounds: 1 + 4 * a,
            threshold: 0.5 + 0.5 * b,
            timeBudgetMs: c === 1 ? null : slaMs * (0.25 + c),
            contextEntries: Math.floor(5 * d + 0.5),
          },
        };
        const choice = readAction(
          { vector: encodeDecision(decision, 6, slaMs) },
          { size: 6, slaMs, normalized: false },
        );
        expect(judgeChoice(choice, free)).toEqual({ decision, violation: null });
      },
    ),
  );
});

test("NaN, a wrong length and an unknown name are refused and change nothing", () => {
  const env = makeSpindleFlowEnv(parts);
  env.reset({ seed: 1 });
  const before = env.latentState();
  for (const action of [
    { vector: new Array(12).fill(Number.NaN) },
    { vector: [1] },
    { meta: "callSpecialists", slots: [0] },
    { meta: "callSpecialist", slots: [7] },
  ])
    expect(() => env.step(action)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
  expect(env.latentState()).toBe(before);
});

test("the graph stays acyclic and within its depth under any legal sequence, and the mask agrees with canDelegate", () => {
  const faults: string[] = [];
  for (let seed = 0; seed < 60; seed++)
    playRandomly(seed, (env) => {
      const state = env.latentState()!;
      const { edges } = state.run;
      if (edges.some((_, node) => reaches(edges, node, node))) faults.push(`cycle with seed ${seed}`);
      if (graphDepth(edges) > state.config.maxDelegationDepth) faults.push(`too deep with seed ${seed}`);
      const { consult, leads } = state.masks;
      for (let lead = 0; lead < 6; lead++)
        for (let slot = 0; slot < 6; slot++)
          if (consult[lead]![slot]!) {
            const agrees =
              leads[lead]! &&
              mayConsult(worldOf(state), state.run, lead, slot) &&
              canDelegate(edges, lead + 1, slot + 1, { maxDepth: 3 });
            if (!agrees) faults.push(`mask with seed ${seed}: ${lead} → ${slot}`);
          }
    });
  expect(faults).toEqual([]);
});

test("with the cycle rule off, random consultations make a cycle", () => {
  const rng = Rng.fromSeed(1, "mutation");
  const cyclesOf = (checkCycles: boolean): number => {
    let cycles = 0;
    for (let task = 0; task < 300; task++) {
      const edges = [0b1111110, 0, 0, 0, 0, 0, 0];
      for (let i = 0; i < 4; i++) {
        const [a, b] = [rng.integer(1, 6), rng.integer(1, 6)];
        // Depth would recurse for ever on a cycle: the limit is left out on purpose.
        if (reaches(edges, a, a) || reaches(edges, b, b)) break;
        const allowed = a !== b && (!checkCycles || canDelegate(edges, a, b, { maxDepth: 99 }));
        if (allowed) edges[a] = edges[a]! | (1 << b);
      }
      if (edges.some((_, node) => reaches(edges, node, node))) cycles++;
    }
    return cycles;
  };
  expect(cyclesOf(false)).toBeGreaterThan(20);
  expect(cyclesOf(true)).toBe(0);
});

test("the adjacency block holds exactly the edges of the calls, and scores round-trip", () => {
  const env = makeSpindleFlowEnv(parts);
  for (let seed = 0; seed < 40; seed++) {
    const { observation } = env.reset({ seed });
    const slot = observation.action_mask.slots.indexOf(true);
    const { info, observation: next } = env.step({ meta: "callSpecialist", slots: [slot] });
    const [call] = info.calls as { score: number | null; status: string }[];
    const edges = readEdges(next.vector!, observationLayout(6));
    expect(edges.map(({ from, to }) => [from, to])).toEqual([[0, slot + 1]]);
    expect(edges[0]!.value).toBeCloseTo(call!.status === "ok" ? 0.5 + 0.5 * call!.score! : 0.25, 6);
  }
});

test("with seven and eight slots the last nodes are shared", () => {
  const nodes = (size: number) =>
    ["mediator", "generalist", "requester"].map((p) => nodeOfParty(p as "mediator", size));
  expect(nodes(6)).toEqual([7, 8, 9]);
  expect(nodes(3)).toEqual([7, 8, 9]);
  expect(nodes(7)).toEqual([8, 9, 9]);
  expect(nodes(8)).toEqual([9, 9, 9]);
});

test("the signed components, clipped, are the reward, the two no-output values apart", () => {
  for (let seed = 100; seed < 140; seed++) {
    const env = makeSpindleFlowEnv(parts);
    const rng = Rng.fromSeed(seed, "test");
    env.reset({ seed });
    for (let ended = false; !ended; ) {
      const { info, terminated } = env.step(randomAction(rng, env.latentState()!.masks));
      ended = terminated;
      const paid = info.reward as TaskReward | undefined;
      if (paid === undefined) continue;
      if (paid.noOutput) expect([-0.1, -0.2]).toContain(paid.reward);
      else expect(paid.reward).toBeCloseTo(Math.min(2, Math.max(-1, sumOf(paid.components))), 12);
    }
  }
});

test("nothing done in one task shifts a draw of a later one", () => {
  const laterRewards = (firstTask: (env: ReturnType<typeof makeSpindleFlowEnv>) => void): number[] => {
    const env = makeSpindleFlowEnv({ ...parts, settings: { reward: { consistencyWeight: 0 } } });
    env.reset({ seed: 5 });
    firstTask(env);
    const rewards: number[] = [];
    for (let ended = false; !ended; ) {
      const state = env.latentState()!;
      const action = state.run.callCount === 0 ? { meta: "callSpecialist", slots: [2] } : { meta: "stop" };
      const result = env.step(action);
      rewards.push(result.reward);
      ended = result.terminated;
    }
    return rewards;
  };
  const stopped = laterRewards((env) => void env.step({ meta: "stop" }));
  const busy = laterRewards((env) => {
    env.step({ meta: "callSpecialist", slots: [0, 1, 3], mode: "fanOutReduce" });
    env.step({ meta: "delegateSubtask", slots: [4, 5] });
    env.step({ meta: "stop" });
  });
  expect(busy).toEqual(stopped);
});

test("equal seeds and actions give byte-equal trajectories, also in a vector environment", () => {
  const definition = defineSpindleFlow(bank, { settings: { tasksPerEpisode: 2 } }) as unknown as SyncEnvDefinition;
  const run = () => {
    const env = new LocalVectorEnv(definition, { numEnvs: 3, seed: 4 });
    env.reset({ seed: 4 });
    const rng = Rng.fromSeed(4, "actions");
    const rows: string[] = [];
    for (let i = 0; i < 40; i++) {
      const actions = Array.from({ length: 3 }, () =>
        Float32Array.from({ length: 12 }, (_, k) =>
          k === 0 ? rng.integer(0, 7) : k === 7 ? rng.integer(0, 6) : rng.uniform(),
        ),
      );
      const { buffer, byteOffset, byteLength } = env.step(actions).observations as Float32Array;
      rows.push(sha256(new Uint8Array(buffer, byteOffset, byteLength)));
    }
    return rows;
  };
  expect(run()).toEqual(run());
});

test("a tier lock refuses every other tier", () => {
  const lock = new EpisodeTierLock(1, [0.15, 0.1, 0.05, 0.03]);
  expect(lock.sigmaFor(1)).toBe(0.1);
  expect(() => lock.sigmaFor(2)).toThrow(/judged at tier 1/);
});

const MEDIATE = META_ACTIONS.indexOf("callMediator");
const RETRY = META_ACTIONS.indexOf("retryFailed");

test("exploits earn no more than honest play", () => {
  const play = (choose: (typeof RULES)[string]) => {
    let sum = 0;
    for (let seed = 0; seed < 40; seed++) for (const task of playShift(parts, choose, seed)) sum += task.reward;
    return sum / 200;
  };
  const honest = play(RULES.greedyMediate!);
  const everybodyForReasons = play(RULES.callAllPar!);
  const stopAtOnce = play({ choose: () => decide("stop") });
  const clarifyLoop = play({ choose: () => decide("clarifyTask") });
  const illegalToWait = play({ choose: ({ state }) => decide(state.run.steps < 5 ? "callMediator" : "stop") });
  const sameEachTime = play({
    choose: ({ state }) => (state.run.callCount > 0 ? decide("stop") : decide("callSpecialist", [0])),
  });
  const canMediate = ({ state }: { state: { masks: { meta: readonly boolean[] } } }) => state.masks.meta[MEDIATE];
  // Those furthest from the task are called, two at a time, so that they disagree and the mediator is paid for it.
  const unrelatedForConflicts = play({
    choose: (scene) => {
      if (canMediate(scene)) return decide("callMediator");
      const left = callable(scene).reverse().slice(0, 2);
      return left.length === 0 ? decide("stop") : decide("callSpecialist", left, "parallel");
    },
  });
  // Everybody in turn, every dispute settled at once, so that the next output may raise it again.
  const sameConflictAgain = play({
    choose: (scene) => {
      if (canMediate(scene)) return decide("callMediator");
      const [next] = callable(scene);
      return next === undefined ? decide("stop") : decide("callSpecialist", [next]);
    },
  });
  // Everybody in turn, each failure made good at once: a failure and its recovery as often as there are people.
  const failAndRecover = play({
    choose: (scene) => {
      if (scene.state.masks.meta[RETRY]) return decide("retryFailed");
      const [next] = callable(scene).reverse();
      return next === undefined ? decide("stop") : decide("callSpecialist", [next]);
    },
  });
  for (const [name, exploit] of Object.entries({
    ...{ everybodyForReasons, stopAtOnce, clarifyLoop, illegalToWait, sameEachTime },
    ...{ unrelatedForConflicts, sameConflictAgain, failAndRecover },
  }))
    expect(exploit, name).toBeLessThan(honest);
});

test("a dispute that the mediator did not settle is heard anew when it is asked again", () => {
  const tries: number[] = [];
  for (let seed = 0; seed < 60; seed++) {
    const env = makeSpindleFlowEnv(parts);
    const rng = Rng.fromSeed(seed, "test");
    env.reset({ seed });
    for (let ended = false; !ended; ) {
      const { taskIndex } = env.latentState()!;
      let count = 0;
      while (!ended && env.latentState()!.masks.meta[MEDIATE] && env.latentState()!.taskIndex === taskIndex) {
        count++;
        ended = env.step({ meta: "callMediator" }).terminated;
      }
      // A task that ran out of steps meanwhile tells nothing.
      if (!ended && env.latentState()!.taskIndex === taskIndex && count > 0) tries.push(count);
      if (!ended) ended = env.step(randomAction(rng, env.latentState()!.masks)).terminated;
    }
  }
  const repeated = tries.filter((count) => count > 1).length;
  // With a chance of .85 each, one dispute in seven or so is heard twice.
  expect(repeated / tries.length).toBeGreaterThan(0.05);
});

test("a policy reads the same numbers in either encoding of the observation", () => {
  const definition = defineSpindleFlow(bank);
  const env = makeSpindleFlowEnv(parts);
  const plain = env.reset({ seed: 4 });
  const coded = env.reset({ seed: 4, options: { encoding: "base64" } });
  const read = ({ observation, info }: typeof plain) =>
    Array.from(definition.encodeObservation!(observation, info) as number[]);
  expect(coded.observation.vector).toBeUndefined();
  expect(read(coded)).toEqual(read(plain));
});

test("a dispute pays once a skill and a recovery never more than its failure still costs, whatever is played", () => {
  let tasks = 0;
  for (let seed = 0; seed < 40; seed++) {
    const env = makeSpindleFlowEnv(parts);
    const rng = Rng.fromSeed(seed, "exploit");
    env.reset({ seed });
    for (let ended = false; !ended; ) {
      const { taskIndex, shift } = env.latentState()!;
      const skills = shift.tasks[taskIndex]!.world.skills.length;
      const { info, terminated } = env.step(randomAction(rng, env.latentState()!.masks));
      ended = terminated;
      if (info.reward === undefined) continue;
      tasks++;
      const { components } = info.reward as TaskReward;
      const disputes = components.conflictBonus / 0.05 - components.conflictPenalty / 0.1;
      expect(disputes).toBeLessThanOrEqual(skills + 1e-9);
      expect(components.conflictBonus).toBeLessThanOrEqual(0.1);
      expect(components.recoveryBonus + components.failurePenalty).toBeLessThanOrEqual(1e-12);
    }
  }
  expect(tasks).toBe(200);
});
