import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { afterAll, describe, expect, test } from "vitest";
import { registerFlow } from "../src/commands/flow.ts";
import { CheckFailed } from "../src/outcome.ts";

const base = mkdtempSync(join(tmpdir(), "flow-cli-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function praxis(
  ...args: readonly string[]
): Promise<{ readonly out: string; readonly err: string; readonly code: number }> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    isInteractive: false,
    hasColor: false,
  };
  const program = new Command("praxis")
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  registerFlow(program, terminal);
  let code = 0;
  try {
    await program.parseAsync(["flow", ...args], { from: "user" });
  } catch (error) {
    code = error instanceof CheckFailed ? 1 : error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
    err.push((error as Error).message);
  }
  return { out: out.join("\n"), err: err.join("\n"), code };
}

const good =
  "models:\n  m: { provider: simulated, model: m, options: { latency_ms: 0 } }\nagents:\n  - { id: a, role: Thinker, goal: Think }\nworkflow:\n  type: sequential\n  steps: [a, { type: human, id: ok, prompt: 'Go on?', schema: { type: boolean } }]\n";
const file = (name: string, text: string): string => {
  writeFileSync(join(base, name), text);
  return join(base, name);
};

describe("praxis flow", () => {
  test("check shows every mistake at its place and ends with 1; a good file ends with 0", async () => {
    const bad = await praxis(
      "check",
      file(
        "bad.yml",
        good.replace("role: Thinker", "rle: Thinker").replace("[a,", "[aa,").replace("simulated", "simulatd"),
      ),
    );
    expect(bad.code).toBe(1);
    expect(bad.out.match(/E\d\d\d/g)?.sort()).toEqual(["E203", "E206", "E207"]);
    expect((await praxis("check", file("good.yml", good))).code).toBe(0);
    expect(
      JSON.parse((await praxis("check", "--json", file("bad2.yml", good.replace("[a,", "[aa,")))).out),
    ).toMatchObject([{ code: "E203", line: 7, column: 11 }]);
  });

  test("run stops at a question with the command that answers it, resume goes on, replay agrees", async () => {
    const path = file("ask.yml", good);
    const runs = join(base, "runs");
    const first = await praxis("run", path, "-i", "x", "--out", runs, "--seed", "5");
    expect([first.code, first.err.includes("--answer")]).toEqual([0, true]);
    const [run] = readdirSync(runs);
    const token = /h_[0-9a-f]+/.exec(first.err)![0];
    const wrong = await praxis("run", path, "--out", runs, "--resume", run!, "--answer", `${token}=maybe`);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("E405")]);
    const second = await praxis("run", path, "--out", runs, "--resume", run!, "--answer", `${token}=true`, "--json");
    expect(JSON.parse(second.out)).toMatchObject({
      status: "completed",
      outputs: { result: expect.stringContaining("true") as string },
    });
    expect(await praxis("replay", run!, "--out", runs)).toMatchObject({
      code: 0,
      err: expect.stringContaining("gave what the run gave") as string,
    });
  });

  test("graph, schema and new write what they name", async () => {
    expect((await praxis("graph", file("g.yml", good))).out).toContain("a (agent)");
    expect((await praxis("graph", "--svg", file("g.yml", good))).out).toContain("<svg");
    expect(JSON.parse((await praxis("schema")).out)).toMatchObject({ title: "Praxis flow" });
    const fresh = join(base, "fresh.yml");
    expect((await praxis("new", fresh)).code).toBe(0);
    expect((await praxis("check", fresh)).code).toBe(0);
    expect(await praxis("new", fresh)).toMatchObject({
      code: 2,
      err: expect.stringContaining("exists already") as string,
    });
  });

  test("a misspelt option is refused with the nearest one, an unknown run and input file are named", async () => {
    expect(await praxis("run", file("g.yml", good), "--grafs")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--graphs") as string,
    });
    expect(await praxis("replay", "nowhere", "--out", base)).toMatchObject({
      code: 2,
      err: expect.stringContaining("nowhere") as string,
    });
    expect(await praxis("run", file("g.yml", good), "-i", "@missing.txt", "--out", base)).toMatchObject({
      code: 2,
      err: expect.stringContaining("missing.txt") as string,
    });
  });
});
