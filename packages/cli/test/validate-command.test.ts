import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EnvDefinition, EnvRegistry } from "@praxis/env";
import { toolEnv } from "@praxis/env/testing";
import { createServer, type PraxisServer } from "@praxis/server";
import { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerValidate } from "../src/commands/validate.ts";
import { CheckFailed } from "../src/outcome.ts";

let server: PraxisServer;
let url: string;
let workspace: string;
beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), "praxis-validate-"));
  server = createServer({ registry: new EnvRegistry([toolEnv as EnvDefinition]), port: 0 });
  ({ url } = await server.listen());
});
afterAll(async () => {
  await server.close();
  rmSync(workspace, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<{ out: string; error: unknown }> {
  const lines: string[] = [];
  const terminal = { out: (text: string) => lines.push(text), err: () => {}, isInteractive: false, hasColor: false };
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  registerValidate(program, terminal);
  for (const command of program.commands) command.exitOverride().configureOutput(program.configureOutput());
  try {
    await program.parseAsync(["validate", ...args], { from: "user" });
    return { out: lines.join("\n"), error: null };
  } catch (error) {
    return { out: lines.join("\n"), error };
  }
}

test("a valid server prints a line a check and ends well; JUnit goes to its file beside", async () => {
  const junit = join(workspace, "report.xml");
  const { out, error } = await run(url, "--strict", "--junit", junit);
  expect(error).toBeNull();
  expect(out.split("\n")[0]).toBe(url);
  expect(out).toContain("  ok   GET /health says healthy");
  expect(out).toMatch(/^Valid: \d+ passed, 0 failed, 0 warnings, 1 skipped\.$/m);
  expect(readFileSync(junit, "utf8")).toContain('failures="0"');
});

test("--json prints one document and nothing else", async () => {
  const { out } = await run(url, "--json");
  expect(JSON.parse(out)).toMatchObject({ target: url, kind: "url", passed: true, counts: { fail: 0 } });
});

test("an action of the caller's is the one that is stepped with", async () => {
  const refused = JSON.parse((await run(url, "--json", "--action", '{"amount":9}')).out) as {
    checks: { id: string; status: string; detail: string }[];
  };
  const step = refused.checks.find(({ id }) => id === "ws_step")!;
  expect([step.status, step.detail]).toEqual(["skip", expect.stringContaining("no action was accepted")]);
});

test("a bad target ends as checked and bad, after its report", async () => {
  const { out, error } = await run(workspace);
  expect(error).toBeInstanceOf(CheckFailed);
  expect(out).toContain("FAIL The folder holds openenv.yaml and no other package format: openenv.yaml is missing");
});

test.each([
  [["--timeout", "0"], "seconds of at least 0.1"],
  [["--sessions", "1.5"], "whole number of at least 1"],
  [["--action", "[1]"], "Give a JSON object"],
  [["--action", "{"], "Give a JSON object"],
  [["--strickt"], "--strict"],
  [["--junit", "no/such/folder/x.xml"], "can't be written"],
])("%j is a wrong command, told with what would do", async (flags, message) => {
  const { error } = await run(url, ...flags);
  expect(error).not.toBeInstanceOf(CheckFailed);
  expect(String((error as Error).message)).toContain(message);
});
