import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { praxis } from "./run-praxis.ts";

const examples = fileURLToPath(new URL("../../../examples/patients/", import.meta.url));
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "praxis-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("play and replay", () => {
  test("an episode is readable, recorded, and replays equal", async () => {
    const trace = join(folder, "episode.jsonl");
    const played = await praxis(
      "play",
      "polyguard",
      "--policy",
      "rule_based",
      "--difficulty",
      "easy",
      "--seed",
      "7",
      "--trace",
      trace,
    );
    expect(played.code).toBe(0);
    expect(played.out).toMatch(/not medical advice/i);
    expect(played.out).toMatch(/\d+ steps, terminated/);
    const replayed = await praxis("replay", trace);
    expect(replayed).toMatchObject({ code: 0, out: expect.stringMatching(/equal/) });
  });

  test("the same command gives the same trace, timing aside", async () => {
    const args = ["play", "polyguard", "--policy", "rule_based", "--difficulty", "easy", "--seed", "9", "--json"];
    const strip = (text: string): string => text.replace(/"ms":[\d.e-]+/g, '"ms":0');
    const [one, two] = [await praxis(...args), await praxis(...args)];
    expect(strip(two.out)).toBe(strip(one.out));
  });

  test("a changed reward is found at its step and exits 1", async () => {
    const trace = join(folder, "tampered.jsonl");
    await praxis(
      "play",
      "polyguard",
      "--policy",
      "rule_based",
      "--difficulty",
      "easy",
      "--seed",
      "7",
      "--trace",
      trace,
    );
    const lines = readFileSync(trace, "utf8").split("\n");
    lines[1] = lines[1]!.replace(/"reward":[\d.]+/, '"reward":0.123');
    writeFileSync(trace, lines.join("\n"));
    const replayed = await praxis("replay", trace);
    expect(replayed.code).toBe(1);
    expect(replayed.out).toMatch(/step 1, reward: recorded 0.123/);
  });

  test("a trace is never overwritten", async () => {
    const trace = join(folder, "kept.jsonl");
    writeFileSync(trace, "mine");
    const played = await praxis("play", "polyguard", "--trace", trace);
    expect(played).toMatchObject({ code: 2, err: expect.stringMatching(/never overwritten/) });
    expect(readFileSync(trace, "utf8")).toBe("mine");
  });

  test.each([
    [["play", "polygard"], /Did you mean 'polyguard'/],
    [["play", "polyguard", "--policy", "rule_base"], /Did you mean 'rule_based'/],
    [["play", "polyguard", "--dificulty", "easy"], /Did you mean 'difficulty'/],
    [["play", "polyguard", "--difficulty", "esay"], /esay/],
    [["sevre"], /Did you mean serve/],
    [["serve", "--prot", "1"], /Did you mean --port/],
    [["replay", "nowhere.jsonl"], /nowhere.jsonl/],
  ])("%j is refused before anything runs, with the nearest name", async (args, message) => {
    expect(await praxis(...args)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(message) });
  });
});

describe("check", () => {
  test("the registered environments are listed", async () => {
    expect(await praxis("check", "--list")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/PolyGuard-v0 {2}\(polyguard\)/),
    });
  });
});

describe("help", () => {
  test.each(["serve", "review", "play", "replay", "check", "validate", "new"])(
    "%s shows a real example",
    async (verb) => {
      const { code, out } = await praxis(verb, "--help");
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`\\n\\s+praxis ${verb} \\S+`));
    },
  );

  test("the program's help says what PolyGuard is not", async () => {
    expect((await praxis("--help")).out).toMatch(/not medical advice/);
  });
});

describe("review", () => {
  test("a bundle goes in, findings with source and actions with their effect come out, over the wire", async () => {
    const { code, out } = await praxis("review", join(examples, "bleeding.json"));
    expect(code).toBe(0);
    expect(out).toMatch(/not medical advice/i);
    expect(out).toMatch(/MAJOR {2}warfarin \+ ibuprofen/);
    expect(out).toMatch(/source: .*warfarin/);
    expect(out).toMatch(/expected harm 0\.\d+ -> 0\.\d+, reward 0\.\d+/);
    expect(out).toMatch(/safety_delta_score/);
  });

  test("what was not used is shown and never called safe", async () => {
    const { out } = await praxis("review", join(examples, "brands-and-unmapped.json"));
    expect(out).toMatch(/NOT CHECKED {2}Zorblaxin forte/);
    expect(out).toMatch(/not the same as safe/);
  });

  test("one malformed file does not stop the others; the command exits 1", async () => {
    const { code, out } = await praxis(
      "review",
      join(examples, "malformed.json"),
      join(examples, "clean.json"),
      "--json",
    );
    expect(code).toBe(1);
    const report = JSON.parse(out) as {
      reviews: { name: string }[];
      failures: { name: string; code: string; message: string }[];
    };
    expect(report.reviews.map((each) => each.name)).toEqual(["clean.json"]);
    expect(report.failures).toEqual([
      expect.objectContaining({
        name: "malformed.json",
        code: "INVALID_FHIR",
        message: expect.stringMatching(/line \d+, column \d+/),
      }),
    ]);
  });

  test("the HTML report stands alone and shows markup in names as text", async () => {
    const bundle = JSON.parse(readFileSync(join(examples, "clean.json"), "utf8")) as {
      entry: { resource: { resourceType: string; name?: unknown } }[];
    };
    const patient = bundle.entry.find((entry) => entry.resource.resourceType === "Patient")!;
    patient.resource.name = [{ text: "<img src=x onerror=alert(1)> 李" }];
    const file = join(folder, "markup.json");
    writeFileSync(file, JSON.stringify(bundle));
    const html = join(folder, "report.html");
    expect((await praxis("review", file, "--html", html)).code).toBe(0);
    const page = readFileSync(html, "utf8");
    expect(page).toContain("&lt;img src=x onerror=alert(1)&gt; 李");
    expect(page).not.toContain("<img");
    expect(page).toMatch(/not medical advice/i);
    expect(page).not.toMatch(/https?:\/\//);
  });

  test("an unknown policy is refused with the choices", async () => {
    expect(await praxis("review", join(examples, "clean.json"), "--policy", "oracle")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/rule_based/),
    });
  });
});
