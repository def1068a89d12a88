import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Rng } from "@praxis/env";
import { makeReferenceKernels, Tape } from "@praxis/nn";
import { type EvaluationRow, loadPolyGuard, SUB_ENVIRONMENTS } from "@praxis/polyguard";
import { planExpert } from "@praxis/polyguard/data";
import { makeSmallAgent, smallAgentSettings } from "@praxis/train";
import { afterAll, describe, expect, test } from "vitest";
import type { EvaluationRun, EvaluationSettings } from "../src/evaluation/run-evaluation.ts";
import { definitionOf, findAblation, LEARNING_ABLATIONS } from "../src/learning/ablations.ts";
import { findLearned } from "../src/learning/learned-places.ts";
import { loadLearnedAgent, saveLearnedPolicy } from "../src/learning/learned-policy.ts";
import { composeLearningReport } from "../src/learning/learning-report.ts";
import { shipPolicies } from "../src/learning/model-card.ts";
import type { PipelineOutcome } from "../src/learning/pipeline.ts";
import { pipelineSettings } from "../src/learning/pipeline-settings.ts";
import { ExpertPlayer, unpackEpisode } from "../src/learning/play-experts.ts";

const folder = mkdtempSync(join(tmpdir(), "praxis-learning-"));
afterAll(() => rmSync(folder, { recursive: true }));
const definition = loadPolyGuard();
const kernels = makeReferenceKernels();
const settings = smallAgentSettings.parse({ decisions: "scenes", sceneWidth: 16, episodeMemory: 8 });

describe("expert episodes", () => {
  test("the best play of a scenario is kept, and its line holds the scenes as they were", async () => {
    const player = new ExpertPlayer();
    const plan = planExpert(3, 0);
    const episode = await player.play(plan);
    const again = await player.play(plan);
    player.close();
    expect(again).toEqual(episode);
    expect(episode.policy).not.toBeNull();
    expect(episode.values[episode.policy!]).toBe(Math.max(...Object.values(episode.values)));
    const examples = unpackEpisode(episode, definition.scenes!.shape);
    expect(examples.length).toBeGreaterThan(0);
    for (const { decision, choice } of examples) {
      expect(decision.candidateCount).toBeGreaterThan(0);
      expect(decision.itemOf.every((item) => item >= -1 && item < decision.itemCount)).toBe(true);
      expect(choice![0]).toBeLessThan(decision.candidateCount);
    }
  });

  test("plans go over all tasks and tiers on scenarios of the training split", () => {
    const ids = Array.from({ length: 27 }, (_, unit) => planExpert(unit, 0).scenarioId);
    expect(new Set(ids.map((id) => id.split("/").slice(0, 2).join("/"))).size).toBe(27);
    expect(ids.every((id) => id.split("/")[2] === "train")).toBe(true);
  });
});

describe("learned policies", () => {
  const agent = makeSmallAgent(definition, { kernels, rng: Rng.fromSeed(4), settings });
  const about = {
    ...{ env: definition.id, scenes: definition.scenes!.version, stage: "grpo" as const, seed: 4, agent: settings },
    command: "praxis pipeline polyguard --seed 4",
  };
  const place = join(folder, "pipeline", "policies", "grpo");

  test("a policy that was saved plays the same when it is read back", () => {
    saveLearnedPolicy(place, about, agent);
    const back = loadLearnedAgent(findLearned("grpo", join(folder, "pipeline")), { definition, kernels });
    const env = definition.makeEnv();
    const last = env.reset({ seed: 1, options: { sub_environment: "DDI", difficulty: "easy" } });
    const chosen = [agent, back].map(({ policy, task }) => {
      const decision = (task.episode?.() ?? task).decisionOf(last);
      const turns = [{ decision, memory: policy.initialMemory(), rng: null }];
      return policy.choose(new Tape(kernels, { recording: false }), turns)[0];
    });
    env.close();
    expect(chosen[1]).toEqual(chosen[0]);
  });

  test("scenes of another version are refused with the command that trains it again", () => {
    const old = join(folder, "old");
    saveLearnedPolicy(old, { ...about, scenes: "polyguard-f0/scenes-0" }, agent);
    expect(() => loadLearnedAgent(old, { definition, kernels })).toThrow(
      /scenes-0.*praxis pipeline polyguard --seed 4/s,
    );
    writeFileSync(join(old, "policy.json"), "{}");
    expect(() => loadLearnedAgent(old, { definition, kernels })).toThrow("Setting 'env'");
  });

  test("one that is not there is refused with what to do", () => {
    expect(() => findLearned("sft", join(folder, "nowhere"))).toThrow("There is no folder");
    expect(() => findLearned("sft", join(folder, "pipeline"))).toThrow("holds no policy 'sft' yet");
  });
});

test("every ablation makes a definition that workers can import by name, and a wrong name is told the nearest", () => {
  for (const name of Object.keys(LEARNING_ABLATIONS)) {
    const { definition: ablated, source } = definitionOf(findAblation(name));
    expect(ablated.scenes?.version).toBe(definition.scenes!.version);
    expect(source.moduleUrl).toMatch(/dist\/learning\/ablations\.js$/);
  }
  expect(() => findAblation("no_grahp")).toThrow("no_graph");
});

describe("the report", () => {
  const score = { DDI: [0.5, 0.8], REGIMEN_RISK: [0.6, 0.5] } as const;
  const row = (sub: keyof typeof score, policy: "sft" | "grpo", i: number): EvaluationRow => ({
    ...{ scenarioId: `${sub}/${i}`, subEnvironment: sub, difficulty: "medium", split: "test_iid", policy },
    ...{
      perturbation: null,
      variant: null,
      courses: {},
      subgroups: [],
      terminationReason: "finished",
      decisions: [{ confidence: 0.7, isGood: true }],
    },
    metrics: {
      ...{ task_score: score[sub][policy === "sft" ? 0 : 1] + 0.01 * (i % 3), success: 1, legality: 1, severe_harm: 0 },
      ...{ timeout: 0, exploit: 0, steps: 5, training_return: 1, legality_score: 0.999 },
    },
  });
  const run: EvaluationRun = {
    ...{ version: "0", planned: 0, oracleMs: 0 },
    results: (["DDI", "REGIMEN_RISK"] as const).flatMap((sub) =>
      Array.from({ length: 12 }, (_, i) => ({
        ...{ scenarioId: `${sub}/${i}`, failures: [] },
        rows: (["sft", "grpo"] as const).map((policy) => row(sub, policy, i)),
      })),
    ),
  };
  const evaluationSettings: EvaluationSettings = {
    ...{ policies: ["grpo", "sft"], subEnvironments: SUB_ENVIRONMENTS, splits: ["test_iid"], difficulties: ["medium"] },
    ...{ n: 12, perturbations: [], variants: [] },
  };
  const runFolder = join(folder, "run");
  const outcome: PipelineOutcome = {
    ...{ settings: pipelineSettings.parse({}), sftRun: runFolder, grpoRun: runFolder, disturbed: null },
    ...{ checks: {}, evaluation: run, evaluationSettings },
  };

  test("says improved only where the score rises with its interval, and why not elsewhere", async () => {
    const { mkdirSync } = await import("node:fs");
    mkdirSync(runFolder, { recursive: true });
    const rows = [1, 2].map((iteration) => ({ iteration, "losses/cross_entropy": 1 / iteration }));
    writeFileSync(join(runFolder, "metrics.jsonl"), rows.map((each) => `${JSON.stringify(each)}\n`).join(""));
    const report = composeLearningReport(outcome);
    const line = (sub: string) => report.lines.find(({ subEnvironment }) => subEnvironment === sub)!;
    expect(line("DDI")).toMatchObject({ improved: true, why: "" });
    expect(line("REGIMEN_RISK")).toMatchObject({ improved: false, why: "the score did not rise" });
    expect(report.markdown).toContain("improved: false");
    expect(report.markdown).toContain("not medical advice");
    expect(report.figures.map(({ name }) => name)).toContain("sft-loss");

    const shipped = join(folder, "shipped");
    const from = { pipeline: join(folder, "pipeline"), outcome, lines: report.lines, report };
    shipPolicies(shipped, { ...from, command: "praxis pipeline polyguard" });
    const card = readFileSync(join(shipped, "README.md"), "utf8");
    expect(card).toContain("REGIMEN_RISK: not improved");
    expect(card).toContain("not medical advice");
    expect(existsSync(join(shipped, "grpo", "policy.safetensors"))).toBe(true);
  });
});
