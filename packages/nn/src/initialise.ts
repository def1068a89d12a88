/** What random numbers are drawn from: `uniform` on [0, 1), `normal` with mean 0 and deviation 1. */
export interface RandomSource {
  uniform(): number;
  normal(): number;
}

/** Fills a matrix [fanIn, fanOut], row-major. */
export type Initialiser = (out: Float32Array, fanIn: number, fanOut: number, rng: RandomSource) => void;

/** All values equal. */
export function constant(value: number): Initialiser {
  return (out) => {
    out.fill(value);
  };
}

/** Uniform on [−bound, bound). */
export function uniform(bound: number): Initialiser {
  return (out, _fanIn, _fanOut, rng) => {
    for (let i = 0; i < out.length; i++) out[i] = (2 * rng.uniform() - 1) * bound;
  };
}

/** Normal with the given standard deviation. */
export function normal(deviation: number): Initialiser {
  return (out, _fanIn, _fanOut, rng) => {
    for (let i = 0; i < out.length; i++) out[i] = rng.normal() * deviation;
  };
}

/** Uniform on ±1/√fanIn: the default of PyTorch's Linear. */
export const fanInUniform: Initialiser = (out, fanIn, fanOut, rng) =>
  uniform(1 / Math.sqrt(fanIn))(out, fanIn, fanOut, rng);

/** Uniform on ±√(6 / (fanIn + fanOut)) (Glorot and Bengio 2010). */
export const glorotUniform: Initialiser = (out, fanIn, fanOut, rng) =>
  uniform(Math.sqrt(6 / (fanIn + fanOut)))(out, fanIn, fanOut, rng);

/**
 * Orthogonal rows or columns, whichever are fewer, times `gain` (Saxe, McClelland and Ganguli 2014): Gram-Schmidt, done
 * twice over for accuracy, on a normal matrix. The PPO literature uses gain √2 in hidden layers, 0.01 for the policy's
 * last layer and 1 for the value's.
 */
export function orthogonal(gain: number): Initialiser {
  return (out, fanIn, fanOut, rng) => {
    const count = Math.min(fanIn, fanOut);
    const length = Math.max(fanIn, fanOut);
    const vectors: Float64Array[] = [];
    while (vectors.length < count) {
      const v = Float64Array.from({ length }, () => rng.normal());
      for (let pass = 0; pass < 2; pass++) for (const u of vectors) subtractAlong(v, u);
      const norm = Math.sqrt(dot(v, v));
      // A vector that lies in the span of the others (chance zero, but a poor source may repeat) is drawn again.
      if (norm > 1e-6) vectors.push(v.map((x) => x / norm));
    }
    for (let i = 0; i < fanIn; i++) {
      for (let j = 0; j < fanOut; j++) {
        out[i * fanOut + j] = gain * (fanIn >= fanOut ? vectors[j]![i]! : vectors[i]![j]!);
      }
    }
  };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function subtractAlong(v: Float64Array, unit: Float64Array): void {
  const along = dot(v, unit);
  for (let i = 0; i < v.length; i++) v[i]! -= along * unit[i]!;
}
