import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PraxisError } from "../src/errors.ts";
import { checkWeights, RewardComponents, weightedTotal } from "../src/rubric/components.ts";
import { gate, rubricDict, rubricList, sequential, weightedSum } from "../src/rubric/containers.ts";
import { llmJudge, parseJudgeScore } from "../src/rubric/llm-judge.ts";
import { evaluateOrInfraError, Rubric, rubric } from "../src/rubric/rubric.ts";
import { exponentialCredit, Trajectory } from "../src/rubric/trajectory.ts";

interface Step {
  readonly action: string;
  readonly observation: unknown;
}
const step: Step = { action: "act", observation: {} };
const constant = (score: number) => rubric<Step>(() => score);
const later = (score: number) => rubric<Step>(async () => score);
const failing = (message: string) =>
  rubric<Step>(() => {
    throw new Error(message);
  });

describe("a rubric", () => {
  test("it scores a transition, at once if it can, and remembers the last score", async () => {
    const length = rubric<Step>(({ action }) => action.length);
    expect(length.lastScore).toBeNull();
    expect(length.score(step)).toBe(3);
    expect(length.lastResult).toEqual({ components: { score: 3 }, weights: { score: 1 }, total: 3 });
    await expect(later(0.5).score(step)).resolves.toBe(0.5);
    length.reset();
    expect(length.lastScore).toBeNull();
  });

  test("children are found by dotted path, and an unknown path is refused with the nearest", () => {
    const dose = constant(1);
    const root = rubricDict({ safety: rubricList([dose, constant(0)]), format: constant(1) });
    expect(root.find("safety.0")).toBe(dose);
    expect(root.find("")).toBe(root);
    expect(root.named().map(([path]) => path)).toEqual(["", "safety", "safety.0", "safety.1", "format"]);
    expect(() => root.find("saftey.0")).toThrow("Unknown rubric 'saftey.0'. Did you mean 'safety.0'?");
    expect(() => rubricDict({ "a.b": dose })).toThrow("needs a name without dots");
  });

  test("hooks see the rubric, the transition and the result in order, until they are removed", () => {
    const log: string[] = [];
    const scored = constant(0.5);
    const removeBefore = scored.beforeScore((_, { action }) => log.push(`before ${action}`));
    scored.afterScore((each, _, { total }) => log.push(`after ${total} ${each === scored}`));
    scored.evaluateSync(step);
    removeBefore();
    scored.evaluateSync(step);
    expect(log).toEqual(["before act", "after 0.5 true", "after 0.5 true"]);
  });

  test("an asynchronous part is refused where nobody can wait", () => {
    expect(constant(1).evaluateSync(step).total).toBe(1);
    expect(() => weightedSum({ a: later(1) }, { a: 1 }).evaluateSync(step)).toThrow(
      expect.objectContaining({ code: "NOT_SUPPORTED" }),
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("the score %s is refused and not remembered", async (bad) => {
    const scored = constant(bad);
    expect(() => scored.score(step)).toThrow(expect.objectContaining({ code: "NON_FINITE_NUMBER" }));
    expect(scored.lastScore).toBeNull();
    await expect(later(bad).score(step)).rejects.toMatchObject({ code: "NON_FINITE_NUMBER" });
  });
});

describe("sequential", () => {
  test("it is 0 at the first 0 and does not call what follows, else the last score", () => {
    expect(sequential({ a: constant(1), b: constant(0), c: failing("called") }).score(step)).toBe(0);
    expect(sequential({ a: constant(0.2), b: constant(0.7) }).score(step)).toBe(0.7);
  });

  test("asynchronous children do not change the score", async () => {
    const score = fc.constantFrom(0, 0.25, 1);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(score, fc.boolean()), { minLength: 1, maxLength: 5 }), async (parts) => {
        const children = parts.map(([value, isLater], i) => [`c${i}`, isLater ? later(value) : constant(value)]);
        const expected = parts.some(([value]) => value === 0) ? 0 : parts.at(-1)![0];
        expect(await sequential(Object.fromEntries(children)).score(step)).toBe(expected);
      }),
    );
  });

  test("without children it is refused", () => {
    expect(() => sequential({})).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });
});

describe("gate", () => {
  test("a score below the threshold is 0, at the threshold it passes; the default is 1", async () => {
    expect(gate(constant(0.99)).score(step)).toBe(0);
    expect(gate(constant(1)).score(step)).toBe(1);
    expect(gate(constant(0.5), 0.5).score(step)).toBe(0.5);
    expect(gate(constant(0.49), 0.5).score(step)).toBe(0);
    await expect(gate(later(0.5), 0.5).score(step)).resolves.toBe(0.5);
  });
});

describe("weightedSum", () => {
  const weightList = fc
    .array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 6 })
    .filter((parts) => parts.some((part) => part > 0))
    .map((parts) => parts.map((part) => part / parts.reduce((sum, each) => sum + each, 0)));
  const unit = fc.double({ min: 0, max: 1, noNaN: true });

  test("the reward is exactly the sum of its weighted components, whether children are asynchronous or not", async () => {
    await fc.assert(
      fc.asyncProperty(
        weightList,
        fc.array(fc.tuple(unit, fc.boolean()), { minLength: 6, maxLength: 6 }),
        async (weights, scores) => {
          const names = weights.map((_, i) => `c${i}`);
          const sum = weightedSum(
            Object.fromEntries(
              names.map((name, i) => [name, scores[i]![1] ? later(scores[i]![0]) : constant(scores[i]![0])]),
            ),
            Object.fromEntries(names.map((name, i) => [name, weights[i]!])),
          );
          const { components, weights: used, total } = await sum.evaluate(step);
          expect(components).toEqual(Object.fromEntries(names.map((name, i) => [name, scores[i]![0]])));
          expect(names.reduce((sum, name) => sum + components[name]! * used[name]!, 0)).toBe(total);
          expect(sum.lastScore).toBe(total);
        },
      ),
    );
  });

  test("children at work run in parallel", async () => {
    const open: (() => void)[] = [];
    const waiting = () => rubric<Step>(() => new Promise<number>((resolve) => open.push(() => resolve(1))));
    const score = weightedSum({ a: waiting(), b: waiting() }, { a: 0.5, b: 0.5 }).score(step);
    expect(open).toHaveLength(2);
    for (const each of open) each();
    expect(await score).toBe(1);
  });

  test.each([
    [{ a: 0.5, b: 0.4 }, "sum to 0.9"],
    [{ a: 0.5, b: 0.5 + 2e-6 }, "Weights must sum to 1"],
    [{ a: 1.5, b: -0.5 }, "'b' is -0.5"],
    [{ a: 1 }, "'b' must have both a child and a weight"],
    [{ a: 0.5, b: 0.25, c: 0.25 }, "'c' must have both a child and a weight"],
    [{ a: Number.NaN, b: 1 }, "received NaN"],
  ])("the weights %o are refused", (weights, message) => {
    const make = () => weightedSum({ a: constant(1), b: constant(1) }, weights as Record<string, number>);
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    expect(make).toThrow(message);
  });

  test("weights may miss 1 by no more than a millionth", () => {
    expect(weightedSum({ a: constant(1) }, { a: 1 + 9e-7 }).score(step)).toBe(1 + 9e-7);
  });

  test("a child that fails fails the sum, at once or later, and leaves no rejection behind", async () => {
    const rejecting = rubric<Step>(async () => {
      throw new Error("late");
    });
    const both = weightedSum({ a: rejecting, b: failing("early") }, { a: 0.5, b: 0.5 });
    expect(() => both.score(step)).toThrow("early");
    await expect(weightedSum({ a: rejecting, b: constant(1) }, { a: 0.5, b: 0.5 }).score(step)).rejects.toThrow("late");
    await new Promise((resolve) => setImmediate(resolve));
    expect(both.lastScore).toBeNull();
  });
});

describe("lists and dicts", () => {
  test("they hold rubrics and do not aggregate", () => {
    for (const holder of [rubricList([constant(1)]), rubricDict({ a: constant(1) })])
      expect(() => holder.score(step)).toThrow(expect.objectContaining({ code: "NOT_SUPPORTED" }));
    const held = rubricList([constant(0.2), constant(0.6)]);
    const best = new Rubric<Step>({
      kind: "best",
      children: { held },
      score: (each) => Math.max(...Object.values(held.children).map((child) => child.score(each) as number)),
    });
    expect(best.score(step)).toBe(0.6);
    expect(best.find("held.1").lastScore).toBe(0.6);
  });
});

describe("configuration", () => {
  const make = () => weightedSum({ safe: gate(constant(0.6), 0.5), short: constant(1) }, { safe: 0.5, short: 0.5 });

  test("it is saved as plain data by path and loaded back", () => {
    const root = make();
    expect(root.saveConfig()).toEqual({ "": { weights: { safe: 0.5, short: 0.5 } }, safe: { threshold: 0.5 } });
    root.loadConfig(JSON.parse(JSON.stringify({ "": { weights: { safe: 1, short: 0 } }, safe: { threshold: 0.7 } })));
    expect(root.score(step)).toBe(0);
    root.loadConfig(make().saveConfig());
    expect(root.score(step)).toBe(0.8);
  });

  test.each([
    [{ safe: { threshold: 0.1 }, "": { weights: { safe: 1, short: 1 } } }, "Weights must sum to 1"],
    [{ safe: { threshold: 0.1 }, shrot: {} }, "Did you mean 'short'?"],
    [{ safe: { threshold: 0.1 }, short: { threshold: 1 } }, "There are no settings for the function rubric 'short'"],
    [{ safe: { treshold: 0.1 } }, "the gate rubric 'safe'"],
  ])("%o is refused as a whole", (config, message) => {
    const root = make();
    expect(() => root.loadConfig(config)).toThrow(message);
    expect(root.saveConfig()).toEqual(make().saveConfig());
  });
});

describe("trajectories", () => {
  interface Move extends Step {
    readonly points: number;
    readonly terminated: boolean;
    readonly truncated: boolean;
  }
  const move = (points: number, end: "" | "terminated" | "truncated" = ""): Move => ({
    ...step,
    points,
    terminated: end === "terminated",
    truncated: end === "truncated",
  });
  const total = (steps: readonly Move[]) => steps.reduce((sum, each) => sum + each.points, 0);

  test.each(["terminated", "truncated"] as const)("steps score 0 until one is %s, which scores the whole", (end) => {
    const trajectory = new Trajectory<Move>({ final: total });
    expect([move(1), move(2), move(3, end)].map((each) => trajectory.rubric.score(each))).toEqual([0, 0, 6]);
    expect(trajectory.steps).toHaveLength(3);
  });

  test("credit decays exponentially from the end", () => {
    expect(exponentialCredit(3, 2, 0.5)).toEqual([0.5, 1, 2]);
    const trajectory = new Trajectory<Move>({ final: () => 1 });
    for (const each of [move(0), move(0), move(0, "terminated")]) trajectory.rubric.evaluateSync(each);
    expect(trajectory.stepRewards()).toEqual([0.99 ** 2, 0.99, 1]);
    trajectory.rubric.loadConfig({ "": { gamma: 1, intermediate: 0 } });
    expect(trajectory.stepRewards()).toEqual([1, 1, 1]);
  });

  test("credit can be another function, and the intermediate score another number", () => {
    const trajectory = new Trajectory<Move>({
      final: total,
      intermediate: 0.1,
      credit: (n, score) => new Array(n).fill(score / n),
    });
    expect(trajectory.rubric.score(move(1))).toBe(0.1);
    trajectory.rubric.evaluateSync(move(3, "truncated"));
    expect(trajectory.stepRewards()).toEqual([2, 2]);
  });

  test("a reset of the rubric above clears it; without one the next episode is refused", () => {
    const trajectory = new Trajectory<Move>({ final: total });
    const root = weightedSum({ whole: trajectory.rubric }, { whole: 1 });
    root.evaluateSync(move(1, "terminated"));
    expect(() => root.score(move(1))).toThrow(expect.objectContaining({ code: "RESET_NEEDED" }));
    root.reset();
    expect(trajectory.steps).toEqual([]);
    expect(() => trajectory.stepRewards()).toThrow("has not ended");
    expect(root.score(move(5, "terminated"))).toBe(5);
  });

  test("a final score that fails leaves the trajectory as it was, so that it can be asked again", async () => {
    let isDown = true;
    const final = async () => {
      if (isDown) throw new Error("down");
      return 1;
    };
    const trajectory = new Trajectory<Move>({ final });
    trajectory.rubric.evaluateSync(move(0));
    await expect(trajectory.rubric.score(move(0, "terminated"))).rejects.toThrow("down");
    expect(trajectory.steps).toHaveLength(1);
    isDown = false;
    expect(await trajectory.rubric.score(move(0, "terminated"))).toBe(1);
    expect(trajectory.steps).toHaveLength(2);
  });
});

describe("a judge", () => {
  test.each([
    ["0.7", 0.7],
    ["Score: .25 of 1", 0.25],
    ["I give 0.8, not 0.2", 0.8],
    ["8/10", 1],
    ["-3", 0],
    ["1.", 1],
  ])("the reply '%s' scores %s", (reply, score) => {
    expect(parseJudgeScore(reply)).toBe(score);
  });

  test("a reply without a number scores the default", async () => {
    expect(parseJudgeScore("good", 0.4)).toBe(0.4);
    expect(await llmJudge<Step>(async () => "", { template: "Score!" }).score(step)).toBe(0);
  });

  test("the template is filled once: a placeholder within an action stays text", async () => {
    const prompts: string[] = [];
    const complete = async (prompt: string) => {
      prompts.push(prompt);
      return "1";
    };
    const judge = llmJudge<Step>(complete, { template: "A {action} $& O {observation} {other}" });
    await judge.score({ action: "say {observation} $1", observation: { x: [1] } });
    expect(prompts).toEqual(['A say {observation} $1 $& O {"x":[1]} {other}']);
  });

  test("a judge that fails or answers no text is an infra error, never a low score", async () => {
    const down = llmJudge<Step>(() => Promise.reject(new Error("rate limit")), { template: "?" });
    const mute = llmJudge<Step>(async () => undefined as unknown as string, { template: "?" });
    await expect(down.score(step)).rejects.toMatchObject({
      code: "VERIFIER_ERROR",
      message: "The judge failed: rate limit",
      cause: expect.objectContaining({ message: "rate limit" }),
    });
    await expect(mute.score(step)).rejects.toMatchObject({ code: "VERIFIER_ERROR" });
    const whole = weightedSum<Step>({ judge: down, format: constant(1) }, { judge: 0.5, format: 0.5 });
    expect(await evaluateOrInfraError(whole, step)).toEqual({
      result: null,
      infraError: { code: "VERIFIER_ERROR", message: "The judge failed: rate limit" },
    });
    expect(whole.lastScore).toBeNull();
  });

  test("a score comes through where there is one, and a fault of the rubric is not taken for the judge's", async () => {
    expect(await evaluateOrInfraError(constant(0.5), step)).toMatchObject({ result: { total: 0.5 }, infraError: null });
    await expect(evaluateOrInfraError(failing("bug"), step)).rejects.toThrow("bug");
    await expect(evaluateOrInfraError(constant(Number.NaN), step)).rejects.toBeInstanceOf(PraxisError);
  });
});

describe("reward components in hot loops", () => {
  const weights = { goal: 0.9, closer: 0.1 };

  test("the total is that of the components, gathered by hand or given at once", () => {
    const number = fc.double({ min: -10, max: 10, noNaN: true });
    fc.assert(
      fc.property(number, number, number, (goal, a, b) => {
        const reward = new RewardComponents(weights);
        reward.add("closer", a);
        reward.add("goal", goal);
        reward.add("closer", b);
        const values = reward.values();
        expect(values).toEqual({ goal: 0 + goal, closer: 0 + a + b });
        expect(reward.total()).toBe(weightedTotal(values, weights));
        reward.clear();
        expect(reward.total()).toBe(0);
      }),
    );
  });

  test("a component without a weight, or a weight without a component, is refused by name", () => {
    expect(() => weightedTotal({ goal: 1 }, weights)).toThrow("The reward component 'closer' is missing.");
    expect(() => weightedTotal({ goal: 1, closer: 0, closre: 1 }, weights)).toThrow(
      "The reward component 'closre' has no weight. Did you mean 'closer'?",
    );
    const reward = new RewardComponents(weights);
    expect(() => reward.add("gaol" as "goal", 1)).toThrow("Did you mean 'goal'?");
  });

  test("a sum of weights that is not 1 is refused where it must be", () => {
    expect(() => checkWeights(weights)).not.toThrow();
    expect(() => checkWeights({ goal: 0.9, closer: 0.2 })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", message: expect.stringContaining("sum to 1.1") }),
    );
  });
});
