import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { showEstimate } from "@praxis/eval";
import {
  checkpointName,
  type MetricsRow,
  readCheckpoint,
  readMetrics,
  readRunConfig,
  writeCheckpoint,
} from "@praxis/train";
import type { SpindleSummary } from "./evaluation-report.ts";
import { readOrchestrator } from "./orchestrator.ts";
import { resolveSpindleRun, type SpindleRunSettings } from "./run-settings.ts";

/** Rows of the curve that a card shows. */
const CURVE_ROWS = 12;

/**
 * Writes the best orchestrator of a run by its own evaluations (the newest without any) into a folder that can be played as a
 * run: settings, weights without the optimiser's moments, a model card. What is there is replaced.
 * @param evaluation `report.json` of `praxis eval spindleflow` in which the run played under the folder's or the run's name
 */
export function shipOrchestrator(run: string, folder: string, evaluation: string | null): void {
  const config = readRunConfig(run);
  readOrchestrator(run);
  const settings = resolveSpindleRun(config.settings);
  const rows = readMetrics(run).filter((row) => row["evaluation/mean_return"] !== undefined);
  const checkpoint = readCheckpoint(join(run, "checkpoints", bestCheckpoint(run, rows)));
  const { identity, steps, iteration } = checkpoint.state as Readonly<Record<string, unknown>>;
  const { from, ...warm } = settings.warmStart;
  // Paths are of the machine that trained; what the file held is told by teacher and shifts.
  const warmStart = { ...warm, demonstrations: null, from: from === null ? null : basename(from) };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "config.json"),
    `${JSON.stringify({ ...config, settings: { ...settings, warmStart } }, null, 1)}\n`,
  );
  writeCheckpoint(join(folder, "checkpoints", checkpointName(steps as number)), {
    ...checkpoint,
    ...{ optimizer: new Map(), environments: null, state: { identity, steps, iteration } },
  });
  const summary =
    evaluation === null
      ? null
      : (JSON.parse(readFileSync(evaluation, "utf8")) as SpindleSummary & { evaluation: { n: number } });
  const numbers = [...checkpoint.weights.values()].reduce((sum, { data }) => sum + data.length, 0);
  writeFileSync(
    join(folder, "README.md"),
    modelCard({
      // The card tells of the kept file, without its path.
      ...{ name: basename(folder), runName: basename(run), seed: config.seed, settings, numbers, rows, summary },
      steps: steps as number,
    }),
  );
}

/** Name of the saved checkpoint whose evaluation was best. */
function bestCheckpoint(run: string, rows: readonly MetricsRow[]): string {
  const saved = rows.filter(({ steps }) => existsSync(join(run, "checkpoints", checkpointName(steps!))));
  const best = saved.reduce<MetricsRow | null>(
    (a, b) => (a === null || b["evaluation/mean_return"]! > a["evaluation/mean_return"]! ? b : a),
    null,
  );
  const last = readMetrics(run).at(-1);
  return checkpointName(best?.steps ?? last?.steps ?? 0);
}

interface Card {
  readonly name: string;
  readonly runName: string;
  readonly seed: number;
  readonly settings: SpindleRunSettings;
  readonly steps: number;
  /** Numbers in the weights. */
  readonly numbers: number;
  readonly rows: readonly MetricsRow[];
  readonly summary: (SpindleSummary & { readonly evaluation: { readonly n: number } }) | null;
}

/** The card: what it is, how it was made, its curve, what it reaches, where it fails. */
function modelCard({ name, runName, seed, settings, steps, numbers, rows, summary }: Card): string {
  const { policy, warmStart, ppo, curriculum } = settings;
  const teacher =
    warmStart.teacher === null
      ? "none"
      : `\`${warmStart.teacher}\`, ${warmStart.shifts} shifts${warmStart.demonstrations === null ? "" : " kept in a file (shifts played anew are others)"}, ${warmStart.epochs} epochs`;
  const every = Math.max(1, Math.ceil(rows.length / CURVE_ROWS));
  const curve = rows.filter((_, i) => i % every === every - 1 || i === rows.length - 1);
  return [
    `# Orchestrator \`${name}\``,
    "",
    `Plays SpindleFlow-v0: reads the embeddings of task and roster and ${policy.memory === "none" ? "remembers nothing" : "remembers what the shift has shown"}. For simulated`,
    "specialists only; what it does with real models has not been measured.",
    "",
    "| | |",
    "| --- | --- |",
    `| command | \`praxis train spindleflow --config ${name} --seed ${seed} --ppo.total-steps ${ppo.totalSteps}\` |`,
    `| encoder, memory, critic | ${policy.encoder}, ${policy.memory}, ${policy.critic} |`,
    `| numbers in the weights | ${numbers} |`,
    `| sector, preset | ${settings.sector}, ${settings.preset} |`,
    `| seed | ${seed} |`,
    `| weights taken from | ${warmStart.from === null ? "none" : `\`${basename(warmStart.from)}\``} |`,
    `| teacher cloned first | ${teacher} |`,
    `| PPO | ${steps} of ${ppo.totalSteps} steps, kept by the run's own evaluation |`,
    `| curriculum | ${curriculum.enabled ? "phases" : "none"} |`,
    "",
    "## Curve",
    "",
    `Return of a shift on evaluation shifts of training, run \`${runName}\`.`,
    "",
    "| steps | mean return |",
    "| --- | --- |",
    ...curve.map((row) => `| ${row.steps} | ${row["evaluation/mean_return"]!.toFixed(3)} |`),
    "",
    ...(summary === null ? [] : evaluationLines(summary, [name, runName])),
    "## Known failures",
    "",
    "- It is trained on texts of one generator; foreign texts are out of its distribution.",
    "- Other numbers of slots than six need other weights.",
    "",
  ].join("\n");
}

function evaluationLines(summary: NonNullable<Card["summary"]>, names: readonly string[]): string[] {
  const own = summary.policies.filter(({ policy }) => names.includes(policy));
  if (own.length === 0) return [];
  const differences = summary.differences.filter(({ policy }) => names.includes(policy));
  const worst = (split: string): string =>
    differences
      .filter((each) => each.split === split && each.reward.low <= 0)
      .map(({ minus }) => `\`${minus}\``)
      .join(", ") || "nobody";
  return [
    "## Evaluation",
    "",
    `\`praxis eval spindleflow\`, ${summary.evaluation.n} shifts of each split, 95 % intervals over shifts.`,
    "",
    "| split | R per task | NS | true Q | cost units | SLA miss | not better than |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...own.map(
      ({ split, reward, normalizedScore, metrics }) =>
        `| ${split} | ${showEstimate(reward, 3)} | ${normalizedScore === null ? "–" : showEstimate(normalizedScore, 2)} | ${showEstimate(metrics.trueQuality!, 2)} | ${showEstimate(metrics.costUnits!, 2)} | ${showEstimate(metrics.slaMiss!, 2)} | ${worst(split)} |`,
    ),
    "",
  ];
}
