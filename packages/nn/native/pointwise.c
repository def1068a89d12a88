// Kernels that treat each element alone, and the reduction to a sum of squares.
#include "vector.h"

#define MAP1(n, x, y, f)                  \
  for (int at = 0; at < (n); at += VL) {  \
    const int left = (n)-at;              \
    store_part((y) + at, left, f(load_part((x) + at, left, 0))); \
  }

// dx += dy * f'(x)
#define MAP_BACKWARD(n, x, dy, dx, f)     \
  for (int at = 0; at < (n); at += VL) {  \
    const int left = (n)-at;              \
    const vf slope = f(load_part((x) + at, left, 0)); \
    store_part((dx) + at, left, load_part((dx) + at, left, 0) + load_part((dy) + at, left, 0) * slope); \
  }

INLINE vf relu(vf x) { return select_vf(x < 0.0f, splat(0), x); }
INLINE vf relu_slope(vf x) { return select_vf(x > 0.0f, splat(1), splat(0)); }
INLINE vf tanh_slope(vf x) {
  const vf t = tanh_vf(x);
  return 1.0f - t * t;
}
INLINE vf sigmoid_slope(vf x) {
  const vf s = sigmoid_vf(x);
  return s * (1.0f - s);
}
INLINE vf gelu(vf x) { return 0.5f * x * (1.0f + erf_vf(x * 0.70710678f)); }
INLINE vf gelu_slope(vf x) {
  return 0.5f * (1.0f + erf_vf(x * 0.70710678f)) + x * 0.39894228f * exp_vf(-0.5f * x * x);
}
INLINE vf gelu_tanh_inner(vf x) { return 0.79788456f * (x + 0.044715f * x * x * x); }
INLINE vf gelu_tanh(vf x) { return 0.5f * x * (1.0f + tanh_vf(gelu_tanh_inner(x))); }
INLINE vf gelu_tanh_slope(vf x) {
  const vf t = tanh_vf(gelu_tanh_inner(x));
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * 0.79788456f * (1.0f + 0.134145f * x * x);
}
INLINE vf silu(vf x) { return x * sigmoid_vf(x); }
INLINE vf silu_slope(vf x) {
  const vf s = sigmoid_vf(x);
  return s * (1.0f + x * (1.0f - s));
}

// Kinds in the order of ACTIVATIONS in src/kernels/kernels.ts.
void NN(activation)(int kind, int n, const float *x, float *y) {
  switch (kind) {
    case 0: MAP1(n, x, y, relu); break;
    case 1: MAP1(n, x, y, tanh_vf); break;
    case 2: MAP1(n, x, y, sigmoid_vf); break;
    case 3: MAP1(n, x, y, gelu); break;
    case 4: MAP1(n, x, y, gelu_tanh); break;
    default: MAP1(n, x, y, silu); break;
  }
}

void NN(activation_backward)(int kind, int n, const float *x, const float *dy, float *dx) {
  switch (kind) {
    case 0: MAP_BACKWARD(n, x, dy, dx, relu_slope); break;
    case 1: MAP_BACKWARD(n, x, dy, dx, tanh_slope); break;
    case 2: MAP_BACKWARD(n, x, dy, dx, sigmoid_slope); break;
    case 3: MAP_BACKWARD(n, x, dy, dx, gelu_slope); break;
    case 4: MAP_BACKWARD(n, x, dy, dx, gelu_tanh_slope); break;
    default: MAP_BACKWARD(n, x, dy, dx, silu_slope); break;
  }
}

// y += alpha * x
void NN(axpy)(int n, float alpha, const float *x, float *y) {
  for (int i = 0; i < n; i++) y[i] += alpha * x[i];
}

// out = x * y, or out += x * y
void NN(multiply)(int n, const float *x, const float *y, float *out, int accumulate) {
  if (accumulate)
    for (int i = 0; i < n; i++) out[i] += x[i] * y[i];
  else
    for (int i = 0; i < n; i++) out[i] = x[i] * y[i];
}

// Short float32 sums gathered in float64: as exact as float64 for the purpose, at the speed of float32.
double NN(sum_of_squares)(int n, const float *x) {
  double total = 0;
  int i = 0;
  while (i + VL <= n) {
    vf s = splat(0);
    for (int j = 0; j < 32 && i + VL <= n; j++, i += VL) s += load(x + i) * load(x + i);
    for (int j = 0; j < VL; j++) total += (double)s[j];
  }
  for (; i < n; i++) total += (double)x[i] * (double)x[i];
  return total;
}

// Gates are i, f, g, o (PyTorch's order) in a row of 4 * hidden: pre-activations on entry, activations on return.
void NN(lstm_forward)(int rows, int hidden, float *gates, const float *c_prev, float *c, float *h) {
  for (int r = 0; r < rows; r++) {
    float *gi = gates + (long)r * 4 * hidden, *gf = gi + hidden, *gg = gf + hidden, *go = gg + hidden;
    const float *cp = c_prev + (long)r * hidden;
    float *cr = c + (long)r * hidden, *hr = h + (long)r * hidden;
    for (int j = 0; j < hidden; j += VL) {
      const int n = hidden - j;
      const vf i = sigmoid_vf(load_part(gi + j, n, 0)), f = sigmoid_vf(load_part(gf + j, n, 0)),
               g = tanh_vf(load_part(gg + j, n, 0)), o = sigmoid_vf(load_part(go + j, n, 0));
      const vf cell = f * load_part(cp + j, n, 0) + i * g;
      store_part(gi + j, n, i);
      store_part(gf + j, n, f);
      store_part(gg + j, n, g);
      store_part(go + j, n, o);
      store_part(cr + j, n, cell);
      store_part(hr + j, n, o * tanh_vf(cell));
    }
  }
}

// From activated gates: d_gates is the gradient at the pre-activations; dc holds the gradient at c on entry and the one
// at c_prev on return.
void NN(lstm_backward)(int rows, int hidden, const float *gates, const float *c_prev, const float *c, const float *dh,
                       float *dc, float *d_gates) {
  for (int r = 0; r < rows; r++) {
    const float *g4 = gates + (long)r * 4 * hidden;
    float *d4 = d_gates + (long)r * 4 * hidden;
    const long at = (long)r * hidden;
    for (int j = 0; j < hidden; j += VL) {
      const int n = hidden - j;
      const vf i = load_part(g4 + j, n, 0), f = load_part(g4 + hidden + j, n, 0),
               g = load_part(g4 + 2 * hidden + j, n, 0), o = load_part(g4 + 3 * hidden + j, n, 0);
      const vf t = tanh_vf(load_part(c + at + j, n, 0));
      const vf up = load_part(dh + at + j, n, 0);
      const vf cell = load_part(dc + at + j, n, 0) + up * o * (1.0f - t * t);
      store_part(d4 + j, n, cell * g * i * (1.0f - i));
      store_part(d4 + hidden + j, n, cell * load_part(c_prev + at + j, n, 0) * f * (1.0f - f));
      store_part(d4 + 2 * hidden + j, n, cell * i * (1.0f - g * g));
      store_part(d4 + 3 * hidden + j, n, up * t * o * (1.0f - o));
      store_part(dc + at + j, n, cell * f);
    }
  }
}

// One step of Adam (Kingma and Ba 2015). `gradient_scale` is the clipping factor; `l2` adds to the gradient (Adam),
// `decay` shrinks the parameter (AdamW); `step_size` = lr / (1 - beta1^t), `v_scale` = 1 / sqrt(1 - beta2^t).
void NN(adam)(int n, float *restrict p, const float *restrict gradient, float *restrict m, float *restrict v,
              float gradient_scale, float beta1, float beta2, float epsilon, float step_size, float v_scale, float l2,
              float decay) {
  for (int i = 0; i < n; i++) {
    const float g = gradient[i] * gradient_scale + l2 * p[i];
    const float mi = beta1 * m[i] + (1.0f - beta1) * g;
    const float vi_ = beta2 * v[i] + (1.0f - beta2) * g * g;
    m[i] = mi;
    v[i] = vi_;
    p[i] = p[i] * (1.0f - decay) - step_size * mi / (__builtin_sqrtf(vi_) * v_scale + epsilon);
  }
}
