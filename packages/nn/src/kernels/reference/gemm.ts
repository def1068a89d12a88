import type { RawKernels } from "../raw.ts";
import type { Numbers } from "./numbers.ts";

/** Sums in float64, in the order of k. */
export const sgemm: RawKernels<Numbers>["sgemm"] = (
  transposeA,
  transposeB,
  m,
  n,
  k,
  alpha,
  a,
  lda,
  b,
  ldb,
  beta,
  c,
  ldc,
  batch,
  strideA,
  strideB,
  strideC,
  offsetA,
  offsetB,
  offsetC,
) => {
  const [stepAi, stepAp] = transposeA === 1 ? [1, lda] : [lda, 1];
  const sums = new Float64Array(n);
  for (let q = 0; q < batch; q++) {
    const a0 = offsetA + q * strideA;
    const b0 = offsetB + q * strideB;
    for (let i = 0; i < m; i++) {
      const c0 = offsetC + q * strideC + i * ldc;
      for (let j = 0; j < n; j++) sums[j] = beta === 0 ? 0 : beta * c[c0 + j]!;
      for (let p = 0; p < k; p++) {
        const x = alpha * a[a0 + i * stepAi + p * stepAp]!;
        if (transposeB === 1) {
          for (let j = 0; j < n; j++) sums[j]! += x * b[b0 + j * ldb + p]!;
        } else {
          const row = b0 + p * ldb;
          for (let j = 0; j < n; j++) sums[j]! += x * b[row + j]!;
        }
      }
      for (let j = 0; j < n; j++) c[c0 + j] = sums[j]!;
    }
  }
};
