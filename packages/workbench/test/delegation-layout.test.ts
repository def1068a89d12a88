import { describe, expect, test } from "vitest";
import { layOut } from "../src/environments/spindleflow/delegation-layout.ts";
import type { Call } from "../src/environments/spindleflow/observation.ts";
import { rewardBars } from "../src/environments/spindleflow/reward-bars.ts";

const call = (
  caller: Call["caller"],
  callee: Call["callee"],
  step: number,
  status = "ok",
  score: number | null = 0.5,
) => ({
  ...{ caller, callee, step, status, score },
  ...{ mode: "sequential", startMs: 0, endMs: 1, reason: "none" },
});

describe("the picture of delegations", () => {
  test("a node keeps its place while calls are added", () => {
    const early = layOut([0, 1, 2], [], 0);
    const late = layOut([0, 1, 2], [call("orchestrator", 1, 1), call(1, 2, 2), call("orchestrator", "mediator", 3)], 3);
    for (const node of early.nodes) expect(late.nodes).toContainEqual(node);
    expect(late.nodes.map(({ party }) => party)).toEqual(["orchestrator", 0, 1, 2, "mediator"]);
  });

  test("calls between the same two are one line that tells the newest outcome and the newest score", () => {
    const { edges } = layOut([0, 1], [call("orchestrator", 0, 1), call("orchestrator", 0, 2, "timeout", null)], 2);
    expect(edges).toHaveLength(1);
    expect(edges[0]).toMatchObject({ count: 2, isOk: false, score: 0.5, isNew: true });
    expect(layOut([0, 1], [call("orchestrator", 0, 1)], 2).edges[0]!.isNew).toBe(false);
  });

  test("a call of somebody who has no place is left out", () => {
    expect(layOut([0], [call("orchestrator", 5, 1)], 1).edges).toEqual([]);
  });
});

describe("the terms of a task's reward", () => {
  test("each begins where the one before ended, and all lie between low and high", () => {
    const { bars, low, high, sum } = rewardBars({ components: { a: 0.3, b: -0.5, c: 0.1 }, reward: -0.1 });
    expect(bars.map(({ from }) => from)).toEqual([0, bars[0]!.to, bars[1]!.to]);
    expect(sum).toBeCloseTo(-0.1);
    for (const { from, to } of bars) for (const end of [from, to]) expect(end >= low && end <= high).toBe(true);
  });

  test("zero and a clipped reward are within the picture", () => {
    const { low, high } = rewardBars({ components: { a: -3, b: 0.5 }, reward: -1 });
    expect([low, high]).toEqual([-3, 0]);
  });
});
