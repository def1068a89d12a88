import type { RawKernels } from "../raw.ts";
import type { Numbers } from "./numbers.ts";

type Raw = RawKernels<Numbers>;

export const addRow: Raw["addRow"] = (rows, cols, row, y) => {
  for (let r = 0; r < rows; r++) for (let j = 0; j < cols; j++) y[r * cols + j]! += row[j]!;
};

export const sumRows: Raw["sumRows"] = (rows, cols, x, out) => {
  for (let r = 0; r < rows; r++) for (let j = 0; j < cols; j++) out[j]! += x[r * cols + j]!;
};

export const scaleRows: Raw["scaleRows"] = (rows, cols, scale, x, y) => {
  for (let r = 0; r < rows; r++) for (let j = 0; j < cols; j++) y[r * cols + j] = scale[r]! * x[r * cols + j]!;
};

/** Largest allowed value of a row and the sum of exponentials of the allowed ones, less that value. */
function maxAndSum(x: Numbers, at: number, cols: number, allowed: (j: number) => boolean): [number, number] {
  let max = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < cols; j++) if (allowed(j)) max = Math.max(max, x[at + j]!);
  let sum = 0;
  for (let j = 0; j < cols; j++) if (allowed(j)) sum += Math.exp(x[at + j]! - max);
  return [max, sum];
}

export const softmax: Raw["softmax"] = (rows, cols, x, mask, maskRows, y) => {
  for (let r = 0; r < rows; r++) {
    const allowed = (j: number) => mask.length === 0 || mask[(r % maskRows) * cols + j] !== 0;
    const [max, sum] = maxAndSum(x, r * cols, cols, allowed);
    for (let j = 0; j < cols; j++) y[r * cols + j] = allowed(j) ? Math.exp(x[r * cols + j]! - max) / sum : 0;
  }
};

export const softmaxBackward: Raw["softmaxBackward"] = (rows, cols, y, dy, dx) => {
  for (let at = 0; at < rows * cols; at += cols) {
    let inner = 0;
    for (let j = 0; j < cols; j++) inner += y[at + j]! * dy[at + j]!;
    for (let j = 0; j < cols; j++) dx[at + j]! += y[at + j]! * (dy[at + j]! - inner);
  }
};

export const logSoftmax: Raw["logSoftmax"] = (rows, cols, x, mask, maskRows, y) => {
  for (let r = 0; r < rows; r++) {
    const allowed = (j: number) => mask.length === 0 || mask[(r % maskRows) * cols + j] !== 0;
    const [max, sum] = maxAndSum(x, r * cols, cols, allowed);
    const shift = max + Math.log(sum);
    for (let j = 0; j < cols; j++) y[r * cols + j] = allowed(j) ? x[r * cols + j]! - shift : Number.NEGATIVE_INFINITY;
  }
};

export const logSoftmaxBackward: Raw["logSoftmaxBackward"] = (rows, cols, y, dy, dx) => {
  for (let at = 0; at < rows * cols; at += cols) {
    let sum = 0;
    for (let j = 0; j < cols; j++) if (y[at + j] !== Number.NEGATIVE_INFINITY) sum += dy[at + j]!;
    for (let j = 0; j < cols; j++) {
      if (y[at + j] !== Number.NEGATIVE_INFINITY) dx[at + j]! += dy[at + j]! - Math.exp(y[at + j]!) * sum;
    }
  }
};

export const layerNorm: Raw["layerNorm"] = (rows, cols, epsilon, x, gain, bias, y, mean, scale) => {
  for (let r = 0; r < rows; r++) {
    const at = r * cols;
    let sum = 0;
    for (let j = 0; j < cols; j++) sum += x[at + j]!;
    const mu = sum / cols;
    let squares = 0;
    for (let j = 0; j < cols; j++) squares += (x[at + j]! - mu) ** 2;
    const inverse = 1 / Math.sqrt(squares / cols + epsilon);
    mean[r] = mu;
    scale[r] = inverse;
    for (let j = 0; j < cols; j++) y[at + j] = (x[at + j]! - mu) * inverse * gain[j]! + bias[j]!;
  }
};

export const layerNormBackward: Raw["layerNormBackward"] = (rows, cols, x, gain, mean, scale, dy, dx, dGain, dBias) => {
  for (let r = 0; r < rows; r++) {
    const at = r * cols;
    const inverse = scale[r]!;
    const normal = (j: number) => (x[at + j]! - mean[r]!) * inverse;
    let sum = 0;
    let along = 0;
    for (let j = 0; j < cols; j++) {
      sum += dy[at + j]! * gain[j]!;
      along += dy[at + j]! * gain[j]! * normal(j);
    }
    for (let j = 0; j < cols; j++) {
      dGain[j]! += dy[at + j]! * normal(j);
      dBias[j]! += dy[at + j]!;
      dx[at + j]! += inverse * (dy[at + j]! * gain[j]! - sum / cols - (normal(j) * along) / cols);
    }
  }
};

export const rmsNorm: Raw["rmsNorm"] = (rows, cols, epsilon, x, gain, y, scale) => {
  for (let r = 0; r < rows; r++) {
    const at = r * cols;
    let squares = 0;
    for (let j = 0; j < cols; j++) squares += x[at + j]! ** 2;
    const inverse = 1 / Math.sqrt(squares / cols + epsilon);
    scale[r] = inverse;
    for (let j = 0; j < cols; j++) y[at + j] = x[at + j]! * inverse * gain[j]!;
  }
};

export const rmsNormBackward: Raw["rmsNormBackward"] = (rows, cols, x, gain, scale, dy, dx, dGain) => {
  for (let r = 0; r < rows; r++) {
    const at = r * cols;
    const inverse = scale[r]!;
    let along = 0;
    for (let j = 0; j < cols; j++) along += dy[at + j]! * gain[j]! * x[at + j]!;
    for (let j = 0; j < cols; j++) {
      dGain[j]! += dy[at + j]! * x[at + j]! * inverse;
      dx[at + j]! += inverse * (dy[at + j]! * gain[j]! - (x[at + j]! * along * inverse * inverse) / cols);
    }
  }
};

export const gatherRows: Raw["gatherRows"] = (count, cols, table, indices, out) => {
  for (let i = 0; i < count; i++) {
    const row = indices[i]!;
    for (let j = 0; j < cols; j++) out[i * cols + j] = row < 0 ? 0 : table[row * cols + j]!;
  }
};

export const scatterAddRows: Raw["scatterAddRows"] = (count, cols, x, indices, table) => {
  for (let i = 0; i < count; i++) {
    const row = indices[i]!;
    if (row < 0) continue;
    for (let j = 0; j < cols; j++) table[row * cols + j]! += x[i * cols + j]!;
  }
};

export const rotary: Raw["rotary"] = (rows, heads, dim, positions, cosines, sines, direction, x) => {
  const half = dim / 2;
  for (let r = 0; r < rows; r++) {
    for (let head = 0; head < heads; head++) {
      const at = (r * heads + head) * dim;
      for (let i = 0; i < half; i++) {
        const cosine = cosines[positions[r]! * half + i]!;
        const sine = direction * sines[positions[r]! * half + i]!;
        const a = x[at + i]!;
        const b = x[at + half + i]!;
        x[at + i] = a * cosine - b * sine;
        x[at + half + i] = b * cosine + a * sine;
      }
    }
  }
};
