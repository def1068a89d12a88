import { type EnvDefinition, flatSize, type Info, Rng } from "@praxis/env";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { type EpisodeOutcome, NOTHING_TOLD, outcomeMetrics, withStep } from "../src/episode-outcome.ts";
import { evaluateSmallPolicy } from "../src/evaluate-small.ts";
import { Grpo } from "../src/grpo.ts";
import { MaskedPolicy, makeMaskedTask } from "../src/masked-policy.ts";
import { makeProbe } from "./probe-envs.ts";

const { kernels } = await selectKernels("wasm");

function outcomeOf(infos: readonly Info[]): EpisodeOutcome {
  return infos.reduce((sum, info, i) => withStep(sum, info, i === infos.length - 1), NOTHING_TOLD);
}

test("legality is the share of all judged steps, exploits and success are shares of episodes", () => {
  const broken = { violations: [{ kind: "V05", message: "contraindicated" }] };
  const legal = { violations: [], flags: [] };
  const outcomes = [
    outcomeOf([legal, legal, { ...legal, success: true }]),
    outcomeOf([{ ...broken, flags: [{ level: "hard" }], success: false }]),
  ];
  expect(outcomeMetrics(outcomes)).toEqual({
    "episodes/legality": 0.75,
    "episodes/exploit": 0.5,
    "episodes/success": 0.5,
  });
});

test("a soft flag is no exploit, and success before the end is none yet", () => {
  const outcome = outcomeOf([{ flags: [{ level: "soft" }], success: true }, { flags: [] }]);
  expect(outcomeMetrics([outcome])).toEqual({ "episodes/exploit": 0 });
});

test("an environment that tells nothing adds no metric", () => {
  expect(outcomeMetrics([outcomeOf([{}, {}]), NOTHING_TOLD])).toEqual({});
});

/** Two steps; 1 is illegal, and an episode without it is a success. */
const strict = makeProbe<number>({
  name: "Strict",
  observationSize: 1,
  actionSpace: { kind: "discrete", n: 2 },
  begin: () => 0,
  observe: () => [1],
  step: (broken, action, stepCount) => {
    const now = broken + (action as number);
    const violations = action === 1 ? [{ kind: "one", message: "1 is not allowed" }] : [];
    const isLast = stepCount === 1;
    const info = { violations, flags: [], ...(isLast ? { success: now === 0 } : {}) };
    return { state: now, reward: -(action as number), terminated: isLast, info };
  },
}) as EnvDefinition;

test("GRPO tells of the episodes it plays, and an evaluation of its own", async () => {
  const policy = new MaskedPolicy({
    ...{ kernels, rng: Rng.fromSeed(1), inputs: flatSize(strict.observationSpace!), hidden: [8] },
    actionSpace: strict.actionSpace!,
  });
  const task = makeMaskedTask(strict);
  const settings = { groupsPerIteration: 4, learningRate: 0.05, iterations: 40 };
  const grpo = new Grpo({ definition: strict, policy, task, kernels, seed: 1, settings });
  const rows: Readonly<Record<string, number>>[] = [];
  while (!grpo.isDone) rows.push((await grpo.iterate()).values);
  for (const row of rows) {
    // A step costs 1 when it is illegal, and an episode has two.
    expect(row["episodes/legality"]).toBeCloseTo(1 + row["charts/completion_return"]! / 2, 12);
    expect(row["episodes/exploit"]).toBe(0);
  }
  expect(rows.at(-1)!["episodes/success"]).toBeGreaterThan(rows[0]!["episodes/success"]!);
  const { outcomes } = evaluateSmallPolicy({ definition: strict, policy, task, kernels, episodes: 4, seed: 9 });
  expect(outcomes).toEqual({ "episodes/legality": 1, "episodes/exploit": 0, "episodes/success": 1 });
});
