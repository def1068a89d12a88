import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { differingShifts, readDemo } from "../src/spindleflow/demo.ts";
import { frontierHull, type SpindleSummary } from "../src/spindleflow/evaluation-report.ts";
import { orchestratorFolder } from "../src/spindleflow/orchestrator.ts";
import { givenSpindleRun, resolveSpindleRun } from "../src/spindleflow/run-settings.ts";
import { praxis } from "./run-praxis.ts";

const BIN = fileURLToPath(new URL("../bin/praxis.js", import.meta.url));

let folder = "";
let run = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "praxis-spindleflow-"));
  const config = join(folder, "small.yaml");
  writeFileSync(
    config,
    [
      "preset: demo",
      "policy: { width: 8, hidden: 8, slotHidden: 4, headHidden: 8 }",
      "warmStart: { teacher: cueGreedySla, shifts: 12, epochs: 1 }",
      "ppo: { totalSteps: 96, numEnvs: 4, batchSteps: 24, minibatches: 2, epochs: 1 }",
    ].join("\n"),
  );
  const runs = join(folder, "runs");
  const trained = await praxis(
    ...["train", "spindleflow", "--kernels", "wasm", "--runs", runs, "--config", config, "--seed", "4"],
    ...["--checkpoint-every", "1", "--evaluate-every", "2", "--evaluate-episodes", "4"],
  );
  expect([trained.code, trained.err]).toEqual([0, expect.stringContaining("Warm start: epoch 1 of 1")]);
  run = join(runs, readdirSync(runs)[0]!);
});
afterAll(() => rmSync(folder, { recursive: true }));

const checkpoints = (path: string): string[] => readdirSync(join(path, "checkpoints")).sort();
const weights = (path: string, name: string): string =>
  readFileSync(join(path, "checkpoints", name, "policy.safetensors")).toString("base64");

test("a resumed run of an orchestrator goes on bit for bit, in worker threads as well", async () => {
  const all = checkpoints(run);
  expect(all.length).toBeGreaterThan(2);
  for (const workers of ["0", "2"]) {
    const copy = join(folder, `resumed-${workers}`);
    cpSync(run, copy, { recursive: true });
    for (const name of all.slice(1)) rmSync(join(copy, "checkpoints", name), { recursive: true });
    const args = [
      ...["train", "--resume", copy, "--kernels", "wasm", "--workers", workers],
      ...["--checkpoint-every", "1", "--evaluate-every", "2", "--evaluate-episodes", "4"],
    ];
    // Threads load compiled code, so the command that starts them is compiled too.
    if (workers === "0") expect((await praxis(...args)).code).toBe(0);
    else execFileSync(process.execPath, [BIN, ...args], { stdio: "ignore" });
    expect(checkpoints(copy)).toEqual(all);
    expect(weights(copy, all.at(-1)!)).toBe(weights(run, all.at(-1)!));
    expect(readFileSync(join(copy, "metrics.jsonl"), "utf8")).toBe(readFileSync(join(run, "metrics.jsonl"), "utf8"));
  }
});

test("an evaluation plays a trained orchestrator beside scripts and says the same for any number of workers", async () => {
  const evaluate = async (workers: string) => {
    const out = join(folder, `evaluation-${workers}`);
    const { code, out: text } = await praxis(
      ...["eval", "spindleflow", "--policies", `${run},alwaysOne`, "--split", "train,heldout", "--n", "5"],
      ...["--preset", "demo", "--workers", workers, "--out", out, "--json", "--frontier"],
    );
    expect(code).toBe(0);
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain("Specialists are simulated");
    expect(readFileSync(join(out, "report.json"), "utf8").trim()).toBe(text.trim());
    return text;
  };
  const one = await evaluate("1");
  expect(await evaluate("2")).toBe(one);
  const { policies, differences, frontier } = JSON.parse(one) as SpindleSummary;
  const of = (policy: string) => policies.filter((each) => each.policy === policy);
  expect(of("random").map(({ normalizedScore }) => normalizedScore!.mean)).toEqual([0, 0]);
  expect(of("reference").map(({ normalizedScore, regret }) => [normalizedScore!.mean, regret.mean])).toEqual([
    [1, 0],
    [1, 0],
  ]);
  expect(of("alwaysOne").map(({ metrics }) => metrics.specialists!.mean)).toEqual([1, 1]);
  const [own] = of("reference");
  const [learned] = policies.filter(({ policy, split }) => run.endsWith(policy) && split === "train");
  expect(own!.reward.mean - learned!.reward.mean).toBeCloseTo(learned!.regret.mean, 12);
  expect(differences.map(({ minus }) => minus).sort()).toEqual(["alwaysOne", "alwaysOne", "reference", "reference"]);
  expect(frontier!.points.some(({ isOnHull }) => isOnHull)).toBe(true);
});

test("an exported orchestrator plays by its folder as its run does, without the optimiser, and has a card", async () => {
  const shipped = join(folder, "shipped");
  expect((await praxis("export", run, "--orchestrator", shipped)).code).toBe(0);
  expect(readFileSync(join(shipped, "README.md"), "utf8")).toContain(
    "| teacher cloned first | `cueGreedySla`, 12 shifts",
  );
  const [name] = checkpoints(shipped);
  expect(weights(shipped, name!)).toBe(weights(run, name!));
  const play = async (policy: string) => {
    const played = await praxis("play", "spindleflow", "--policy", policy, "--seed", "5", "--preset", "demo");
    expect(played.code).toBe(0);
    return played.out;
  };
  const copy = join(folder, "played");
  cpSync(run, copy, { recursive: true });
  for (const other of checkpoints(copy))
    if (other !== name) rmSync(join(copy, "checkpoints", other), { recursive: true });
  expect(await play(shipped)).toBe(await play(copy));
});

test("a transfer adapts heads only and tells the four rewards on equal shifts", async () => {
  const { code, out } = await praxis(
    ...["transfer", "spindleflow", "--from", run, "--sector", "legal_review", "--episodes", "8"],
    ...["--long-episodes", "9", "--n", "4", "--json"],
  );
  expect(code).toBe(0);
  const [result] = JSON.parse(out) as Record<string, { n: number; mean: number }>[];
  expect(result!.after!.n).toBe(4);
  expect(result!.afterMinusBefore!.mean).toBeCloseTo(result!.after!.mean - result!.before!.mean, 12);
});

test("the kept demo is of the weights that ship, and tells ten shifts before and after training", async () => {
  const { header, shifts } = readDemo();
  const set = orchestratorFolder("set");
  const [name] = checkpoints(set);
  const file = readFileSync(join(set, "checkpoints", name!, "policy.safetensors"));
  expect(header).toMatchObject({ orchestrator: "set", weights: createHash("sha256").update(file).digest("hex") });
  expect(shifts).toHaveLength(10);
  const { code, out } = await praxis("demo", "spindleflow");
  expect([code, out.match(/before, .* after training/g)?.length]).toEqual([0, 10]);
  expect(out).toContain("95 % interval");
  const [first] = shifts;
  const changed = { header, shifts: [{ ...first!, seed: first!.seed + 1 }, ...shifts.slice(1)] };
  expect(differingShifts({ header, shifts }, changed)).toEqual([first!.seed]);
});

test("the hull of cost and quality rises and bends down", () => {
  const at = (cost: number, quality: number) => ({ cost, quality });
  expect(frontierHull([at(2, 0.5), at(1, 0.3), at(1.5, 0.35), at(3, 0.55), at(4, 0.5)])).toEqual([1, 0, 3]);
});

test("settings rank from defaults over the file to flags, and unknown ones are refused with the nearest name", async () => {
  const settings = resolveSpindleRun(
    givenSpindleRun("demo", [
      "--timesteps",
      "700",
      "--ppo.learning-rate",
      "0.5",
      "--policy.encoder=gnn",
      "--tier",
      "1",
    ]),
  );
  expect(settings).toMatchObject({ preset: "demo", tier: 1, policy: { encoder: "gnn", width: 64 } });
  expect(settings.ppo).toMatchObject({ totalSteps: 700, learningRate: 0.5, batchSteps: 2048, clipRange: 0.2 });
  expect(() => givenSpindleRun(undefined, ["--pppo.epochs", "3"])).toThrow("Did you mean 'ppo'");
  expect(() => givenSpindleRun(undefined, ["--ppo.epoch", "3"])).toThrow("Did you mean 'epochs'");
  expect(() => givenSpindleRun("balancd", [])).toThrow("Did you mean 'balanced'");
  expect(() => resolveSpindleRun({ ppo: { epoch: 3 } })).toThrow("Did you mean 'epochs'");
  expect(() => resolveSpindleRun({ env: { companySise: 3 } })).toThrow("companySise");
  const unknown = await praxis("eval", "spindleflow", "--policies", "alwaysOn", "--n", "2");
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("Did you mean 'alwaysOne'")]);
});

test("every configuration that ships is accepted", () => {
  const names = readdirSync(new URL("../../../configs/spindleflow/", import.meta.url));
  expect(names).toContain("balanced.yaml");
  for (const name of names) resolveSpindleRun(givenSpindleRun(name.replace(".yaml", ""), []));
});
