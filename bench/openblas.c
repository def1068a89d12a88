// Lets the benchmark call OpenBLAS in the same process: sgemm(m, n, k, a, b, c) on one thread, no transposes.
#include <dlfcn.h>

#include "../packages/nn/native/napi.h"

typedef void (*cblas_sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                            int);
static cblas_sgemm product;

static napi_value call(napi_env env, napi_callback_info info) {
  napi_value v[6];
  size_t count = 6;
  int32_t size[3];
  void *data[3];
  napi_get_cb_info(env, info, &count, v, NULL, NULL);
  for (int i = 0; i < 3; i++) {
    napi_get_value_int32(env, v[i], &size[i]);
    napi_get_typedarray_info(env, v[i + 3], NULL, NULL, &data[i], NULL, NULL);
  }
  const int m = size[0], n = size[1], k = size[2];
  product(101, 111, 111, m, n, k, 1, data[0], k, data[1], n, 0, data[2], n);
  return NULL;
}

NN_EXPORT int32_t node_api_module_get_api_version_v1(void) { return 8; }

// Exports nothing when the library is not installed.
NN_EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  void *library = dlopen("libopenblas.so.0", RTLD_NOW);
  if (library == NULL) return exports;
  product = (cblas_sgemm)dlsym(library, "cblas_sgemm");
  void (*set_threads)(int) = (void (*)(int))dlsym(library, "openblas_set_num_threads");
  char *(*core)(void) = (char *(*)(void))dlsym(library, "openblas_get_corename");
  if (product == NULL || set_threads == NULL || core == NULL) return exports;
  set_threads(1);
  napi_value f, name;
  napi_create_function(env, "sgemm", 5, call, NULL, &f);
  napi_set_named_property(env, exports, "sgemm", f);
  napi_create_string_utf8(env, core(), (size_t)-1, &name);
  napi_set_named_property(env, exports, "core", name);
  return exports;
}
