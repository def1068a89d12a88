import { expect, test } from "vitest";
import { waterfallOf } from "../src/environments/polyguard/waterfall-bars.ts";

const weights = { total: { safety: 0.6, process: 0.4 }, channels: { safety: { a: 0.5, b: 0.5 }, process: { c: 1 } } };

test("each channel begins where the one before ended, and together they are the total before any gate", () => {
  const bars = waterfallOf({ a: 1, b: 0.5, c: 0.25 }, { safety: 0.75, process: 0.25 }, weights);
  expect(bars.map(({ name, from, adds }) => [name, from, adds])).toEqual([
    ["safety", 0, 0.6 * 0.75],
    ["process", 0.6 * 0.75, 0.4 * 0.25],
  ]);
  expect(bars[0]?.parts).toEqual([
    { name: "a", value: 1, weight: 0.5 },
    { name: "b", value: 0.5, weight: 0.5 },
  ]);
});

test("what is not told counts as nothing, so that a foreign server's reward is still drawn", () => {
  expect(waterfallOf({}, {}, weights).map(({ adds }) => adds)).toEqual([0, 0]);
});
