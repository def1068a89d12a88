import { type Info, type Policy, PraxisError, type Rng, type SyncEnv } from "@praxis/env";
import type { FinalInfo } from "./final-info.ts";

/** How one episode went, in the terms of evaluation. */
export interface EpisodeScore {
  readonly scenarioId: string;
  readonly steps: number;
  readonly isSuccess: boolean;
  /** 0-1; share of the gain over KEEP that was reached, less .05 per useless change. */
  readonly taskScore: number | null;
  readonly j: number;
  readonly keepJ: number;
  readonly bestJ: number | null;
  /** J_best - J; below 0 where luck or a longer list of actions beat the oracle. */
  readonly regret: number | null;
  readonly meanStepReward: number;
  readonly trainingReturn: number;
  readonly admissions: number;
  /** Steps whose action was not understood or refused. */
  readonly invalidSteps: number;
  /** Steps with a hard exploit flag, 0 or 1. */
  readonly hardFlags: number;
  readonly terminationReason: string;
}

/** What to play: reset options as on the wire, `score_task` true unless they say otherwise. */
export interface ScoredEpisodeRequest {
  readonly seed?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Stream of the policy. */
  readonly rng: Rng;
}

/** Plays one episode of PolyGuard and scores it. The environment is left at the end of the episode. */
export async function scoreEpisode(env: SyncEnv, policy: Policy, request: ScoredEpisodeRequest): Promise<EpisodeScore> {
  const { seed, options = {}, rng } = request;
  let last: { readonly observation: unknown; readonly info: Info } = env.reset({
    ...(seed === undefined ? {} : { seed }),
    options: { score_task: true, ...options },
  });
  const scenarioId = String(last.info.scenario_id);
  policy.reset(rng);
  let steps = 0;
  let invalidSteps = 0;
  let hardFlags = 0;
  for (;;) {
    const result = env.step(await policy.act(last.observation, last.info));
    last = result;
    steps++;
    invalidSteps += Number((result.info.violations?.length ?? 0) > 0);
    hardFlags += Number(hasHardFlag(result.info));
    if (!result.terminated && !result.truncated) continue;
    const final = finalOf(result.info);
    return {
      scenarioId,
      steps,
      isSuccess: final.success,
      taskScore: final.task_score,
      j: final.j,
      keepJ: final.keep_j,
      bestJ: final.best_j,
      regret: final.best_j === null ? null : final.best_j - final.j,
      meanStepReward: final.mean_step_reward,
      trainingReturn: final.training_return,
      admissions: final.admissions,
      invalidSteps,
      hardFlags,
      terminationReason: result.info.terminationReason ?? "",
    };
  }
}

function hasHardFlag({ flags }: Info): boolean {
  return Array.isArray(flags) && flags.some((flag: { readonly level?: unknown }) => flag.level === "hard");
}

/** The report of an episode's last step. Throws NOT_SUPPORTED when there is none, as in another environment. */
function finalOf(info: Info): FinalInfo {
  if (typeof info.j !== "number" || typeof info.keep_j !== "number")
    throw new PraxisError("NOT_SUPPORTED", "The last step told no J; only episodes of PolyGuard can be scored here.");
  return info as unknown as FinalInfo;
}
