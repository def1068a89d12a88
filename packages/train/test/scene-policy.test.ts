import { Rng, type Scene, type SceneShape } from "@praxis/env";
import { makeReferenceKernels, Tape, zeroGradients } from "@praxis/nn";
import { describe, expect, test } from "vitest";
import { fitPlatt, fitPlattByGroup } from "../src/calibration.ts";
import { sceneNetworkSettings } from "../src/scene-network.ts";
import { ScenePolicy } from "../src/scene-policy.ts";
import { Sft, type SftExample } from "../src/sft.ts";

const shape: SceneShape = { context: 3, items: 4, relations: 2, candidates: 5 };
const kernels = makeReferenceKernels();

function makePolicy(settings: object = {}): ScenePolicy {
  const parsed = sceneNetworkSettings.parse({ sceneWidth: 8, sceneHeads: 2, episodeMemory: 6, ...settings });
  return new ScenePolicy({ kernels, rng: Rng.fromSeed(1), shape, settings: parsed });
}

function drawScene(rng: Rng, items: number, candidates: number): Scene {
  const floats = (n: number): Float32Array => Float32Array.from({ length: n }, () => rng.normal(0, 1));
  const edges = new Uint8Array(shape.relations * items * items);
  for (let kind = 0; kind < shape.relations; kind++)
    for (let a = 0; a < items; a++)
      for (let b = 0; b < a; b++)
        if (rng.bernoulli(0.4)) {
          edges[(kind * items + a) * items + b] = 1;
          edges[(kind * items + b) * items + a] = 1;
        }
  return {
    context: floats(shape.context),
    itemCount: items,
    items: floats(items * shape.items),
    edges,
    candidateCount: candidates,
    candidates: floats(candidates * shape.candidates),
    itemOf: Int16Array.from({ length: candidates }, () => rng.integer(-1, items - 1)),
    abstains: Uint8Array.from({ length: candidates }, (_, i) => Number(i === 0)),
  };
}

function permuted(scene: Scene, items: readonly number[], candidates: readonly number[]): Scene {
  const rows = (from: Float32Array, order: readonly number[], width: number): Float32Array =>
    Float32Array.from(order.flatMap((row) => [...from.subarray(row * width, (row + 1) * width)]));
  const n = scene.itemCount;
  const edges = scene.edges.map((_, at) => {
    const [kind, a, b] = [Math.floor(at / (n * n)), Math.floor(at / n) % n, at % n];
    return scene.edges[(kind * n + items[a]!) * n + items[b]!]!;
  });
  return {
    ...scene,
    edges,
    items: rows(scene.items, items, shape.items),
    candidates: rows(scene.candidates, candidates, shape.candidates),
    itemOf: Int16Array.from(candidates, (row) => items.indexOf(scene.itemOf[row]!)),
    abstains: Uint8Array.from(candidates, (row) => scene.abstains[row]!),
  };
}

function logProbs(policy: ScenePolicy, scene: Scene): number[] {
  const tape = new Tape(kernels);
  return Array.from({ length: scene.candidateCount }, (_, candidate) => {
    tape.reset();
    const choices = [Float32Array.of(candidate, 0.5, -1)];
    const sequence = { decisions: [scene], choices, memory: policy.initialMemory() };
    return policy.evaluate(tape, [sequence]).logProbs[0]!;
  });
}

describe("scene policy", () => {
  test("a permutation of items and candidates permutes the scores exactly", () => {
    const policy = makePolicy();
    const rng = Rng.fromSeed(7);
    for (let trial = 0; trial < 20; trial++) {
      const scene = drawScene(rng, 2 + (trial % 5), 3 + (trial % 4));
      const items = rng.shuffled(Array.from({ length: scene.itemCount }, (_, i) => i));
      const candidates = rng.shuffled(Array.from({ length: scene.candidateCount }, (_, i) => i));
      const before = logProbs(policy, scene);
      const after = logProbs(policy, permuted(scene, items, candidates));
      expect(after).toEqual(candidates.map((row) => before[row]));
    }
  });

  test("scenes beside a scene change nothing of its scores", () => {
    const policy = makePolicy();
    const rng = Rng.fromSeed(8);
    const [small, large] = [drawScene(rng, 2, 3), drawScene(rng, 6, 9)];
    const sequence = (scene: Scene) => ({
      decisions: [scene],
      choices: [Float32Array.of(1, 0.5, -1)],
      memory: policy.initialMemory(),
    });
    const tape = new Tape(kernels);
    const alone = policy.evaluate(tape, [sequence(small)]).logProbs[0];
    tape.reset();
    expect(policy.evaluate(tape, [sequence(large), sequence(small)]).logProbs[1]).toBe(alone);
  });

  test("what was seen before changes a decision with memory and nothing without", () => {
    const rng = Rng.fromSeed(9);
    const [first, second] = [drawScene(rng, 3, 4), drawScene(rng, 3, 4)];
    const shift = (policy: ScenePolicy): number => {
      const memory = policy.initialMemory();
      const choice = Float32Array.of(1, 0.5, -1);
      const tape = new Tape(kernels);
      const both = policy.evaluate(tape, [{ decisions: [first, second], choices: [choice, choice], memory }])
        .logProbs[1]!;
      tape.reset();
      return both - policy.evaluate(tape, [{ decisions: [second], choices: [choice], memory }]).logProbs[0]!;
    };
    expect(shift(makePolicy())).not.toBe(0);
    expect(shift(makePolicy({ episodeMemory: 0 }))).toBe(0);
  });

  test("choosing step by step and evaluating the whole episode see the same memory", () => {
    const policy = makePolicy();
    const rng = Rng.fromSeed(10);
    const scenes = [drawScene(rng, 3, 4), drawScene(rng, 2, 5), drawScene(rng, 4, 3)];
    const tape = new Tape(kernels, { recording: false });
    let memory = policy.initialMemory();
    const choices = scenes.map((decision) => {
      tape.reset();
      const [chosen] = policy.choose(tape, [{ decision, memory, rng: null }]);
      memory = chosen!.memory;
      return chosen!.choice;
    });
    tape.reset();
    const whole = policy.evaluate(tape, [{ decisions: scenes, choices, memory: policy.initialMemory() }]).logProbs;
    // The most likely choice of each step is the one that the whole episode finds most likely there.
    scenes.forEach((scene, step) => {
      for (let other = 0; other < scene.candidateCount; other++) {
        tape.reset();
        const changed = choices.map((choice, i) => (i === step ? Float32Array.of(other, 0.5, -1) : choice));
        const { logProbs: values } = policy.evaluate(tape, [
          { decisions: scenes, choices: changed, memory: policy.initialMemory() },
        ]);
        expect(values[step]!).toBeLessThanOrEqual(whole[step]!);
      }
    });
  });

  test("the gradients of log-probabilities and of the confidence agree with central differences", () => {
    const policy = makePolicy({ confidenceCoef: 0.3 });
    const rng = Rng.fromSeed(11);
    const sequences = [3, 1].map((steps) => ({
      decisions: Array.from({ length: steps }, () => drawScene(rng, 3, 4)),
      choices: Array.from({ length: steps }, (_, i) => Float32Array.of(i % 4, 0.5, i % 2)),
      memory: policy.initialMemory(),
    }));
    const weights = Float64Array.from({ length: 4 }, (_, i) => 0.5 - 0.3 * i);
    const loss = (): number => {
      const tape = new Tape(kernels, { recording: false });
      const { logProbs: values, entropies } = policy.evaluate(tape, sequences);
      let sum = 0;
      values.forEach((value, i) => {
        sum += weights[i]! * value + 0.1 * entropies[i]!;
      });
      tape.reset();
      const seen = policy.confidences(tape, sequences);
      const bce = seen.map(({ logit, wasGood }) => Math.log(1 + Math.exp(wasGood ? -logit : logit)));
      return sum + (0.3 / seen.length) * bce.reduce((total, x) => total + x, 0);
    };
    const parameters = policy.parameters();
    zeroGradients(parameters);
    policy.evaluate(new Tape(kernels), sequences).backward(weights, new Float64Array(4).fill(0.1));
    for (const { name, data, gradient } of parameters) {
      if (name === "calibration") continue;
      const at = Math.floor(data.length / 2);
      const [value, h] = [data[at]!, 2e-3];
      data[at] = value + h;
      const above = loss();
      data[at] = value - h;
      const below = loss();
      data[at] = value;
      expect(Math.abs(gradient[at]! - (above - below) / (2 * h)), name).toBeLessThan(6e-3);
    }
  });

  test("it learns to pick the candidate about the item that has an edge", () => {
    const policy = makePolicy({ sceneWidth: 12, episodeMemory: 0 });
    const rng = Rng.fromSeed(12);
    const example = (): readonly SftExample<Scene>[] => {
      const scene = drawScene(rng, 4, 4);
      scene.edges.fill(0);
      scene.itemOf.set([0, 1, 2, 3]);
      const right = rng.integer(0, 3);
      const other = (right + 1) % 4;
      scene.edges[right * 4 + other] = 1;
      return [{ decision: scene, choice: Float32Array.of(right, 0.5, 1) }];
    };
    const settings = { epochs: 20, minibatchSize: 24, learningRate: 8e-3 };
    const sft = new Sft({
      ...{ kernels, policy, envId: "Test-v0", seed: 0, settings, episodes: Array.from({ length: 96 }, example) },
    });
    while (!sft.isDone) sft.iterate();
    const tape = new Tape(kernels, { recording: false });
    const right = Array.from({ length: 60 }, example).filter(([shown]) => {
      tape.reset();
      const [chosen] = policy.choose(tape, [{ decision: shown!.decision, memory: policy.initialMemory(), rng: null }]);
      return chosen!.choice[0] === shown!.choice![0];
    });
    expect(right.length).toBeGreaterThan(45);
  });
});

describe("calibration", () => {
  test("confidences that are stated too high are brought to the share of good choices", () => {
    const seen = Array.from({ length: 400 }, (_, i) => ({ logit: 3 + (i % 7) / 10, wasGood: i % 5 < 3 }));
    const [scale, shift] = fitPlatt(seen);
    const stated = seen.map(({ logit }) => 1 / (1 + Math.exp(-(scale * logit + shift))));
    expect(stated.reduce((sum, p) => sum + p, 0) / seen.length).toBeCloseTo(0.6, 2);
  });

  test("groups are brought to their own shares, and one with few choices to that of all", () => {
    const seen = [
      ...Array.from({ length: 400 }, (_, i) => ({ logit: i % 3, wasGood: i % 10 < 9, group: 0 })),
      ...Array.from({ length: 400 }, (_, i) => ({ logit: i % 3, wasGood: i % 10 < 3, group: 1 })),
      { logit: 1, wasGood: true, group: 2 },
    ];
    const fits = fitPlattByGroup(seen, 4);
    const shareOf = (group: number): number => {
      const [scale, shift] = fits.subarray(2 * group, 2 * group + 2);
      return [0, 1, 2].reduce((sum, logit) => sum + 1 / (1 + Math.exp(-(scale! * logit + shift!))) / 3, 0);
    };
    expect(shareOf(0)).toBeCloseTo(0.9, 1);
    expect(shareOf(1)).toBeCloseTo(0.3, 1);
    expect(Math.abs(shareOf(2) - 0.6)).toBeLessThan(0.1);
    expect([...fits.subarray(6)]).toEqual([...Float32Array.from(fitPlatt(seen))]);
  });

  test("nothing to go by leaves them as they are, and choices that are all good stay finite", () => {
    expect(fitPlatt([])).toEqual([1, 0]);
    const [scale, shift] = fitPlatt(Array.from({ length: 50 }, () => ({ logit: 1, wasGood: true })));
    expect(Number.isFinite(scale + shift)).toBe(true);
    expect(1 / (1 + Math.exp(-(scale + shift)))).toBeGreaterThan(0.9);
  });
});
