// sgemm after the scheme of Goto and van de Geijn (2008): panels of B and A are packed, and a register tile walks along k.
//
// Each element of C is one chain acc = acc + a * b over k = 0, 1, ..., begun from beta * C, whatever the blocking, the
// number of rows and the number of threads. So a row's result never depends on the rows beside it: a rollout split over
// workers gives the same numbers as one batch.
#include "vector.h"

#ifndef MR
#error "MR (rows of the register tile) must be defined"
#endif
#define NR (NV * VL)
#define KC 256
#define MC (MR * 24)
#define NC (NR * ((1152 + NR - 1) / NR))
// A panel's stride is not a multiple of 4 KiB: panels would otherwise share one set of the first-level cache.
#define B_STRIDE (KC * NR + 16)
#define SMALL_M MR
#define SMALL_KC 16

// Rows of a gradient that adam_product (product.c) makes at a time: long stretches of the parameter, still in cache.
#define STRIP_ROWS 48

// Floats of scratch that the kernels need: packed B, packed A, one edge tile, one strip.
int NN(scratch_floats)(void) { return (NC / NR) * B_STRIDE + MC * KC + MR * NR + STRIP_ROWS * NC + 64; }

typedef struct {
  long k;
  const float *a; // packed: for each k, `rows` values
  const float *b; // for each k, NR values, `b_stride` apart
  long b_stride;
  float *c;
  long ldc;
  float beta;
} tile;

INLINE void micro(const int rows, const tile t) {
  vf acc[MR][NV];
  if (t.beta == 0) {
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < NV; v++) acc[i][v] = splat(0);
  } else if (t.beta == 1) {
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < NV; v++) acc[i][v] = load(t.c + i * t.ldc + v * VL);
  } else {
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < NV; v++) acc[i][v] =
        t.beta * load(t.c + i * t.ldc + v * VL);
  }
  const float *a = t.a;
  const float *b = t.b;
  for (long p = 0; p < t.k; p++) {
    vf bv[NV];
    UNROLL for (int v = 0; v < NV; v++) bv[v] = load(b + v * VL);
    UNROLL for (int i = 0; i < rows; i++) {
      const vf ai = splat(a[i]);
      UNROLL for (int v = 0; v < NV; v++) acc[i][v] += ai * bv[v];
    }
    a += rows;
    b += t.b_stride;
  }
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < NV; v++) store(t.c + i * t.ldc + v * VL, acc[i][v]);
}

static __attribute__((noinline)) void micro_full(const tile *t) { micro(MR, *t); }

static __attribute__((noinline)) void micro_rows(int rows, const tile *t) {
  switch (rows) {
    case 1: micro(1, *t); break;
#if MR > 2
    case 2: micro(2, *t); break;
#endif
#if MR > 3
    case 3: micro(3, *t); break;
#endif
#if MR > 4
    case 4: micro(4, *t); break;
#endif
#if MR > 5
    case 5: micro(5, *t); break;
#endif
#if MR > 6
    case 6: micro(6, *t); break;
#endif
#if MR > 7
    case 7: micro(7, *t); break;
#endif
    default: micro(MR, *t); break;
  }
}

// One tile of `rows` x `columns`; a narrow one goes through a full-width copy.
INLINE void run_tile(int rows, int columns, tile t, float *edge) {
  if (columns == NR) {
    if (rows == MR) micro_full(&t);
    else micro_rows(rows, &t);
    return;
  }
  float *c = t.c;
  if (t.beta != 0) {
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++) edge[i * NR + j] = c[i * t.ldc + j];
  }
  const long ldc = t.ldc;
  t.c = edge;
  t.ldc = NR;
  micro_rows(rows, &t);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) c[i * ldc + j] = edge[i * NR + j];
}

// alpha * A[i0.., p0..] as panels of MR rows (the last one narrower): value (i, p) of a panel stands at p * rows + i.
static void pack_a(int trans, const float *a, long lda, float alpha, int m, int k, float *to) {
  for (int i0 = 0; i0 < m; i0 += MR) {
    const int rows = m - i0 < MR ? m - i0 : MR;
    if (trans) {
      const float *from = a + i0;
      if (rows == MR) {
        for (int p = 0; p < k; p++, from += lda, to += MR)
          UNROLL for (int i = 0; i < MR; i++) to[i] = alpha * from[i];
      } else {
        for (int p = 0; p < k; p++, from += lda, to += rows)
          for (int i = 0; i < rows; i++) to[i] = alpha * from[i];
      }
    } else {
      const float *from = a + i0 * lda;
      if (rows == MR) {
        for (int p = 0; p < k; p++, to += MR)
          UNROLL for (int i = 0; i < MR; i++) to[i] = alpha * from[i * lda + p];
      } else {
        for (int p = 0; p < k; p++, to += rows)
          for (int i = 0; i < rows; i++) to[i] = alpha * from[i * lda + p];
      }
    }
  }
}

// B[0..k, 0..n] as panels of NR columns, padded with zeros: value (p, j) of a panel stands at p * NR + j.
static void pack_b(int trans, const float *b, long ldb, int k, int n, float *to) {
  if (!trans) {
    const int full = n / NR;
    for (int p = 0; p < k; p++) {
      const float *from = b + p * ldb;
      float *row = to + p * NR;
      for (int q = 0; q < full; q++, from += NR, row += B_STRIDE)
        UNROLL for (int v = 0; v < NV; v++) store(row + v * VL, load(from + v * VL));
      const int rest = n - full * NR;
      if (rest > 0)
        for (int j = 0; j < NR; j++) row[j] = j < rest ? from[j] : 0;
    }
    return;
  }
  for (int j0 = 0; j0 < n; j0 += NR, to += B_STRIDE) {
    const int columns = n - j0 < NR ? n - j0 : NR;
    const float *from = b + j0 * ldb;
    // A line of B's row at a time: rows a multiple of 4 KiB apart push each other out of the first-level cache.
    int p = 0;
    for (; p + 16 <= k; p += 16) {
      for (int j = 0; j < columns; j++) {
        const float *s = from + j * ldb + p;
        UNROLL for (int q = 0; q < 16; q++) to[(p + q) * NR + j] = s[q];
      }
      for (int j = columns; j < NR; j++)
        for (int q = 0; q < 16; q++) to[(p + q) * NR + j] = 0;
    }
    for (; p < k; p++)
      for (int j = 0; j < NR; j++) to[p * NR + j] = j < columns ? from[j * ldb + p] : 0;
  }
}

// C = alpha * op(A) op(B) + beta * C; op(A) is m x k, op(B) k x n, all row-major. C is not read when beta is 0.
void NN(sgemm)(int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb,
               float beta, float *c, int ldc, float *scratch) {
  if (m <= 0 || n <= 0) return;
  if (k <= 0) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) c[(long)i * ldc + j] = beta == 0 ? 0 : beta * c[(long)i * ldc + j];
    return;
  }
  float *packed_b = scratch;
  float *packed_a = packed_b + (NC / NR) * B_STRIDE;
  float *edge = packed_a + MC * KC;
  // One tile's rows use each value of B once and cannot pay for packing it: they read it in place, a few lines of k at a time so that it stays near.
  const int in_place = !trans_b && m <= SMALL_M;
  const int k_step = in_place ? SMALL_KC : KC;
  for (int j0 = 0; j0 < n; j0 += NC) {
    const int nc = n - j0 < NC ? n - j0 : NC;
    for (int p0 = 0; p0 < k; p0 += k_step) {
      const int kc = k - p0 < k_step ? k - p0 : k_step;
      const float *b_block = trans_b ? b + (long)j0 * ldb + p0 : b + (long)p0 * ldb + j0;
      const int whole = in_place ? nc / NR * NR : 0;
      if (whole < nc) pack_b(trans_b, b_block + whole, ldb, kc, nc - whole, packed_b);
      const float block_beta = p0 == 0 ? beta : 1;
      for (int i0 = 0; i0 < m; i0 += MC) {
        const int mc = m - i0 < MC ? m - i0 : MC;
        pack_a(trans_a, trans_a ? a + (long)p0 * lda + i0 : a + (long)i0 * lda + p0, lda, alpha, mc, kc, packed_a);
        for (int j = 0; j < nc; j += NR) {
          const int columns = nc - j < NR ? nc - j : NR;
          const float *panel = j < whole ? b_block + j : packed_b + (long)((j - whole) / NR) * B_STRIDE;
          const long b_stride = j < whole ? ldb : NR;
          for (int i = 0; i < mc; i += MR) {
            const int rows = mc - i < MR ? mc - i : MR;
            const tile t = {kc,       packed_a + (long)i * kc, panel, b_stride, c + (long)(i0 + i) * ldc + j0 + j, ldc,
                            block_beta};
            run_tile(rows, columns, t, edge);
          }
        }
      }
    }
  }
}
