import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { EnvDefinition } from "@praxis/env";
import { gridEnv, toolEnv } from "@praxis/env/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readBundledSettings } from "../src/openenv/bundled-server.ts";
import { manifestText, runtimePlan } from "../src/openenv/manifest.ts";
import { pythonNames } from "../src/openenv/names.ts";
import { modelsText } from "../src/openenv/python-client.ts";
import { writeOpenEnvFolder } from "../src/openenv-folder.ts";
import { validate } from "../src/validate/validate.ts";

const tools = toolEnv as EnvDefinition;
const grid = gridEnv as EnvDefinition;
const source = {
  definition: tools,
  module: fileURLToPath(import.meta.resolve("@praxis/env/testing")),
  exportName: "toolEnv",
};

let workspace: string;
let folder: string;
beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), "praxis-bundle-"));
  folder = join(workspace, "tools");
  await writeOpenEnvFolder(source, folder);
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

function listFiles(root: string, at = root): string[] {
  return readdirSync(at)
    .sort()
    .flatMap((name) => {
      const path = join(at, name);
      return statSync(path).isDirectory() ? listFiles(root, path) : [relative(root, path)];
    });
}

describe("the package folder", () => {
  test("holds what both generations of OpenEnv, uv and Docker look for, and passes their folder checks", async () => {
    expect(listFiles(folder).filter((path) => !path.startsWith("server/assets/"))).toEqual([
      ".dockerignore",
      "Dockerfile",
      "README.md",
      "__init__.py",
      "client.py",
      "models.py",
      "openenv.yaml",
      "pyproject.toml",
      "server/__init__.py",
      "server/app.py",
      "server/server.mjs",
      "uv.lock",
      "validation/runtime.json",
    ]);
    const report = await validate(folder, { timeoutMs: 1000, sessions: 1, strict: true, now: () => 0 });
    expect(report.checks.filter(({ status }) => status !== "pass")).toEqual([]);
  });

  test("names no folder of the machine that built it", () => {
    for (const path of listFiles(folder)) {
      const text = readFileSync(join(folder, path), "utf8");
      expect(text.includes(fileURLToPath(new URL("../../..", import.meta.url))), path).toBe(false);
      expect(text.includes(workspace), path).toBe(false);
    }
  });

  test("is rebuilt to the same bytes, and files of an earlier build go", async () => {
    const before = listFiles(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]);
    writeFileSync(join(folder, "left-over.txt"), "");
    await writeOpenEnvFolder(source, folder);
    expect(listFiles(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")])).toEqual(before);
  });

  test("never replaces a folder that is not an earlier build", async () => {
    const other = join(workspace, "other");
    mkdirSync(other);
    writeFileSync(join(other, "precious.txt"), "");
    await expect(writeOpenEnvFolder(source, other)).rejects.toThrow("is not empty and holds no openenv.yaml");
    expect(existsSync(join(other, "precious.txt"))).toBe(true);
  });

  test("is not built around a module that does not exist", async () => {
    const missing = writeOpenEnvFolder({ ...source, module: join(workspace, "nothing.js") }, join(workspace, "broken"));
    await expect(missing).rejects.toThrow("could not be bundled");
  });
});

describe("the manifest", () => {
  test("declares reward range, tools and tasks as the definition has them", () => {
    const manifest = parse(manifestText(grid)) as { validation: Record<string, Record<string, unknown>> };
    expect(manifest.validation.reward!.range).toEqual([-0.1, 1]);
    expect(manifest.validation.capabilities).toMatchObject({ task_api: true, declared_task_count: { corners: 2 } });
    const other = parse(manifestText(tools)) as typeof manifest;
    expect(other.validation.capabilities!.declared_tools).toEqual(["look", "add", "fail", "peek"]);
  });

  test("keeps its range increasing where every reward is one number", () => {
    const { validation } = parse(manifestText({ ...tools, rewardRange: [0, 0] })) as {
      validation: { reward: { range: number[] } };
    };
    expect(validation.reward.range).toEqual([0, 1]);
  });

  test("comes with a plan that plays one episode to its end", async () => {
    const plan = JSON.parse(await runtimePlan(tools)) as { reset: { seed: number }; actions: { amount: number }[] };
    const env = toolEnv.makeEnv();
    env.reset({ seed: plan.reset.seed });
    const steps = plan.actions.map((action) => env.step(action));
    expect(steps.map((step) => step.terminated || step.truncated).indexOf(true)).toBe(plan.actions.length - 1);
  });
});

describe("the Python side", () => {
  test("names package, distribution and classes as AutoEnv infers them", () => {
    expect(pythonNames("lights-out")).toEqual({
      package: "lights_out",
      distribution: "openenv-lights_out",
      classPrefix: "LightsOut",
    });
    expect(pythonNames("echo_env").classPrefix).toBe("Echo");
  });

  test.each(["server", "openenv", "Bad", "1st"])("refuses the name %s, which would break imports", (name) => {
    expect(() => pythonNames(name)).toThrow("can't be a Python package");
  });

  test("has typed models, in which a field that Python can't name is left to the extras", () => {
    const text = modelsText(tools, pythonNames("tools"));
    expect(text).toContain("class ToolsAction(Action):");
    expect(text).toContain("    amount: int\n");
    expect(text).toContain("class ToolsObservation(Observation):");
    expect(text).toContain("    target: int\n");
  });
});

describe("the bundled server", () => {
  test("takes flags before variables before the defaults of a container", () => {
    expect(readBundledSettings([], {})).toEqual({
      host: "0.0.0.0",
      port: 8000,
      mode: "simulation",
      maxSessions: 256,
      exitWithStdin: false,
    });
    const variables = { PORT: "7860", OPENENV_MODE: "production", MAX_CONCURRENT_ENVS: "4" };
    expect(readBundledSettings([], variables)).toMatchObject({ port: 7860, mode: "production", maxSessions: 4 });
    expect(readBundledSettings(["--port", "9", "--max-sessions=2"], variables)).toMatchObject({
      port: 9,
      maxSessions: 2,
    });
  });

  test.each([[["--prot", "1"]], [["--port", "x"]], [["--port=-1"]], [["extra"]]])(
    "refuses %j with its options",
    (args) => {
      expect(() => readBundledSettings(args, {})).toThrow("--max-sessions NUMBER");
    },
  );

  test("needs nothing but Node: it serves from an empty place, ends with its parent's input, and exits with 0", async () => {
    const moved = join(workspace, "moved");
    mkdirSync(moved);
    const child = spawn(
      process.execPath,
      [join(folder, "server/server.mjs"), "--host", "127.0.0.1", "--port", "0", "--exit-with-stdin"],
      {
        cwd: moved,
        env: {},
      },
    );
    const url = await new Promise<string>((resolve) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => resolve(/http:\S+/.exec(text)?.[0] ?? ""));
    });
    expect((await validate(url, { timeoutMs: 5000, sessions: 4, strict: true, now: () => 0 })).passed).toBe(true);
    expect((await fetch(`${url}/web/`)).status).toBe(200);
    const exit = new Promise((resolve) => child.on("exit", (code, signal) => resolve([code, signal])));
    child.stdin.end();
    expect(await exit).toEqual([0, null]);
  });

  test("says in one line why it can't start: 2 for a wrong setting, 1 for a taken port", async () => {
    const run = (args: string[], env: NodeJS.ProcessEnv) =>
      new Promise<[number | null, string]>((resolve) => {
        const child = spawn(process.execPath, [join(folder, "server/server.mjs"), ...args], { env });
        let text = "";
        child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        child.on("exit", (code) => resolve([code, text]));
      });
    const [badMode, modeText] = await run([], { OPENENV_MODE: "training" });
    expect([badMode, modeText.startsWith("Tools-v0: ")]).toEqual([2, true]);
    const { createServer } = await import("node:net");
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { port: number };
    const [inUse, portText] = await run(["--host", "127.0.0.1", "--port", String(port)], {});
    taken.close();
    expect([inUse, portText.includes("EADDRINUSE")]).toEqual([1, true]);
  });
});
