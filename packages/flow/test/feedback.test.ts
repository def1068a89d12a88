import { describe, expect, test } from "vitest";
import { parseVerdict } from "../src/engine/verdict.ts";
import { team } from "./support/files.ts";
import { eventsOf, runScript, runText } from "./support/run.ts";

const producers = [
  { id: "writer", names: ["writer", "Staff Writer"] },
  { id: "tester", names: ["tester", "QA"] },
];
const approves = (text: string, keyword = "APPROVED"): boolean => parseVerdict(text, keyword, producers).approved;

describe("verdicts in words", () => {
  test.each([
    "APPROVED",
    "approved.",
    "  **APPROVED** - fine",
    "# Approved\nGood work.",
    "\n\nAPPROVED!",
    "✅ APPROVED",
    "APPROVED, with thanks",
    '{"approved": true, "feedback": {}, "summary": ""}',
    'Here it is:\n```json\n{"approved": true}\n```',
  ])("%j approves", (text) => {
    expect(approves(text)).toBe(true);
  });

  test.each([
    "NOT APPROVED",
    "NOT APPROVED yet",
    "Not approved: too long",
    "This cannot be APPROVED",
    "It isn't approved",
    "UNAPPROVED",
    "Disapproved",
    "❌ APPROVED",
    "APPROVEDLY fine",
    "Please fix this.\nAPPROVED",
    "```\nAPPROVED\n```",
    "APPROVED? No.",
    "APPROVED: no",
    "Approved once the tests pass",
    "",
    '{"approved": false, "feedback": {}, "summary": "APPROVED"}',
    '{"approved": "true"}',
  ])("%j does not approve", (text) => {
    expect(approves(text)).toBe(false);
  });

  test("another keyword is matched as a whole word, whatever its letters", () => {
    expect(approves("yes", "yes")).toBe(true);
    expect(approves("yesterday", "yes")).toBe(false);
    expect(approves("SHIP IT now", "SHIP IT")).toBe(true);
  });

  test("feedback is taken from headings that equal an id or a role, up to the next such heading", () => {
    const text = "Needs work.\n\n## writer\nShorten it.\n- one\n\n**QA:**\nAdd a case.\nNote: keep the rest.\n";
    expect(parseVerdict(text, "APPROVED", producers).feedback).toEqual({
      writer: "Shorten it.\n- one",
      tester: "Add a case.\nNote: keep the rest.",
    });
    expect(parseVerdict("no\nStaff Writer: shorter please", "APPROVED", producers).feedback).toEqual({
      writer: "shorter please",
    });
  });

  test("structured feedback for unknown names is dropped", () => {
    expect(
      parseVerdict(
        '{"approved": false, "feedback": {"qa": "more", "nobody": "x"}, "summary": "s"}',
        "APPROVED",
        producers,
      ),
    ).toEqual({ approved: false, feedback: { tester: "more" }, summary: "s" });
  });
});

const flow = (keys = ""): string =>
  `${team("a", "b", "rev")}workflow:\n  type: feedback\n  produce: [a, b]\n  review: rev\n${keys}`;

describe("the loop", () => {
  test('acceptance 3: "NOT APPROVED yet" does not approve; a draft that nobody revises is still seen in round 2; a closing review exists', async () => {
    const ran = await runScript(flow("  max_iterations: 1\n  feedback_targets: [a]\n  final_synthesis: false\n"), [
      { agent: "a", kind: "work", text: "draft-a-1" },
      { agent: "b", kind: "work", text: "draft-b-1" },
      { agent: "rev", includes: "draft-b-1", text: "NOT APPROVED yet\n## a\nmore detail" },
      { agent: "a", kind: "revise", includes: "more detail", text: "draft-a-2" },
      { agent: "rev", includes: "closing review", text: "APPROVED" },
    ]);
    expect(ran.result.status).toBe("completed");
    const closing = JSON.stringify(ran.model.calls.at(-1)!.prompt);
    expect(closing).toContain("draft-a-2");
    expect(closing).toContain("draft-b-1");
    expect(
      eventsOf(ran, "feedback.iteration").map((event) => [event.data.k, event.data.approved, event.data.closing]),
    ).toEqual([
      [1, false, false],
      [2, true, true],
    ]);
    expect(ran.result.outputs.result).toBe("## a\ndraft-a-2\n\n## b\ndraft-b-1");
  });

  test.each([1, 2, 3])(
    "with max_iterations %i exactly so many revisions are made and the result says that it was not approved",
    async (rounds) => {
      const ran = await runScript(flow(`  max_iterations: ${rounds}\n`), [
        { agent: "rev", kind: "review", text: "no\n## a\nmore", times: rounds + 1 },
        { agent: "a", kind: "work", text: "a1" },
        { agent: "a", kind: "revise", text: "a2", times: rounds },
        { agent: "b", text: "b1" },
        { agent: "rev", kind: "synthesize", text: "all" },
      ]);
      expect(ran.result.status).toBe("completed");
      expect(ran.result.outputs.result).toBe(`Not approved after ${rounds} rounds.\n\nall`);
    },
  );

  test("without feedback for anyone every target gets the whole review", async () => {
    const ran = await runScript(flow("  max_iterations: 1\n  final_synthesis: false\n"), [
      { agent: "a", kind: "work", text: "a1" },
      { agent: "b", kind: "work", text: "b1" },
      { agent: "rev", text: "All of it is too long." },
      { agent: "a", kind: "revise", includes: "All of it is too long.", text: "a2" },
      { agent: "b", kind: "revise", includes: "All of it is too long.", text: "b2" },
      { agent: "rev", text: "APPROVED" },
    ]);
    expect(ran.result.outputs.result).toContain("a2");
    expect(ran.result.outputs.result).toContain("b2");
  });

  test("the reviewer sees its own earlier remarks, and tools of a producer stay in revisions", async () => {
    const text = flow("  max_iterations: 1\n  final_synthesis: false\n").replace(
      "id: a,",
      "id: a, tools: [calculator],",
    );
    const ran = await runScript(
      text,
      [
        { agent: "a", kind: "work", text: "a1" },
        { agent: "b", text: "b1" },
        { agent: "rev", text: "no\n## a\nremember-this-remark" },
        { agent: "a", kind: "revise", text: "a2" },
        { agent: "rev", includes: "remember-this-remark", text: "APPROVED" },
      ],
      {
        tools: {
          resolve: async () => [
            {
              name: "calculator",
              description: "",
              inputSchema: { type: "object" },
              approval: "never",
              idempotent: true,
              execute: async () => ({ ok: true, content: "1" }),
            },
          ],
          close: async () => undefined,
        },
      },
    );
    expect(ran.result.status).toBe("completed");
    expect(
      ran.model.calls
        .filter((call) => JSON.stringify(call.prompt).includes("Revise"))
        .map((call) => call.tools?.length),
    ).toEqual([1]);
  });

  test("the form then.feedback_loop is the same loop", async () => {
    const text = `${team("a", "rev")}workflow:\n  type: parallel\n  branches: [a]\n  then: { agent: rev, feedback_loop: { max_iterations: 2 } }\n`;
    const ran = await runText(text);
    expect(eventsOf(ran, "feedback.iteration").map((event) => event.data.approved)).toEqual([false, true]);
    expect(ran.result.status).toBe("completed");
  });
});
