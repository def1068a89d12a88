import type { Rng } from "@praxis/env";
import { type DoseDay, type DosingCovariates, type DosingModel, TROUGH, VALUE } from "./dosing-model.ts";

/** A measured value at the end of a day. */
export interface LevelPoint {
  /** Days of treatment before it was drawn, 1 = at the end of the first day. */
  readonly day: number;
  readonly value: number;
  /** null = not measured, 0 = below the limit of quantification; both tell an estimate nothing. */
  readonly trough: number | null;
}

/** What is known of a treatment so far. */
export interface DosingHistory {
  readonly covariates: DosingCovariates;
  /** One entry a day from the first dose on. */
  readonly days: readonly DoseDay[];
  /** In the order of their days. */
  readonly levels: readonly LevelPoint[];
}

/** Maximum a posteriori estimate of the random effects, with its precision. */
export interface DosingEstimate {
  /** Estimated effects in units of their spread. */
  readonly mode: Float64Array;
  /** Their spread on the log scale. */
  readonly spread: readonly number[];
  /** Cholesky factor of the precision matrix around the mode, row-major lower triangle [n, n]. */
  readonly factor: Float64Array;
}

/** Levels below this share of the expected one would blow a proportional error up. */
const SMALLEST_PREDICTION = 1e-6;
const MAX_ITERATIONS = 25;
const DIFFERENCE = 1e-3;
const TOLERANCE = 1e-5;

/** Effects on the log scale from standardised ones. */
export function effectsOf(spread: readonly number[], standardised: ArrayLike<number>): Float64Array {
  return Float64Array.from(spread, (each, i) => each * standardised[i]!);
}

/**
 * Minimises sum ((y - f)/(CV f))^2 + sum (eta/omega)^2 by Levenberg and Marquardt (Marquardt 1963) from no effect, and takes the
 * Gauss-Newton curvature there as the precision (Laplace).
 */
export function estimateEffects(model: DosingModel, history: DosingHistory): DosingEstimate {
  const spread = model.spread(history.covariates);
  const n = spread.length;
  const residualsAt = (z: Float64Array): Float64Array => residuals(model, history, spread, z);
  let z: Float64Array = new Float64Array(n);
  let r = residualsAt(z);
  let loss = sumOfSquares(r);
  let damping = 1e-2;
  let normal = new Float64Array(n * n);
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    const columns = jacobian(residualsAt, z, r);
    normal = normalMatrix(columns);
    const gradient = columns.map((column) => dot(column, r));
    let improved = false;
    for (let attempt = 0; attempt < 8 && !improved; attempt++) {
      const damped = Float64Array.from(normal);
      for (let i = 0; i < n; i++) damped[i * n + i]! *= 1 + damping;
      const step = solve(cholesky(damped, n), gradient);
      const next = Float64Array.from(z, (each, i) => each - step[i]!);
      const nextR = residualsAt(next);
      const nextLoss = sumOfSquares(nextR);
      if (nextLoss < loss) {
        improved = loss - nextLoss > TOLERANCE * loss;
        z = next;
        r = nextR;
        loss = nextLoss;
        damping = Math.max(1e-6, damping / 10);
        if (!improved) break;
      } else damping *= 10;
    }
    if (!improved) break;
  }
  normal = normalMatrix(jacobian(residualsAt, z, r));
  return { mode: z, spread, factor: cholesky(normal, n) };
}

/** Draws of the random effects on the log scale from the normal approximation around the mode. */
export function drawEffects({ mode, spread, factor }: DosingEstimate, count: number, rng: Rng): Float64Array[] {
  const n = spread.length;
  return Array.from({ length: count }, () => {
    const noise = Float64Array.from({ length: n }, () => rng.normal());
    // precision = L L', so that L'^-1 noise has its inverse as covariance.
    for (let i = n - 1; i >= 0; i--) {
      for (let j = i + 1; j < n; j++) noise[i]! -= factor[j * n + i]! * noise[j]!;
      noise[i]! /= factor[i * n + i]!;
    }
    return effectsOf(
      spread,
      noise.map((each, i) => each + mode[i]!),
    );
  });
}

/** Standardised residuals: levels (value, then trough where measured), then the effects themselves. */
function residuals(
  model: DosingModel,
  { covariates, days, levels }: DosingHistory,
  spread: readonly number[],
  z: Float64Array,
): Float64Array {
  const parameters = model.individual(covariates, effectsOf(spread, z));
  const state = model.start(parameters);
  const result: number[] = [];
  let day = 0;
  for (const level of levels) {
    for (; day < level.day; day++) model.advanceDay(state, parameters, days[day]!);
    result.push(relativeError(level.value, state[VALUE]!) / model.assayCv);
    if (level.trough !== null && level.trough > 0)
      result.push(relativeError(level.trough, state[TROUGH]!) / model.assayCv);
  }
  return Float64Array.from([...result, ...z]);
}

/** Bounded, so that a hopeless prediction does not outweigh every other level. */
function relativeError(measured: number, predicted: number): number {
  const error = (measured - predicted) / Math.max(predicted, SMALLEST_PREDICTION);
  return Math.min(1e4, error);
}

function jacobian(at: (z: Float64Array) => Float64Array, z: Float64Array, r: Float64Array): readonly Float64Array[] {
  return Array.from(z, (_, i) => {
    const moved = Float64Array.from(z);
    moved[i]! += DIFFERENCE;
    return at(moved).map((each, k) => (each - r[k]!) / DIFFERENCE);
  });
}

function normalMatrix(columns: readonly Float64Array[]): Float64Array<ArrayBuffer> {
  return Float64Array.from(columns.flatMap((a) => columns.map((b) => dot(a, b))));
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function sumOfSquares(r: Float64Array): number {
  return dot(r, r);
}

/** Lower Cholesky factor of a positive definite matrix, both row-major [n, n]. */
function cholesky(matrix: Float64Array, n: number): Float64Array {
  const lower = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= lower[i * n + k]! * lower[j * n + k]!;
      lower[i * n + j] = i === j ? Math.sqrt(sum) : sum / lower[j * n + j]!;
    }
  return lower;
}

function solve(lower: Float64Array, right: readonly number[]): Float64Array {
  const n = right.length;
  const x = Float64Array.from(right);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) x[i]! -= lower[i * n + j]! * x[j]!;
    x[i]! /= lower[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) x[i]! -= lower[j * n + i]! * x[j]!;
    x[i]! /= lower[i * n + i]!;
  }
  return x;
}
