import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { parseDocument } from "yaml";
import type { z } from "zod";
import { CheckFailure, type CheckGroup, CheckSkip, expect, show } from "./check.ts";
import { manifestSchema, runtimePlanSchema } from "./manifest-schema.ts";
import { asRecord, field } from "./target.ts";

const MAX_PLAN_BYTES = 65_536;
/** Folders that OpenEnv 0.10.0 leaves out of the package's digest; links in any other fail the package. */
const UNDIGESTED = new Set([".git", "__pycache__", ".venv", ".worktrees", "outputs"]);
// `openenv`, `openenv-core`, with version, marker, URL or extras; `openenv-echo-env` is another package.
const OPENENV_DEPENDENCY = /^openenv(-core)?\s*(\[[^\]]*\]\s*)?($|[<>=!~;@])/;
const OPENENV_IN_DOCKERFILE = /openenv-core|(^|[^A-Za-z0-9_.-])openenv(\[|[<>=!~;@\s]|$)/;

/** A package folder under validation. */
export class Folder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  has(name: string): boolean {
    return existsSync(join(this.path, name));
  }

  /** Text of a file. Fails the check when there is none. */
  read(name: string): string {
    expect(this.has(name) && statSync(join(this.path, name)).isFile(), `${name} is missing`);
    return readFileSync(join(this.path, name), "utf8");
  }
}

/** YAML or JSON as Python's readers take it: YAML 1.1, unique keys. Fails the check with the place of the error. */
function parseYaml(name: string, text: string): unknown {
  const document = parseDocument(text, { version: "1.1", uniqueKeys: true });
  const [error] = document.errors;
  expect(error === undefined, `${name}: ${error?.message.split("\n")[0]}`);
  return document.toJS();
}

function expectShape<T>(schema: z.ZodType<T>, name: string, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${issue.path.join(".") || name}: ${issue.message}`);
  expect(false, lines.join("; "));
}

const manifest = (folder: Folder) =>
  expectShape(manifestSchema, "openenv.yaml", parseYaml("openenv.yaml", folder.read("openenv.yaml")));

function pyproject(folder: Folder): unknown {
  try {
    return parseToml(folder.read("pyproject.toml"));
  } catch (error) {
    if (error instanceof TomlError) throw new CheckFailure(`pyproject.toml: ${error.message.split("\n")[0]}`);
    throw error;
  }
}

/** First link or special file that the package may not hold, or null. */
function findSpecialFile(folder: string, prefix = ""): string | null {
  for (const name of readdirSync(folder).sort()) {
    if (UNDIGESTED.has(name)) continue;
    const path = join(folder, name);
    const info = lstatSync(path);
    if (info.isDirectory()) {
      const inner = findSpecialFile(path, `${prefix}${name}/`);
      if (inner !== null) return inner;
    } else if (!info.isFile()) return prefix + name;
  }
  return null;
}

const hasFrontMatter = (text: string): boolean => text.trimStart().startsWith("---");

/** True when a module-level `if __name__ == "__main__":` calls `main`. */
function callsMain(python: string): boolean {
  const lines = python.split("\n");
  const start = lines.findIndex((line) => /^if\s+\(?\s*__name__\s*==\s*(["'])__main__\1\s*\)?\s*:/.test(line));
  if (start === -1) return false;
  const end = lines.findIndex((line, index) => index > start && /^\S/.test(line) && !line.startsWith("#"));
  // Calls inside text or comments are none.
  const block = lines
    .slice(start, end === -1 ? undefined : end)
    .map((line) => line.replace(/(["'])(?:\\.|(?!\1).)*\1/g, '""').replace(/#.*$/, ""));
  return /(^|[^\w.])main\s*\(/.test(block.join("\n"));
}

/** What OpenEnv 0.10.0 grades of a folder without running it. */
const manifestChecks: CheckGroup<Folder> = {
  name: "Manifest (OpenEnv 0.10.0, static)",
  checks: [
    {
      id: "signature",
      title: "The folder holds openenv.yaml and no other package format",
      required: true,
      run(folder) {
        expect(folder.has("openenv.yaml"), "openenv.yaml is missing");
        expect(!folder.has("task.toml"), "task.toml beside openenv.yaml makes the package ambiguous");
        expect(
          !folder.has("task.md") || !hasFrontMatter(folder.read("task.md")),
          "task.md with front matter beside openenv.yaml makes the package ambiguous",
        );
      },
    },
    {
      id: "regular_files",
      title: "The folder holds regular files only, no links",
      required: true,
      run(folder) {
        const special = findSpecialFile(folder.path);
        expect(special === null, `'${special}' is a link or a special file`);
      },
    },
    {
      id: "manifest",
      title: "openenv.yaml declares name and validation within the policy's bounds",
      required: true,
      run(folder) {
        const { name } = manifest(folder);
        return name;
      },
    },
    {
      id: "runtime_plan",
      title: "With execution declared, the runtime plan is readable and complete",
      required: true,
      run(folder) {
        const { execution } = manifest(folder).validation;
        if (execution === undefined) throw new CheckSkip("no execution declared: nothing is run");
        const text = folder.read(execution.probe_path);
        expect(
          Buffer.byteLength(text) <= MAX_PLAN_BYTES,
          `${execution.probe_path} is larger than ${MAX_PLAN_BYTES} bytes`,
        );
        JSON.parse(text);
        const plan = expectShape(runtimePlanSchema, execution.probe_path, parseYaml(execution.probe_path, text));
        return `${plan.actions.length} actions`;
      },
    },
    {
      id: "dockerfile",
      title: "With execution declared, there is a Dockerfile to build",
      required: true,
      run(folder) {
        const { execution } = manifest(folder).validation;
        if (execution === undefined) throw new CheckSkip("no execution declared: nothing is built");
        folder.read(execution.dockerfile);
      },
    },
  ],
};

/** What the older `openenv validate PATH` (0.3.0) checks. */
const deploymentChecks: CheckGroup<Folder> = {
  name: "Multi-mode deployment (OpenEnv 0.3.0)",
  checks: [
    {
      id: "pyproject",
      title: "pyproject.toml is there and readable",
      required: true,
      run: (folder) => void pyproject(folder),
    },
    { id: "lock", title: "uv.lock is there", required: true, run: (folder) => void folder.read("uv.lock") },
    {
      id: "lock_usable",
      title: "uv.lock is not empty, so that `uv run` takes it",
      required: false,
      run: (folder) =>
        expect(folder.read("uv.lock").trim() !== "", "uv.lock is empty; two lines do: version and requires-python"),
    },
    {
      id: "entry_point",
      title: "[project.scripts] has `server`, which names a main function",
      required: true,
      run(folder) {
        const entry = field(pyproject(folder), "project", "scripts", "server");
        expect(typeof entry === "string", "[project.scripts] has no server");
        expect(entry.includes(":main"), `server is ${show(entry)}; it should end in :main`);
        return entry;
      },
    },
    {
      id: "dependency",
      title: "The project or its Dockerfile depends on openenv",
      required: true,
      run(folder) {
        const listed = field(pyproject(folder), "project", "dependencies");
        const dependencies = Array.isArray(listed) ? listed.filter((each) => typeof each === "string") : [];
        const found = dependencies.find((each) => OPENENV_DEPENDENCY.test(each.trim().toLowerCase()));
        if (found !== undefined) return found;
        const dockerfiles = ["server/Dockerfile", "Dockerfile"].filter((name) => folder.has(name));
        const inDockerfile = dockerfiles.some((name) =>
          folder
            .read(name)
            .split("\n")
            .some((line) => !line.trimStart().startsWith("#") && OPENENV_IN_DOCKERFILE.test(line)),
        );
        expect(inDockerfile, "openenv is no dependency of the project and not named in a Dockerfile");
        return "in the Dockerfile";
      },
    },
    {
      id: "app_main",
      title: "server/app.py has main() and calls it when run as a script",
      required: true,
      run(folder) {
        const text = folder.read("server/app.py");
        expect(text.includes("def main("), "server/app.py has no main()");
        expect(callsMain(text), 'server/app.py does not call main() under `if __name__ == "__main__":`');
      },
    },
  ],
};

/** What `openenv push` and the launchers want besides. */
const publishingChecks: CheckGroup<Folder> = {
  name: "Publishing",
  checks: [
    {
      id: "package_files",
      title: "The files that `openenv push` asks for are there",
      required: false,
      run(folder) {
        const missing = ["__init__.py", "client.py", "models.py", "README.md"].filter((name) => !folder.has(name));
        expect(missing.length === 0, `missing: ${missing.join(", ")}`);
        expect(folder.has("Dockerfile") || folder.has("server/Dockerfile"), "there is no Dockerfile");
      },
    },
    {
      id: "front_matter",
      title: "README.md has the front matter of a Docker Space on the port of openenv.yaml",
      required: false,
      run(folder) {
        const [, text] = /^---\n([\s\S]*?)\n---/.exec(folder.read("README.md")) ?? [];
        expect(text !== undefined, "README.md has no front matter");
        const matter = asRecord(parseYaml("README.md", text)) ?? {};
        expect(matter.sdk === "docker", `sdk is ${show(matter.sdk)}, not docker`);
        const { port } = manifest(folder);
        expect(
          port === undefined || matter.app_port === port,
          `app_port is ${show(matter.app_port)}, openenv.yaml says ${show(port)}`,
        );
        expect(Array.isArray(matter.tags) && matter.tags.includes("openenv"), "the tag openenv is missing");
      },
    },
  ],
};

/** All checks of a package folder. */
export const folderChecks: readonly CheckGroup<Folder>[] = [manifestChecks, deploymentChecks, publishingChecks];
