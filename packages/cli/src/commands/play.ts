import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatTrace, PraxisError, Rng, recordEpisode, type StepResult } from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import { ABLATIONS, hasTranscript, MODEL_ROLES, PLANNINGS, renderTranscript, TEAM_MODES } from "@praxis/polyguard";
import type { Command } from "commander";
import { loadRegistry } from "../load-environments.ts";
import { loadNamedPolicy, policyNames } from "../policies.ts";
import { rendererFor } from "../render.ts";
import { parseRest } from "../schema-flags.ts";
import { readTeamFlags, type TeamFlags } from "../team-flags.ts";
import type { Terminal } from "../terminal.ts";
import { loadTrainedPolicy } from "../trained-policy.ts";

/** Adds `praxis play ENV`: one episode by a named policy, readable on a terminal, recorded on request. */
export function registerPlay(program: Command, terminal: Terminal): void {
  program
    .command("play")
    .description(
      "Play with a named or trained policy and show every step. Reset options of the environment are flags.\n\n  praxis play polyguard --policy rule_based --difficulty medium --seed 7 --trace runs/demo.jsonl",
    )
    .argument("<env>", "id or short name")
    .option(
      "--policy <name>",
      "policy that plays, the folder of a training run, or a flow file; `--policy list` lists them",
      "random",
    )
    .option("--mode <name>", `planner_critic: how its roles work together: ${TEAM_MODES.join(", ")}`)
    .option("--without <parts...>", `planner_critic: parts left out: ${ABLATIONS.join(", ")}`)
    .option("--planning <name>", `planner_critic: what it ranks by: ${PLANNINGS.join(", ")}`)
    .option(
      "--model-url <url>",
      "planner_critic and SpindleFlow's llmRouter: root of an OpenAI-compatible service that is asked",
    )
    .option("--model-name <name>", "model asked there")
    .option("--model-key <key>", "bearer token for it; never written anywhere")
    .option("--model-roles <roles...>", `planner_critic: roles it plays, default planner: ${MODEL_ROLES.join(", ")}`)
    .option("--seed <number>", "seed of the episode", Number, 0)
    .option("--episodes <number>", "episodes, of this seed and those that follow it", Number, 1)
    .option("--trace <file>", "write the episode as JSON lines")
    .option("--env-module <path...>", "modules with further environments")
    .option("--json", "the trace as JSON lines on stdout instead of text")
    .allowUnknownOption(true)
    .allowExcessArguments(true)
    .action(async (name: string, options: PlayOptions, command: Command) => {
      const registry = await loadRegistry({ extra: options.envModule ?? [] });
      const definition = registry.get(name);
      if (options.policy === "list") {
        for (const policy of policyNames(definition)) terminal.out(policy);
        return;
      }
      if (options.trace !== undefined && existsSync(options.trace))
        throw new PraxisError(
          "VALIDATION_ERROR",
          `'${options.trace}' exists; choose another file, traces are never overwritten.`,
        );
      const resetOptions = parseRest(definition.schemas.reset, command.args.slice(1));
      const env = makeSyncEnv(definition);
      const policy = existsSync(join(options.policy, "config.json"))
        ? await loadTrainedPolicy(options.policy, definition)
        : await loadNamedPolicy(definition, options.policy, env, readTeamFlags(options));
      const renderer = rendererFor(definition);
      const show = options.json === true ? () => {} : terminal.out.bind(terminal);
      try {
        const traces: string[] = [];
        for (let seed = options.seed; seed < options.seed + options.episodes; seed++) {
          const trace = await recordEpisode(
            definition,
            env,
            policy,
            { seed, options: resetOptions },
            {
              rng: Rng.fromSeed(seed, `policy/${policy.name}`),
              now: () => performance.now(),
              onReset: (result) => show(renderer.reset(result)),
              onStep: (step, result: StepResult<unknown>) => {
                const text = renderer.step(step, result);
                // Nothing yet: the step is told with those after it.
                if (text === "") return;
                if (hasTranscript(policy)) show(renderTranscript(policy.transcript()));
                show(text);
              },
            },
          );
          show(renderer.end(trace));
          traces.push(formatTrace(trace));
        }
        if (options.json === true) terminal.out(traces.join("").trimEnd());
        if (options.trace !== undefined) {
          mkdirSync(dirname(options.trace), { recursive: true });
          writeFileSync(options.trace, traces.join(""), { flag: "wx" });
          terminal.err(`Trace written to ${options.trace}. Replay it: praxis replay ${options.trace}`);
        }
      } finally {
        env.close();
      }
    });
}

interface PlayOptions extends TeamFlags {
  readonly policy: string;
  readonly seed: number;
  readonly episodes: number;
  readonly trace?: string;
  readonly envModule?: string[];
  readonly json?: boolean;
}
