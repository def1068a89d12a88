import type { EnvDefinition } from "@praxis/env";
import { stringify } from "yaml";
import type { PythonNames } from "./names.ts";

/** TOML basic string; JSON's escapes are TOML's. */
const toml = (text: string): string => JSON.stringify(text);

/** A semantic version without its pre-release part, which Python spells differently. */
const pythonVersion = (version: string): string => version.replace(/-.*$/, "");

/** Text of `pyproject.toml`. The folder itself is the package; `server` is a package too, since launchers import `server.app`. */
export function pyprojectText(definition: EnvDefinition, names: PythonNames): string {
  const data = '["*.mjs", "assets/**/*"]';
  return `[build-system]
requires = ["setuptools>=62.3"]
build-backend = "setuptools.build_meta"

[project]
name = ${toml(names.distribution)}
version = ${toml(pythonVersion(definition.version))}
description = ${toml(definition.description)}
requires-python = ">=3.10"
dependencies = ["openenv>=0.3.1"]

[project.scripts]
server = ${toml(`${names.package}.server.app:main`)}

[tool.setuptools]
include-package-data = false
packages = [${toml(names.package)}, ${toml(`${names.package}.server`)}, "server"]
package-dir = { ${toml(names.package)} = ".", ${toml(`${names.package}.server`)} = "server", "server" = "server" }

[tool.setuptools.package-data]
${toml(names.package)} = ["openenv.yaml"]
${toml(`${names.package}.server`)} = ${data}
"server" = ${data}
`;
}

/** Text of `uv.lock`: the least that `uv run` takes; a full lock would pin the index of whoever wrote it. */
export const LOCK_TEXT = 'version = 1\nrequires-python = ">=3.10"\n';

/** Text of `README.md` with the front matter of a Docker Space. */
export function readmeText(definition: EnvDefinition, names: PythonNames): string {
  const frontMatter = stringify({
    title: definition.id,
    emoji: "\u{1F9ED}",
    colorFrom: "blue",
    colorTo: "green",
    sdk: "docker",
    app_port: 8000,
    base_path: "/web",
    license: "apache-2.0",
    tags: ["openenv"],
  });
  const notice = definition.notice === undefined ? "" : `\n${definition.notice}\n`;
  const body = definition.readme === undefined ? "" : `\n${definition.readme.trim()}\n`;
  return `---
${frontMatter}---

# ${definition.id}

${definition.description}
${notice}
This folder is generated. It holds the environment's server as one bundled file, \`server/server.mjs\`, that needs Node 20 or
newer and nothing else, and a thin Python package around it.

| to | run |
|---|---|
| serve with Node | \`node server/server.mjs --host 0.0.0.0 --port 8000\` |
| serve with Python | \`python -m server.app --port 8000\`, or \`uvicorn server.app:app\` |
| build an image | \`docker build -t ${names.package}-env .\` |
| check it | \`openenv validate --level static .\` |

\`\`\`python
from ${names.package} import ${names.classPrefix}Env

with ${names.classPrefix}Env(base_url="http://localhost:8000").sync() as env:
    result = env.reset(seed=7)
    print(result.observation)
\`\`\`
${body}`;
}

/** Text of the package's `__init__.py`. */
export function initText(definition: EnvDefinition, { classPrefix }: PythonNames): string {
  return `"""${definition.id.replaceAll('"', "'")}: client and models."""

from .client import ${classPrefix}Env
from .models import ${classPrefix}Action, ${classPrefix}Observation

__all__ = ["${classPrefix}Action", "${classPrefix}Env", "${classPrefix}Observation"]
`;
}
