// Writes dist/openenv/<env>/ for every registered environment: `npm run openenv`, or `npm run openenv -- polyguard`.
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { loadEnvironments, writeOpenEnvFolder } from "@praxis/cli";
import { EnvRegistry } from "@praxis/env";

const root = fileURLToPath(new URL("..", import.meta.url));

try {
  const environments = await loadEnvironments();
  const registry = new EnvRegistry(environments.map(({ definition }) => definition));
  const wanted = process.argv.slice(2).map((name) => registry.get(name).id);
  for (const environment of environments) {
    const { id, name } = environment.definition;
    if (wanted.length > 0 && !wanted.includes(id)) continue;
    const folder = join(root, "dist", "openenv", name);
    await writeOpenEnvFolder(environment, folder);
    console.error(`${id}: ${relative(root, folder)}`);
  }
} catch (error) {
  console.error(`openenv: ${error.message}`);
  process.exitCode = 1;
}
