import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { hashText, PraxisError, parseTraces, type SyncEnv } from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import { readTraceExamples, sftSettings, smallAgentSettings, trainSft } from "@praxis/train";
import type { Command } from "commander";
import type { Terminal } from "../terminal.ts";
import { conductTraining, type TrainingOptions, type TrainingPlan, trainingCommand } from "../training-session.ts";
import { settingsFor, sftRunSettings } from "./small-settings.ts";

/** What `config.json` keeps of the traces, so that a resumed run learns from the same ones. */
interface TraceFiles {
  readonly traces: readonly string[];
  readonly tracesHash: string;
}

/** Adds `praxis sft ENV --traces FILE`: supervised fine-tuning of a small policy on recorded episodes. */
export function registerSft(program: Command, terminal: Terminal): void {
  trainingCommand(program, {
    name: "sft",
    description:
      "Fine-tune a small policy on recorded episodes.\n\n  praxis play grid --policy runs/RUN --episodes 50 --trace runs/demos.jsonl\n  praxis sft grid --traces runs/demos.jsonl\n\n",
    schema: sftRunSettings,
  })
    .option("--traces <file...>", "episodes as JSON lines, as `praxis play --trace` writes them")
    .action(async (name: string | undefined, options: TrainingOptions & { traces?: string[] }, self: Command) => {
      if ((options.traces === undefined) === (options.resume === undefined))
        throw new PraxisError("VALIDATION_ERROR", "A new run needs --traces FILE; a resumed one has its own.");
      const plan = sftPlan(options.traces ?? [], terminal);
      await conductTraining(plan, { name, options, rest: self.args.slice(1) }, terminal);
    });
}

function sftPlan(files: readonly string[], terminal: Terminal): TrainingPlan {
  return {
    algorithm: "sft",
    schema: sftRunSettings,
    resolve: (settings) => settingsFor(sftRunSettings, settings),
    context: (): Readonly<Record<string, unknown>> & TraceFiles => {
      const traces = files.map((file) => resolve(file));
      return { traces, tracesHash: hashText(readAll(traces)) };
    },
    goalOf: ({ settings }) => settingsFor(sftSettings, settings).epochs,
    async train({ definition, kernels, config, resume, loop }) {
      const { traces, tracesHash } = config.context as unknown as TraceFiles;
      const text = readAll(traces);
      if (hashText(text) !== tracesHash)
        throw new PraxisError("VALIDATION_ERROR", `${traces.join(", ")} changed since the run began. Begin another.`);
      const env = makeSyncEnv(definition) as SyncEnv;
      try {
        return await trainSft({
          ...{ definition, kernels, seed: config.seed, ...loop },
          settings: settingsFor(sftSettings, config.settings),
          agentSettings: settingsFor(smallAgentSettings, config.settings),
          ...(resume === undefined ? {} : { resume }),
          examplesFor({ task }) {
            const { episodes, failedSteps, illegalSteps } = readTraceExamples(parseTraces(text), {
              ...{ definition, env, task },
            });
            const steps = episodes.reduce((sum, examples) => sum + examples.length, 0);
            terminal.err(
              `${episodes.length} episodes, ${steps} steps; left out: ${failedSteps} of a failed verifier, ${illegalSteps} with a masked action.`,
            );
            return episodes;
          },
        });
      } finally {
        env.close();
      }
    },
  };
}

function readAll(files: readonly string[]): string {
  return files
    .map((file) => {
      try {
        return readFileSync(file, "utf8");
      } catch (cause) {
        throw new PraxisError("VALIDATION_ERROR", `The traces '${file}' can't be read.`, { cause });
      }
    })
    .join("");
}
