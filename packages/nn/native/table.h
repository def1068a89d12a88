// The kernels of one instruction set, for the choice at run time.
#ifndef NN_TABLE_H
#define NN_TABLE_H
#include <stdint.h>

typedef struct {
  int (*scratch_floats)(void);
  void (*sgemm)(int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int, float *);
  void (*axpy)(int, float, const float *, float *);
  void (*multiply)(int, const float *, const float *, float *, int);
  double (*sum_of_squares)(int, const float *);
  void (*activation)(int, int, const float *, float *);
  void (*activation_backward)(int, int, const float *, const float *, float *);
  void (*lstm_forward)(int, int, float *, const float *, float *, float *);
  void (*lstm_backward)(int, int, const float *, const float *, const float *, const float *, float *, float *);
  void (*adam)(int, float *restrict, const float *restrict, float *restrict, float *restrict, float, float, float, float,
               float, float, float, float);
  void (*adam_product)(int, int, int, const float *, int, const float *, float *, float *, float *, float, float, float,
                       float, float, float, float, float, float *);
  void (*add_row)(int, int, const float *, float *);
  void (*sum_rows)(int, int, const float *, float *);
  void (*scale_rows)(int, int, const float *, const float *, float *);
  void (*softmax)(int, int, const float *, const float *, int, float *);
  void (*softmax_backward)(int, int, const float *, const float *, float *);
  void (*log_softmax)(int, int, const float *, const float *, int, float *);
  void (*log_softmax_backward)(int, int, const float *, const float *, float *);
  void (*layer_norm)(int, int, float, const float *, const float *, const float *, float *, float *, float *);
  void (*layer_norm_backward)(int, int, const float *, const float *, const float *, const float *, const float *,
                              float *, float *, float *);
  void (*rms_norm)(int, int, float, const float *, const float *, float *, float *);
  void (*rms_norm_backward)(int, int, const float *, const float *, const float *, const float *, float *, float *);
  void (*gather_rows)(int, int, const float *, const int32_t *, float *);
  void (*scatter_add_rows)(int, int, const float *, const int32_t *, float *);
  void (*rotary)(int, int, int, const int32_t *, const float *, const float *, float, float *);
} nn_table;
#endif
