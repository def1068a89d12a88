// Kernels over the rows of a matrix [rows, cols], row-major.
#include "vector.h"

// y[r] += row
void NN(add_row)(int rows, int cols, const float *row, float *y) {
  for (int r = 0; r < rows; r++, y += cols)
    for (int j = 0; j < cols; j++) y[j] += row[j];
}

// out += sum over r of x[r], in the order of r
void NN(sum_rows)(int rows, int cols, const float *x, float *out) {
  for (int r = 0; r < rows; r++, x += cols)
    for (int j = 0; j < cols; j++) out[j] += x[j];
}

// y[r] = scale[r] * x[r]
void NN(scale_rows)(int rows, int cols, const float *scale, const float *x, float *y) {
  for (int r = 0; r < rows; r++, x += cols, y += cols) {
    const float s = scale[r];
    for (int j = 0; j < cols; j++) y[j] = s * x[j];
  }
}

#define LOWEST -3.402823466e38f

// Largest allowed value of a row, LOWEST when none is allowed. mask: null, or nonzero where allowed.
INLINE float row_max(int cols, const float *x, const float *mask) {
  vf best = splat(LOWEST);
  for (int j = 0; j < cols; j += VL) {
    vf v = load_part(x + j, cols - j, LOWEST);
    if (mask) v = select_vf(load_part(mask + j, cols - j, 0) != 0.0f, v, splat(LOWEST));
    // A NaN must not be lost here: the exponentials carry it on.
    best = max_vf(best, v);
  }
  return max_lanes(best);
}

INLINE vf masked_exp(const float *x, const float *mask, int left, float max) {
  vf e = exp_vf(load_part(x, left, LOWEST) - max);
  if (mask) e = select_vf(load_part(mask, left, 0) != 0.0f, e, splat(0));
  return e;
}

// Row r has mask row r % mask_rows; masked columns get 0, and a row without an allowed column is all 0.
void NN(softmax)(int rows, int cols, const float *x, const float *mask, int mask_rows, float *y) {
  for (int r = 0; r < rows; r++, x += cols, y += cols) {
    const float *allowed = mask ? mask + (long)(r % mask_rows) * cols : 0;
    const float max = row_max(cols, x, allowed);
    vf total = splat(0);
    for (int j = 0; j < cols; j += VL) {
      const vf e = masked_exp(x + j, allowed ? allowed + j : 0, cols - j, max);
      store_part(y + j, cols - j, e);
      total += e;
    }
    const float sum = sum_lanes(total);
    const float scale = sum == 0 ? 0 : 1 / sum;
    for (int j = 0; j < cols; j++) y[j] *= scale;
  }
}

// dx += y * (dy - sum(y * dy))
void NN(softmax_backward)(int rows, int cols, const float *y, const float *dy, float *dx) {
  for (int r = 0; r < rows; r++, y += cols, dy += cols, dx += cols) {
    vf total = splat(0);
    for (int j = 0; j < cols; j += VL) total += load_part(y + j, cols - j, 0) * load_part(dy + j, cols - j, 0);
    const float inner = sum_lanes(total);
    for (int j = 0; j < cols; j++) dx[j] += y[j] * (dy[j] - inner);
  }
}

// Natural logarithm of a positive finite float: exponent, then a series on [sqrt(1/2), sqrt(2)) (Cephes logf).
static float log_of(float x) {
  union {
    float f;
    uint32_t u;
  } bits = {x};
  int e = (int)(bits.u >> 23) - 126;
  bits.u = (bits.u & 0x007fffffu) | 0x3f000000u;
  float m = bits.f;
  if (m < 0.70710678f) {
    e -= 1;
    m = m + m - 1.0f;
  } else {
    m = m - 1.0f;
  }
  const float z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  float y = p * m * z;
  y += e * -2.12194440e-4f;
  y += -0.5f * z;
  return m + y + e * 0.693359375f;
}

// Masked columns get -Infinity, and so does a row without an allowed column.
void NN(log_softmax)(int rows, int cols, const float *x, const float *mask, int mask_rows, float *y) {
  for (int r = 0; r < rows; r++, x += cols, y += cols) {
    const float *allowed = mask ? mask + (long)(r % mask_rows) * cols : 0;
    const float max = row_max(cols, x, allowed);
    vf total = splat(0);
    for (int j = 0; j < cols; j += VL) total += masked_exp(x + j, allowed ? allowed + j : 0, cols - j, max);
    const float sum = sum_lanes(total);
    // The sum is at least 1 (its largest term), 0 when nothing is allowed, or NaN.
    const float shift = sum == sum ? max + (sum > 0 ? log_of(sum) : 0) : sum;
    for (int j = 0; j < cols; j++) y[j] = allowed && allowed[j] == 0 ? -__builtin_inff() : x[j] - shift;
  }
}

// dx += dy - e^y * sum(dy), over allowed columns; what dy says of a masked column is ignored.
void NN(log_softmax_backward)(int rows, int cols, const float *y, const float *dy, float *dx) {
  for (int r = 0; r < rows; r++, y += cols, dy += cols, dx += cols) {
    vf total = splat(0);
    for (int j = 0; j < cols; j += VL) {
      const vf masked = load_part(y + j, cols - j, LOWEST);
      total += select_vf(masked < LOWEST, splat(0), load_part(dy + j, cols - j, 0));
    }
    const float sum = sum_lanes(total);
    for (int j = 0; j < cols; j += VL) {
      const int n = cols - j;
      const vf v = load_part(y + j, n, LOWEST);
      const vf change = load_part(dy + j, n, 0) - exp_vf(v) * sum;
      store_part(dx + j, n, load_part(dx + j, n, 0) + select_vf(v < LOWEST, splat(0), change));
    }
  }
}

INLINE float row_sum(int cols, const float *x) {
  vf s = splat(0);
  for (int j = 0; j < cols; j += VL) s += load_part(x + j, cols - j, 0);
  return sum_lanes(s);
}
INLINE float row_dot(int cols, const float *x, const float *y) {
  vf s = splat(0);
  for (int j = 0; j < cols; j += VL) s += load_part(x + j, cols - j, 0) * load_part(y + j, cols - j, 0);
  return sum_lanes(s);
}

void NN(layer_norm)(int rows, int cols, float epsilon, const float *x, const float *gain, const float *bias, float *y,
                    float *mean, float *scale) {
  for (int r = 0; r < rows; r++, x += cols, y += cols) {
    const float mu = row_sum(cols, x) / cols;
    vf s = splat(0);
    for (int j = 0; j < cols; j += VL) {
      const vf d = load_part(x + j, cols - j, mu) - mu;
      s += d * d;
    }
    const float inverse = 1 / __builtin_sqrtf(sum_lanes(s) / cols + epsilon);
    mean[r] = mu;
    scale[r] = inverse;
    for (int j = 0; j < cols; j++) y[j] = (x[j] - mu) * inverse * gain[j] + bias[j];
  }
}

void NN(layer_norm_backward)(int rows, int cols, const float *x, const float *gain, const float *mean, const float *scale,
                             const float *dy, float *dx, float *d_gain, float *d_bias) {
  for (int r = 0; r < rows; r++, x += cols, dy += cols, dx += cols) {
    const float mu = mean[r], inverse = scale[r];
    vf sum_g = splat(0), sum_gx = splat(0);
    for (int j = 0; j < cols; j += VL) {
      const int n = cols - j;
      const vf g = load_part(dy + j, n, 0) * load_part(gain + j, n, 0);
      sum_g += g;
      sum_gx += g * ((load_part(x + j, n, mu) - mu) * inverse);
    }
    const float mean_g = sum_lanes(sum_g) / cols, mean_gx = sum_lanes(sum_gx) / cols;
    for (int j = 0; j < cols; j++) {
      const float normal = (x[j] - mu) * inverse;
      d_gain[j] += dy[j] * normal;
      d_bias[j] += dy[j];
      dx[j] += inverse * (dy[j] * gain[j] - mean_g - normal * mean_gx);
    }
  }
}

void NN(rms_norm)(int rows, int cols, float epsilon, const float *x, const float *gain, float *y, float *scale) {
  for (int r = 0; r < rows; r++, x += cols, y += cols) {
    const float inverse = 1 / __builtin_sqrtf(row_dot(cols, x, x) / cols + epsilon);
    scale[r] = inverse;
    for (int j = 0; j < cols; j++) y[j] = x[j] * inverse * gain[j];
  }
}

void NN(rms_norm_backward)(int rows, int cols, const float *x, const float *gain, const float *scale, const float *dy,
                           float *dx, float *d_gain) {
  for (int r = 0; r < rows; r++, x += cols, dy += cols, dx += cols) {
    const float inverse = scale[r];
    vf s = splat(0);
    for (int j = 0; j < cols; j += VL) {
      const int n = cols - j;
      s += load_part(dy + j, n, 0) * load_part(gain + j, n, 0) * load_part(x + j, n, 0);
    }
    const float along = sum_lanes(s) * inverse * inverse / cols;
    for (int j = 0; j < cols; j++) {
      d_gain[j] += dy[j] * x[j] * inverse;
      dx[j] += inverse * (dy[j] * gain[j] - x[j] * along);
    }
  }
}

// out[i] = table[indices[i]]; a negative index gives zeros
void NN(gather_rows)(int count, int cols, const float *table, const int32_t *indices, float *out) {
  for (int i = 0; i < count; i++, out += cols) {
    if (indices[i] < 0) __builtin_memset(out, 0, (size_t)cols * 4);
    else __builtin_memcpy(out, table + (long)indices[i] * cols, (size_t)cols * 4);
  }
}

// table[indices[i]] += x[i] in the order of i; a negative index is passed over
void NN(scatter_add_rows)(int count, int cols, const float *x, const int32_t *indices, float *table) {
  for (int i = 0; i < count; i++, x += cols) {
    if (indices[i] < 0) continue;
    float *to = table + (long)indices[i] * cols;
    for (int j = 0; j < cols; j++) to[j] += x[j];
  }
}

// Rotary position embedding, halves as pairs (Su et al. 2021, layout of GPT-NeoX): x[row, head, i] and
// x[row, head, i + dim / 2] turn by the angle whose cosine and sine stand at [positions[row], i]; direction -1 turns back.
void NN(rotary)(int rows, int heads, int dim, const int32_t *positions, const float *cosines, const float *sines,
                float direction, float *x) {
  const int half = dim / 2;
  for (int r = 0; r < rows; r++) {
    const float *co = cosines + (long)positions[r] * half, *si = sines + (long)positions[r] * half;
    for (int h = 0; h < heads; h++, x += dim) {
      for (int i = 0; i < half; i++) {
        const float a = x[i], b = x[i + half], s = direction * si[i];
        x[i] = a * co[i] - b * s;
        x[i + half] = b * co[i] + a * s;
      }
    }
  }
}
