import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { validate } from "../src/validate/validate.ts";

const GOOD: Readonly<Record<string, string>> = {
  "openenv.yaml": `spec_version: 1
name: small
version: 0.1.0
app: server.app:app
port: 8000
validation:
  reward: { range: [-1, 1], floor_margin: 0.1 }
  resources: { cpu: 1, memory_mb: 512, disk_mb: 64, episode_timeout_s: 60 }
  capabilities: { verifier: { kind: reward_channel } }
  types: { tags: [demo] }
  execution: {}
`,
  "validation/runtime.json":
    '{"plan_schema_version":"1","reset":{"episode_id":"e","seed":1,"options":{}},"actions":[{"add":1}]}',
  "pyproject.toml": `[project]
name = "openenv-small"
dependencies = ["openenv>=0.3.1"]
[project.scripts]
server = "small.server.app:main"
`,
  "uv.lock": "version = 1\n",
  Dockerfile: "FROM node:20\n",
  "README.md": "---\nsdk: docker\napp_port: 8000\ntags: [openenv]\n---\n# Small\n",
  "__init__.py": "",
  "client.py": "",
  "models.py": "",
  "server/app.py": 'def main():\n    pass\n\nif __name__ == "__main__":\n    main()\n',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "praxis-folder-"));
  for (const path of ["validation", "server"]) mkdirSync(join(folder, path));
  for (const [path, text] of Object.entries(GOOD)) writeFileSync(join(folder, path), text);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const change = (path: string, from: string, to: string): void => {
  const text = readFileSync(join(folder, path), "utf8");
  expect(text).toContain(from);
  writeFileSync(join(folder, path), text.replace(from, to));
};

const problems = async (): Promise<string[]> =>
  (await validate(folder, { timeoutMs: 1000, sessions: 1, strict: true, now: () => 0 })).checks
    .filter(({ status }) => status === "fail" || status === "warn")
    .map(({ id, status, detail }) => `${status} ${id}: ${detail}`);

test("a complete folder passes both generations without a warning", async () => {
  expect(await problems()).toEqual([]);
});

test.each<[rule: string, breakIt: () => void, expected: RegExp[]]>([
  [
    "a missing openenv.yaml is told first",
    () => rmSync(join(folder, "openenv.yaml")),
    [/^fail signature: openenv.yaml is missing$/],
  ],
  [
    "a second package format is ambiguous",
    () => writeFileSync(join(folder, "task.toml"), ""),
    [/^fail signature: task.toml/],
  ],
  [
    "a link fails the folder",
    () => symlinkSync("README.md", join(folder, "link.md")),
    [/^fail regular_files: 'link.md'/],
  ],
  [
    "a missing validation block is told",
    () => writeFileSync(join(folder, "openenv.yaml"), "name: small\n"),
    [/^fail manifest: validation: /],
  ],
  [
    "an unknown key inside a section is told with its place",
    () => change("openenv.yaml", "cpu: 1", "cpu: 1, cores: 2"),
    [/^fail manifest: validation\.resources: .*cores/],
  ],
  [
    "a floor margin below the policy's bound is told",
    () => change("openenv.yaml", "floor_margin: 0.1", "floor_margin: 0.05"),
    [/floor_margin/],
  ],
  [
    "a range that does not increase is told",
    () => change("openenv.yaml", "[-1, 1]", "[1, 1]"),
    [/range: must be increasing/],
  ],
  [
    "a judge without llm_judged is told",
    () => change("openenv.yaml", "  types:", "  judge: { model: m, version: '1' }\n  types:"),
    [/llm_judged, judge/],
  ],
  [
    "allowed hosts without an allowlist are told",
    () => change("openenv.yaml", "  types:", "  network: { allowed_hosts: [a] }\n  types:"),
    [/allowed_hosts/],
  ],
  [
    "a probe path outside the folder is told",
    () => change("openenv.yaml", "execution: {}", "execution: { probe_path: ../plan.json }"),
    [/probe_path: must be a relative path/],
  ],
  [
    "a repeated key in the manifest is told",
    () => appendFileSync(join(folder, "openenv.yaml"), "name: again\n"),
    [/^fail manifest: openenv.yaml: .*unique/],
  ],
  [
    "a missing plan is told when execution is declared",
    () => rmSync(join(folder, "validation/runtime.json")),
    [/^fail runtime_plan: validation\/runtime.json is missing$/],
  ],
  [
    "a plan without actions is told",
    () => change("validation/runtime.json", '[{"add":1}]', "[]"),
    [/^fail runtime_plan: actions: /],
  ],
  [
    "a repeated key in the plan is told",
    () => change("validation/runtime.json", '"seed":1', '"seed":1,"seed":2'),
    [/^fail runtime_plan: .*unique/],
  ],
  [
    "an option that would replace the seed is told",
    () => change("validation/runtime.json", '"options":{}', '"options":{"seed":2}'),
    [/reset\.options: can't hold seed/],
  ],
  [
    "a missing Dockerfile fails the build and the publishing",
    () => rmSync(join(folder, "Dockerfile")),
    [/^fail dockerfile: /, /^warn package_files: there is no Dockerfile/],
  ],
  ["a missing lock is told", () => rmSync(join(folder, "uv.lock")), [/^fail lock: uv.lock is missing$/]],
  [
    "an empty lock passes validation but breaks uv, so it is a warning",
    () => writeFileSync(join(folder, "uv.lock"), ""),
    [/^warn lock_usable: /],
  ],
  [
    "a pyproject.toml that is no TOML is told",
    () => writeFileSync(join(folder, "pyproject.toml"), "[project"),
    [/^fail pyproject: pyproject.toml: /],
  ],
  [
    "an entry point without main is told",
    () => change("pyproject.toml", "app:main", "app:run"),
    [/^fail entry_point: server is "small.server.app:run"/],
  ],
  [
    "another package whose name begins with openenv is no dependency",
    () => change("pyproject.toml", "openenv>=0.3.1", "openenv-small-env"),
    [/^fail dependency: /],
  ],
  [
    "a main that nothing calls is told",
    () => change("server/app.py", "\n    main()", "\n    print('main()'.strip)  # main()"),
    [/^fail app_main: .*does not call main/],
  ],
  [
    "a space on another port is told",
    () => change("README.md", "8000", "7860"),
    [/^warn front_matter: app_port is 7860/],
  ],
])("%s", async (_rule, breakIt, expected) => {
  breakIt();
  const found = await problems();
  for (const pattern of expected) expect(found).toContainEqual(expect.stringMatching(pattern));
});

test("a dependency that only the Dockerfile names counts", async () => {
  change("pyproject.toml", 'dependencies = ["openenv>=0.3.1"]', "dependencies = []");
  expect(await problems()).toEqual([expect.stringMatching(/^fail dependency/)]);
  writeFileSync(join(folder, "Dockerfile"), "FROM python\nRUN pip install openenv\n");
  expect(await problems()).toEqual([]);
});

test("without execution there is no plan and no Dockerfile to ask for", async () => {
  change("openenv.yaml", "  execution: {}\n", "");
  rmSync(join(folder, "validation"), { recursive: true });
  expect(await problems()).toEqual([]);
});
