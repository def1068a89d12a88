import { PraxisError } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { parseCatalog } from "../src/bank/catalog.ts";
import { parseHandWrittenTasks } from "../src/bank/hand-written-tasks.ts";
import { loadBankText } from "../src/bank/load-bank.ts";

const { skills } = loadBankText("software_engineering");

const entry = (id: string, more = "") => `  - id: ${id}
    role: Engineer
    description: >
      Works on interfaces
      and tables.
    complexity_affinity: [simple]
    avg_latency_ms: 4000
    cost_per_call: 1.0
    profile: { archetype: deep, claims: [api_design, databases], seniority: mid }
${more}`;
const catalog = (...entries: string[]) => `version: 1\nsector: software_engineering\nspecialists:\n${entries.join("")}`;

/** Lines of the error that reading the text gives. */
function problems(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(PraxisError);
    expect((error as PraxisError).code).toBe("INVALID_CONFIG");
    return (error as PraxisError).message.split("\n");
  }
  throw new Error("nothing was wrong with it");
}

describe("a catalog", () => {
  const read = (text: string) => parseCatalog({ file: "team.yaml", text }, skills);

  test("is read with its defaults, skills by name, text on one line", () => {
    const { specialists, fallbackGeneralist, contradictions } = read(
      catalog(entry("one"), entry("two", "    fallback_to: [one]\n")),
    );
    expect(fallbackGeneralist).toBe(true);
    expect(contradictions).toEqual([]);
    expect(specialists[1]).toMatchObject({
      id: "two",
      text: "Works on interfaces and tables.",
      claims: [0, 2],
      fallbackTo: ["one"],
      flowAgent: null,
      marketing: false,
    });
  });

  test.each([
    [
      "the same id twice",
      catalog(entry("one"), entry("one")),
      "team.yaml:13:9 E209 duplicate-id: 'one' is also the id of specialist 1",
    ],
    [
      "a substitute that is not there",
      catalog(entry("first"), entry("two", "    fallback_to: [frist]\n")),
      "team.yaml:22:19 E203 unknown-specialist: 'frist' is no specialist of this file. Did you mean 'first'?",
    ],
    [
      "a skill that is not there",
      catalog(entry("one").replace("databases", "database")),
      "team.yaml:12:54 E251 unknown-skill: 'database' is no skill of the sector. Did you mean 'databases'?",
    ],
    ["an unknown key", catalog(entry("one", "    speed: 3\n")), "E206 unknown-key"],
    [
      "a missing key",
      catalog(entry("one").replace("    role: Engineer\n", "")),
      "E201 missing-key: specialists.0.role is missing",
    ],
    ["a value of the wrong type", catalog(entry("one").replace("4000", "quick")), "team.yaml:10:21 E202 wrong-type"],
    ["a class that is not there", catalog(entry("one").replace("[simple]", "[huge]")), "E207 bad-enum"],
    ["a latency out of range", catalog(entry("one").replace("4000", "4")), "E208 out-of-range"],
    ["an id of other letters", catalog(entry("One two")), "E210 bad-id"],
    ["no profile", catalog(entry("one").replace(/ {4}profile.*\n/, "")), "E201 missing-key: 'one' has no profile"],
    ["no YAML", "specialists: [", "E111 yaml-syntax"],
    ["a list", "- 1\n", "E120 not-a-map"],
  ])("with %s is refused with file and line", (_, text, message) => {
    const lines = problems(() => read(text));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(message);
    expect(lines[0]).toMatch(/^team\.yaml:\d+:\d+ E\d{3} /);
  });

  test("shows all that is wrong, in the order of the file", () => {
    const lines = problems(() => read(catalog(entry("one").replace("mid", "old"), entry("two", "    speed: 3\n"))));
    expect(lines.map((line) => line.match(/E\d+/)![0])).toEqual(["E207", "E206"]);
  });
});

describe("hand-written tasks", () => {
  const task = (more: string) => `  - { class: simple, shape: chain, text: "Something to do today.", ${more} }\n`;
  const plain = (desk: number) => task(`needs: { ${skills[desk]!.name}: 1 }`);
  const file = (first: string) =>
    `tasks:\n${first}${Array.from({ length: 59 }, (_, i) => plain(Math.floor((i + 1) / 5))).join("")}`;
  const read = (first: string) => parseHandWrittenTasks({ file: "tasks.yaml", text: file(first) }, skills, 4096);

  test("have rows after those of the bank, and clarified texts after all of them", () => {
    const tasks = read(task("needs: { api_design: 0.6, databases: 0.4 }, hides: api_design, after: Call it."));
    expect(tasks[0]).toMatchObject({ row: 4096, clarifiedRow: 4156, clarity: "hidden", houseNeed: 0, vague: true });
    expect(tasks[0]!.clarifiedText).toBe("Something to do today. Call it.");
    expect(tasks[59]).toMatchObject({ row: 4155, clarifiedRow: 4155, desk: 11, clarity: "complete" });
    const counts = ["train", "validation", "test"].map((split) => tasks.filter((each) => each.split === split).length);
    expect(counts).toEqual([48, 6, 6]);
  });

  test.each([
    [
      "needs: { api_desing: 1 }",
      "E251 unknown-skill: 'api_desing' is no skill of the sector. Did you mean 'api_design'?",
    ],
    ["needs: { mobile: 1 }", "E208 out-of-range: 'mobile' is no skill of desk 0"],
    ["needs: { api_design: 0.5 }", "the shares of a task sum to 1, not 0.5"],
    ["needs: { api_design: 1 }, hides: databases, after: x", "'hides' names one of the needs"],
    [
      "needs: { api_design: 0.5, databases: 0.5 }, hides: api_design, after: x",
      "'api_design' is not the heaviest need",
    ],
  ])("with %s are refused with file and line", (more, message) => {
    const lines = problems(() => read(task(more)));
    expect(lines[0]).toMatch(/^tasks\.yaml:2:\d+ /);
    expect(lines.join("\n")).toContain(message);
  });
});
