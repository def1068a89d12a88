import { expect, test } from "vitest";
import "./allclose.ts";
import { Adam, type AdamOptions, cosineSchedule, type Kernels, linearSchedule, makeParameter } from "../src/index.ts";
import { allSets, fastSets, put, reference } from "./kernel-sets.ts";
import { randomValues, seeded } from "./random.ts";

function setUp(kernels: Kernels, options: AdamOptions) {
  const parameters = [makeParameter(kernels, "a.weight", [3, 2]), makeParameter(kernels, "a.bias", [2])];
  parameters.forEach((p, i) => {
    p.data.set(randomValues(i, p.data.length));
  });
  const adam = new Adam(kernels, parameters, options);
  const step = (seed: number, scale = 1) => {
    parameters.forEach((p, i) => {
      p.gradient.set(randomValues(seed * 10 + i, p.data.length, scale));
    });
    return adam.step();
  };
  return { parameters, adam, step, values: () => parameters.flatMap((p) => [...p.data]) };
}

test("three steps follow the formulas of Kingma and Ba, and of Loshchilov and Hutter", () => {
  for (const decoupled of [true, false]) {
    const weightDecay = 0.1;
    const run = setUp(fastSets[0]!, { learningRate: 0.05, weightDecay, decoupled });
    const p = run.values();
    const [m, v] = [p.map(() => 0), p.map(() => 0)];
    for (let t = 1; t <= 3; t++) {
      run.step(t);
      const gradients = run.parameters.flatMap((parameter) => [...parameter.gradient]);
      p.forEach((value, i) => {
        const g = gradients[i]! + (decoupled ? 0 : weightDecay * value);
        m[i] = 0.9 * m[i]! + 0.1 * g;
        v[i] = 0.999 * v[i]! + 0.001 * g * g;
        const change = m[i]! / (1 - 0.9 ** t) / (Math.sqrt(v[i]! / (1 - 0.999 ** t)) + 1e-8);
        p[i] = value * (decoupled ? 1 - 0.05 * weightDecay : 1) - 0.05 * change;
      });
    }
    expect(run.values()).toBeAllclose(p, { rtol: 1e-5, atol: 1e-6 });
  }
});

test("gradients are clipped by their joint norm, which is reported as it was", () => {
  const clipped = setUp(reference, { learningRate: 0.1, maxGradNorm: 0.5 });
  const { gradientNorm } = clipped.step(1);
  const squares = clipped.parameters.flatMap((p) => [...p.gradient]).reduce((sum, g) => sum + g * g, 0);
  expect(gradientNorm).toBeCloseTo(Math.sqrt(squares), 5);
  const scaled = setUp(reference, { learningRate: 0.1 });
  scaled.step(1, 0.5 / (gradientNorm + 1e-6));
  expect(clipped.values()).toBeAllclose(scaled.values(), { rtol: 1e-6, atol: 1e-7 });
});

test("only parameters that decay do", () => {
  const run = setUp(reference, { learningRate: 1, weightDecay: 0.5, decays: (p) => !p.name.endsWith("bias") });
  const before = run.values();
  run.step(1, 0);
  expect(run.values()).toBeAllclose([...before.slice(0, 6).map((x) => x / 2), ...before.slice(6)], {
    rtol: 1e-6,
    atol: 0,
  });
});

test("a gradient that is not finite names its tensor and step and changes nothing", () => {
  for (const kernels of allSets) {
    const run = setUp(kernels, { learningRate: 0.1 });
    run.step(1);
    const before = run.values();
    run.parameters[1]!.gradient[1] = Number.NaN;
    expect(() => run.adam.step()).toThrow("The gradient of 'a.bias' is not finite at optimiser step 1");
    expect(run.values()).toEqual(before);
    expect(run.adam.steps).toBe(1);
  }
});

test("three steps, saving, restoring and three more are six steps, bit for bit", () => {
  for (const kernels of allSets) {
    const learningRate = cosineSchedule({ peak: 0.1, steps: 6, warmup: 2 });
    const whole = setUp(kernels, { learningRate });
    for (let t = 1; t <= 6; t++) whole.step(t);
    const first = setUp(kernels, { learningRate });
    for (let t = 1; t <= 3; t++) first.step(t);
    const second = setUp(kernels, { learningRate });
    second.parameters.forEach((p, i) => {
      p.data.set(first.parameters[i]!.data);
    });
    second.adam.restore(first.adam.save());
    for (let t = 4; t <= 6; t++) second.step(t);
    expect(second.values()).toEqual(whole.values());
  }
});

test("a state that does not fit is refused, and names must be unique", () => {
  const run = setUp(reference, { learningRate: 0.1 });
  expect(() => run.adam.restore({ steps: 1, tensors: new Map() })).toThrow("no values of 'm.a.weight', not 6");
  const twice = [makeParameter(reference, "w", [1]), makeParameter(reference, "w", [1])];
  expect(() => new Adam(reference, twice, { learningRate: 1 })).toThrow("Two parameters are called 'w'");
});

test("schedules begin, bend and end where they say", () => {
  const linear = linearSchedule(1, 0, 10);
  expect([0, 5, 10, 20].map(linear)).toEqual([1, 0.5, 0, 0]);
  const cosine = cosineSchedule({ peak: 2, steps: 10, warmup: 2, floor: 0.5 });
  expect([0, 1, 2, 6, 10, 99].map(cosine)).toBeAllclose([1, 2, 2, 1.25, 0.5, 0.5], { rtol: 1e-12, atol: 0 });
  expect(() => cosineSchedule({ peak: 1, steps: 2, warmup: 2 })).toThrow("warmup is 2; steps are 2");
});

test("a gradient that is given as factors moves a parameter as the written one does, clipping included", () => {
  for (const kernels of allSets) {
    const rng = seeded(4);
    const [inputs, outputs, rows] = [150, 7, 5];
    const make = () => {
      const weight = makeParameter(kernels, "w", [inputs, outputs]);
      weight.data.fill(0.5);
      return { weight, adam: new Adam(kernels, [weight], { learningRate: 0.01, maxGradNorm: 1 }) };
    };
    const [written, factored] = [make(), make()];
    for (let step = 0; step < 3; step++) {
      const x = put(
        kernels,
        Float32Array.from({ length: rows * inputs }, () => rng.normal()),
      );
      const dy = put(
        kernels,
        Float32Array.from({ length: rows * outputs }, () => rng.normal()),
      );
      for (const { weight } of [written, factored])
        kernels.sgemm({ m: inputs, n: outputs, k: rows, a: x, transposeA: true, b: dy, c: weight.gradient });
      const range = (from: number, to: number) => ({ parameter: factored.weight, from, to, x, dy, rows });
      // What the parameter holds in covered rows must not matter.
      factored.weight.gradient.fill(Number.NaN, 2 * outputs, 100 * outputs);
      const report = factored.adam.step([range(50, 100), range(2, 50)]);
      expect(report.gradientNorm).toBeCloseTo(written.adam.step().gradientNorm, 3);
    }
    expect(factored.weight.data).toBeAllclose(written.weight.data, { rtol: 1e-4, atol: 1e-6 });
    const range = {
      parameter: factored.weight,
      from: 0,
      to: 9,
      x: kernels.floats(inputs),
      dy: kernels.floats(outputs),
      rows: 1,
    };
    expect(() => factored.adam.step([range, { ...range, from: 8 }])).toThrow("overlap others");
  }
});
