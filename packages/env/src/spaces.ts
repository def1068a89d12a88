import { PraxisError } from "./errors.ts";
import type { Rng } from "./rng.ts";

/** Real vector in a box; `low` and `high` are one bound for all or one per element. */
export interface BoxSpace {
  readonly kind: "box";
  readonly shape: readonly number[];
  readonly low: number | readonly number[];
  readonly high: number | readonly number[];
}
/** One of `n` choices, 0 … n − 1. */
export interface DiscreteSpace {
  readonly kind: "discrete";
  readonly n: number;
}
/** One choice per position; `nvec[i]` choices at i. */
export interface MultiDiscreteSpace {
  readonly kind: "multiDiscrete";
  readonly nvec: readonly number[];
}
/** `n` independent bits. */
export interface MultiBinarySpace {
  readonly kind: "multiBinary";
  readonly n: number;
}
/** Named parts, in the order of the entries. */
export interface DictSpace {
  readonly kind: "dict";
  readonly spaces: Readonly<Record<string, Space>>;
}
/** What a vector policy reads or writes; plain data, so that it travels to workers and pages. */
export type Space = BoxSpace | DiscreteSpace | MultiDiscreteSpace | MultiBinarySpace | DictSpace;

/** A member of a space: a number for `discrete`, an array of numbers for the flat ones, a record for `dict`. */
export type SpaceValue = number | ArrayLike<number> | { readonly [name: string]: SpaceValue };

const bound = (bounds: number | readonly number[], i: number): number =>
  typeof bounds === "number" ? bounds : bounds[i]!;
const product = (shape: readonly number[]): number => shape.reduce((size, side) => size * side, 1);

/** Length of the flat vector of a space: a discrete choice counts one, a dict the sum of its parts. */
export function flatSize(space: Space): number {
  switch (space.kind) {
    case "box":
      return product(space.shape);
    case "discrete":
      return 1;
    case "multiDiscrete":
      return space.nvec.length;
    case "multiBinary":
      return space.n;
    case "dict":
      return Object.values(space.spaces).reduce((size, part) => size + flatSize(part), 0);
  }
}

/** A box element: uniform between finite bounds, else normal or, with one finite bound, half-normal from it. */
function sampleElement(low: number, high: number, rng: Rng): number {
  if (Number.isFinite(low) && Number.isFinite(high)) return low + (high - low) * rng.uniform();
  const draw = rng.normal();
  if (Number.isFinite(low)) return low + Math.abs(draw);
  return Number.isFinite(high) ? high - Math.abs(draw) : draw;
}

// A bound such as 0.1 is rounded when it is stored in a Float32Array; the rounded bound is still a member.
const isWithin = (x: number, low: number, high: number): boolean =>
  Number.isFinite(x) && x >= Math.min(low, Math.fround(low)) && x <= Math.max(high, Math.fround(high));

/** A random member of a space: uniform where it is bounded, normal where it is not. */
export function sampleSpace(space: Space, rng: Rng): SpaceValue {
  switch (space.kind) {
    case "box":
      return Float32Array.from({ length: product(space.shape) }, (_, i) =>
        sampleElement(bound(space.low, i), bound(space.high, i), rng),
      );
    case "discrete":
      return rng.integer(0, space.n - 1);
    case "multiDiscrete":
      return space.nvec.map((n) => rng.integer(0, n - 1));
    case "multiBinary":
      return Array.from({ length: space.n }, () => rng.integer(0, 1));
    case "dict":
      return Object.fromEntries(Object.entries(space.spaces).map(([name, part]) => [name, sampleSpace(part, rng)]));
  }
}

const isChoice = (value: unknown, n: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < n;
const isArrayLike = (value: unknown, length: number): value is ArrayLike<number> =>
  typeof value === "object" && value !== null && (value as ArrayLike<number>).length === length;

/** Says why `value` is no member of `space`, or null if it is one. */
export function whyNotInSpace(space: Space, value: unknown, path = "value"): string | null {
  switch (space.kind) {
    case "box": {
      const size = product(space.shape);
      if (!isArrayLike(value, size)) return `${path} must be an array of ${size} numbers`;
      for (let i = 0; i < size; i++) {
        const x = value[i];
        if (typeof x !== "number" || !isWithin(x, bound(space.low, i), bound(space.high, i)))
          return `${path}[${i}] is ${x}, outside [${bound(space.low, i)}, ${bound(space.high, i)}]`;
      }
      return null;
    }
    case "discrete":
      return isChoice(value, space.n)
        ? null
        : `${path} must be an integer from 0 to ${space.n - 1}, not ${String(value)}`;
    case "multiDiscrete":
    case "multiBinary": {
      const nvec = space.kind === "multiDiscrete" ? space.nvec : Array.from({ length: space.n }, () => 2);
      if (!isArrayLike(value, nvec.length)) return `${path} must be an array of ${nvec.length} integers`;
      const wrong = nvec.findIndex((n, i) => !isChoice(value[i], n));
      return wrong < 0
        ? null
        : `${path}[${wrong}] must be an integer from 0 to ${nvec[wrong]! - 1}, not ${value[wrong]}`;
    }
    case "dict": {
      if (typeof value !== "object" || value === null) return `${path} must be an object`;
      for (const [name, part] of Object.entries(space.spaces)) {
        const why = whyNotInSpace(part, (value as Record<string, unknown>)[name], `${path}.${name}`);
        if (why !== null) return why;
      }
      const extra = Object.keys(value).find((key) => !Object.hasOwn(space.spaces, key));
      return extra === undefined ? null : `${path}.${extra} is not part of the space`;
    }
  }
}

/** Throws VALIDATION_ERROR naming the first element of `value` that is outside `space`. */
export function checkInSpace(space: Space, value: unknown, path = "value"): void {
  const why = whyNotInSpace(space, value, path);
  if (why !== null) throw new PraxisError("VALIDATION_ERROR", `${why}.`);
}

/** Writes a member of a space into `target` from `offset` on, parts in order; returns the offset after it. */
export function flattenInto(space: Space, value: SpaceValue, target: Float32Array, offset = 0): number {
  if (space.kind === "discrete") {
    target[offset] = value as number;
    return offset + 1;
  }
  if (space.kind === "dict") {
    let at = offset;
    for (const [name, part] of Object.entries(space.spaces))
      at = flattenInto(part, (value as Record<string, SpaceValue>)[name]!, target, at);
    return at;
  }
  target.set(value as ArrayLike<number>, offset);
  return offset + flatSize(space);
}
