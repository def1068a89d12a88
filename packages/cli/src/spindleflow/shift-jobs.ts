import type { PlayedShift, SpindleFlowSettings } from "@praxis/spindleflow";
import { playJobs } from "../evaluation/worker-pool.ts";

// The path holds from `src` and `dist` alike.
const WORKER_URL = new URL("../../dist/spindleflow/shift-worker.js", import.meta.url);

/** Shifts for one player under fixed settings; seeds say which. */
export interface ShiftJob {
  readonly id: number;
  readonly sector: string;
  readonly settings: SpindleFlowSettings;
  readonly options: Readonly<Record<string, unknown>>;
  readonly player: ShiftPlayerName;
  readonly seeds: readonly number[];
}

/** A script by name, or a learned orchestrator by the folder of its run; untrained: fresh weights of its architecture. */
export type ShiftPlayerName = { readonly script: string } | { readonly folder: string; readonly isUntrained?: boolean };

/** What a worker answers: a shift for each seed of the job. */
export interface ShiftAnswer {
  readonly id: number;
  readonly shifts: readonly PlayedShift[];
}

/** Seeds of a job: few, so that threads end together; many, so that messages cost nothing. */
const SEEDS_PER_JOB = 10;

/** Shifts to play: one player, settings and seeds. */
export type ShiftPlan = Omit<ShiftJob, "id">;

/** Plays plans on worker threads; answers in the order of plans and seeds, the same for any number of workers. */
export async function playPlans(
  plans: readonly ShiftPlan[],
  { workers, onProgress }: { readonly workers: number; onProgress?(done: number, total: number): void },
): Promise<readonly (readonly PlayedShift[])[]> {
  const jobs: (ShiftJob & { readonly plan: number })[] = [];
  plans.forEach((plan, at) => {
    for (let from = 0; from < plan.seeds.length; from += SEEDS_PER_JOB)
      jobs.push({ ...plan, plan: at, id: jobs.length, seeds: plan.seeds.slice(from, from + SEEDS_PER_JOB) });
  });
  const answers = new Map<number, readonly PlayedShift[]>();
  const total = plans.reduce((sum, { seeds }) => sum + seeds.length, 0);
  let done = 0;
  onProgress?.(done, total);
  await playJobs<ShiftJob, null, ShiftAnswer>(jobs, {
    ...{ url: WORKER_URL, workers, start: null },
    onAnswer({ id, shifts }) {
      answers.set(id, shifts);
      done += shifts.length;
      onProgress?.(done, total);
    },
  });
  return plans.map((_, at) => jobs.filter(({ plan }) => plan === at).flatMap(({ id }) => answers.get(id)!));
}
