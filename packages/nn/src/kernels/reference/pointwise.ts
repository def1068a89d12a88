import { ACTIVATIONS, type Activation } from "../kernels.ts";
import type { RawKernels } from "../raw.ts";
import { sgemm } from "./gemm.ts";
import type { Numbers } from "./numbers.ts";

type Raw = RawKernels<Numbers>;
type Curve = (x: number) => number;

const sigmoid: Curve = (x) => 1 / (1 + Math.exp(-x));

/** Error function to 1.2e-7 everywhere (Numerical Recipes, erfcc). */
function erf(x: number): number {
  const z = Math.abs(x);
  const t = 1 / (1 + 0.5 * z);
  const poly = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ].reduceRight((sum, coefficient) => sum * t + coefficient, 0);
  const complement = t * Math.exp(-z * z + poly);
  return x >= 0 ? 1 - complement : complement - 1;
}

const normalDensity: Curve = (x) => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
const normalCumulative: Curve = (x) => 0.5 * (1 + erf(x / Math.SQRT2));
const geluScale = Math.sqrt(2 / Math.PI);
const geluInner: Curve = (x) => Math.tanh(geluScale * (x + 0.044715 * x ** 3));

const curves: Record<Activation, { readonly f: Curve; readonly slope: Curve }> = {
  relu: { f: (x) => Math.max(x, 0), slope: (x) => (x > 0 ? 1 : 0) },
  tanh: { f: Math.tanh, slope: (x) => 1 - Math.tanh(x) ** 2 },
  sigmoid: { f: sigmoid, slope: (x) => sigmoid(x) * (1 - sigmoid(x)) },
  gelu: { f: (x) => x * normalCumulative(x), slope: (x) => normalCumulative(x) + x * normalDensity(x) },
  geluTanh: {
    f: (x) => 0.5 * x * (1 + geluInner(x)),
    slope: (x) => {
      const t = geluInner(x);
      return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * geluScale * (1 + 3 * 0.044715 * x * x);
    },
  },
  silu: { f: (x) => x * sigmoid(x), slope: (x) => sigmoid(x) * (1 + x * (1 - sigmoid(x))) },
};

export const activation: Raw["activation"] = (kind, n, x, y) => {
  const { f } = curves[ACTIVATIONS[kind]!];
  for (let i = 0; i < n; i++) y[i] = f(x[i]!);
};

export const activationBackward: Raw["activationBackward"] = (kind, n, x, dy, dx) => {
  const { slope } = curves[ACTIVATIONS[kind]!];
  for (let i = 0; i < n; i++) dx[i]! += dy[i]! * slope(x[i]!);
};

export const axpy: Raw["axpy"] = (n, alpha, x, y) => {
  for (let i = 0; i < n; i++) y[i]! += alpha * x[i]!;
};

export const multiply: Raw["multiply"] = (n, x, y, out, accumulate) => {
  for (let i = 0; i < n; i++) out[i] = (accumulate === 1 ? out[i]! : 0) + x[i]! * y[i]!;
};

export const sumOfSquares: Raw["sumOfSquares"] = (n, x) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += x[i]! * x[i]!;
  return sum;
};

export const lstmForward: Raw["lstmForward"] = (rows, hidden, gates, cPrev, c, h) => {
  for (let r = 0; r < rows; r++) {
    for (let j = 0; j < hidden; j++) {
      const at = r * 4 * hidden + j;
      const i = sigmoid(gates[at]!);
      const f = sigmoid(gates[at + hidden]!);
      const g = Math.tanh(gates[at + 2 * hidden]!);
      const o = sigmoid(gates[at + 3 * hidden]!);
      const cell = f * cPrev[r * hidden + j]! + i * g;
      gates[at] = i;
      gates[at + hidden] = f;
      gates[at + 2 * hidden] = g;
      gates[at + 3 * hidden] = o;
      c[r * hidden + j] = cell;
      h[r * hidden + j] = o * Math.tanh(cell);
    }
  }
};

export const lstmBackward: Raw["lstmBackward"] = (rows, hidden, gates, cPrev, c, dh, dc, dGates) => {
  for (let r = 0; r < rows; r++) {
    for (let j = 0; j < hidden; j++) {
      const at = r * 4 * hidden + j;
      const state = r * hidden + j;
      const i = gates[at]!;
      const f = gates[at + hidden]!;
      const g = gates[at + 2 * hidden]!;
      const o = gates[at + 3 * hidden]!;
      const t = Math.tanh(c[state]!);
      const cell = dc[state]! + dh[state]! * o * (1 - t * t);
      dGates[at] = cell * g * i * (1 - i);
      dGates[at + hidden] = cell * cPrev[state]! * f * (1 - f);
      dGates[at + 2 * hidden] = cell * i * (1 - g * g);
      dGates[at + 3 * hidden] = dh[state]! * t * o * (1 - o);
      dc[state] = cell * f;
    }
  }
};

export const adam: Raw["adam"] = (n, p, gradient, m, v, scale, beta1, beta2, epsilon, stepSize, vScale, l2, decay) => {
  for (let i = 0; i < n; i++) {
    const g = gradient[i]! * scale + l2 * p[i]!;
    m[i] = beta1 * m[i]! + (1 - beta1) * g;
    v[i] = beta2 * v[i]! + (1 - beta2) * g * g;
    p[i] = p[i]! * (1 - decay) - (stepSize * m[i]!) / (Math.sqrt(v[i]!) * vScale + epsilon);
  }
};

export const adamProduct: Raw["adamProduct"] = (rows, cols, k, x, offsetX, ldx, dy, p, m, v, ...rates) => {
  const gradient = new Float32Array(rows * cols);
  sgemm(1, 0, rows, cols, k, 1, x, ldx, dy, cols, 0, gradient, cols, 1, 0, 0, 0, offsetX, 0, 0);
  adam(rows * cols, p, gradient, m, v, ...rates);
};
