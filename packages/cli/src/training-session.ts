import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { didYouMean, type EnvDefinition, EnvRegistry, PraxisError } from "@praxis/env";
import { bootstrap } from "@praxis/eval";
import type { Kernels } from "@praxis/nn";
import { KERNEL_CHOICES, selectKernels } from "@praxis/nn/node";
import { type Checkpoint, findRun, type LoopOptions, type LoopResult, type RunConfig, RunFolder } from "@praxis/train";
import { type Command, Option } from "commander";
import { parse } from "yaml";
import type { z } from "zod";
import type { EnvironmentSource } from "./load-environment.ts";
import { loadEnvironments } from "./load-environments.ts";
import { flagNames, parseGiven } from "./schema-flags.ts";
import type { Terminal } from "./terminal.ts";
import { makeTrainingView } from "./training-view.ts";

/** Options that every training command has. */
export interface TrainingOptions {
  readonly seed: number;
  readonly runs: string;
  readonly resume?: string;
  readonly config?: string;
  readonly kernels: (typeof KERNEL_CHOICES)[number];
  readonly threads: number;
  readonly evaluateEvery: number;
  readonly evaluateEpisodes: number;
  readonly stopAtReturn?: number;
  readonly checkpointEvery: number;
  readonly envModule?: string[];
  readonly json?: boolean;
}

/** Declares a training command with the options that all have; settings of `schema` are flags too. */
export function trainingCommand(
  program: Command,
  { name, description, schema }: { readonly name: string; readonly description: string; readonly schema: z.ZodObject },
): Command {
  return program
    .command(name)
    .description(
      `${description}Settings come from defaults, then the environment's own, then --config, then flags. Ctrl-C saves and leaves.`,
    )
    .argument("[env]", "id or short name; left out with --resume")
    .option("--seed <number>", "seed of weights, environments and draws", Number, 0)
    .option("--runs <folder>", "where run folders are made", "runs")
    .option("--resume <run>", "go on with a run, by path or name")
    .option("--config <file>", "YAML file with settings by the names of the flags in camelCase")
    .addOption(new Option("--kernels <set>", "numeric kernels").choices(KERNEL_CHOICES).default("auto"))
    .option("--threads <number>", "threads of the native kernels", Number, 1)
    .option("--evaluate-every <iterations>", "evaluate the policy every so many iterations", Number, 20)
    .option("--evaluate-episodes <number>", "episodes of an evaluation", Number, 100)
    .option("--stop-at-return <number>", "end once an evaluation's mean return is at least this", Number)
    .option("--checkpoint-every <iterations>", "save every so many iterations", Number, 20)
    .option("--env-module <path...>", "modules with further environments")
    .option("--json", "metrics as JSON lines on stdout")
    .allowUnknownOption(true)
    .allowExcessArguments(true)
    .addHelpText("after", `\nSettings are flags too: ${flagNames(schema).join(", ")}.`);
}

/** Evaluation episodes are apart from those of training: their vector seed has another origin. */
const EVALUATION_SEED_OFFSET = 1_000_000_007;

const ENDED = {
  done: "Done",
  solved: "Solved",
  stalled: "Ended, as validation no longer improved,",
  stopped: "Stopped and saved",
} as const;

/** What one algorithm adds to a session. */
export interface TrainingPlan {
  readonly algorithm: RunConfig["algorithm"];
  /** All settings of a run in one. */
  readonly schema: z.ZodObject;
  /** Settings as file and flags give them, in order of rank; absent: flat ones by the names of the schema. */
  given?(options: Pick<TrainingOptions, "config">, rest: readonly string[]): Readonly<Record<string, unknown>>;
  /** Checked settings with defaults; throws INVALID_CONFIG. */
  resolve(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** More for the context of `config.json`, when a run begins. */
  context?(): Readonly<Record<string, unknown>>;
  /** Position at which the run is done, for what is left. */
  goalOf(config: RunConfig): number;
  train(run: TrainingRun): Promise<LoopResult>;
}

/** What an algorithm is given to train with. */
export interface TrainingRun {
  readonly definition: EnvDefinition;
  /** Where worker threads import the definition from. */
  readonly source: { readonly moduleUrl: string; readonly exportName: string };
  readonly kernels: Kernels;
  readonly config: RunConfig;
  readonly resume: Checkpoint | undefined;
  readonly loop: LoopOptions;
}

/** Begins or resumes a run in its folder and trains it, live on the terminal, until it is done or interrupted. */
export async function conductTraining(
  plan: TrainingPlan,
  given: { readonly name: string | undefined; readonly options: TrainingOptions; readonly rest: readonly string[] },
  terminal: Terminal,
): Promise<void> {
  const { name, options, rest } = given;
  if ((name === undefined) === (options.resume === undefined))
    throw new PraxisError("VALIDATION_ERROR", "Name an environment to begin, or --resume a run: one of the two.");
  const sources = await loadEnvironments({ extra: options.envModule ?? [] });
  const { kernels, line } = await selectKernels(options.kernels, { threads: options.threads });
  terminal.err(line);
  const now = (): number => Date.now();
  const resumed = options.resume === undefined ? null : RunFolder.resume(findRun(options.runs, options.resume), now);
  if (resumed !== null && resumed.run.config.algorithm !== plan.algorithm)
    throw new PraxisError(
      "VALIDATION_ERROR",
      `'${resumed.run.path}' is a run of ${resumed.run.config.algorithm}. Resume it with praxis ${COMMANDS[resumed.run.config.algorithm]}.`,
    );
  const source = findSource(sources, resumed?.run.config.env ?? name!);
  const { definition } = source;
  const config = (): RunConfig => ({
    ...{ env: definition.name, algorithm: plan.algorithm, seed: options.seed },
    settings: rankSettings(plan, definition, options, rest),
    context: {
      ...{ envId: definition.id, envVersion: definition.version, kernels: line },
      ...{ node: process.version, commit: gitCommit(), ...plan.context?.() },
    },
  });
  const run = resumed?.run ?? RunFolder.create(options.runs, config(), now);
  terminal.err(`${resumed === null ? "Run" : "Resuming run"} ${run.path}`);

  const stop = new AbortController();
  const onInterrupt = (): void => {
    terminal.err("Stopping after this iteration; press Ctrl-C again to leave at once.");
    stop.abort();
  };
  process.once("SIGINT", onInterrupt);
  const view = makeTrainingView(terminal, now);
  const goal = plan.goalOf(run.config);
  const saved = resumed?.checkpoint.state as { readonly steps?: number; readonly iteration?: number } | undefined;
  let before = { at: now(), position: saved?.steps ?? saved?.iteration ?? 0 };
  try {
    const result = await plan.train({
      ...{ definition, source: sourceForWorkers(source), kernels, config: run.config, resume: resumed?.checkpoint },
      loop: {
        ...{ signal: stop.signal, checkpointEvery: options.checkpointEvery },
        evaluation: {
          ...{ every: options.evaluateEvery, episodes: options.evaluateEpisodes },
          seed: run.config.seed + EVALUATION_SEED_OFFSET,
          ...(options.stopAtReturn === undefined ? {} : { stopAtReturn: options.stopAtReturn }),
        },
        onIteration(row) {
          const position = row.steps ?? row.iteration ?? 0;
          const perS = (1000 * (position - before.position)) / Math.max(1, now() - before.at);
          before = { at: now(), position };
          run.log(row, row.steps === undefined ? { "charts/iterations_per_s": perS } : { "charts/sps": perS });
          if (options.json === true) terminal.out(JSON.stringify(row));
          view.row(row, { perS, leftS: (goal - position) / perS });
        },
        onCheckpoint: (position, checkpoint) => run.saveCheckpoint(position, checkpoint),
      },
    });
    view.end();
    writeReport(run, result);
    const again =
      result.ended === "stopped" ? ` Go on with: praxis ${COMMANDS[plan.algorithm]} --resume ${run.path}` : "";
    const unit = plan.algorithm === "ppo" ? "steps" : plan.algorithm === "sft" ? "epochs" : "iterations";
    terminal.err(`${ENDED[result.ended]} after ${result.position} ${unit}.${again}`);
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}

const COMMANDS = { ppo: "train", sft: "sft", grpo: "grpo" } as const;

function findSource(sources: readonly EnvironmentSource[], name: string): EnvironmentSource {
  const registry = new EnvRegistry(sources.map(({ definition }) => definition));
  const definition = registry.get(name);
  return sources.find((source) => source.definition === definition)!;
}

/** A URL that a worker thread can import, wherever its own code lies. */
function sourceForWorkers({ module, exportName }: EnvironmentSource) {
  const path = isAbsolute(module) ? module : createRequire(import.meta.url).resolve(module);
  return { moduleUrl: pathToFileURL(path).href, exportName };
}

/** Settings in order of rank: schema, environment, file, flags. */
function rankSettings(
  plan: TrainingPlan,
  definition: EnvDefinition,
  options: TrainingOptions,
  rest: readonly string[],
): Readonly<Record<string, unknown>> {
  if (plan.given !== undefined) return plan.resolve(plan.given(options, rest));
  const flags = parseGiven(plan.schema, rest);
  const file = options.config === undefined ? {} : readSettings(options.config, Object.keys(plan.schema.shape));
  const environment = (definition.metadata?.[plan.algorithm] ?? {}) as Record<string, unknown>;
  return plan.resolve({ ...environment, ...file, ...flags });
}

function readSettings(path: string, names: readonly string[]): Record<string, unknown> {
  const settings: unknown = parse(readFileSync(path, "utf8"));
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new PraxisError("INVALID_CONFIG", `'${path}' must hold settings by name, such as 'learningRate: 0.001'.`);
  const unknown = Object.keys(settings).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new PraxisError(
      "UNKNOWN_NAME",
      `'${path}' has an unknown setting '${unknown}'.${didYouMean(unknown, names)}`,
    );
  return { ...settings };
}

/** The commit that is checked out here; null outside a repository. */
function gitCommit(): string | null {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}

function writeReport(run: RunFolder, { ended, position, iterations, evaluation }: LoopResult): void {
  const { env, algorithm, seed } = run.config;
  const lines = [`# ${env}, ${algorithm.toUpperCase()}, seed ${seed}`, ""];
  const steps = algorithm === "ppo" ? `${position} environment steps, ` : "";
  lines.push(`${ENDED[ended]} after ${steps}${iterations} iterations.`, "");
  if (evaluation !== null && evaluation.returns.length > 0) {
    const { n, mean, low, high } = bootstrap(evaluation.returns);
    const numbers = [mean, low, high].map((x) => x.toFixed(2));
    lines.push(
      `Last evaluation: mean return ${numbers[0]} (95 % interval ${numbers[1]} to ${numbers[2]}, n = ${n}).`,
      "",
    );
  }
  if (evaluation !== null) lines.push(`Episodes left out because a verifier failed: ${evaluation.excluded}.`, "");
  writeFileSync(join(run.path, "report.md"), lines.join("\n"));
}
