import { describe, expect, test } from "vitest";
import "./allclose.ts";
import { ACTIVATIONS, type Kernels, NnError } from "../src/index.ts";
import { nativeInstructionSets, selectKernels } from "../src/node/index.ts";
import { allSets, fastSets, put, putInts, reference, whyNoNative } from "./kernel-sets.ts";
import { randomMask, randomValues } from "./random.ts";

const CLOSE = { rtol: 2e-5, atol: 2e-5 };
// Around the vector lengths 4, 8 and 16 and the register tiles, where tails go wrong.
const LENGTHS = [1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 100];
const ROWS = [1, 2, 5];

/** Runs a kernel on copies of `inputs` in both sets and compares what each leaves in them. */
function expectAgreement(
  kernels: Kernels,
  inputs: readonly ArrayLike<number>[],
  run: (k: Kernels, arrays: readonly Float32Array[]) => void,
  close = CLOSE,
): void {
  const [actual, expected] = [kernels, reference].map((k) => {
    const arrays = inputs.map((input) => put(k, input));
    run(k, arrays);
    return arrays;
  });
  actual!.forEach((array, i) => {
    expect(array).toBeAllclose(expected![i]!, close);
  });
}

describe.each(fastSets.map((kernels) => [kernels.description, kernels] as const))(
  "%s agrees with reference",
  (_, kernels) => {
    test("sgemm, over odd shapes, transposes, strides and blocking edges", () => {
      let seed = 1;
      for (const m of [1, 2, 3, 5, 8, 17, 33]) {
        for (const n of [1, 7, 24, 49]) {
          for (const k of [1, 5, 64, 300]) {
            for (const [transposeA, transposeB] of [
              [false, false],
              [false, true],
              [true, false],
              [true, true],
            ] as const) {
              const [lda, ldb, ldc] = [(transposeA ? m : k) + 2, (transposeB ? k : n) + 1, n + 3];
              const [aSize, bSize] = [(transposeA ? k : m) * lda, (transposeB ? n : k) * ldb];
              const alpha = seed % 2 === 0 ? 1 : -0.5;
              const beta = [0, 1, 0.25][seed % 3]!;
              seed++;
              const values = [
                randomValues(seed, aSize),
                randomValues(seed + 1, bSize),
                randomValues(seed + 2, m * ldc),
              ];
              expectAgreement(
                kernels,
                values,
                (set, [a, b, c]) => {
                  const matrices = { a: a!, b: b!, c: c!, lda, ldb, ldc };
                  set.sgemm({ m, n, k, ...matrices, transposeA, transposeB, alpha, beta });
                },
                { rtol: 1e-4, atol: 1e-4 },
              );
            }
          }
        }
      }
    });

    test("sgemm wider than one block of columns, and a batch of products", () => {
      const [m, n, k] = [19, 1300, 270];
      const values = [randomValues(1, m * k), randomValues(2, k * n), randomValues(3, m * n)];
      expectAgreement(kernels, values, (set, [a, b, c]) => set.sgemm({ m, n, k, a: a!, b: b!, c: c!, beta: 1 }), {
        rtol: 1e-4,
        atol: 2e-4,
      });
      const batch = { batch: 5, strideA: 6, strideB: 0, strideC: 8, offsetA: 1, offsetB: 2, offsetC: 3 };
      expectAgreement(kernels, [randomValues(4, 40), randomValues(5, 14), randomValues(6, 50)], (set, [a, b, c]) =>
        set.sgemm({ m: 2, n: 4, k: 3, a: a!, b: b!, c: c!, ...batch }),
      );
    });

    test("activations and their slopes, also far out", () => {
      const far = [-100, -20, -1e-3, 0, 1e-6, 0.6, 30, 90];
      for (const kind of ACTIVATIONS) {
        for (const n of LENGTHS) {
          const x = n === 8 ? far : randomValues(n, n, 3);
          expectAgreement(kernels, [x, x, x], (k, [a, y]) => k.activation(kind, a!, y!));
          expectAgreement(kernels, [x, randomValues(n + 1, n), randomValues(n + 2, n)], (k, [a, dy, dx]) =>
            k.activationBackward(kind, a!, dy!, dx!),
          );
        }
      }
    });

    test("elementwise kernels and reductions", () => {
      for (const n of LENGTHS) {
        const [x, y, z] = [randomValues(n, n), randomValues(n + 1, n), randomValues(n + 2, n)];
        expectAgreement(kernels, [x, y], (k, [a, b]) => k.axpy(-0.3, a!, b!));
        expectAgreement(kernels, [x, y, z], (k, [a, b, c]) => k.multiply(a!, b!, c!));
        expectAgreement(kernels, [x, y, z], (k, [a, b, c]) => k.multiply(a!, b!, c!, true));
        expect([kernels.sumOfSquares(put(kernels, x))]).toBeAllclose([reference.sumOfSquares(x)], CLOSE);
        for (const rows of ROWS) {
          const matrix = randomValues(rows * n, rows * n);
          expectAgreement(kernels, [x, matrix], (k, [row, m]) => k.addRow(row!, m!));
          expectAgreement(kernels, [x, matrix], (k, [row, m]) => k.sumRows(m!, row!));
          expectAgreement(kernels, [randomValues(3, rows), matrix, matrix], (k, [s, m, out]) =>
            k.scaleRows(s!, m!, out!),
          );
        }
      }
    });

    test("softmax and log-softmax, with and without masks, forward and backward", () => {
      for (const cols of LENGTHS) {
        for (const rows of [1, 2, 6]) {
          const x = randomValues(rows * cols, rows * cols, 10);
          const dy = randomValues(cols, rows * cols);
          const mask = randomMask(cols, 2 * cols, 0.6);
          mask[0] = 1;
          const maskRows = rows % 2 === 0 ? mask : mask.subarray(0, cols);
          for (const which of [null, maskRows]) {
            for (const kernel of ["softmax", "logSoftmax"] as const) {
              expectAgreement(kernels, [x, dy, x, dy], (k, [a, d, y, dx]) => {
                k[kernel](a!, cols, which === null ? null : put(k, which), y!);
                k[`${kernel}Backward`](y!, d!, dx!, cols);
              });
            }
          }
        }
      }
    });

    test("layer and root-mean-square norm, forward and backward", () => {
      for (const cols of LENGTHS.filter((n) => n > 1)) {
        for (const rows of ROWS) {
          const size = rows * cols;
          const inputs = [randomValues(1, size), randomValues(2, cols), randomValues(3, cols), randomValues(4, size)];
          const results = [size, rows, rows, size, cols, cols].map((n) => new Float32Array(n));
          const close = { rtol: 2e-4, atol: 2e-4 };
          expectAgreement(
            kernels,
            [...inputs, ...results],
            (k, [x, gain, bias, dy, y, mean, scale, dx, dGain, dBias]) => {
              const shared = { x: x!, gain: gain!, scale: scale! };
              k.layerNorm({ ...shared, bias: bias!, epsilon: 1e-5, y: y!, mean: mean! });
              k.layerNormBackward({ ...shared, mean: mean!, dy: dy!, dx: dx!, dGain: dGain!, dBias: dBias! });
            },
            close,
          );
          expectAgreement(
            kernels,
            [...inputs, ...results],
            (k, [x, gain, , dy, y, , scale, dx, dGain]) => {
              const shared = { x: x!, gain: gain!, scale: scale! };
              k.rmsNorm({ ...shared, epsilon: 1e-6, y: y! });
              k.rmsNormBackward({ ...shared, dy: dy!, dx: dx!, dGain: dGain! });
            },
            close,
          );
        }
      }
    });

    test("the LSTM cell, forward and backward, also in place", () => {
      for (const hidden of LENGTHS) {
        for (const rows of ROWS) {
          const size = rows * hidden;
          const inputs = [4 * size, size, size, size, size, size].map((n, i) => randomValues(hidden + i, n));
          expectAgreement(kernels, inputs, (k, [gates, cPrev, c, h, dh, dc]) => {
            k.lstmForward({ rows, hidden, gates: gates!, cPrev: cPrev!, c: c!, h: h! });
            const shared = { rows, hidden, gates: gates!, cPrev: cPrev!, c: c! };
            k.lstmBackward({ ...shared, dh: dh!, dc: dc!, dGates: gates! });
          });
        }
      }
    });

    test("gather, scatter and rotary", () => {
      for (const cols of LENGTHS) {
        const indices = [2, -1, 0, 2];
        expectAgreement(kernels, [randomValues(1, 3 * cols), randomValues(2, 4 * cols)], (k, [table, out]) =>
          k.gatherRows(table!, cols, putInts(k, indices), out!),
        );
        expectAgreement(kernels, [randomValues(3, 3 * cols), randomValues(4, 4 * cols)], (k, [table, x]) =>
          k.scatterAddRows(x!, cols, putInts(k, indices), table!),
        );
        const half = randomValues(5, 3 * cols);
        expectAgreement(kernels, [randomValues(6, 4 * 2 * 2 * cols)], (k, [x]) => {
          const shared = { heads: 2, dim: 2 * cols, positions: putInts(k, [0, 2, 1, 1]) };
          const [cosines, sines] = [put(k, half.map(Math.cos)), put(k, half.map(Math.sin))];
          k.rotary({ ...shared, x: x!, cosines, sines, direction: -1 });
        });
      }
    });

    test("Adam, with L2, decoupled decay and clipping", () => {
      for (const n of LENGTHS) {
        const inputs = [randomValues(1, n), randomValues(2, n), randomValues(3, n), randomValues(4, n).map(Math.abs)];
        expectAgreement(kernels, inputs, (k, [parameter, gradient, m, v]) => {
          const state = { parameter: parameter!, gradient: gradient!, m: m!, v: v!, gradientScale: 0.5 };
          const rates = { beta1: 0.9, beta2: 0.99, epsilon: 1e-5, stepSize: 0.1, vScale: 1.5, l2: 0.01, decay: 0.02 };
          k.adam({ ...state, ...rates });
        });
      }
    });

    test("Adam with a product for a gradient, over strips, panels and blocks of k", () => {
      for (const [rows, cols, k] of [
        [1, 1, 1],
        [5, 7, 3],
        [50, 29, 20],
        [49, 1200, 2],
        [101, 30, 270],
      ] as const) {
        const [ldx, offsetX] = [rows + 3, 2];
        const state = [1, 2, 3].map((seed) => randomValues(seed, rows * cols));
        const inputs = [
          ...state.slice(0, 2),
          state[2]!.map(Math.abs),
          randomValues(4, k * ldx),
          randomValues(5, k * cols),
        ];
        expectAgreement(kernels, inputs, (set, [parameter, m, v, x, dy]) => {
          const rates = { beta1: 0.9, beta2: 0.99, epsilon: 1e-2, stepSize: 0.1, vScale: 1.5, l2: 0.01, decay: 0.02 };
          const arrays = { parameter: parameter!, m: m!, v: v!, x: x!, dy: dy! };
          set.adamProduct({ ...arrays, rows, ldx, offsetX, k, gradientScale: 0.5, ...rates });
        });
      }
    });
  },
);

describe.each(allSets.map((kernels) => [kernels.description, kernels] as const))("%s", (_, kernels) => {
  test("a row of a product does not depend on the rows beside it", () => {
    const [m, n, k] = [37, 101, 515];
    const [a, b] = [put(kernels, randomValues(1, m * k)), put(kernels, randomValues(2, k * n))];
    const whole = kernels.floats(m * n);
    kernels.sgemm({ m, n, k, a, b, c: whole });
    for (const [from, rows] of [
      [0, 1],
      [3, 4],
      [11, 26],
    ] as const) {
      const part = kernels.floats(rows * n);
      kernels.sgemm({ m: rows, n, k, a, offsetA: from * k, b, c: part });
      expect(part).toEqual(whole.subarray(from * n, (from + rows) * n));
    }
  });

  test("a NaN is passed on, not swallowed", () => {
    const x = put(kernels, [1, Number.NaN, 3, 4, 5]);
    for (const kind of ACTIVATIONS) {
      const y = kernels.floats(5);
      kernels.activation(kind, x, y);
      expect(Array.from(y, Number.isNaN)).toEqual([false, true, false, false, false]);
    }
    const y = kernels.floats(5);
    kernels.softmax(x, 5, null, y);
    expect(Array.from(y, Number.isNaN)).toContain(true);
    kernels.logSoftmax(x, 5, null, y);
    expect(Array.from(y, Number.isNaN)).toContain(true);
    expect(kernels.sumOfSquares(x)).toBeNaN();
  });

  test("a row in which nothing is allowed has softmax 0", () => {
    const y = kernels.floats(3);
    kernels.softmax(put(kernels, [1, 2, 3]), 3, put(kernels, [0, 0, 0]), y);
    expect([...y]).toEqual([0, 0, 0]);
  });

  test("one legal choice among 1,400 gets probability 1, whatever the logits", () => {
    const logits = Float32Array.from({ length: 1400 }, (_, i) => (i % 2 === 0 ? 1e4 : -1e4));
    const mask = new Float32Array(1400);
    mask[701] = 1;
    const y = kernels.floats(1400);
    kernels.softmax(put(kernels, logits), 1400, put(kernels, mask), y);
    expect(y[701]).toBe(1);
    expect(y.reduce((sum, p) => sum + p, 0)).toBe(1);
    kernels.logSoftmax(put(kernels, logits), 1400, put(kernels, mask), y);
    expect(y[701]).toBeCloseTo(0, 10);
  });

  test("wrong sizes are refused before anything is written", () => {
    const c = put(kernels, [7, 7, 7, 7]);
    const shape = { m: 2, n: 2, k: 3, a: kernels.floats(6), b: kernels.floats(5), c };
    expect(() => kernels.sgemm(shape)).toThrow("sgemm: B has 5 elements; sgemm would reach 6.");
    expect([...c]).toEqual([7, 7, 7, 7]);
    expect(() => kernels.axpy(1, kernels.floats(3), c)).toThrow(NnError);
    expect(() => kernels.softmax(c, 3, null, c)).toThrow("not whole rows of 3");
    expect(() => kernels.gatherRows(c, 2, putInts(kernels, [2]), kernels.floats(2))).toThrow("the table has 2 rows");
    expect(() => kernels.activation("swish" as "silu", c, c)).toThrow("Known are relu");
  });

  test("equal calls give equal bits", () => {
    const run = () => {
      const x = put(kernels, randomValues(9, 1000));
      const y = kernels.floats(1000);
      kernels.activation("gelu", x, y);
      kernels.sgemm({ m: 10, n: 10, k: 100, a: x, b: y, c: x });
      kernels.layerNorm({
        ...{ x: y, gain: put(kernels, randomValues(1, 100)), bias: kernels.floats(100), epsilon: 1e-5 },
        ...{ y, mean: kernels.floats(10), scale: kernels.floats(10) },
      });
      return [...x, ...y];
    };
    expect(run()).toEqual(run());
  });
});

const ADAM_RATES = {
  gradientScale: 0.5,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-5,
  stepSize: 0.1,
  vScale: 1.5,
  l2: 0.01,
  decay: 0.02,
};

test("products on one thread and on many are the same bits", () => {
  const byThreads = fastSets.filter((kernels) => kernels.name === "native");
  const best = byThreads[0]?.description.match(/\((\w+),/)?.[1] ?? "";
  const results = byThreads
    .filter((kernels) => kernels.description.includes(best))
    .flatMap((kernels) =>
      [
        [200, 90, 130],
        [30, 700, 130],
      ].map(([m, n, k]) => {
        const c = kernels.floats(m! * n!);
        const [a, b] = [randomValues(1, m! * k!), randomValues(2, k! * n!)];
        kernels.sgemm({ m: m!, n: n!, k: k!, a, b, c });
        const [x, moments, rates] = [randomValues(3, k! * m!), { m: c.slice(), v: c.map(Math.abs) }, ADAM_RATES];
        kernels.adamProduct({ parameter: c, ...moments, x, ldx: m!, offsetX: 0, dy: b, rows: m!, k: k!, ...rates });
        return c;
      }),
    );
  expect(results.length === 4 || whyNoNative !== null).toBe(true);
  if (whyNoNative === null) expect(results.slice(0, 2)).toEqual(results.slice(2));
});

test("arrays from elsewhere are refused by WASM", () => {
  const wasm = fastSets[0]!;
  expect(() => wasm.sumOfSquares(new Float32Array(4))).toThrow("not in this kernel set's memory");
});

test("WASM memory that is freed is used again, and running out says what to do", async () => {
  const { kernels } = await selectKernels("wasm", { memoryMiB: 8 });
  for (let i = 0; i < 100; i++) kernels.free(kernels.floats(500_000));
  expect(() => Array.from({ length: 8 }, () => kernels.floats(500_000))).toThrow("Raise memoryMiB (now 8)");
});

test("auto takes the native kernels with the processor's best instructions, where there is a compiler", async (context) => {
  if (whyNoNative !== null) context.skip(whyNoNative);
  const { kernels, line } = await selectKernels("auto");
  expect(kernels.name).toBe("native");
  expect(line).toBe(`kernels: native (${nativeInstructionSets()[0]}, 1 thread)`);
});

test("without a compiler auto takes WASM and says why, and asking for native fails", async () => {
  const build = { compilers: ["no-such-compiler"], folder: "/nonexistent" };
  const { kernels, line } = await selectKernels("auto", { build });
  expect(kernels.name).toBe("wasm");
  expect(line).toBe(
    "kernels: wasm (SIMD, 1 thread); Native kernels are not available: no C compiler was found (no-such-compiler).",
  );
  await expect(selectKernels("native", { build })).rejects.toThrow("no C compiler was found");
  await expect(selectKernels("fast" as "auto")).rejects.toThrow("Choose auto, native, wasm, reference");
});
