import { checkEnv, type EnvDefinition } from "@praxis/env";
import type { Command } from "commander";
import { loadRegistry } from "../load-environments.ts";
import { CheckFailed } from "../outcome.ts";
import { styled, type Terminal } from "../terminal.ts";

/** Adds `praxis check [ENV…]`: the contract checks of every named (default: every registered) environment. */
export function registerCheck(program: Command, terminal: Terminal): void {
  program
    .command("check")
    .description("Check environments against the contract, one line a rule.\n\n  praxis check polyguard")
    .argument("[env...]", "ids or short names; default all")
    .option("--list", "list the registered environments")
    .option("--seed <number>", "seed of the checks", Number, 0)
    .option("--env-module <path...>", "modules with further environments")
    .option("--json", "one JSON document")
    .action(
      async (
        names: string[],
        options: {
          readonly list?: boolean;
          readonly seed: number;
          readonly envModule?: string[];
          readonly json?: boolean;
        },
      ) => {
        const registry = await loadRegistry({ extra: options.envModule ?? [] });
        const definitions: readonly EnvDefinition[] =
          names.length === 0 ? registry.list() : names.map((name) => registry.get(name));
        if (options.list === true) {
          for (const definition of definitions)
            terminal.out(`${definition.id}  (${definition.name})  ${definition.description}`);
          return;
        }
        const reports = [];
        for (const definition of definitions)
          reports.push({ env: definition.id, checks: await checkEnv(definition, { seed: options.seed }) });
        if (options.json === true) terminal.out(JSON.stringify(reports, null, 2));
        else
          for (const { env, checks } of reports) {
            terminal.out(styled(terminal, "bold", env));
            for (const check of checks)
              terminal.out(
                `  ${check.ok ? styled(terminal, "green", "ok  ") : styled(terminal, "red", "FAIL")} ${check.name}${check.ok ? "" : `: ${check.message}`}`,
              );
          }
        const failed = reports.flatMap((report) => report.checks).filter((check) => !check.ok).length;
        if (failed > 0) throw new CheckFailed(`${failed} checks failed.`);
      },
    );
}
