import { expect, test } from "vitest";
import { addToItems, maskedMax, Tape, takeRows, weighNeighbours } from "../src/index.ts";
import { expectGradients } from "./gradients.ts";
import { allSets } from "./kernel-sets.ts";

const MASK = Float32Array.of(1, 0, 1, 0, 0, 0);

test("the gradients of operations on items are those of central differences, in every kernel set", () => {
  const none = { module: null };
  expectGradients({
    inputs: [[4, 3]],
    make: () => ({ ...none, forward: (tape, [x]) => takeRows(tape, x!, [2, -1, 0, 2, 3, 2], [2, 3]) }),
  });
  expectGradients({
    inputs: [[2, 3, 5]],
    make: () => ({ ...none, forward: (tape, [x]) => maskedMax(tape, x!, MASK) }),
    step: 1e-3,
  });
  expectGradients({
    inputs: [
      [2, 3, 5],
      [2, 5],
    ],
    make: () => ({ ...none, forward: (tape, [x, row]) => addToItems(tape, x!, row!) }),
  });
  const weights = Float32Array.from({ length: 18 }, (_, i) => (i % 5) - 1);
  expectGradients({
    inputs: [[2, 3, 4]],
    make: (kernels) => {
      const own = kernels.floats(18);
      own.set(weights);
      return { ...none, forward: (tape, [x]) => weighNeighbours(tape, x!, own) };
    },
  });
});

test("taken rows are those of the index, zeros for a negative one", () => {
  for (const kernels of allSets) {
    const tape = new Tape(kernels);
    const y = takeRows(tape, tape.input([2, 2], [1, 2, 3, 4]), [1, -1, 0], [3]);
    expect([...y.data]).toEqual([3, 4, 0, 0, 1, 2]);
    expect(y.shape).toEqual([3, 2]);
    expect(() => takeRows(tape, tape.input([2, 2], [1, 2, 3, 4]), [1, 0, 0], [2])).toThrow("takeRows: indices");
  }
});

test("a maximum is over the items that exist, zeros where none does", () => {
  const tape = new Tape(allSets[0]!);
  const x = tape.input([2, 3, 2], [-3, -1, 9, 9, -2, -4, 5, 5, 5, 5, 5, 5]);
  expect([...maskedMax(tape, x, MASK).data]).toEqual([-2, -1, 0, 0]);
});
