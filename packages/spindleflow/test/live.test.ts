import fc from "fast-check";
import { expect, test } from "vitest";
import { type LiveScene, makeLiveCascade } from "../src/live/cascade.ts";
import { requirementPhrases, scoreText } from "../src/live/text-score.ts";

const task = "Our nightly export locks the orders table; how do we speed it up?";
const good =
  "- Run the nightly export on a replica, so that nothing locks.\n- Index the orders table by date and export in slices, which lets it speed up.";

const scene = (changes: Partial<LiveScene> = {}): LiveScene => ({
  task,
  roster: [
    { id: "front", description: "screens", similarity: 0.1, called: false, failed: false, allowed: true },
    { id: "data", description: "tables", similarity: 0.7, called: false, failed: false, allowed: true },
    { id: "ops", description: "jobs", similarity: 0.4, called: false, failed: false, allowed: true },
  ],
  ...{ outputs: [], step: 0, maxSteps: 4, elapsedMs: 0, slaMs: undefined },
  ...changes,
});

test("an empty text scores nothing, a copy of the task less than an answer, and no text leaves 0 to 1", () => {
  expect(scoreText(task, "  ")).toBe(0);
  expect(scoreText(task, good)).toBeGreaterThan(0.85);
  expect(scoreText(task, `${task} ${task}`)).toBeLessThan(scoreText(task, good));
  fc.assert(
    fc.property(fc.string(), fc.string(), (of, text) => {
      const score = scoreText(of, text);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1 + 1e-12);
    }),
  );
});

test("length beyond 4,000 characters wins nothing, and requirements are counted as whole words", () => {
  expect(scoreText(task, good.padEnd(9000, " filler"))).toBeLessThan(scoreText(task, good));
  expect(requirementPhrases("Index the ORDERS, the orders!")).toEqual(["index", "orders"]);
  expect(scoreText("orders", "reorders", ["orders"])).toBeLessThan(scoreText("orders", "my orders", ["orders"]));
});

test("the nearest is asked first, and a good answer ends it", async () => {
  const policy = makeLiveCascade();
  expect(await policy.decide(scene())).toMatchObject({ meta: "call", members: ["data"], measured: null });
  const answered = scene({ outputs: [{ id: "data", text: good }], step: 1 });
  expect(await policy.decide(answered)).toMatchObject({ meta: "stop", reason: expect.stringContaining("good enough") });
});

test("a failed call is not scored: the next is asked, and nothing is measured", async () => {
  const judged: string[] = [];
  const policy = makeLiveCascade((_, text) => {
    judged.push(text);
    return 0;
  });
  const roster = scene().roster.map((member) =>
    member.id === "data" ? { ...member, called: true, failed: true } : member,
  );
  const decision = await policy.decide(scene({ roster, step: 1 }));
  expect(decision).toMatchObject({ meta: "call", members: ["ops"], measured: null });
  expect(decision.reason).toContain("failed");
  expect(judged).toEqual([]);
});

test("a poor answer calls the next, a call that no budget allows is not made, and time and steps end it", async () => {
  const policy = makeLiveCascade(async () => 0.2);
  const roster = scene().roster.map((member) => ({
    ...member,
    called: member.id === "data",
    allowed: member.id !== "ops",
  }));
  const poor = { roster, outputs: [{ id: "data", text: "hm" }], step: 1 };
  expect(await policy.decide(scene(poor))).toMatchObject({ meta: "call", members: ["front"], measured: 0.2 });
  expect((await policy.decide(scene({ ...poor, step: 4 }))).reason).toContain("steps");
  expect((await policy.decide(scene({ ...poor, slaMs: 100, elapsedMs: 100 }))).reason).toContain("time");
});
