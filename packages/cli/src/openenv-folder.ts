import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PraxisError } from "@praxis/env";
import type { EnvironmentSource } from "./load-environment.ts";
import { bundleServer, cliFolder } from "./openenv/bundle.ts";
import { manifestText, runtimePlan } from "./openenv/manifest.ts";
import { pythonNames } from "./openenv/names.ts";
import { initText, LOCK_TEXT, pyprojectText, readmeText } from "./openenv/project-files.ts";
import { clientText, modelsText } from "./openenv/python-client.ts";

const bundledServer = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts") ? "./openenv/bundled-server.ts" : "./openenv/bundled-server.js",
    import.meta.url,
  ),
);
const template = (path: string): string => readFileSync(join(cliFolder, "templates", "openenv", path), "utf8");

/** Empties a folder that an earlier build wrote. Throws INVALID_CONFIG for a folder with something else in it. */
function makeRoom(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, "openenv.yaml")))
    throw new PraxisError(
      "INVALID_CONFIG",
      `'${folder}' is not empty and holds no openenv.yaml, so it isn't an earlier build. Choose another folder.`,
    );
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Writes the package folder of one environment: manifest, runtime plan, Python package, Dockerfile, and the server bundled
 * into one file. Replaces an earlier build. Both generations of `openenv validate`, `openenv push`, uv and the cloud launchers
 * take it. Throws INVALID_CONFIG when the folder is not ours, the name is not Python's or the bundle fails.
 */
export async function writeOpenEnvFolder(source: EnvironmentSource, folder: string): Promise<void> {
  const { definition, module, exportName, isFactory = false } = source;
  const names = pythonNames(definition.name);
  const plan = await runtimePlan(definition);
  const files: Readonly<Record<string, string>> = {
    "openenv.yaml": manifestText(definition),
    "validation/runtime.json": plan,
    "pyproject.toml": pyprojectText(definition, names),
    "uv.lock": LOCK_TEXT,
    Dockerfile: template("Dockerfile"),
    ".dockerignore": template("dockerignore"),
    "README.md": readmeText(definition, names),
    "__init__.py": initText(definition, names),
    "client.py": clientText(definition, names),
    "models.py": modelsText(definition, names),
    "server/__init__.py": "",
    "server/app.py": template("server/app.py"),
  };
  makeRoom(folder);
  for (const [path, text] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  await bundleServer({
    entry: [
      `import { ${exportName} as exported } from ${JSON.stringify(module)};`,
      `import { runBundledServer } from ${JSON.stringify(bundledServer)};`,
      `await runBundledServer(exported${isFactory ? "()" : ""}, process.argv.slice(2), process.env);`,
    ].join("\n"),
    resolveFrom: cliFolder,
    outFile: join(folder, "server", "server.mjs"),
  });
}
