import fc from "fast-check";
import { expect, test } from "vitest";
import "./allclose.ts";
import {
  add,
  affine,
  Lstm,
  type LstmState,
  meanSquaredError,
  parameterRows,
  sliceColumns,
  Tape,
  type Tensor,
} from "../src/index.ts";
import { fastSets } from "./kernel-sets.ts";
import { randomValues, seeded } from "./random.ts";

const kernels = fastSets[fastSets.length > 1 ? 1 : 0]!;
const [inputs, hidden] = [3, 5];
const make = (layers = 1) => new Lstm({ kernels, rng: seeded(1), name: "lstm", inputs, hidden, layers });

/** The same sequences one step at a time, with the state set to zero by hand where an episode starts. */
function stepByStep(
  lstm: Lstm,
  x: Float32Array,
  steps: number,
  batch: number,
  state: LstmState,
  starts: ArrayLike<number>,
) {
  const outputs: number[] = [];
  let now = state;
  for (let t = 0; t < steps; t++) {
    const zeroed = [now.hidden, now.cell].map((array) =>
      array.map((value, i) => (starts[t * batch + (Math.floor(i / hidden) % batch)] !== 0 ? 0 : value)),
    );
    const tape = new Tape(kernels, { recording: false });
    const step = tape.input([1, batch, inputs], x.subarray(t * batch * inputs, (t + 1) * batch * inputs));
    const result = lstm.forward(tape, step, { hidden: zeroed[0]!, cell: zeroed[1]! });
    outputs.push(...result.output.data);
    now = result.state;
  }
  return { outputs, state: now };
}

test("a whole sequence with episode starts equals single steps with the state zeroed at each start, bit for bit", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 2 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 1 })),
      (steps, batch, layers, stream) => {
        const starts = Uint8Array.from({ length: steps * batch }, () => stream.next().value);
        const lstm = make(layers);
        const x = randomValues(2, steps * batch * inputs);
        const size = layers * batch * hidden;
        const state = { hidden: randomValues(3, size), cell: randomValues(4, size) };
        const tape = new Tape(kernels);
        const { output, state: after } = lstm.forward(tape, tape.input([steps, batch, inputs], x), state, starts);
        const expected = stepByStep(lstm, x, steps, batch, state, starts);
        expect([...output.data]).toEqual(expected.outputs);
        expect(after).toEqual(expected.state);
      },
    ),
    { numRuns: 40 },
  );
});

test("nothing before an episode's start reaches it, and the step before still sees its own memory", () => {
  const lstm = make();
  const [steps, batch] = [6, 1];
  const starts = [0, 0, 0, 1, 0, 0];
  const run = (x: Float32Array) => {
    const tape = new Tape(kernels);
    return [...lstm.forward(tape, tape.input([steps, batch, inputs], x), lstm.initialState(1), starts).output.data];
  };
  const x = randomValues(5, steps * inputs);
  const changed = x.slice();
  changed[0]! += 1;
  const [before, after] = [run(x), run(changed)];
  expect(after.slice(3 * hidden)).toEqual(before.slice(3 * hidden));
  expect(after.slice(2 * hidden, 3 * hidden)).not.toEqual(before.slice(2 * hidden, 3 * hidden));
});

test("no gradient flows across an episode's start", () => {
  const lstm = make();
  const tape = new Tape(kernels);
  const x = tape.input([4, 1, inputs], randomValues(6, 4 * inputs), true);
  const { output } = lstm.forward(tape, x, lstm.initialState(1), [0, 0, 1, 0]);
  const seed = new Float32Array(4 * hidden);
  seed.fill(1, 3 * hidden);
  tape.seed(output, seed);
  tape.backward();
  const gradient = [...tape.gradientOf(x)];
  expect(gradient.slice(0, 2 * inputs).every((g) => g === 0)).toBe(true);
  expect(gradient.slice(2 * inputs, 3 * inputs).some((g) => g !== 0)).toBe(true);
});

test("projecting the input in parts gives the same result and the same gradient to rounding", () => {
  const values = randomValues(7, 4 * inputs);
  const run = (project: (lstm: Lstm, tape: Tape) => Tensor) => {
    const lstm = make();
    const tape = new Tape(kernels);
    const { output } = lstm.forwardProjected(tape, project(lstm, tape), lstm.initialState(2));
    tape.seed(output, output.data);
    tape.backward();
    return { output: output.data, gradient: lstm.layers[0]!.inputWeight.gradient };
  };
  const whole = run((lstm, tape) => lstm.project(tape, tape.input([2, 2, inputs], values)));
  const parts = run((lstm, tape) => {
    const { inputWeight, bias } = lstm.layers[0]!;
    const x = tape.input([2, 2, inputs], values);
    const left = sliceColumns(tape, x, 0, 1);
    const right = sliceColumns(tape, x, 1, inputs);
    const first = affine(tape, left, parameterRows(inputWeight, 0, 1), bias, [2, 2]);
    return add(tape, first, affine(tape, right, parameterRows(inputWeight, 1, inputs), null, [2, 2]));
  });
  expect(parts.output).toBeAllclose(whole.output, { rtol: 1e-5, atol: 1e-6 });
  expect(parts.gradient).toBeAllclose(whole.gradient, { rtol: 1e-5, atol: 1e-6 });
  expect(() => parameterRows(make().layers[0]!.bias, 0, 1)).toThrow("not among those of 'lstm.0.bias'");
});

test("two layers over padded sequences of 1, 7 and 128 steps: loss and gradient are those of the real steps only", () => {
  const lengths = [1, 7, 128];
  const steps = 128;
  const batch = lengths.length;
  const x = randomValues(8, steps * batch * inputs);
  const target = randomValues(9, steps * batch * hidden);
  const run = (padding: number) => {
    const lstm = make(2);
    const weights = new Float32Array(steps * batch);
    const padded = x.slice();
    for (let row = 0; row < steps * batch; row++) {
      weights[row] = Math.floor(row / batch) < lengths[row % batch]! ? 1 : 0;
      if (weights[row] === 0) padded.fill(padding, row * inputs, (row + 1) * inputs);
    }
    const tape = new Tape(kernels);
    const { output } = lstm.forward(tape, tape.input([steps, batch, inputs], padded), lstm.initialState(batch));
    const loss = meanSquaredError(tape, output, target, { weights });
    tape.backward();
    return { loss, gradients: lstm.parameters().map((p) => p.gradient.slice()) };
  };
  const padded = run(0);
  expect(run(3)).toEqual(padded);
  let total = 0;
  lengths.forEach((length, column) => {
    const lstm = make(2);
    const tape = new Tape(kernels);
    const pick = (array: Float32Array, width: number) =>
      Float32Array.from(
        { length: length * width },
        (_, i) => array[(Math.floor(i / width) * batch + column) * width + (i % width)]!,
      );
    const own = tape.input([length, 1, inputs], pick(x, inputs));
    const { output } = lstm.forward(tape, own, lstm.initialState(1));
    total += meanSquaredError(tape, output, pick(target, hidden)) * length;
  });
  expect(padded.loss).toBeCloseTo(total / (1 + 7 + 128), 6);
});

test("wrong starts and states are refused", () => {
  const lstm = make();
  const tape = new Tape(kernels);
  const x = tape.input([2, 2, inputs], new Float32Array(4 * inputs));
  expect(() => lstm.forward(tape, x, lstm.initialState(2), [0])).toThrow(
    "1 episode starts were given for 2 steps of 2 rows",
  );
  expect(() => lstm.forward(tape, x, lstm.initialState(3))).toThrow(
    "lstm: hidden state has shape [15]; [10] is needed.",
  );
});
