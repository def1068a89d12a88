import { join } from "node:path";
import { PraxisError } from "@praxis/env";
import {
  type Checkpoint,
  findRun,
  grpoSettings,
  latestCheckpoint,
  makeGroupWorkers,
  readCheckpoint,
  readRunConfig,
  smallAgentSettings,
  trainGrpo,
} from "@praxis/train";
import type { Command } from "commander";
import type { Terminal } from "../terminal.ts";
import { conductTraining, type TrainingOptions, type TrainingPlan, trainingCommand } from "../training-session.ts";
import { grpoRunSettings, settingsFor } from "./small-settings.ts";

interface GrpoCommandOptions extends TrainingOptions {
  readonly workers: number;
  readonly from?: string;
}

/** Adds `praxis grpo ENV`: GRPO of a small policy, from fresh weights or from those of a run of SFT. */
export function registerGrpo(program: Command, terminal: Terminal): void {
  trainingCommand(program, {
    name: "grpo",
    description:
      "Train a small policy with GRPO: groups of completions that fork one state of an episode.\n\n  praxis grpo grid --seed 1\n  praxis grpo grid --from runs/grid__sft__seed0__20260102-030405 --kl-coef 0.05 --fork-at anywhere\n\n",
    schema: grpoRunSettings,
  })
    .option("--from <run>", "begin with the newest weights of a run of sft or grpo, whose policy settings hold")
    .option("--workers <number>", "threads that groups are played in; 0: this one. The numbers are the same", Number, 0)
    .action(async (name: string | undefined, options: GrpoCommandOptions, self: Command) => {
      const from = options.from === undefined ? null : readStart(options.runs, options.from);
      const plan = grpoPlan(options.workers, from, terminal);
      await conductTraining(plan, { name, options, rest: self.args.slice(1) }, terminal);
    });
}

/** Where a run begins instead of with fresh weights. */
interface Start {
  readonly path: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly checkpoint: Checkpoint;
}

function readStart(root: string, name: string): Start {
  const path = findRun(root, name);
  const { settings, algorithm } = readRunConfig(path);
  const newest = latestCheckpoint(join(path, "checkpoints"));
  if (algorithm === "ppo" || newest === null)
    throw new PraxisError("VALIDATION_ERROR", `'${path}' is no run of sft or grpo with a checkpoint to begin from.`);
  const policy = Object.entries(settings).filter(([setting]) => setting in smallAgentSettings.shape);
  return { path, settings: Object.fromEntries(policy), checkpoint: readCheckpoint(newest) };
}

function grpoPlan(numWorkers: number, from: Start | null, terminal: Terminal): TrainingPlan {
  return {
    algorithm: "grpo",
    schema: grpoRunSettings,
    resolve: (settings) => settingsFor(grpoRunSettings, { ...settings, ...from?.settings }),
    context: () => (from === null ? {} : { from: from.path }),
    goalOf: ({ settings }) => settingsFor(grpoSettings, settings).iterations,
    async train({ definition, source, kernels, config, resume, loop }) {
      if (from !== null && from.checkpoint.envId !== definition.id)
        throw new PraxisError(
          "VALIDATION_ERROR",
          `'${from.path}' is of '${from.checkpoint.envId}', not of '${definition.id}'.`,
        );
      const agentSettings = settingsFor(smallAgentSettings, config.settings);
      const collector =
        numWorkers === 0
          ? null
          : await makeGroupWorkers({ ...source, numWorkers, kernels: kernels.name, settings: agentSettings });
      try {
        return await trainGrpo({
          ...{ definition, kernels, seed: config.seed, agentSettings, ...loop },
          settings: settingsFor(grpoSettings, config.settings),
          ...(resume === undefined ? {} : { resume }),
          ...(from === null ? {} : { weights: from.checkpoint.weights }),
          ...(collector === null ? {} : { collector }),
          onNote: (note) => terminal.err(note),
        });
      } finally {
        await collector?.close();
      }
    },
  };
}
