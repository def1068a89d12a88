import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Rng, recordEpisode } from "@praxis/env";
import { selectKernels } from "@praxis/nn/node";
import { afterEach, expect, test } from "vitest";
import { readCheckpoint } from "../src/checkpoint.ts";
import { cartPole } from "../src/envs/cart-pole.ts";
import { makeTrainedPolicy } from "../src/ppo-policy.ts";
import { resolvePpoSettings } from "../src/ppo-settings.ts";
import { findRun, listRuns, type RunConfig, RunFolder, readMetrics, runName } from "../src/run-folder.ts";
import { trainPpo } from "../src/train-ppo.ts";

const { kernels } = await selectKernels("wasm");
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "praxis-runs-"));
  folders.push(folder);
  return folder;
}

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const settings = { numEnvs: 2, numSteps: 16, minibatchSize: 16, epochs: 1, hiddenSizes: [8], totalSteps: 8 * 32 };
const config: RunConfig = {
  ...{
    env: "cartpole",
    algorithm: "ppo",
    seed: 4,
    settings: resolvePpoSettings(settings),
    context: { kernels: "wasm" },
  },
};
const training = { definition: cartPole, kernels, seed: 4, settings, checkpointEvery: 2 };

test("a run's folder is named for environment, algorithm, seed and time, and is never overwritten", () => {
  const root = temporaryFolder();
  expect(runName(config, new Date(NOW))).toBe("cartpole__ppo__seed4__20260102-030405");
  const run = RunFolder.create(root, config, () => NOW);
  expect(readdirSync(run.path).sort()).toEqual([
    "checkpoints",
    "config.json",
    `events.out.tfevents.${NOW / 1000}.praxis`,
    "metrics.jsonl",
  ]);
  expect(() => RunFolder.create(root, config, () => NOW)).toThrow("runs are never overwritten");
  expect(listRuns(root)).toEqual(["cartpole__ppo__seed4__20260102-030405"]);
  expect(() => findRun(root, "cartpole__ppo__seed4__20260102-030406")).toThrow("Did you mean");
});

test("a run that was killed goes on from its newest checkpoint and ends with the metrics of one that was not", async () => {
  const [whole, killed] = [temporaryFolder(), temporaryFolder()].map((root) =>
    RunFolder.create(root, config, () => NOW),
  );
  await trainPpo({
    ...training,
    onIteration: (row) => whole!.log(row),
    onCheckpoint: (s, c) => whole!.saveCheckpoint(s, c),
  });

  // Dies in its sixth iteration, in the middle of a line, two iterations after its last checkpoint was begun.
  const dying = trainPpo({
    ...training,
    onCheckpoint: (steps, checkpoint) => killed!.saveCheckpoint(steps, checkpoint),
    onIteration: (row) => {
      if (row.iteration === 6) throw new Error("killed");
      killed!.log(row);
    },
  });
  await expect(dying).rejects.toThrow("killed");
  appendFileSync(join(killed!.path, "metrics.jsonl"), '{"iteration":6,"ste');

  const { run, checkpoint } = RunFolder.resume(killed!.path, () => NOW + 60_000);
  expect(readMetrics(run.path).length).toBe(4);
  const result = await trainPpo({
    ...{ ...training, resume: checkpoint },
    onIteration: (row) => run.log(row),
    onCheckpoint: (steps, saved) => run.saveCheckpoint(steps, saved),
  });
  expect(result).toMatchObject({ ended: "done", position: 256, iterations: 8 });
  const read = (path: string, name: string): string => readFileSync(join(path, name), "utf8");
  expect(read(run.path, "metrics.jsonl")).toBe(read(whole!.path, "metrics.jsonl"));
  for (const name of ["policy.safetensors", "state.json", "environments.json"])
    expect(read(run.path, `checkpoints/step-000000256/${name}`)).toBe(
      read(whole!.path, `checkpoints/step-000000256/${name}`),
    );
});

test("a run without a checkpoint says so instead of beginning anew", () => {
  const { path } = RunFolder.create(temporaryFolder(), config, () => NOW);
  expect(() => RunFolder.resume(path, () => NOW)).toThrow("has no checkpoint to resume from");
  expect(() => RunFolder.resume(join(path, "checkpoints"), () => NOW)).toThrow("is not the folder of a run");
});

test("a stopped run saves its last iteration, and an evaluation that reaches the goal ends it", async () => {
  const saved: number[] = [];
  const stop = new AbortController();
  const stopped = await trainPpo({
    ...{ ...training, checkpointEvery: 100, signal: stop.signal },
    onIteration: ({ iteration }) => iteration === 3 && stop.abort(),
    onCheckpoint: (steps) => saved.push(steps),
  });
  expect(stopped).toMatchObject({ ended: "stopped", iterations: 3 });
  expect(saved).toEqual([96]);
  const evaluation = { every: 2, episodes: 4, seed: 1000, stopAtReturn: 1 };
  const solved = await trainPpo({ ...training, evaluation });
  expect(solved).toMatchObject({ ended: "solved", iterations: 2 });
  expect(solved.evaluation?.returns.length).toBe(4);
});

test("a trained policy plays an environment from its checkpoint, with memory and normaliser", async () => {
  const root = temporaryFolder();
  const lstm = { ...settings, policy: "lstm", lstmHidden: 8, normalizeObservations: true } as const;
  const run = RunFolder.create(root, { ...config, settings: resolvePpoSettings(lstm) }, () => NOW);
  await trainPpo({ ...training, settings: lstm, onCheckpoint: (steps, saved) => run.saveCheckpoint(steps, saved) });
  const checkpoint = readCheckpoint(join(run.path, "checkpoints", "step-000000256"));
  const options = { definition: cartPole, kernels, settings: resolvePpoSettings(lstm), checkpoint };
  const policy = makeTrainedPolicy("trained", options);
  const play = () => recordEpisode(cartPole, cartPole.makeEnv(), policy, { seed: 5 }, { rng: Rng.fromSeed(1) });
  const trace = await play();
  expect(trace.end?.return).toBeGreaterThan(5);
  expect(await play()).toEqual(trace);
});
