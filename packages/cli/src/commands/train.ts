import { makeWorkerVectorEnv } from "@praxis/env/worker";
import {
  findRun,
  type PpoSettingsInput,
  ppoSettings,
  readRunConfig,
  resolvePpoSettings,
  trainPpo,
} from "@praxis/train";
import type { Command } from "commander";
import { SPINDLE_FLAGS } from "../spindleflow/run-settings.ts";
import { spindlePlan } from "../spindleflow/training.ts";
import type { Terminal } from "../terminal.ts";
import { conductTraining, type TrainingOptions, type TrainingPlan, trainingCommand } from "../training-session.ts";

/** Adds `praxis train ENV`: PPO into a run folder, live on the terminal, to be stopped and resumed at will. */
export function registerTrain(program: Command, terminal: Terminal): void {
  trainingCommand(program, {
    name: "train",
    description:
      "Train a policy with PPO.\n\n  praxis train cartpole --seed 1\n  praxis train spindleflow --demo\n  praxis train --resume runs/cartpole__ppo__seed1__20260102-030405\n\n",
    schema: ppoSettings,
  })
    .option("--workers <number>", "threads that environments step in; 0: this one. The numbers are the same", Number, 0)
    .addHelpText("after", `\nspindleflow has flags of its own: ${SPINDLE_FLAGS}.`)
    .action(async (name: string | undefined, options: TrainingOptions & { workers: number }, self: Command) => {
      const rest = self.args.slice(1);
      const env = options.resume === undefined ? name : readRunConfig(findRun(options.runs, options.resume)).env;
      const isSpindle = env === "spindleflow" || env === "SpindleFlow-v0";
      const plan = isSpindle
        ? spindlePlan({ workers: options.workers, demo: rest.includes("--demo") }, (line) => terminal.err(line))
        : ppoPlan(options.workers);
      await conductTraining(plan, { name, options, rest }, terminal);
    });
}

function ppoPlan(numWorkers: number): TrainingPlan {
  return {
    algorithm: "ppo",
    schema: ppoSettings,
    resolve: (settings) => resolvePpoSettings(settings as PpoSettingsInput),
    goalOf: ({ settings }) => resolvePpoSettings(settings as PpoSettingsInput).totalSteps,
    async train({ definition, source, kernels, config, resume, loop }) {
      const { seed } = config;
      // The run's own settings, written when it began, hold for every resume.
      const settings = config.settings as PpoSettingsInput;
      const { numEnvs } = resolvePpoSettings(settings);
      const vectorEnv = numWorkers === 0 ? null : await makeWorkerVectorEnv({ ...source, numEnvs, numWorkers, seed });
      try {
        return await trainPpo({
          ...{ definition, kernels, seed, settings, ...loop },
          ...(resume === undefined ? {} : { resume }),
          ...(vectorEnv === null ? {} : { vectorEnv }),
        });
      } finally {
        // Also when training never began: threads would keep the process alive.
        await vectorEnv?.close();
      }
    },
  };
}
