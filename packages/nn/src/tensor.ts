import { NnError } from "./errors.ts";
import type { Kernels } from "./kernels/kernels.ts";

/** A row-major float32 array with a shape, and the gradient of the loss at it once there is one. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
  /** Whether a gradient is wanted here; inputs have none. */
  readonly needsGradient: boolean;
  gradient: Float32Array | null;
}

/** A trained tensor; it lives as long as its layer. */
export interface Parameter extends Tensor {
  /** Dotted path, unique in a model: `actor.hidden.0.weight`. */
  readonly name: string;
  readonly gradient: Float32Array;
}

/** Anything with parameters, in a fixed order. */
export interface Module {
  parameters(): readonly Parameter[];
}

/** Number of elements of a shape. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((size, axis) => size * axis, 1);
}

/** Length of the last axis. */
export function lastAxis(tensor: Tensor): number {
  return tensor.shape[tensor.shape.length - 1] ?? 1;
}

/** Throws `BAD_SHAPE` unless the shapes are equal; −1 in `expected` allows any length. */
export function checkShape(what: string, shape: readonly number[], expected: readonly number[]): void {
  const fits = shape.length === expected.length && expected.every((axis, i) => axis === -1 || axis === shape[i]);
  if (fits) return;
  const wanted = expected.map((axis) => (axis === -1 ? "*" : axis)).join(", ");
  throw new NnError("BAD_SHAPE", `${what} has shape [${shape.join(", ")}]; [${wanted}] is needed.`);
}

/** A parameter of zeros, gradient included. */
export function makeParameter(kernels: Kernels, name: string, shape: readonly number[]): Parameter {
  const size = sizeOf(shape);
  return { name, shape, data: kernels.floats(size), gradient: kernels.floats(size), needsGradient: true };
}

/** Sets all gradients to zero. */
export function zeroGradients(parameters: readonly Parameter[]): void {
  for (const parameter of parameters) parameter.gradient.fill(0);
}

/** Rows `from` to `to` (not included) of a matrix parameter, sharing its memory: what is added to one is in the other. */
export function parameterRows(parameter: Parameter, from: number, to: number): Parameter {
  const [rows, cols] = parameter.shape as readonly [number, number];
  if (
    !(
      parameter.shape.length === 2 &&
      Number.isInteger(from) &&
      Number.isInteger(to) &&
      0 <= from &&
      from < to &&
      to <= rows
    )
  ) {
    throw new NnError(
      "BAD_INDEX",
      `Rows ${from} to ${to} are not among those of '${parameter.name}', [${parameter.shape.join(", ")}].`,
    );
  }
  const part = (array: Float32Array) => array.subarray(from * cols, to * cols);
  const { name, needsGradient } = parameter;
  return {
    name: `${name}[${from}:${to}]`,
    shape: [to - from, cols],
    data: part(parameter.data),
    gradient: part(parameter.gradient),
    needsGradient,
  };
}
