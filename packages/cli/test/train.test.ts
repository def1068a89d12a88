import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { formatDuration, formatTrainingRow } from "../src/training-view.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "praxis-train-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command line; data and talk are kept apart, as on a terminal. */
async function praxis(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const kept = { out: "", err: "" };
  const keep = (to: "out" | "err") => (text: string) => {
    kept[to] += `${text}\n`;
  };
  const code = await runCli(args, { out: keep("out"), err: keep("err"), isInteractive: false, hasColor: false });
  return { code, ...kept };
}

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
  expect(formatTrainingRow(row, { stepsPerS: 1000.4, leftS: 95 })).toBe(
    "2048 steps · 1000 steps/s · return 31.26 · KL 0.01 · entropy 0.6 · 1 min 35 s left",
  );
  expect([formatDuration(8), formatDuration(3900), formatDuration(Number.POSITIVE_INFINITY)]).toEqual([
    "8 s",
    "1 h 5 min",
    "?",
  ]);
});
