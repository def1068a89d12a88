// The few declarations of Node-API version 8 that the addon uses. Their binary interface is promised to be stable, so
// that the addon builds where Node's headers are not installed.
#ifndef NN_NAPI_H
#define NN_NAPI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
typedef int napi_status;
typedef int napi_typedarray_type;

napi_status napi_get_cb_info(napi_env, napi_callback_info, size_t *argc, napi_value *argv, napi_value *self, void **data);
napi_status napi_get_typedarray_info(napi_env, napi_value, napi_typedarray_type *, size_t *length, void **data,
                                     napi_value *buffer, size_t *offset);
napi_status napi_get_value_double(napi_env, napi_value, double *);
napi_status napi_get_value_int32(napi_env, napi_value, int32_t *);
napi_status napi_get_value_string_utf8(napi_env, napi_value, char *, size_t, size_t *);
napi_status napi_create_double(napi_env, double, napi_value *);
napi_status napi_create_object(napi_env, napi_value *);
napi_status napi_create_array(napi_env, napi_value *);
napi_status napi_create_string_utf8(napi_env, const char *, size_t, napi_value *);
napi_status napi_create_function(napi_env, const char *, size_t, napi_callback, void *data, napi_value *);
napi_status napi_set_named_property(napi_env, napi_value, const char *, napi_value);
napi_status napi_set_element(napi_env, napi_value, uint32_t, napi_value);
napi_status napi_get_null(napi_env, napi_value *);

#define NN_EXPORT __attribute__((visibility("default")))
#endif
