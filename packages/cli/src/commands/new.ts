import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { loadRegistry } from "../load-environments.ts";
import { writeProject } from "../new/write-project.ts";
import type { Terminal } from "../terminal.ts";

/** Adds `praxis new NAME`: writes a complete new environment, ready to be changed into one's own. */
export function registerNew(program: Command, terminal: Terminal): void {
  program
    .command("new")
    .description("Write a new environment with tests, README and OpenEnv packaging.\n\n  praxis new lights-out")
    .argument("<name>", "short name, like lights-out")
    .option("--folder <path>", "where to write it; default ./NAME")
    .action(async (name: string, options: { readonly folder?: string }) => {
      const folder = options.folder ?? name;
      const registry = await loadRegistry();
      const written = writeProject({ name, folder, taken: registry.list().map((known) => known.name) });
      for (const path of written) terminal.out(`${folder}/${path}`);
      const place = relative(process.cwd(), resolve(folder)) || ".";
      terminal.err(`\nNext:\n  cd ${place}\n  npm install\n  npm test\n  npm start\n\nThe rules are in src/game.ts.`);
    });
}
