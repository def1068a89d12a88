// One translation unit per instruction set, compiled with its own VL, NV, MR and, where several are linked, SUFFIX.
#include "gemm.c"
#include "pointwise.c"
#include "product.c"
#include "rows.c"

#ifdef SUFFIX
#include "table.h"
const nn_table NN(nn_table) = {
    .scratch_floats = NN(scratch_floats),
    .sgemm = NN(sgemm),
    .axpy = NN(axpy),
    .multiply = NN(multiply),
    .sum_of_squares = NN(sum_of_squares),
    .activation = NN(activation),
    .activation_backward = NN(activation_backward),
    .lstm_forward = NN(lstm_forward),
    .lstm_backward = NN(lstm_backward),
    .adam = NN(adam),
    .adam_product = NN(adam_product),
    .add_row = NN(add_row),
    .sum_rows = NN(sum_rows),
    .scale_rows = NN(scale_rows),
    .softmax = NN(softmax),
    .softmax_backward = NN(softmax_backward),
    .log_softmax = NN(log_softmax),
    .log_softmax_backward = NN(log_softmax_backward),
    .layer_norm = NN(layer_norm),
    .layer_norm_backward = NN(layer_norm_backward),
    .rms_norm = NN(rms_norm),
    .rms_norm_backward = NN(rms_norm_backward),
    .gather_rows = NN(gather_rows),
    .scatter_add_rows = NN(scatter_add_rows),
    .rotary = NN(rotary),
};
#endif
