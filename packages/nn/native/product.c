// An optimiser step whose gradient is the product x^T dy of few rows. Strips of the gradient are made as sgemm makes them and
// used while they are in cache, so that it is never written to memory, zeroed or read again.
#include "vector.h"

// adam() on rows x columns, close together, with gradient x^T dy: x is k x rows with row length ldx, dy k x columns.
void NN(adam_product)(int rows, int columns, int k, const float *x, int ldx, const float *dy, float *p, float *m, float *v,
                      float gradient_scale, float beta1, float beta2, float epsilon, float step_size, float v_scale,
                      float l2, float decay, float *scratch) {
  float *packed_dy = scratch;
  float *packed_x = scratch + (NC / NR) * B_STRIDE;
  float *edge = packed_x + MC * KC;
  float *strip = edge + MR * NR;
  for (int j0 = 0; j0 < columns; j0 += NC) {
    const int nc = columns - j0 < NC ? columns - j0 : NC;
    for (int i0 = 0; i0 < rows; i0 += STRIP_ROWS) {
      const int mc = rows - i0 < STRIP_ROWS ? rows - i0 : STRIP_ROWS;
      for (int p0 = 0; p0 < k; p0 += KC) {
        const int kc = k - p0 < KC ? k - p0 : KC;
        // With few rows of x the panels of dy are packed once and serve every strip.
        if (i0 == 0 || k > KC) pack_b(0, dy + (long)p0 * columns + j0, columns, kc, nc, packed_dy);
        pack_a(1, x + (long)p0 * ldx + i0, ldx, 1, mc, kc, packed_x);
        for (int j = 0; j < nc; j += NR) {
          const int wide = nc - j < NR ? nc - j : NR;
          for (int i = 0; i < mc; i += MR) {
            const int high = mc - i < MR ? mc - i : MR;
            const tile t = {kc, packed_x + (long)i * kc, packed_dy + (long)(j / NR) * B_STRIDE, NR,
                            strip + (long)i * NC + j, NC, p0 == 0 ? 0.0f : 1.0f};
            run_tile(high, wide, t, edge);
          }
        }
      }
      for (int i = 0; i < mc; i++) {
        const long at = (long)(i0 + i) * columns + j0;
        NN(adam)(nc, p + at, strip + (long)i * NC, m + at, v + at, gradient_scale, beta1, beta2, epsilon,
                 step_size, v_scale, l2, decay);
      }
    }
  }
}
