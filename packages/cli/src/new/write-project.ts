import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { PraxisError } from "@praxis/env";
import { cliFolder } from "../openenv/bundle.ts";
import { checkNewName, newId } from "./names.ts";

/** What `praxis new` is told. */
export interface NewProject {
  readonly name: string;
  /** Folder to write; made if missing, must be empty. */
  readonly folder: string;
  /** Short names of the registered environments. */
  readonly taken: readonly string[];
}

const templates = join(cliFolder, "templates", "new");
// npm leaves files of these names out of packages, so the templates have others.
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };

function templateFiles(folder = templates, prefix = ""): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? templateFiles(path, `${prefix}${name}/`) : [prefix + name];
    });
}

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** Folder of the installed package `@praxis/<name>` that this command itself uses. */
function packageFolder(name: string): string {
  if (name === "cli") return realpathSync(cliFolder);
  let folder = dirname(fileURLToPath(import.meta.resolve(`@praxis/${name}`)));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return realpathSync(folder);
}

/** Version for a package that came from a registry; a `file:` path for one that runs from a checkout. */
function dependency(name: string): string {
  const folder = packageFolder(name);
  const isInstalled = folder.split(/[\\/]/).includes("node_modules");
  return isInstalled ? manifestOf(folder).version : `file:${folder}`;
}

function packageText(name: string): string {
  const zod = manifestOf(packageFolder("env")).dependencies?.zod;
  return `${JSON.stringify(
    {
      name,
      version: "0.1.0",
      private: true,
      description: "Find a hidden number with few guesses",
      type: "module",
      engines: { node: ">=20" },
      main: "./dist/src/index.js",
      types: "./dist/src/index.d.ts",
      exports: { ".": { types: "./dist/src/index.d.ts", default: "./dist/src/index.js" } },
      scripts: {
        build: "tsc",
        pretest: "npm run build",
        test: "node --test dist/test/environment.test.js",
        precheck: "npm run build",
        check: `praxis check ${name} --env-module .`,
        prestart: "npm run build",
        start: `praxis serve ${name} --env-module .`,
        preopenenv: "npm run build",
        openenv: "node scripts/openenv.mjs",
      },
      dependencies: { "@praxis/env": dependency("env"), zod },
      devDependencies: { "@praxis/cli": dependency("cli"), "@types/node": "20.19.43", typescript: "7.0.2" },
    },
    null,
    2,
  )}\n`;
}

/**
 * Writes a complete environment: sources, tests, README and scripts. Returns the paths written, relative to its folder.
 * Throws INVALID_CONFIG, before writing anything, for a bad name or a folder that is not empty.
 */
export function writeProject({ name, folder, taken }: NewProject): readonly string[] {
  checkNewName(name, taken);
  const target = resolve(folder);
  if (existsSync(target) && !statSync(target).isDirectory())
    throw new PraxisError("INVALID_CONFIG", `'${folder}' is a file. Choose another folder with --folder.`);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new PraxisError(
      "INVALID_CONFIG",
      `The folder '${folder}' exists and is not empty. Choose another name, or another folder with --folder ${folder}-2.`,
    );
  const files: [path: string, text: string][] = templateFiles().map((path) => [
    RENAMED[path] ?? path,
    readFileSync(join(templates, path), "utf8").replaceAll("__NAME__", name).replaceAll("__ID__", newId(name)),
  ]);
  files.push(["package.json", packageText(name)]);
  for (const [path, text] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  return files.map(([path]) => path).sort();
}
