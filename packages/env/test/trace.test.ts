import { describe, expect, test } from "vitest";
import type { EnvDefinition, Policy, SyncEnv } from "../src/env.ts";
import { recordEpisode, replayTrace } from "../src/replay.ts";
import { Rng } from "../src/rng.ts";
import { counterEnv, type GridAction, gridEnv } from "../src/testing/index.ts";
import { formatTrace, parseTraces, type Trace, traceHeader, traceStep } from "../src/trace.ts";

function randomGridPolicy(): Policy<GridAction> {
  let rng = Rng.fromSeed(0);
  return {
    name: "random",
    reset: (stream) => {
      rng = stream;
    },
    act: () => ({ direction: rng.integer(0, 3) }),
  };
}
const grid = gridEnv as EnvDefinition;
const newGrid = () => gridEnv.makeEnv() as SyncEnv;
const record = (options: { now?: () => number; maxSteps?: number } = {}): Promise<Trace> =>
  recordEpisode(
    grid,
    newGrid(),
    randomGridPolicy() as Policy,
    { seed: 5, episodeId: "episode 5" },
    {
      rng: Rng.fromSeed(5, "policy"),
      ...options,
    },
  );
const linesOf = async () =>
  formatTrace(await record())
    .trimEnd()
    .split("\n");

describe("recording", () => {
  test("an episode is recorded to its end, with header, one line a step and a sum", async () => {
    const trace = await record();
    expect(trace.header).toMatchObject({ env: "Grid-v0", seed: 5, episodeId: "episode 5", policy: "random" });
    const last = trace.steps.at(-1)!;
    expect(last.terminated || last.truncated).toBe(true);
    expect(last.terminationReason).toBeTypeOf("string");
    expect(trace.end!.steps).toBe(trace.steps.length);
    expect(trace.end!.return).toBe(trace.steps.reduce((sum, step) => sum + step.reward, 0));
  });

  test("equal seeds give equal text, and timing is there only with a clock", async () => {
    expect(formatTrace(await record())).toBe(formatTrace(await record()));
    let now = 0;
    const timed = await record({ now: () => now++ * 10, maxSteps: 2 });
    expect(timed.steps.map((step) => step.ms)).toEqual([10, 10]);
    expect((await record()).steps[0]).not.toHaveProperty("ms");
  });

  test("each step is told as it is made", async () => {
    const seen: number[] = [];
    const policy = randomGridPolicy() as Policy;
    const options = { rng: Rng.fromSeed(1), maxSteps: 3, onStep: ({ step }: { step: number }) => seen.push(step) };
    await recordEpisode(grid, newGrid(), policy, { seed: 5 }, options);
    expect(seen).toEqual([1, 2, 3]);
  });

  test("a header needs a seed", () => {
    const context = { policy: "p", episodeId: "e" };
    expect(() => traceHeader(counterEnv, {}, { observation: {}, info: {} }, context)).toThrow(
      expect.objectContaining({ code: "INVALID_TRACE" }),
    );
    expect(traceHeader(counterEnv, {}, { observation: {}, info: { seed: 3 } }, context).seed).toBe(3);
  });

  test("an action in a typed array is written so that it can be replayed", () => {
    const result = { observation: {}, reward: 0, terminated: false, truncated: false, info: {} };
    expect(JSON.stringify(traceStep(1, Float32Array.of(0.5, 1), result).action)).toBe("[0.5,1]");
  });
});

describe("the format", () => {
  test("parse undoes format, for several episodes too", async () => {
    const [a, b] = [await record(), await record({ maxSteps: 2 })];
    expect(parseTraces(formatTrace(a) + formatTrace(b))).toEqual([a, b]);
  });

  test("a run that was cut has no end, and is no error", async () => {
    const lines = await linesOf();
    const [trace] = parseTraces(lines.slice(0, 3).join("\r\n"));
    expect(trace!.end).toBeNull();
    expect(trace!.steps).toHaveLength(2);
  });

  const edited = (at: number, change: Readonly<Record<string, unknown>>) => async () => {
    const lines = await linesOf();
    const line: unknown = JSON.parse(lines.at(at)!);
    lines.splice(at, 1, JSON.stringify({ ...(line as object), ...change }));
    return lines.join("\n");
  };
  test.each<[string, () => Promise<string>, RegExp]>([
    ["another version", edited(0, { version: 2 }), /^line 1 has trace version 2; this reader knows 1\./],
    ["an unknown kind", edited(1, { kind: "stop" }), /^line 2 has kind "stop"; expected header, step or end\.$/],
    ["a missing field", edited(1, { reward: undefined }), /^line 2 field 'reward'/],
    ["an extra field", edited(1, { bonus: 1 }), /^line 2 .*bonus/],
    ["a step that skips", edited(2, { step: 5 }), /^line 3 is step 5; expected 2\.$/],
    ["a step after the last", edited(1, { terminated: true }), /^line 3 is a step after the episode's last\.$/],
    ["an end that miscounts", edited(-1, { steps: 99 }), /^line \d+ ends an episode of 99 steps, but \d+ were read\.$/],
    ["a step before any header", async () => (await linesOf())[1]!, /^line 1 \(step\) stands before any header\.$/],
    [
      "a line after the end",
      async () => [...(await linesOf()), (await linesOf()).at(-1)].join("\n"),
      /^line \d+ \(end\) follows the end of its episode\.$/,
    ],
    ["half a line", async () => `${(await linesOf())[0]}\n{"kind":"st`, /^line 2 is not JSON: {"kind":"st$/],
    ["no text", async () => " \n", /^The trace is empty\.$/],
    ["a number", async () => "5", /^line 1 has kind undefined/],
  ])("%s is refused by line", async (_name, makeText, message) => {
    const text = await makeText();
    expect(() => parseTraces(text)).toThrow(expect.objectContaining({ code: "INVALID_TRACE" }));
    expect(() => parseTraces(text)).toThrow(message);
  });
});

describe("replay", () => {
  test("a trace replays without difference, timing aside, also after a round trip through text", async () => {
    const [trace] = parseTraces(formatTrace(await record({ now: () => 1 })));
    expect(replayTrace(grid, newGrid(), trace!)).toBeNull();
  });

  test.each<[string, unknown]>([
    ["reward", 9],
    ["observationHash", "0000000000000000"],
    ["rewardComponents", { goal: 1, closer: 0 }],
    ["violations", [{ kind: "other", message: "" }]],
    ["truncated", true],
    ["terminationReason", "bored"],
  ])("a difference in %s is found at its step", async (field, value) => {
    const trace = await record();
    const steps = trace.steps.map((step, i) => (i === 1 ? { ...step, [field]: value } : step));
    expect(replayTrace(grid, newGrid(), { ...trace, steps })).toMatchObject({ step: 2, field, recorded: value });
  });

  test("the first of several differences is told", async () => {
    const trace = await record();
    const steps = trace.steps.map((step) => ({ ...step, reward: step.reward + 1 }));
    const difference = replayTrace(grid, newGrid(), { ...trace, steps });
    expect(difference).toEqual({
      step: 1,
      field: "reward",
      recorded: steps[0]!.reward,
      replayed: trace.steps[0]!.reward,
    });
  });

  test("another start, another environment and an error are differences", async () => {
    const trace = await record();
    const header = { ...trace.header, seed: 6 };
    expect(replayTrace(grid, newGrid(), { ...trace, header })).toMatchObject({ step: 0, field: "observationHash" });
    expect(replayTrace(counterEnv as EnvDefinition, newGrid(), trace)).toMatchObject({ step: 0, field: "env" });
    const steps = [{ ...trace.steps[0]!, action: { direction: 7 } }];
    expect(replayTrace(grid, newGrid(), { ...trace, steps })).toMatchObject({ step: 1, field: "error" });
  });
});
