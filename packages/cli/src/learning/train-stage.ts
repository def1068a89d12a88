import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { EnvDefinition } from "@praxis/env";
import type { Kernels } from "@praxis/nn";
import {
  type Checkpoint,
  type LoopOptions,
  type LoopResult,
  latestCheckpoint,
  listRuns,
  type RunConfig,
  RunFolder,
  readCheckpoint,
  readMetrics,
} from "@praxis/train";

/** What a stage that trains is given. */
export interface TrainStage {
  /** Folder of the stage; the run folder is made in it. */
  readonly folder: string;
  readonly config: RunConfig;
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly evaluation: NonNullable<LoopOptions["evaluation"]>;
  readonly checkpointEvery: number;
  readonly signal: AbortSignal;
  now(): number;
  onRow(row: Readonly<Record<string, number>>): void;
  train(loop: LoopOptions, resume: Checkpoint | undefined): Promise<LoopResult>;
}

/** Begins a run in the stage's folder, or goes on with the one that is there; the same curve comes out either way. */
export async function runTrainStage(stage: TrainStage): Promise<{ readonly run: string; readonly result: LoopResult }> {
  const { folder, config, now } = stage;
  mkdirSync(folder, { recursive: true });
  const begun = listRuns(folder).map((name) => join(folder, name));
  const saved = begun.find((path) => latestCheckpoint(join(path, "checkpoints")) !== null);
  const resumed = saved === undefined ? null : RunFolder.resume(saved, now);
  // A run that was killed before its first checkpoint has nothing to go on from; its folder stays, another is made.
  const from = firstFreeSecond(folder, config, now());
  const run = resumed?.run ?? RunFolder.create(folder, config, () => Math.max(from, now()));
  const earlier = readMetrics(run.path).flatMap((row) => row["evaluation/mean_return"] ?? []);
  const result = await stage.train(
    {
      ...{ signal: stage.signal, checkpointEvery: stage.checkpointEvery, evaluation: { ...stage.evaluation, earlier } },
      onIteration: (row) => {
        run.log(row);
        stage.onRow(row);
      },
      onCheckpoint: (position, checkpoint) => run.saveCheckpoint(position, checkpoint),
    },
    resumed?.checkpoint,
  );
  return { run: run.path, result };
}

/** Run folders are named by the second. */
function firstFreeSecond(folder: string, { env, algorithm, seed }: RunConfig, from: number): number {
  let at = from;
  const stamp = (ms: number): string =>
    new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  while (existsSync(join(folder, `${env}__${algorithm}__seed${seed}__${stamp(at)}`))) at += 1000;
  return at;
}

/** The saved checkpoint of the best validation, the earliest of equals; the last one where nothing was validated. */
export function bestCheckpoint(run: string): {
  readonly iteration: number;
  readonly checkpoint: Checkpoint;
  /** Mean return of its validation; null: it was not validated. */
  readonly validation: number | null;
} {
  const folder = join(run, "checkpoints");
  const saved = readdirSync(folder).sort();
  const means = new Map(readMetrics(run).map((row) => [row.iteration, row["evaluation/mean_return"]]));
  let best = saved.at(-1)!;
  let most = Number.NEGATIVE_INFINITY;
  for (const name of saved) {
    const mean = means.get(iterationOf(name));
    if (mean === undefined || mean <= most) continue;
    most = mean;
    best = name;
  }
  return {
    ...{ iteration: iterationOf(best), checkpoint: readCheckpoint(join(folder, best)) },
    validation: Number.isFinite(most) ? most : null,
  };
}

function iterationOf(name: string): number {
  return Number(name.slice(name.lastIndexOf("-") + 1));
}
