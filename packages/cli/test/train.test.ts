import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatDuration, formatTrainingRow } from "../src/training-view.ts";
import { praxis } from "./run-praxis.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "praxis-train-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const SMALL = ["--kernels", "wasm", "--total-steps", "1024", "--evaluate-every", "2", "--evaluate-episodes", "3"];

test("a training run is written, listed, shown, compared and exported, and its settings have their rank", async () => {
  const runs = join(folder, "runs");
  const config = join(folder, "run.yaml");
  writeFileSync(config, "epochs: 2\ngamma: 0.9\n");
  const first = await praxis(
    "train",
    "cartpole",
    "--runs",
    runs,
    "--seed",
    "1",
    ...SMALL,
    "--config",
    config,
    "--gamma",
    "0.8",
  );
  expect(first.code).toBe(0);
  expect(first.err).toContain("kernels: wasm");
  expect(first.err).toMatch(/Done after 1024 steps/);
  const [name] = readdirSync(runs);
  expect(name).toMatch(/^cartpole__ppo__seed1__/);
  const read = (file: string): string => readFileSync(join(runs, name!, file), "utf8");
  // Flag over file over environment over default.
  expect(JSON.parse(read("config.json")).settings).toMatchObject({
    gamma: 0.8,
    epochs: 2,
    numSteps: 32,
    valueCoef: 0.5,
  });
  expect(read("metrics.jsonl").trim().split("\n").length).toBe(4);
  expect(read("report.md")).toContain("n = 3");

  const second = await praxis("train", "cartpole", "--runs", runs, "--seed", "2", ...SMALL, "--json");
  expect(
    second.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).steps),
  ).toEqual([256, 512, 768, 1024]);
  const names = readdirSync(runs).sort();
  expect((await praxis("runs", "list", "--runs", runs)).out).toContain(name);
  expect((await praxis("runs", "show", name!, "--runs", runs)).out).toMatch(/gamma\s+0.8/);
  const compared = (await praxis("runs", "compare", ...names, "--runs", runs)).out;
  expect(compared).toMatch(/gamma\s+0.8\s+0.98/);
  expect(compared).not.toMatch(/numSteps/);
  const exported = await praxis("export", name!, "--onnx", "--runs", runs);
  expect(exported.out.trim()).toBe(join(runs, name!, "policy.onnx"));
  expect((await praxis("export", name!, "--onnx", "--runs", runs)).code).toBe(2);
});

test("wrong names are refused with the nearest one before a run folder is made", async () => {
  const runs = join(folder, "none");
  const environment = await praxis("train", "cartpol", "--runs", runs, "--kernels", "wasm");
  expect([environment.code, environment.err]).toEqual([2, expect.stringContaining("Did you mean 'cartpole'?")]);
  const flag = await praxis("train", "cartpole", "--runs", runs, "--kernels", "wasm", "--learning-rat", "1");
  expect([flag.code, flag.err]).toEqual([2, expect.stringContaining("Did you mean 'learning-rate'?")]);
  const config = join(folder, "wrong.yaml");
  writeFileSync(config, "epoch: 2\n");
  const file = await praxis("train", "cartpole", "--runs", runs, "--kernels", "wasm", "--config", config);
  expect([file.code, file.err]).toEqual([2, expect.stringContaining("Did you mean 'epochs'?")]);
  expect((await praxis("train", "--runs", runs, "--kernels", "wasm")).err).toContain("--resume a run: one of the two");
  expect(() => readdirSync(runs)).toThrow("ENOENT");
});

test("the live line tells steps, speed, return, KL, entropy and what is left", () => {
  const row = { steps: 2048, "charts/recent_return": 31.256, "losses/approx_kl": 0.01, "losses/entropy": 0.6 };
  expect(formatTrainingRow(row, { perS: 1000.4, leftS: 95 })).toBe(
    "2048 steps · 1000 steps/s · return 31.26 · KL 0.01 · entropy 0.6 · 1 min 35 s left",
  );
  const groups = { iteration: 3, "charts/completion_return": 0.5, "health/frac_zero_std": 0.25, "losses/entropy": 1 };
  expect(formatTrainingRow(groups, { perS: 2.5, leftS: 8 })).toBe(
    "iteration 3 · 2.5/s · return 0.5 · entropy 1 · equal groups 0.25 · 8 s left",
  );
  expect([formatDuration(8), formatDuration(3900), formatDuration(Number.POSITIVE_INFINITY)]).toEqual([
    "8 s",
    "1 h 5 min",
    "?",
  ]);
});

test("what a failed verifier or environment takes out of training is on the live line", () => {
  const counts = { "health/excluded_steps": 2, "health/failed_completions": 3, "health/dropped_groups": 0 };
  expect(formatTrainingRow({ steps: 64, ...counts }, { perS: 1, leftS: 1 })).toBe(
    "64 steps · 1 steps/s · 2 steps left out · 3 episodes failed · 1 s left",
  );
});

test("a trained policy plays demonstrations, SFT learns them, GRPO goes on from there, and each is exported", async () => {
  const runs = join(folder, "pipeline");
  const shared = ["--runs", runs, "--kernels", "wasm", "--evaluate-episodes", "5"];
  expect((await praxis("train", "grid", ...shared, "--total-steps", "5120")).code).toBe(0);
  const ppo = join(runs, readdirSync(runs)[0]!);
  const demos = join(folder, "demos.jsonl");
  const played = await praxis("play", "grid", "--policy", ppo, "--episodes", "12", "--trace", demos, "--json");
  expect(played.code).toBe(0);
  expect(readFileSync(demos, "utf8").match(/"kind":"header"/g)).toHaveLength(12);

  const sft = await praxis("sft", "grid", ...shared, "--traces", demos, "--epochs", "80", "--hidden-sizes", "[24]");
  expect([sft.code, sft.err]).toEqual([0, expect.stringContaining("12 episodes")]);
  expect(sft.err).toContain("Done after 80 epochs.");
  const sftRun = join(runs, readdirSync(runs).find((name) => name.includes("__sft__"))!);
  const losses = readFileSync(join(sftRun, "metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line)["losses/cross_entropy"] as number);
  expect(losses).toHaveLength(80);
  expect(losses.at(-1)).toBeLessThan(losses[0]! / 2);

  const grpo = await praxis("grpo", "grid", ...shared, "--from", sftRun, "--iterations", "4", "--kl-coef", "0.05");
  expect([grpo.code, grpo.err]).toEqual([0, expect.stringContaining("Done after 4 iterations.")]);
  const grpoRun = join(runs, readdirSync(runs).find((name) => name.includes("__grpo__"))!);
  const config = JSON.parse(readFileSync(join(grpoRun, "config.json"), "utf8"));
  // The policy's shape is that of the run it begins from.
  expect([config.settings.hiddenSizes, config.context.from]).toEqual([[24], sftRun]);
  const [first] = readFileSync(join(grpoRun, "metrics.jsonl"), "utf8").split("\n");
  const row = JSON.parse(first!) as Record<string, number>;
  expect(row["losses/reference_kl"]).toBe(0);
  for (const health of ["health/frac_zero_std", "losses/clip_fraction", "losses/approx_kl", "losses/entropy"])
    expect(row[health]).toBeGreaterThanOrEqual(0);
  expect(row["rewards/goal"]).toBeGreaterThan(0.5);

  for (const run of [sftRun, grpoRun]) expect((await praxis("export", run, "--onnx")).code).toBe(0);
  const listed = (await praxis("runs", "list", "--runs", runs)).out;
  expect(listed).toContain("losses/cross_entropy");
  expect((await praxis("play", "grid", "--policy", grpoRun, "--seed", "3")).out).toContain("terminated (goal)");
});

test("SFT needs traces to begin with, of the right environment, and the same ones to go on", async () => {
  const runs = join(folder, "traces");
  const demos = join(folder, "walks.jsonl");
  await praxis("play", "grid", "--episodes", "5", "--trace", demos, "--json");
  const shared = ["--runs", runs, "--kernels", "wasm"];
  expect((await praxis("sft", "grid", ...shared)).err).toContain("A new run needs --traces FILE");
  expect((await praxis("sft", "cartpole", ...shared, "--traces", demos)).err).toContain("not of 'CartPole-v1'");
  const done = await praxis("sft", "grid", ...shared, "--traces", demos, "--epochs", "2");
  expect(done.code).toBe(0);
  const run = join(runs, readdirSync(runs).find((name) => name.startsWith("grid__sft"))!);
  writeFileSync(demos, readFileSync(demos, "utf8").split("\n").slice(0, 3).join("\n"));
  const resumed = await praxis("sft", ...shared, "--resume", run);
  expect([resumed.code, resumed.err]).toEqual([2, expect.stringContaining("changed since the run began")]);
});
