import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { hashText, PraxisError, parseTraces, type SyncEnv } from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import { readTraceExamples, sftSettings, smallAgentSettings, trainSft } from "@praxis/train";
import type { Command } from "commander";
import { readExperts } from "../learning/expert-file.ts";
import type { Terminal } from "../terminal.ts";
import { conductTraining, type TrainingOptions, type TrainingPlan, trainingCommand } from "../training-session.ts";
import { settingsFor, sftRunSettings } from "./small-settings.ts";

/** What `config.json` keeps of the traces, so that a resumed run learns from the same ones. */
interface TraceFiles {
  readonly traces: readonly string[];
  /** Expert episodes instead of traces; null or absent: none. */
  readonly experts?: string | null;
  readonly tracesHash: string;
}

type SftCommandOptions = TrainingOptions & { readonly traces?: string[]; readonly experts?: string };

/** Adds `praxis sft ENV --traces FILE`: supervised fine-tuning of a small policy on recorded episodes. */
export function registerSft(program: Command, terminal: Terminal): void {
  trainingCommand(program, {
    name: "sft",
    description:
      "Fine-tune a small policy on recorded episodes.\n\n  praxis play grid --policy runs/RUN --episodes 50 --trace runs/demos.jsonl\n  praxis sft grid --traces runs/demos.jsonl\n\n",
    schema: sftRunSettings,
  })
    .option("--traces <file...>", "episodes as JSON lines, as `praxis play --trace` writes them")
    .option("--experts <file>", "polyguard: expert episodes, as `praxis pipeline` leaves them in experts.jsonl")
    .action(async (name: string | undefined, options: SftCommandOptions, self: Command) => {
      const given = [options.traces, options.experts, options.resume].filter((each) => each !== undefined);
      if (given.length !== 1)
        throw new PraxisError(
          "VALIDATION_ERROR",
          "A new run needs --traces FILE or --experts FILE; a resumed one has its own.",
        );
      const plan = sftPlan({ traces: options.traces ?? [], experts: options.experts ?? null }, terminal);
      await conductTraining(plan, { name, options, rest: self.args.slice(1) }, terminal);
    });
}

function sftPlan(
  files: { readonly traces: readonly string[]; readonly experts: string | null },
  terminal: Terminal,
): TrainingPlan {
  return {
    algorithm: "sft",
    schema: sftRunSettings,
    resolve: (settings) => settingsFor(sftRunSettings, settings),
    context: (): Readonly<Record<string, unknown>> & TraceFiles => {
      const traces = files.traces.map((file) => resolve(file));
      const experts = files.experts === null ? null : resolve(files.experts);
      const tracesHash = hashText(readAll(experts === null ? traces : [experts]));
      return { traces, ...(experts === null ? {} : { experts }), tracesHash };
    },
    goalOf: ({ settings }) => settingsFor(sftSettings, settings).epochs,
    async train({ definition, kernels, config, resume, loop }) {
      const { traces, experts = null, tracesHash } = config.context as unknown as TraceFiles;
      const text = readAll(experts === null ? traces : [experts]);
      if (hashText(text) !== tracesHash)
        throw new PraxisError(
          "VALIDATION_ERROR",
          `${[...traces, experts ?? ""].join(" ").trim()} changed since the run began. Begin another.`,
        );
      const env = makeSyncEnv(definition) as SyncEnv;
      try {
        return await trainSft({
          ...{ definition, kernels, seed: config.seed, ...loop },
          settings: settingsFor(sftSettings, config.settings),
          agentSettings: settingsFor(smallAgentSettings, config.settings),
          ...(resume === undefined ? {} : { resume }),
          examplesFor({ task }) {
            if (experts !== null) {
              if (definition.scenes === undefined)
                throw new PraxisError(
                  "INVALID_CONFIG",
                  `'${definition.id}' has no scenes; expert episodes are of those.`,
                );
              const { episodes } = readExperts(experts, definition.scenes.shape);
              terminal.err(`${episodes.length} expert episodes.`);
              return episodes;
            }
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
