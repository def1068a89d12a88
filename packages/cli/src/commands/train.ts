import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { didYouMean, type EnvDefinition, PraxisError } from "@praxis/env";
import { bootstrap } from "@praxis/eval";
import { KERNEL_CHOICES, selectKernels } from "@praxis/nn/node";
import {
  type Checkpoint,
  findRun,
  type PpoSettingsInput,
  ppoSettings,
  type RunConfig,
  RunFolder,
  resolvePpoSettings,
  type TrainPpoResult,
  trainPpo,
} from "@praxis/train";
import type { Command } from "commander";
import { Option } from "commander";
import { parse } from "yaml";
import { loadRegistry } from "../load-environments.ts";
import { parseRest } from "../schema-flags.ts";
import type { Terminal } from "../terminal.ts";
import { makeTrainingView } from "../training-view.ts";

const SETTINGS = Object.keys(ppoSettings.shape);
const SETTING_FLAGS = SETTINGS.map(
  (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
).join(", ");
const camelCase = (flag: string): string => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

interface TrainOptions {
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

/** Adds `praxis train ENV`: PPO into a run folder, live on the terminal, to be stopped and resumed at will. */
export function registerTrain(program: Command, terminal: Terminal): void {
  program
    .command("train")
    .description(
      "Train a policy with PPO. Settings come from defaults, then the environment's own, then --config, then flags. Ctrl-C saves and leaves.\n\n  praxis train cartpole --seed 1\n  praxis train --resume runs/cartpole__ppo__seed1__20260102-030405",
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
    .addHelpText("after", `\nSettings of PPO are flags too: ${SETTING_FLAGS}.`)
    .action(async (name: string | undefined, options: TrainOptions, self: Command) => {
      const registry = await loadRegistry({ extra: options.envModule ?? [] });
      const { kernels, line } = await selectKernels(options.kernels, { threads: options.threads });
      terminal.err(line);
      const now = (): number => Date.now();
      if ((name === undefined) === (options.resume === undefined))
        throw new PraxisError("VALIDATION_ERROR", "Name an environment to begin, or --resume a run: one of the two.");
      const resumed =
        options.resume === undefined ? null : RunFolder.resume(findRun(options.runs, options.resume), now);
      const definition = registry.get(resumed?.run.config.env ?? name!);
      const run =
        resumed?.run ?? RunFolder.create(options.runs, configOf(definition, options, self.args.slice(1), line), now);
      terminal.err(`${resumed === null ? "Run" : "Resuming run"} ${run.path}`);
      const stop = new AbortController();
      const onInterrupt = (): void => {
        terminal.err("Stopping after this iteration; press Ctrl-C again to leave at once.");
        stop.abort();
      };
      process.once("SIGINT", onInterrupt);
      try {
        const resume = resumed?.checkpoint;
        const result = await train(run, { definition, kernels, options, terminal, now, signal: stop.signal, resume });
        writeReport(run, result);
        const again = result.ended === "stopped" ? ` Go on with: praxis train --resume ${run.path}` : "";
        terminal.err(`${ENDED[result.ended]} after ${result.steps} steps.${again}`);
      } finally {
        process.off("SIGINT", onInterrupt);
      }
    });
}

const ENDED = { done: "Done", solved: "Solved", stopped: "Stopped and saved" } as const;

/** Evaluation episodes are apart from those of training: their vector seed has another origin. */
const EVALUATION_SEED_OFFSET = 1_000_000_007;

async function train(
  run: RunFolder,
  context: {
    readonly definition: EnvDefinition;
    readonly kernels: Awaited<ReturnType<typeof selectKernels>>["kernels"];
    readonly options: TrainOptions;
    readonly terminal: Terminal;
    readonly signal: AbortSignal;
    readonly resume: Checkpoint | undefined;
    now(): number;
  },
): Promise<TrainPpoResult> {
  const { definition, kernels, options, terminal, signal, resume, now } = context;
  const { seed } = run.config;
  // The run's own settings, written when it began, hold for every resume.
  const settings = run.config.settings as PpoSettingsInput;
  const { totalSteps } = resolvePpoSettings(settings);
  const view = makeTrainingView(terminal, now);
  let before = { at: now(), steps: (resume?.state as { readonly steps?: number } | undefined)?.steps ?? 0 };
  const result = await trainPpo({
    ...{ definition, kernels, seed, settings, signal, checkpointEvery: options.checkpointEvery },
    ...(resume === undefined ? {} : { resume }),
    evaluation: {
      ...{ every: options.evaluateEvery, episodes: options.evaluateEpisodes, seed: seed + EVALUATION_SEED_OFFSET },
      ...(options.stopAtReturn === undefined ? {} : { stopAtReturn: options.stopAtReturn }),
    },
    onIteration(row) {
      const steps = row.steps ?? 0;
      const stepsPerS = (1000 * (steps - before.steps)) / Math.max(1, now() - before.at);
      before = { at: now(), steps };
      run.log(row, { "charts/sps": stepsPerS });
      if (options.json === true) terminal.out(JSON.stringify(row));
      view.row(row, { stepsPerS, leftS: (totalSteps - steps) / stepsPerS });
    },
    onCheckpoint: (steps, checkpoint) => run.saveCheckpoint(steps, checkpoint),
  });
  view.end();
  return result;
}

/** Settings in order of rank: schema, environment, file, flags. */
function configOf(
  definition: EnvDefinition,
  options: TrainOptions,
  rest: readonly string[],
  kernels: string,
): RunConfig {
  const parsed: Record<string, unknown> = parseRest(ppoSettings, rest);
  // Parsing fills in defaults; only what was said outranks file and environment.
  const said = rest.filter((word) => word.startsWith("--")).map((word) => camelCase(word.slice(2).split("=", 1)[0]!));
  const flags = Object.fromEntries(said.map((name) => [name, parsed[name]]));
  const file = options.config === undefined ? {} : readSettings(options.config);
  const environment = (definition.metadata?.ppo ?? {}) as Record<string, unknown>;
  return {
    ...{ env: definition.name, algorithm: "ppo", seed: options.seed },
    settings: resolvePpoSettings({ ...environment, ...file, ...flags }),
    context: {
      ...{ envId: definition.id, envVersion: definition.version, kernels, node: process.version, commit: gitCommit() },
    },
  };
}

function readSettings(path: string): Record<string, unknown> {
  const settings: unknown = parse(readFileSync(path, "utf8"));
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new PraxisError("INVALID_CONFIG", `'${path}' must hold settings by name, such as 'learningRate: 0.001'.`);
  const unknown = Object.keys(settings).find((name) => !SETTINGS.includes(name));
  if (unknown !== undefined)
    throw new PraxisError(
      "UNKNOWN_NAME",
      `'${path}' has an unknown setting '${unknown}'.${didYouMean(unknown, SETTINGS)}`,
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

function writeReport(run: RunFolder, { ended, steps, iterations, evaluation }: TrainPpoResult): void {
  const lines = [`# ${run.config.env}, PPO, seed ${run.config.seed}`, ""];
  lines.push(`${ENDED[ended]} after ${steps} environment steps, ${iterations} iterations.`, "");
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
