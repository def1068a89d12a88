import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkEnv, EnvRegistry } from "@praxis/env";
import { createServer } from "@praxis/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadEnvironment } from "../packages/cli/src/load-environment.ts";
import { writeProject } from "../packages/cli/src/new/write-project.ts";
import { writeOpenEnvFolder } from "../packages/cli/src/openenv-folder.ts";
import { validate } from "../packages/cli/src/validate/validate.ts";
import { findPeers, runProgram } from "./peers.ts";

const TIMEOUT_MS = 180_000;
const nodeModules = fileURLToPath(new URL("../node_modules", import.meta.url));
const options = { timeoutMs: 5000, sessions: 4, strict: true, now: () => performance.now() };
const peers = findPeers().filter((peer) => peer.missing === null);

let workspace: string;
let project: string;
beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), "praxis-new-"));
  project = join(workspace, "number-hunt");
  writeProject({ name: "number-hunt", folder: project, taken: [] });
  // What `npm install` would put there; tests use no network.
  symlinkSync(nodeModules, join(project, "node_modules"));
  const built = await runProgram(process.execPath, [join(nodeModules, "typescript/bin/tsc")], { cwd: project });
  expect([built.code, built.stdout]).toEqual([0, ""]);
}, TIMEOUT_MS);
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

test(
  "a new environment passes its own tests",
  async () => {
    const { code, stdout } = await runProgram(process.execPath, ["--test", "dist/test/environment.test.js"], {
      cwd: project,
      // Without the variables by which a test runner tells its children that they are its own.
      env: { PATH: process.env.PATH },
    });
    expect(stdout).toMatch(/^# pass 4$/m);
    expect([code, /^not ok.*$/m.exec(stdout)]).toEqual([0, null]);
  },
  TIMEOUT_MS,
);

test(
  "a new environment keeps the contract and, served, is valid without a warning in both modes",
  async () => {
    const { definition } = await loadEnvironment(project);
    expect((await checkEnv(definition)).filter((check) => !check.ok)).toEqual([]);
    for (const mode of ["simulation", "production"]) {
      const server = createServer({ registry: new EnvRegistry([definition]), port: 0, mode });
      try {
        const report = await validate((await server.listen()).url, options);
        expect(report.checks.filter(({ status }) => status === "fail" || status === "warn")).toEqual([]);
      } finally {
        await server.close();
      }
    }
  },
  TIMEOUT_MS,
);

test(
  "a new environment's package folder passes our checks and those of the official packages that are installed",
  async () => {
    const folder = join(workspace, "number_hunt");
    const source = await loadEnvironment(project);
    await writeOpenEnvFolder(source, folder);
    const report = await validate(folder, options);
    expect(report.checks.filter(({ status }) => status !== "pass")).toEqual([]);

    const server = createServer({ registry: new EnvRegistry([source.definition]), port: 0 });
    try {
      const { url } = await server.listen();
      for (const { command, version } of peers) {
        expect((await runProgram(command, ["validate", "--url", url])).code).toBe(0);
        const level = version.startsWith("0.3") ? [] : ["--level", "static"];
        expect((await runProgram(command, ["validate", ...level, folder])).code).toBe(0);
      }
    } finally {
      await server.close();
    }
  },
  TIMEOUT_MS,
);
