import { readFileSync } from "node:fs";
import { PraxisError, parseTraces, replayTrace } from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import type { Command } from "commander";
import { loadRegistry } from "../load-environments.ts";
import { CheckFailed } from "../outcome.ts";
import type { Terminal } from "../terminal.ts";

/** Adds `praxis replay TRACE`: re-executes every episode of a trace and reports the first difference of each. */
export function registerReplay(program: Command, terminal: Terminal): void {
  program
    .command("replay")
    .description("Re-execute a recorded trace and report the first difference.\n\n  praxis replay runs/demo.jsonl")
    .argument("<trace>", "JSON lines written by `praxis play --trace FILE`")
    .option("--env-module <path...>", "modules with further environments")
    .option("--json", "one JSON document")
    .action(async (path: string, options: { readonly envModule?: string[]; readonly json?: boolean }) => {
      const registry = await loadRegistry({ extra: options.envModule ?? [] });
      let text: string;
      try {
        text = readFileSync(path, "utf8");
      } catch (cause) {
        throw new PraxisError("INVALID_TRACE", `Can't read '${path}': ${(cause as Error).message}.`, { cause });
      }
      const results = parseTraces(text).map((trace) => {
        const definition = registry.get(trace.header.env);
        const env = makeSyncEnv(definition);
        try {
          return {
            episodeId: trace.header.episodeId,
            env: trace.header.env,
            seed: trace.header.seed,
            steps: trace.steps.length,
            difference: replayTrace(definition, env, trace),
          };
        } finally {
          env.close();
        }
      });
      if (options.json === true) terminal.out(JSON.stringify(results, null, 2));
      else
        for (const { episodeId, steps, difference } of results)
          terminal.out(
            difference === null
              ? `${episodeId}: ${steps} steps, equal`
              : `${episodeId}: first difference at step ${difference.step}, ${difference.field}: recorded ${JSON.stringify(difference.recorded)}, replayed ${JSON.stringify(difference.replayed)}`,
          );
      const different = results.filter((result) => result.difference !== null).length;
      if (different > 0) throw new CheckFailed(`${different} of ${results.length} episodes differ.`);
    });
}
