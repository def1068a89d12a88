import { type EnvDefinition, envSeed } from "@praxis/env";
import { makeWorkerVectorEnv } from "@praxis/env/worker";
import { mean, pairedBootstrap } from "@praxis/eval";
import { loadSpindleFlow } from "@praxis/spindleflow";
import { evaluateRecorded, PhaseCurriculum, type RolloutHook, trainEpisodePpo } from "@praxis/train";
import type { TrainingPlan } from "../training-session.ts";
import { identityOf, makeOrchestrator } from "./orchestrator.ts";
import { givenSpindleRun, resolveSpindleRun, type SpindleRunSettings, spindleRunSettings } from "./run-settings.ts";
import { playPlans } from "./shift-jobs.ts";
import { runOptions, warmStart } from "./warm-start.ts";

/** Seeds of the shifts that baselines of the curriculum are measured on, and of those that a demo ends with. */
const BASELINE_SEEDS = 4_000_000_000;
const DEMO_SEEDS = 5_000_000_000;
const DEMO_SHIFTS = 500;

/** Training of an orchestrator: a warm start by cloning where asked for, then PPO over whole shifts. */
export function spindlePlan(
  { workers, demo }: { readonly workers: number; readonly demo: boolean },
  say: (line: string) => void,
): TrainingPlan {
  return {
    algorithm: "ppo",
    schema: spindleRunSettings,
    given: ({ config }, rest) => givenSpindleRun(config, rest),
    resolve: (settings) => resolveSpindleRun(settings),
    goalOf: ({ settings }) => resolveSpindleRun(settings).ppo.totalSteps,
    async train({ kernels, source, config, resume, loop }) {
      const { seed } = config;
      const settings = resolveSpindleRun(config.settings);
      const definition = definitionOf(settings);
      const policy = makeOrchestrator(definition, kernels, settings, seed);
      if (resume === undefined)
        await warmStart(settings, { definition, kernels, policy, seed, workers, signal: loop.signal, say });
      const hook = await curriculumOf(settings, workers, say);
      const { numEnvs } = settings.ppo;
      const argument = { sector: settings.sector, settings: settings.env };
      const vectorEnv =
        workers === 0 ? null : await makeWorkerVectorEnv({ ...source, argument, numEnvs, numWorkers: workers, seed });
      try {
        const result = await trainEpisodePpo({
          ...{ definition, kernels, policy, seed, settings: settings.ppo, ...loop },
          ...{ resetOptions: runOptions(settings), identity: identityOf(definition) },
          ...(hook === null ? {} : { hook }),
          ...(resume === undefined ? {} : { resume }),
          ...(vectorEnv === null ? {} : { vectorEnv }),
        });
        if (demo && result.ended !== "stopped") {
          const options = { ...runOptions(settings), ...hook?.resetOptions() };
          const { returns } = evaluateRecorded({
            ...{ definition, kernels, policy, episodes: DEMO_SHIFTS, seed: DEMO_SEEDS, resetOptions: options },
          });
          say(await compareWithGreedy(settings, { definition, options, returns, workers }));
        }
        return result;
      } finally {
        await vectorEnv?.close();
      }
    },
  };
}

function definitionOf({ sector, env }: SpindleRunSettings): EnvDefinition {
  return loadSpindleFlow({ sector, settings: env }) as unknown as EnvDefinition;
}

/** The curriculum with its rule measured in each phase but the last; null where there is none. */
async function curriculumOf(
  settings: SpindleRunSettings,
  workers: number,
  say: (line: string) => void,
): Promise<RolloutHook | null> {
  const { enabled, baseline, baselineShifts, margin, window, minEpisodes, lastSteps } = settings.curriculum;
  if (!enabled) return null;
  const seeds = Array.from({ length: baselineShifts }, (_, i) => BASELINE_SEEDS + i);
  const phases = [1, 2];
  const played = await playPlans(
    phases.map((phase) => ({
      ...{ sector: settings.sector, settings: settings.env, player: { script: baseline }, seeds },
      options: { ...runOptions(settings), phase },
    })),
    { workers: Math.max(1, workers) },
  );
  const tasks = played[0]!.map((_, at) => played.map((shifts) => shifts[at]!.tasks.length));
  const baselines = played.map((shifts) =>
    mean(shifts.map((shift) => shift.tasks.reduce((sum, { reward }) => sum + reward, 0))),
  );
  say(
    `Curriculum: '${baseline}' earns ${baselines.map((x, i) => (x / tasks[0]![i]!).toFixed(3)).join(" and ")} a task in phases 1 and 2.`,
  );
  // The margin is by task; rewards of an episode are sums over its tasks.
  return new PhaseCurriculum({
    ...{ baselines: baselines.map((x, i) => x + margin * (tasks[0]![i]! - 1)), margin, window, minEpisodes, lastSteps },
  });
}

/** One line: what the trained policy earns on new shifts of its phase beside the greedy rule. */
async function compareWithGreedy(
  settings: SpindleRunSettings,
  of: {
    readonly definition: EnvDefinition;
    readonly options: Readonly<Record<string, unknown>>;
    readonly returns: readonly number[];
    readonly workers: number;
  },
): Promise<string> {
  // The vector environment's own seeds, so that both meet the same shifts.
  const seeds = of.returns.map((_, i) => envSeed(DEMO_SEEDS, i));
  const [greedy] = await playPlans(
    [
      {
        ...{ sector: settings.sector, settings: settings.env, options: of.options, seeds },
        player: { script: settings.curriculum.baseline },
      },
    ],
    { workers: Math.max(1, of.workers) },
  );
  const sums = greedy!.map(({ tasks }) => tasks.reduce((sum, { reward }) => sum + reward, 0));
  const { mean: gain, low, high, n } = pairedBootstrap(of.returns, sums);
  const verdict = low > 0 ? "better than" : high < 0 ? "worse than" : "not told apart from";
  return `On ${n} new shifts: trained ${mean(of.returns).toFixed(3)}, ${settings.curriculum.baseline} ${mean(sums).toFixed(3)}; difference ${gain.toFixed(3)} (95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}): ${verdict} the rule.`;
}
