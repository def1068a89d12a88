import { expect, test } from "vitest";
import { type FlowEvent, readRun } from "../src/flow/run-model.ts";

let seq = 0;
const event = (time: number, spanId: string, type: string, data: object): FlowEvent => ({
  seq: seq++,
  time,
  spanId,
  parentSpanId: spanId.includes("/") ? spanId.slice(0, spanId.lastIndexOf("/")) : null,
  type,
  data: { ...data },
});

test("a step that is tried again shows its failure, its wait and its second try", () => {
  const { steps, state } = readRun([
    event(0, "flow", "run.started", { flow: "f", input: "x" }),
    event(0, "flow/a", "step.started", { stepId: "a", kind: "agent", attempt: 1 }),
    event(10, "flow/a", "step.retrying", { attempt: 2, durationMs: 50, reason: "timeout" }),
    event(60, "flow/a", "step.started", { stepId: "a", kind: "agent", attempt: 2 }),
    event(90, "flow/a", "step.completed", { durationMs: 30, usage: { inputTokens: 3, outputTokens: 4 }, costUsd: 0.1 }),
    event(91, "flow", "run.completed", {}),
  ]);
  expect(state).toBe("completed");
  expect(steps[0]?.bars).toEqual([
    { from: 0, to: 10, kind: "failed" },
    { from: 10, to: 60, kind: "wait" },
    { from: 60, to: 90, kind: "run" },
  ]);
  expect(steps[0]).toMatchObject({ state: "completed", attempt: 2, tokens: 7, costUsd: 0.1 });
});

test("a step that was at work when the run ended is stopped, not running for ever", () => {
  const { steps } = readRun([
    event(0, "flow", "run.started", {}),
    event(0, "flow/a", "step.started", { stepId: "a", kind: "agent", attempt: 1 }),
    event(5, "flow", "run.cancelled", {}),
  ]);
  expect(steps[0]?.state).toBe("stopped");
});

test("a feedback round shows the text before and after of whom it sent back", () => {
  const { rounds } = readRun([
    event(0, "flow", "run.started", {}),
    event(1, "flow/a", "agent.completed", { stepId: "a", output: "first" }),
    event(2, "flow", "feedback.iteration", { k: 1, approved: false, targets: ["a"] }),
    event(3, "flow/#1/a", "agent.completed", { stepId: "a", output: "second" }),
    event(4, "flow", "feedback.iteration", { k: 2, approved: true, targets: [] }),
  ]);
  expect(rounds.map(({ revisions }) => revisions)).toEqual([[{ stepId: "a", before: "first", after: "second" }], []]);
});
