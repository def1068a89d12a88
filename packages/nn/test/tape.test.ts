import { expect, test } from "vitest";
import { add, Linear, loadWasmKernels, Mlp, multiply, Tape, zeroGradients } from "../src/index.ts";
import { readWasmKernels } from "../src/node/index.ts";
import { fastSets, reference } from "./kernel-sets.ts";
import { randomValues, seeded } from "./random.ts";

test("a tensor used twice gets the sum of both gradients", () => {
  const tape = new Tape(reference);
  const x = tape.input([2], [3, -1], true);
  const y = add(tape, multiply(tape, x, x), x);
  tape.seed(y, [1, 1]);
  tape.backward();
  expect([...tape.gradientOf(x)]).toEqual([7, -1]);
});

test("a tape that does not record keeps nothing for backward", () => {
  const kernels = fastSets[0]!;
  const layer = new Linear({ kernels, rng: seeded(1), name: "l", inputs: 2, outputs: 2 });
  const tape = new Tape(kernels, { recording: false });
  const y = layer.forward(tape, tape.input([1, 2], [1, 2], true));
  expect(y.needsGradient).toBe(false);
  tape.seed(y, [1, 1]);
  tape.backward();
  expect([...layer.weight.gradient]).toEqual([0, 0, 0, 0]);
});

test("parameters' gradients add up over passes until they are set to zero", () => {
  const layer = new Linear({ kernels: reference, rng: seeded(1), name: "l", inputs: 1, outputs: 1 });
  const tape = new Tape(reference);
  const pass = () => {
    tape.seed(layer.forward(tape, tape.input([1, 1], [3])), [1]);
    tape.backward();
    tape.reset();
  };
  pass();
  pass();
  expect(layer.weight.gradient[0]).toBe(6);
  zeroGradients(layer.parameters());
  expect(layer.weight.gradient[0]).toBe(0);
});

test("a training loop takes no new memory after its first round", async () => {
  const kernels = await loadWasmKernels(await readWasmKernels(), { memoryMiB: 8 });
  const mlp = new Mlp({ kernels, rng: seeded(1), name: "m", inputs: 50, hidden: [64, 64], activation: "tanh" });
  const tape = new Tape(kernels);
  for (let i = 0; i < 200; i++) {
    const y = mlp.forward(tape, tape.input([100, 50], randomValues(i, 5000)));
    tape.seed(y, y.data);
    tape.backward();
    tape.reset();
  }
  expect(mlp.hidden[0]!.weight.gradient.every(Number.isFinite)).toBe(true);
});

test("a gradient of another size is refused", () => {
  const tape = new Tape(reference);
  expect(() => tape.seed(tape.input([2], [0, 0]), [1])).toThrow("A gradient of 1 values was given for 2.");
});
