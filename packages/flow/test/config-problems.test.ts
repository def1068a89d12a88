import { describe, expect, test } from "vitest";
import { checkFlow } from "../src/config/check.ts";
import { editDistance, nearestName } from "../src/config/nearest.ts";
import { formatProblems, makeProblem } from "../src/config/problem.ts";
import { diskFiles } from "../src/node/files.ts";
import { checkText, places, team } from "./support/files.ts";

const FOLDER = `${import.meta.dirname}/fixtures/broken`;

describe("acceptance 2: the twelve broken fixtures", () => {
  const expected: readonly (readonly [file: string, place: string])[] = [
    ["missing-field.yml", "6:5 E201"],
    ["duplicate-id.yml", "9:9 E209"],
    ["unknown-agent-sequential.yml", "16:14 E203"],
    ["unknown-agent-parallel.yml", "14:26 E203"],
    ["bad-type.yml", "13:9 E207"],
    ["empty-file.yml", "1:1 E103"],
    ["bad-indentation.yml", "10:4 E111"],
    ["aggregator-in-branches.yml", "16:12 E221"],
    ["wrong-data-type.yml", "5:17 E202"],
    ["empty-id.yml", "9:9 E208"],
    ["missing-workflow.yml", "1:1 E201"],
    ["empty-branches.yml", "14:13 E208"],
    ["not-there.yml", "1:1 E101"],
  ];
  test.each(expected)("%s has exactly one problem, at %s", async (file, place) => {
    expect(places(await checkFlow(`${FOLDER}/${file}`, { files: diskFiles }))).toEqual([place]);
  });
});

test("a file with several mistakes of several stages reports them all at once, in order", async () => {
  const text = `models:
  sim: { provider: simulted, model: sim-1 }
agents:
  - id: researcher
    role: Researcher
    goal: Find facts
    temprature: 0.5
  - id: editor
    role: Editor
    goal: Shorten
workflow:
  type: sequential
  steps:
    - researcher
    - agent: editer
      when: outputs.reseacher.text contains "x"
`;
  const checked = await checkText(text);
  expect(places(checked)).toEqual(["2:20 E207", "7:5 E206", "15:14 E203", "16:13 E232"]);
  expect(checked.problems.map((problem) => problem.suggestion)).toEqual([
    "simulated",
    "temperature",
    "editor",
    "researcher",
  ]);
});

test("a problem is shown with file, line, column, code, excerpt, underline and the nearest name", async () => {
  const text = `${team("researcher", "editor")}workflow:\n  type: sequential\n  steps:\n    - agent: researcher\n    - agent: editer\n`;
  const checked = await checkText(text);
  expect(formatProblems(checked.problems, checked.texts)).toBe(
    [
      'flow.yml:10:14 E203 unknown-agent: workflow.steps[1].agent is "editer", which is not an agent.',
      "    9 |     - agent: researcher",
      ">  10 |     - agent: editer",
      "      |              ^^^^^^",
      '  did you mean "editor"?  known: researcher, editor',
    ].join("\n"),
  );
});

test("at most fifty problems are written out, then their number", () => {
  const range = { file: "f.yml", line: 1, column: 1, endLine: 1, endColumn: 2 };
  const problems = Array.from({ length: 53 }, (_, i) => makeProblem("E206", range, `no ${i}`));
  const text = formatProblems(problems, new Map());
  expect(text.split("\n")).toHaveLength(51);
  expect(text).toContain("… and 3 more problems.");
});

test("a tab counts as one column in the underline", () => {
  const range = { file: "f.yml", line: 1, column: 4, endLine: 1, endColumn: 7 };
  expect(
    formatProblems([makeProblem("E206", range, "m")], new Map([["f.yml", "a:\tbcd"]]))
      .split("\n")
      .slice(1),
  ).toEqual([">   1 | a: bcd", "      |    ^^^"]);
});

test("the nearest name allows swapped letters, ignores case, and is silent for strangers", () => {
  expect(editDistance("ab", "ba")).toBe(1);
  expect(nearestName("reseacrher", ["writer", "researcher"])).toBe("researcher");
  expect(nearestName("Editor", ["editor"])).toBe("editor");
  expect(nearestName("zzz", ["abc", "researcher"])).toBeUndefined();
});

describe("YAML", () => {
  test.each([
    ["a tab as indentation is named", "models:\n\tsim: x\n", "2:1 E111", "tab"],
    [
      "a missing space after a colon is named",
      "models:\n  sim:\n    provider:simulated\n    model: m\n",
      "3:5 E111",
      "space is missing after 'provider:'",
    ],
    ["a list is no flow", "- a\n- b\n", "1:1 E120", "a list"],
    ["a scalar is no flow", "hello\n", "1:1 E120", "a single value"],
    ["several documents are no flow", "a: 1\n---\nb: 2\n", "2:1 E120", "several documents"],
    ["only comments is an empty file", "# a\n# b\n", "1:1 E103", "empty"],
  ])("%s", async (_, text, place, words) => {
    const checked = await checkText(text);
    expect(places(checked)).toEqual([place]);
    expect(checked.problems[0]!.message).toContain(words);
  });

  test("a duplicate key shows both places", async () => {
    const text = `${team("a")}workflow:\n  type: sequential\n  steps: [a]\n  type: parallel\n`;
    const [problem, ...rest] = (await checkText(text)).problems;
    expect(rest).toEqual([]);
    expect([problem!.code, problem!.line, problem!.column, problem!.related?.[0]?.line]).toEqual(["E112", 8, 3, 6]);
  });

  test("aliases that expand too far are refused", async () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [i, name] of ["b", "c", "d", "e"].entries())
      lines.push(`${name}: &${name} [${Array(10).fill(`*${"abcd"[i]}`).join(", ")}]`);
    expect((await checkText(`${lines.join("\n")}\n`)).problems.map((problem) => problem.code)).toEqual(["E113"]);
  });

  test.each([2_170, 100_000])("%i opening brackets are an error, not a stack overflow", async (count) => {
    expect((await checkText(`models: ${"[".repeat(count)}\n`)).problems.map((problem) => problem.code)).toEqual([
      "E111",
    ]);
  });

  test("100,000 compact list items are an error, not a stack overflow", async () => {
    expect((await checkText(`${"- ".repeat(100_000)}a\n`)).problems.map((problem) => problem.code)).toEqual(["E111"]);
  });

  test("words that older YAML reads as booleans stay text, numbers in place of text are named as written", async () => {
    const keyword = `${team("a", "b")}workflow:\n  type: feedback\n  produce: [a]\n  review: b\n  approval_keyword: yes\n`;
    const { plan } = await checkText(keyword);
    expect(plan?.workflow).toMatchObject({ kind: "feedback", approvalKeyword: "yes" });
    expect((await checkText(`${team("no")}workflow: { type: sequential, steps: [no] }\n`)).plan?.agents.has("no")).toBe(
      true,
    );
    for (const [written, value] of [
      ["007", "7"],
      ["1e3", "1000"],
    ] as const) {
      const [problem] = (
        await checkText(`${team("a").replace("id: a,", `id: ${written},`)}workflow: { type: sequential, steps: [a] }\n`)
      ).problems;
      expect(problem).toMatchObject({ code: "E202", line: 4 });
      expect(problem!.message).toContain(`the number ${value} (written ${written}); put it in quotes`);
    }
  });
});

describe("schema", () => {
  const flow = (workflow: string): string => `${team("a", "b", "c")}workflow:\n${workflow}`;

  test("a misspelt required key is one problem, not two", async () => {
    const checked = await checkText(flow("  type: sequential\n  steps:\n    - agnt: a\n"));
    expect(places(checked)).toEqual(["10:7 E206"]);
    expect(checked.problems[0]!.suggestion).toBe("agent");
  });

  test("a key of another workflow type is not suggested", async () => {
    const [problem] = (await checkText(flow("  type: parallel\n  branches: [a]\n  max_concurency: 2\n"))).problems;
    expect(problem).toMatchObject({ code: "E206", suggestion: "max_concurrency" });
    expect(problem!.known).not.toContain("needs");
  });

  test("x- keys are free everywhere but inside headers they stay", async () => {
    const text = flow("  type: sequential\n  x-note: mine\n  steps: [a]\nx-team: blue\n").replace(
      "model: sim-1",
      "model: sim-1, headers: { x-id: '7' }",
    );
    const checked = await checkText(text);
    expect(checked.problems.filter((problem) => problem.severity === "error")).toEqual([]);
    expect(checked.plan?.models.get("sim")?.headers).toEqual({ "x-id": "7" });
  });

  test.each([
    ["a number where a step is expected", "  type: sequential\n  steps: [a, 5]\n", "9:14 E202"],
    ["iterations beyond the limit", "  type: loop\n  do: a\n  until: 'true'\n  max_iterations: 51\n", "11:19 E208"],
    ["a map of nodes that is empty", "  type: dag\n  nodes: {}\n", "9:10 E208"],
    [
      "a fault inside a nested branch",
      "  type: sequential\n  steps:\n    - type: parallel\n      branches: [a, { type: sequential, steps: [] }]\n",
      "11:48 E208",
    ],
    ["an id with a bad first letter", "  type: sequential\n  steps:\n    - { agent: a, id: 9a }\n", "10:23 E210"],
    ["a word that is no join", "  type: parallel\n  branches: [a, b]\n  join: most\n", "10:9 E207"],
    ["an empty key", "  type: sequential\n  steps:\n", "9:3 E202"],
    ["a type that is absent", "  steps: [a]\n", "8:3 E201"],
  ])("%s is one problem at its place", async (_, workflow, place) => {
    expect(places(await checkText(flow(workflow))).filter((text) => !text.includes("W"))).toEqual([place]);
  });
});
