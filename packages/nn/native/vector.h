// Vectors of VL floats through the compiler's vector extension, so that one source serves WASM, SSE2, AVX2, AVX-512 and
// NEON. VL comes from the command line, and where several sets are linked into one file, SUFFIX too.
#ifndef NN_VECTOR_H
#define NN_VECTOR_H
#include <stddef.h>
#include <stdint.h>

#ifndef VL
#error "VL (floats in a vector) must be defined"
#endif
#define NN_JOIN2(a, b) a##_##b
#define NN_JOIN(a, b) NN_JOIN2(a, b)
#ifdef SUFFIX
#define NN(name) NN_JOIN(name, SUFFIX)
#else
#define NN(name) name
#endif
#define INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

typedef float vf __attribute__((vector_size(VL * 4)));
typedef int32_t vi __attribute__((vector_size(VL * 4)));
// Arrays of JavaScript are aligned to 4 bytes only.
typedef float vf_unaligned __attribute__((vector_size(VL * 4), aligned(4), may_alias));

INLINE vf load(const float *p) { return *(const vf_unaligned *)p; }
INLINE void store(float *p, vf v) { *(vf_unaligned *)p = v; }
INLINE vf splat(float x) { return x - (vf){}; }
INLINE vf select_vf(vi mask, vf yes, vf no) { return (vf)(((vi)yes & mask) | ((vi)no & ~mask)); }
INLINE vf max_vf(vf a, vf b) { return select_vf(a > b, a, b); }
INLINE vf min_vf(vf a, vf b) { return select_vf(a < b, a, b); }
INLINE vf abs_vf(vf a) { return (vf)((vi)a & 0x7fffffff); }

INLINE float sum_lanes(vf v) {
  float s = v[0];
  for (int i = 1; i < VL; i++) s += v[i];
  return s;
}
INLINE float max_lanes(vf v) {
  float m = v[0];
  for (int i = 1; i < VL; i++) m = v[i] > m ? v[i] : m;
  return m;
}

// The last, partial vector of an array goes through a padded one, so that its elements get the very same arithmetic.
INLINE vf load_part(const float *p, int n, float fill) {
  if (n >= VL) return load(p);
  float t[VL];
  for (int i = 0; i < VL; i++) t[i] = i < n ? p[i] : fill;
  return load(t);
}
INLINE void store_part(float *p, int n, vf v) {
  if (n >= VL) store(p, v);
  else
    for (int i = 0; i < n; i++) p[i] = v[i];
}

// e^x: 2^n by the exponent bits, e^r by a polynomial of degree 6 on |r| <= ln(2)/2 (Cody and Waite's split of ln 2);
// relative error below 2e-7. Written out so that no platform's libm decides a result.
INLINE vf exp_vf(vf x) {
  const vi tiny = x < -87.3f;
  const vi is_nan = x != x;
  vf clamped = min_vf(max_vf(x, splat(-87.3f)), splat(88.7f));
  clamped = select_vf(is_nan, splat(0), clamped);
  // Adding 1.5 * 2^23 rounds to the nearest integer, which then stands in the low bits.
  const vf magic = splat(12582912.0f);
  const vf shifted = clamped * 1.44269504f + magic;
  const vf n = shifted - magic;
  vf r = clamped - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  vf p = splat(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  // Two factors, as 2^128 alone would overflow the exponent field.
  const vi whole = (vi)shifted - (vi)magic;
  const vi half = whole >> 1;
  const vf scale_a = (vf)((half + 127) << 23);
  const vf scale_b = (vf)((whole - half + 127) << 23);
  vf y = p * scale_a * scale_b;
  y = select_vf(tiny, splat(0), y);
  return select_vf(is_nan, x, y);
}

INLINE vf sigmoid_vf(vf x) { return 1.0f / (1.0f + exp_vf(-x)); }

// tanh: odd polynomial near zero, where 1 - 2 / (e^2x + 1) would cancel (Cephes tanhf, limit 0.625).
INLINE vf tanh_vf(vf x) {
  const vf a = abs_vf(x);
  const vf z = x * x;
  vf p = splat(-5.70498872745e-3f);
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const vf small = p * z * x + x;
  const vf e = exp_vf(a + a);
  const vf positive = 1.0f - 2.0f / (e + 1.0f);
  const vf large = select_vf(x < 0.0f, -positive, positive);
  const vf y = select_vf(a < 0.625f, small, large);
  return select_vf(x != x, x, y);
}

// erf: Abramowitz and Stegun 7.1.26, absolute error below 1.5e-7.
INLINE vf erf_vf(vf x) {
  const vf a = abs_vf(x);
  const vf t = 1.0f / (1.0f + 0.3275911f * a);
  vf p = splat(1.061405429f);
  p = p * t - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  const vf y = 1.0f - p * t * exp_vf(-a * a);
  return select_vf(x < 0.0f, -y, y);
}
#endif
