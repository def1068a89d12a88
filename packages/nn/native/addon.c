// The Node-API face of the kernels. Arguments were checked in TypeScript (src/kernels/checked.ts); nothing is checked here.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "napi.h"
#include "table.h"
#include "threads.h"

#if defined(__x86_64__)
extern const nn_table nn_table_sse2, nn_table_avx2, nn_table_avx512;
#elif defined(__aarch64__)
extern const nn_table nn_table_neon;
#else
extern const nn_table nn_table_plain;
#endif

typedef struct {
  const char *name;
  const nn_table *table;
} instruction_set;

// What this processor can run, best first.
static int available(instruction_set *sets) {
  int n = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    sets[n++] = (instruction_set){"avx512", &nn_table_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sets[n++] = (instruction_set){"avx2", &nn_table_avx2};
  sets[n++] = (instruction_set){"sse2", &nn_table_sse2};
#elif defined(__aarch64__)
  sets[n++] = (instruction_set){"neon", &nn_table_neon};
#else
  sets[n++] = (instruction_set){"plain", &nn_table_plain};
#endif
  return n;
}

// --- scratch of a thread, freed with it ---

static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;
static void make_scratch_key(void) { pthread_key_create(&scratch_key, free); }

static float *scratch(void) {
  pthread_once(&scratch_once, make_scratch_key);
  void *p = pthread_getspecific(scratch_key);
  if (p == NULL) {
    instruction_set sets[4];
    const int n = available(sets);
    size_t floats = 0;
    for (int i = 0; i < n; i++) {
      const size_t f = (size_t)sets[i].table->scratch_floats();
      if (f > floats) floats = f;
    }
    if (posix_memalign(&p, 64, floats * sizeof(float)) != 0) abort();
    pthread_setspecific(scratch_key, p);
  }
  return p;
}

// --- arguments ---

#define MAX_ARGUMENTS 21
typedef struct {
  napi_env env;
  napi_value v[MAX_ARGUMENTS];
  const nn_table *table;
} arguments;

static arguments read_arguments(napi_env env, napi_callback_info info) {
  arguments a = {.env = env};
  size_t count = MAX_ARGUMENTS;
  void *data;
  napi_get_cb_info(env, info, &count, a.v, NULL, &data);
  a.table = data;
  return a;
}
static int whole(const arguments *a, int i) {
  int32_t x = 0;
  napi_get_value_int32(a->env, a->v[i], &x);
  return x;
}
static double number(const arguments *a, int i) {
  double x = 0;
  napi_get_value_double(a->env, a->v[i], &x);
  return x;
}
// Null for anything but a typed array: optional arguments come as null.
static void *array(const arguments *a, int i) {
  void *data = NULL;
  return napi_get_typedarray_info(a->env, a->v[i], NULL, NULL, &data, NULL, NULL) == 0 ? data : NULL;
}
#define ARGUMENTS const arguments a = read_arguments(env, info)
#define I(i) whole(&a, i)
#define F(i) ((float)number(&a, i))
#define P(i) array(&a, i)
#define KERNEL(name) static napi_value name##_call(napi_env env, napi_callback_info info)

// --- sgemm: cut over columns of C, or rows, or the batch ---

typedef struct {
  const nn_table *table;
  int trans_a, trans_b, m, n, k, lda, ldb, ldc, batch;
  float alpha, beta;
  const float *a, *b;
  float *c;
  long stride_a, stride_b, stride_c;
  int cut; // rows or columns of C in one task
} gemm_job;

static void gemm_batch(const gemm_job *g, int i) {
  g->table->sgemm(g->trans_a, g->trans_b, g->m, g->n, g->k, g->alpha, g->a + i * g->stride_a, g->lda,
                  g->b + i * g->stride_b, g->ldb, g->beta, g->c + i * g->stride_c, g->ldc, scratch());
}
static void gemm_batch_task(void *context, int i) {
  const gemm_job *g = context;
  for (int j = i * g->cut; j < (i + 1) * g->cut && j < g->batch; j++) gemm_batch(g, j);
}
static void gemm_columns_task(void *context, int i) {
  gemm_job g = *(const gemm_job *)context;
  const long from = (long)i * g.cut;
  g.n = g.n - from < g.cut ? (int)(g.n - from) : g.cut;
  g.b += g.trans_b ? from * g.ldb : from;
  g.c += from;
  gemm_batch(&g, 0);
}
static void gemm_rows_task(void *context, int i) {
  gemm_job g = *(const gemm_job *)context;
  const long from = (long)i * g.cut;
  g.m = g.m - from < g.cut ? (int)(g.m - from) : g.cut;
  g.a += g.trans_a ? from : from * g.lda;
  g.c += from * g.ldc;
  gemm_batch(&g, 0);
}

static int parts(int size, int threads, int unit) {
  const int each = (size + threads - 1) / threads;
  return (each + unit - 1) / unit * unit;
}

KERNEL(sgemm) {
  ARGUMENTS;
  gemm_job g = {a.table, I(0), I(1), I(2), I(3), I(4), I(7), I(9), I(12), I(13), F(5), F(10), P(6), P(8), P(11), 0, 0, 0, 0};
  g.stride_a = (long)number(&a, 14);
  g.stride_b = (long)number(&a, 15);
  g.stride_c = (long)number(&a, 16);
  g.a += (long)number(&a, 17);
  g.b += (long)number(&a, 18);
  g.c += (long)number(&a, 19);
  const int threads = I(20);
  const double work = (double)g.m * g.n * g.k * g.batch;
  if (threads <= 1 || work < 500000) {
    for (int i = 0; i < g.batch; i++) gemm_batch(&g, i);
  } else if (g.batch > 1) {
    g.cut = parts(g.batch, threads, 1);
    nn_parallel_for(threads, (g.batch + g.cut - 1) / g.cut, gemm_batch_task, &g);
  } else if (g.n >= g.m) {
    g.cut = parts(g.n, threads, 48);
    nn_parallel_for(threads, (g.n + g.cut - 1) / g.cut, gemm_columns_task, &g);
  } else {
    g.cut = parts(g.m, threads, 24);
    nn_parallel_for(threads, (g.m + g.cut - 1) / g.cut, gemm_rows_task, &g);
  }
  return NULL;
}

// --- Adam: cut over elements ---

typedef struct {
  const nn_table *table;
  float *p, *m, *v;
  const float *g;
  size_t n;
  float scale, beta1, beta2, epsilon, step_size, v_scale, l2, decay;
} adam_job;
#define ADAM_CUT 65536

static void adam_task(void *context, int i) {
  const adam_job *j = context;
  const size_t at = (size_t)i * ADAM_CUT;
  const int n = j->n - at < ADAM_CUT ? (int)(j->n - at) : ADAM_CUT;
  j->table->adam(n, j->p + at, j->g + at, j->m + at, j->v + at, j->scale, j->beta1, j->beta2, j->epsilon, j->step_size,
                 j->v_scale, j->l2, j->decay);
}

KERNEL(adam) {
  ARGUMENTS;
  const adam_job j = {a.table, P(1), P(3), P(4), P(2), (size_t)number(&a, 0), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12)};
  nn_parallel_for(I(13), (int)((j.n + ADAM_CUT - 1) / ADAM_CUT), adam_task, (void *)&j);
  return NULL;
}

// --- Adam with a product for a gradient: cut over rows of the parameter ---

typedef struct {
  const nn_table *table;
  int rows, columns, k, ldx;
  const float *x, *dy;
  float *p, *m, *v;
  float scale, beta1, beta2, epsilon, step_size, v_scale, l2, decay;
  int cut;
} product_job;

static void product_task(void *context, int i) {
  const product_job *j = context;
  const int from = i * j->cut;
  const int rows = j->rows - from < j->cut ? j->rows - from : j->cut;
  const size_t at = (size_t)from * j->columns;
  j->table->adam_product(rows, j->columns, j->k, j->x + from, j->ldx, j->dy, j->p + at, j->m + at, j->v + at, j->scale,
                         j->beta1, j->beta2, j->epsilon, j->step_size, j->v_scale, j->l2, j->decay, scratch());
}

KERNEL(adam_product) {
  ARGUMENTS;
  product_job j = {a.table, I(0), I(1), I(2), I(5), P(3), P(6), P(7), P(8), P(9),
                   F(10), F(11), F(12), F(13), F(14), F(15), F(16), F(17), 0};
  j.x += (long)number(&a, 4);
  const int threads = I(18);
  // Some tasks a thread, so that one that is held up does not hold up the rest; each packs dy for itself.
  j.cut = threads <= 1 ? j.rows : parts(j.rows, 4 * threads, 48);
  nn_parallel_for(threads, (j.rows + j.cut - 1) / j.cut, product_task, &j);
  return NULL;
}

// --- the rest: one call each ---

KERNEL(axpy) { ARGUMENTS; a.table->axpy(I(0), F(1), P(2), P(3)); return NULL; }
KERNEL(multiply) { ARGUMENTS; a.table->multiply(I(0), P(1), P(2), P(3), I(4)); return NULL; }
KERNEL(sum_of_squares) {
  ARGUMENTS;
  napi_value result;
  napi_create_double(env, a.table->sum_of_squares(I(0), P(1)), &result);
  return result;
}
KERNEL(activation) { ARGUMENTS; a.table->activation(I(0), I(1), P(2), P(3)); return NULL; }
KERNEL(activation_backward) { ARGUMENTS; a.table->activation_backward(I(0), I(1), P(2), P(3), P(4)); return NULL; }
KERNEL(lstm_forward) { ARGUMENTS; a.table->lstm_forward(I(0), I(1), P(2), P(3), P(4), P(5)); return NULL; }
KERNEL(lstm_backward) {
  ARGUMENTS;
  a.table->lstm_backward(I(0), I(1), P(2), P(3), P(4), P(5), P(6), P(7));
  return NULL;
}
KERNEL(add_row) { ARGUMENTS; a.table->add_row(I(0), I(1), P(2), P(3)); return NULL; }
KERNEL(sum_rows) { ARGUMENTS; a.table->sum_rows(I(0), I(1), P(2), P(3)); return NULL; }
KERNEL(scale_rows) { ARGUMENTS; a.table->scale_rows(I(0), I(1), P(2), P(3), P(4)); return NULL; }
KERNEL(softmax) { ARGUMENTS; a.table->softmax(I(0), I(1), P(2), P(3), I(4), P(5)); return NULL; }
KERNEL(softmax_backward) { ARGUMENTS; a.table->softmax_backward(I(0), I(1), P(2), P(3), P(4)); return NULL; }
KERNEL(log_softmax) { ARGUMENTS; a.table->log_softmax(I(0), I(1), P(2), P(3), I(4), P(5)); return NULL; }
KERNEL(log_softmax_backward) { ARGUMENTS; a.table->log_softmax_backward(I(0), I(1), P(2), P(3), P(4)); return NULL; }
KERNEL(layer_norm) {
  ARGUMENTS;
  a.table->layer_norm(I(0), I(1), F(2), P(3), P(4), P(5), P(6), P(7), P(8));
  return NULL;
}
KERNEL(layer_norm_backward) {
  ARGUMENTS;
  a.table->layer_norm_backward(I(0), I(1), P(2), P(3), P(4), P(5), P(6), P(7), P(8), P(9));
  return NULL;
}
KERNEL(rms_norm) { ARGUMENTS; a.table->rms_norm(I(0), I(1), F(2), P(3), P(4), P(5), P(6)); return NULL; }
KERNEL(rms_norm_backward) {
  ARGUMENTS;
  a.table->rms_norm_backward(I(0), I(1), P(2), P(3), P(4), P(5), P(6), P(7));
  return NULL;
}
KERNEL(gather_rows) { ARGUMENTS; a.table->gather_rows(I(0), I(1), P(2), P(3), P(4)); return NULL; }
KERNEL(scatter_add_rows) { ARGUMENTS; a.table->scatter_add_rows(I(0), I(1), P(2), P(3), P(4)); return NULL; }
KERNEL(rotary) { ARGUMENTS; a.table->rotary(I(0), I(1), I(2), P(3), P(4), P(5), F(6), P(7)); return NULL; }

#define ALL(X)                                                                                                        \
  X(sgemm) X(adam) X(adam_product) X(axpy) X(multiply) X(sum_of_squares) X(activation) X(activation_backward) X(lstm_forward)         \
  X(lstm_backward) X(add_row) X(sum_rows) X(scale_rows) X(softmax) X(softmax_backward) X(log_softmax)                 \
  X(log_softmax_backward) X(layer_norm) X(layer_norm_backward) X(rms_norm) X(rms_norm_backward) X(gather_rows)        \
  X(scatter_add_rows) X(rotary)

// kernels(name): the functions of that instruction set, or null when this processor lacks it.
static napi_value kernels_call(napi_env env, napi_callback_info info) {
  ARGUMENTS;
  char name[16] = "";
  size_t length;
  napi_get_value_string_utf8(env, a.v[0], name, sizeof name, &length);
  instruction_set sets[4];
  const int n = available(sets);
  napi_value result;
  for (int i = 0; i < n; i++) {
    if (strcmp(sets[i].name, name) != 0) continue;
    napi_create_object(env, &result);
    napi_value f;
#define ADD(kernel)                                                                                    \
  napi_create_function(env, #kernel, sizeof #kernel - 1, kernel##_call, (void *)sets[i].table, &f);   \
  napi_set_named_property(env, result, #kernel, f);
    ALL(ADD)
    return result;
  }
  napi_get_null(env, &result);
  return result;
}

NN_EXPORT int32_t node_api_module_get_api_version_v1(void) { return 8; }

NN_EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  instruction_set sets[4];
  const int n = available(sets);
  napi_value list, f;
  napi_create_array(env, &list);
  for (int i = 0; i < n; i++) {
    napi_value name;
    napi_create_string_utf8(env, sets[i].name, strlen(sets[i].name), &name);
    napi_set_element(env, list, (uint32_t)i, name);
  }
  napi_set_named_property(env, exports, "instructionSets", list);
  napi_create_function(env, "kernels", 7, kernels_call, NULL, &f);
  napi_set_named_property(env, exports, "kernels", f);
  return exports;
}
