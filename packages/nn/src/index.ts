export { Adam, type AdamOptions, type AdamReport, type NamedArray } from "./adam.ts";
export { NnError, type NnErrorCode } from "./errors.ts";
export type { FactoredGradient } from "./factored-gradient.ts";
export {
  constant,
  fanInUniform,
  glorotUniform,
  type Initialiser,
  normal,
  orthogonal,
  type RandomSource,
  uniform,
} from "./initialise.ts";
export { addToItems, maskedMax, takeRows, weighNeighbours } from "./item-operations.ts";
export {
  ACTIVATIONS,
  type Activation,
  type AdamStep,
  type Gemm,
  type KernelName,
  type Kernels,
  type LayerNormBackward,
  type LayerNormForward,
  type LstmBackward,
  type LstmForward,
  type RmsNormBackward,
  type RmsNormForward,
  type Rotary,
} from "./kernels/kernels.ts";
export { makeReferenceKernels } from "./kernels/reference.ts";
export { loadWasmKernels, type WasmKernelsOptions } from "./kernels/wasm.ts";
export {
  type Attend,
  type AttentionMask,
  type AttentionOptions,
  attend,
  MultiHeadAttention,
} from "./layers/attention.ts";
export { Embedding, type EmbeddingOptions } from "./layers/embedding.ts";
export {
  type EncoderInput,
  type EncoderResult,
  GraphEncoder,
  type GraphEncoderOptions,
  type GraphInput,
  SetEncoder,
  type SetEncoderOptions,
} from "./layers/encoder.ts";
export { GraphConvolution, type GraphConvolutionOptions } from "./layers/graph.ts";
export { ItemMemory, type ItemMemoryOptions } from "./layers/item-memory.ts";
export { affine, Linear, type LinearOptions } from "./layers/linear.ts";
export { Lstm, type LstmOptions, type LstmResult, type LstmState } from "./layers/lstm.ts";
export { Mlp, type MlpOptions } from "./layers/mlp.ts";
export { LayerNorm, type NormOptions, RmsNorm } from "./layers/norm.ts";
export { TransformerBlock, type TransformerBlockOptions } from "./layers/transformer.ts";
export { binaryCrossEntropy, crossEntropy, huberLoss, type LossOptions, meanSquaredError } from "./losses.ts";
export { type OnnxEncoderInput, type OnnxEncoderResult, onnxGraphEncoder, onnxSetEncoder } from "./onnx/encoders.ts";
export { type OnnxAttribute, type OnnxAxis, OnnxGraph, type OnnxNodeOptions, type OnnxValue } from "./onnx/graph.ts";
export {
  type OnnxLstmState,
  onnxActivation,
  onnxAttention,
  onnxEmbedding,
  onnxGraphConvolution,
  onnxLayerNorm,
  onnxLinear,
  onnxLstm,
  onnxMlp,
  onnxRmsNorm,
  onnxTransformerBlock,
} from "./onnx/layers.ts";
export {
  activate,
  add,
  concat,
  logSoftmax,
  maskedMean,
  multiply,
  reshape,
  sliceColumns,
  softmax,
} from "./operations.ts";
export {
  formatSafetensors,
  loadParameters,
  parameterTensors,
  parseSafetensors,
  type SafetensorsFile,
  type SafetensorsType,
  type StoredTensor,
  toFloat32,
} from "./safetensors.ts";
export { cosineSchedule, linearSchedule, type Schedule } from "./schedules.ts";
export { Tape, type TapeOptions } from "./tape.ts";
export {
  checkShape,
  lastAxis,
  type Module,
  makeParameter,
  type Parameter,
  parameterRows,
  sizeOf,
  type Tensor,
  zeroGradients,
} from "./tensor.ts";
