import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { canonicalJson, PraxisError } from "@praxis/env";
import { mean, pairedBootstrap } from "@praxis/eval";
import {
  auditEpisode,
  explainAudit,
  loadSpindleFlowParts,
  type PlayedShift,
  type PlayedTask,
} from "@praxis/spindleflow";
import { latestCheckpoint } from "@praxis/train";
import { splitSettings } from "./evaluation.ts";
import { orchestratorFolder, readOrchestrator } from "./orchestrator.ts";
import { playPlans, type ShiftPlan } from "./shift-jobs.ts";

// What `--precompute` writes and the demo shows; the path holds from `src` and `dist` alike.
const ASSET = fileURLToPath(new URL("../../../spindleflow/assets/demo/heldout.jsonl", import.meta.url));

/** First seed and number of the shifts shown: of held-out specialists and tasks. */
const DEMO_SEED = 7_000_000_000;
const DEMO_SHIFTS = 10;

/** Where the shifts of a demo come from. */
interface DemoHeader {
  readonly orchestrator: string;
  /** SHA-256 of the weights. */
  readonly weights: string;
  readonly sector: string;
  readonly preset: string;
  readonly split: "heldout";
  readonly seeds: readonly number[];
}

/** The same shift by the orchestrator with fresh weights and by the trained one. */
interface DemoShift {
  readonly seed: number;
  readonly before: PlayedShift;
  readonly after: PlayedShift;
  /** Why the trained orchestrator's steps, in words, by task; of the first shift only. */
  readonly why?: readonly (readonly string[])[];
}

/** A demo: where it comes from, and its shifts. */
export interface Demo {
  readonly header: DemoHeader;
  readonly shifts: readonly DemoShift[];
}

/** Plays the demo's shifts before and after training; the same for any number of workers. */
export async function playDemo(orchestrator: string, workers: number): Promise<Demo> {
  const folder = orchestratorFolder(orchestrator);
  const { settings } = readOrchestrator(folder);
  const weights = readFileSync(join(latestCheckpoint(join(folder, "checkpoints"))!, "policy.safetensors"));
  const seeds = Array.from({ length: DEMO_SHIFTS }, (_, i) => DEMO_SEED + i);
  const { sector, preset } = settings;
  const plan = { sector, settings: splitSettings("heldout"), options: { preset }, seeds };
  const [before, after] = await playPlans(
    [
      { ...plan, player: { folder, isUntrained: true } },
      { ...plan, player: { folder } },
    ],
    { workers },
  );
  return {
    header: {
      ...{ orchestrator, weights: createHash("sha256").update(weights).digest("hex"), sector, preset },
      ...{ split: "heldout", seeds },
    },
    shifts: seeds.map((seed, i) => ({
      ...{ seed, before: before![i]!, after: after![i]! },
      ...(i > 0 ? {} : { why: explain(plan, seed, after![i]!) }),
    })),
  };
}

/** One sentence a step, from the audit of the shift played again: whom, why them, in which mode, and why the stop. */
function explain(
  { sector, settings, options }: Pick<ShiftPlan, "sector" | "settings" | "options">,
  seed: number,
  { actions }: PlayedShift,
): readonly (readonly string[])[] {
  const parts = loadSpindleFlowParts({ sector, settings });
  const log = auditEpisode(parts, {
    ...{ seed, episodeId: `demo-${seed}`, options },
    actions: actions.map((vector) => ({ vector })),
  });
  return explainAudit(parts, log).tasks.map(({ steps }) => steps.map(({ sentence }) => sentence));
}

const textOf = ({ header, shifts }: Demo): string =>
  [header, ...shifts].map((line) => `${canonicalJson(line)}\n`).join("");

/** Writes a demo where {@link readDemo} finds it; returns the path. */
export function writeDemo(demo: Demo): string {
  mkdirSync(dirname(ASSET), { recursive: true });
  writeFileSync(ASSET, textOf(demo));
  return ASSET;
}

/** The demo that was precomputed. Throws PRECONDITION_FAILED when there is none. */
export function readDemo(): Demo {
  if (!existsSync(ASSET))
    throw new PraxisError(
      "PRECONDITION_FAILED",
      "No demo has been precomputed. Make it: praxis demo spindleflow --precompute",
    );
  const [header, ...shifts] = readFileSync(ASSET, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
  return { header: header as DemoHeader, shifts: shifts as readonly DemoShift[] };
}

/** Seeds of the shifts in which two demos differ; all when they are of different orchestrators. */
export function differingShifts(a: Demo, b: Demo): readonly number[] {
  if (canonicalJson(a.header) !== canonicalJson(b.header)) return a.shifts.map(({ seed }) => seed);
  return a.shifts.flatMap((shift, i) => (canonicalJson(shift) === canonicalJson(b.shifts[i]!) ? [] : [shift.seed]));
}

const sumOf = ({ tasks }: PlayedShift): number => tasks.reduce((sum, { reward }) => sum + reward, 0);

/** What was done for a task, in words: `call 2 and 4 (iterative), mediate, stop`. */
function choicesOf({ decisions }: PlayedTask): string {
  const words: Readonly<Record<string, string>> = {
    ...{ stop: "stop", callMediator: "mediate", clarifyTask: "ask", retryFailed: "retry", spawnSpecialist: "spawn" },
    ...{ callSpecialist: "call", delegateSubtask: "lead", parallelSpawn: "split among" },
  };
  return decisions
    .map((decision) => {
      if (decision === null) return "nothing legal";
      const { meta, slots, mode } = decision;
      const who = slots.length === 0 ? "" : ` ${slots.join(" and ")}`;
      return `${words[meta] ?? meta}${who}${meta === "callSpecialist" ? ` (${mode})` : ""}`;
    })
    .join(", ");
}

function taskLine(name: string, task: PlayedTask): string {
  const { reward, trueQuality, elapsedMs, missedSla, costUnits } = task;
  const time = `${(elapsedMs / 1000).toFixed(1)} s${missedSla ? " (late)" : ""}`;
  return `    ${name}  R ${reward.toFixed(2).padStart(5)}  quality ${trueQuality.toFixed(2)}  ${time}  cost ${costUnits.toFixed(1)}  ${choicesOf(task)}`;
}

/** The demo as text: every task of every shift before and after training, then what it comes to. */
export function renderDemo({ header, shifts }: Demo): string {
  const lines = shifts.flatMap(({ seed, before, after, why }) => [
    `Shift ${seed}: R ${sumOf(before).toFixed(2)} before, ${sumOf(after).toFixed(2)} after training`,
    ...after.tasks.flatMap((task, i) => [
      `  ${i + 1}. ${task.class}${task.urgent ? ", urgent" : ""}: ${task.text}`,
      ...(before.tasks[i] === undefined ? [] : [taskLine("before", before.tasks[i])]),
      taskLine("after ", task),
      ...(why?.[i] ?? []).map((sentence) => `      why  ${sentence}`),
    ]),
    "",
  ]);
  const tasks = (of: "before" | "after"): readonly PlayedTask[] => shifts.flatMap((shift) => shift[of].tasks);
  const row = (name: string, of: (task: PlayedTask) => number, digits: number): string =>
    `  ${name.padEnd(22)}${mean(tasks("before").map(of)).toFixed(digits).padStart(8)}${mean(tasks("after").map(of)).toFixed(digits).padStart(8)}`;
  const gain = pairedBootstrap(
    shifts.map(({ after }) => sumOf(after)),
    shifts.map(({ before }) => sumOf(before)),
  );
  return [
    ...lines,
    `Orchestrator '${header.orchestrator}' on ${shifts.length} shifts of held-out specialists, before and after training, per task:`,
    row("reward", ({ reward }) => reward, 3),
    row("true quality", ({ trueQuality }) => trueQuality, 2),
    row("specialists", ({ invoked }) => invoked, 1),
    row("cost units", ({ costUnits }) => costUnits, 2),
    row("seconds", ({ elapsedMs }) => elapsedMs / 1000, 1),
    row("late, share", ({ missedSla }) => (missedSla ? 1 : 0), 2),
    `  reward of a shift, after − before: ${gain.mean.toFixed(2)} (95 % interval ${gain.low.toFixed(2)} to ${gain.high.toFixed(2)}, n = ${gain.n})`,
    "Specialists are simulated; slots are told by their numbers, as the orchestrator reads texts and not names.",
  ].join("\n");
}
