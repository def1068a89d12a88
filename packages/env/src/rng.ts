import { fnv1a64 } from "./hash.ts";

/** Saved state of an {@link Rng}: its seed words, its four xoshiro words. Plain data. */
export interface RngState {
  readonly seed: readonly [high: number, low: number];
  readonly words: readonly [number, number, number, number];
}

// A product of two 64-bit numbers modulo 2^64, in 16-bit limbs: every partial stays exact, and no BigInt is made. The high
// word of the last product is left here, as a returned pair would be an allocation in the innermost call of every split.
let productHigh = 0;

/** Low word of (high, low) · (otherHigh, otherLow) modulo 2^64; its high word is left in {@link productHigh}. */
function multiply(high: number, low: number, otherHigh: number, otherLow: number): number {
  const a0 = low & 0xffff;
  const a1 = low >>> 16;
  const b0 = otherLow & 0xffff;
  const b1 = otherLow >>> 16;
  const p00 = a0 * b0;
  const middle = a1 * b0 + (p00 >>> 16);
  const cross = a0 * b1 + (middle & 0xffff);
  // Below 2^53: each partial is below 2^32.
  const upper = a1 * b1 + Math.floor(middle / 65536) + Math.floor(cross / 65536);
  productHigh = ((upper >>> 0) + Math.imul(high, otherLow) + Math.imul(low, otherHigh)) >>> 0;
  return (((cross & 0xffff) << 16) | (p00 & 0xffff)) >>> 0;
}

/** SplitMix64 (Steele, Lea, Flood 2014): fills four 32-bit words from a 64-bit seed. Never all zero. */
function splitMix(seedHigh: number, seedLow: number): [number, number, number, number] {
  let high = seedHigh >>> 0;
  let low = seedLow >>> 0;
  const words: [number, number, number, number] = [0, 0, 0, 0];
  for (let i = 0; i < 4; i += 2) {
    const sum = low + 0x7f4a7c15;
    high = (high + 0x9e3779b9 + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    low = sum >>> 0;
    let zHigh = (high ^ (high >>> 30)) >>> 0;
    let zLow = (low ^ ((low >>> 30) | (high << 2))) >>> 0;
    zLow = multiply(zHigh, zLow, 0xbf58476d, 0x1ce4e5b9);
    zHigh = productHigh;
    const shiftedLow = (zLow >>> 27) | (zHigh << 5);
    zHigh = (zHigh ^ (zHigh >>> 27)) >>> 0;
    zLow = (zLow ^ shiftedLow) >>> 0;
    zLow = multiply(zHigh, zLow, 0x94d049bb, 0x133111eb);
    zHigh = productHigh;
    words[i] = (zHigh ^ (zHigh >>> 31)) >>> 0;
    words[i + 1] = (zLow ^ ((zLow >>> 31) | (zHigh << 1))) >>> 0;
  }
  if ((words[0] | words[1] | words[2] | words[3]) === 0) words[0] = 1;
  return words;
}

/**
 * Seeded random stream: xoshiro128** 1.1 (Blackman and Vigna 2018) seeded by SplitMix64. `split(name)` gives an
 * independent stream that depends on the seed and the name only, never on how many numbers were drawn, so that another
 * draw in one stream never shifts another.
 */
export class Rng {
  readonly #seed: readonly [number, number];
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  private constructor(seed: readonly [number, number], words: readonly [number, number, number, number]) {
    this.#seed = seed;
    [this.#a, this.#b, this.#c, this.#d] = words;
  }

  /** @param seed integer, 0 … 2^53 − 1, else RangeError @param name stream name, default the root stream */
  static fromSeed(seed: number, name = ""): Rng {
    if (!(Number.isSafeInteger(seed) && seed >= 0))
      throw new RangeError(`A seed must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, not ${seed}.`);
    const high = Math.floor(seed / 2 ** 32) >>> 0;
    const low = seed >>> 0;
    const root = new Rng([high, low], splitMix(high, low));
    return name === "" ? root : root.split(name);
  }

  /** A stream that continues where `state` was saved. */
  static restore(state: RngState): Rng {
    return new Rng(state.seed, state.words);
  }

  /** The whole state; {@link Rng.restore} continues from it. */
  save(): RngState {
    return { seed: this.#seed, words: [this.#a, this.#b, this.#c, this.#d] };
  }

  /** Independent stream of that name; the same name always gives the same stream from its beginning. */
  split(name: string): Rng {
    const [nameHigh, nameLow] = fnv1a64(name);
    // A second mixing round keeps split("a").split("b") apart from split("b").split("a").
    const [w0, w1] = splitMix((this.#seed[0] ^ nameHigh) >>> 0, (this.#seed[1] + nameLow) >>> 0);
    const seed: [number, number] = [w0 >>> 0, (w1 ^ nameLow) >>> 0];
    return new Rng(seed, splitMix(seed[0], seed[1]));
  }

  /** Uniform integer 0 … 2^32 − 1. */
  uint32(): number {
    const s1 = Math.imul(this.#b, 5);
    const result = Math.imul((s1 << 7) | (s1 >>> 25), 9) >>> 0;
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    this.#a >>>= 0;
    this.#b >>>= 0;
    this.#c >>>= 0;
    this.#d >>>= 0;
    return result;
  }

  /** Uniform in [0, 1) with 53 bits. */
  uniform(): number {
    const high = this.uint32() >>> 5;
    const low = this.uint32() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  /** Uniform integer in [low, high], both included; at most 2^32 values, else RangeError. Unbiased (rejection). */
  integer(low: number, high: number): number {
    const range = high - low + 1;
    if (!(Number.isSafeInteger(low) && Number.isSafeInteger(high) && range >= 1 && range <= 2 ** 32))
      throw new RangeError(`Rng.integer needs integers low ≤ high with at most 2^32 values, not ${low} and ${high}.`);
    const limit = 2 ** 32 - (2 ** 32 % range);
    let draw = this.uint32();
    while (draw >= limit) draw = this.uint32();
    return low + (draw % range);
  }

  /** True with probability `p`; always takes one draw. */
  bernoulli(p: number): boolean {
    return this.uniform() < p;
  }

  /** Normal draw (Box and Muller 1958, the cosine branch, two uniforms). */
  normal(mean = 0, standardDeviation = 1): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return mean + standardDeviation * radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** A member of a non-empty list, all equally likely. */
  choice<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError("Rng.choice needs a non-empty list.");
    return items[this.integer(0, items.length - 1)]!;
  }

  /** Index drawn in proportion to non-negative `weights` with a positive sum. */
  weightedIndex(weights: readonly number[]): number {
    let total = 0;
    for (const weight of weights) total += weight;
    if (!(total > 0)) throw new RangeError("Rng.weightedIndex needs a positive sum of weights.");
    let rest = this.uniform() * total;
    let last = 0;
    for (let i = 0; i < weights.length; i++) {
      const weight = weights[i]!;
      if (weight <= 0) continue;
      last = i;
      if (rest < weight) return i;
      rest -= weight;
    }
    return last;
  }

  /** A new shuffled list (Fisher and Yates); the argument is unchanged. */
  shuffled<T>(items: readonly T[]): T[] {
    const result = [...items];
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.integer(0, i);
      [result[i], result[j]] = [result[j]!, result[i]!];
    }
    return result;
  }
}

/** Plain words, which stand in JSON as they are. */
const PLAIN_WORD = /^[\w ./-]*$/;

/** `JSON.stringify(key)`; written out for plain words and integers, the usual parts, as streams are keyed many times a step. */
function keyJson(key: readonly (string | number)[]): string {
  let text = "[";
  for (let i = 0; i < key.length; i++) {
    const part = key[i]!;
    if (i > 0) text += ",";
    if (typeof part === "string" && PLAIN_WORD.test(part)) text += `"${part}"`;
    else if (typeof part === "number" && Number.isSafeInteger(part)) text += part;
    else text += JSON.stringify(part);
  }
  return `${text}]`;
}

/** Saved state of {@link RngStreams}. */
export interface RngStreamsState {
  readonly root: RngState;
  readonly streams: Readonly<Record<string, RngState>>;
}

/** Named streams of one episode that go on from draw to draw and are saved and restored together. */
export class RngStreams {
  readonly #root: Rng;
  readonly #streams = new Map<string, Rng>();

  constructor(root: Rng) {
    this.#root = root;
  }

  /** The stream of that name, made at first use; later calls go on with it. */
  stream(name: string): Rng {
    let rng = this.#streams.get(name);
    if (rng === undefined) {
      rng = this.#root.split(name);
      this.#streams.set(name, rng);
    }
    return rng;
  }

  /** A fresh stream keyed by name (and, say, a visit number), whatever was drawn before; never equal to a {@link stream}. */
  keyed(...key: readonly (string | number)[]): Rng {
    // JSON keeps ("a", "b") apart from ("a/b"), and every key apart from the plain names of `stream`.
    return this.#root.split(keyJson(key));
  }

  /** State of root and all streams in use. */
  save(): RngStreamsState {
    const streams: Record<string, RngState> = {};
    for (const [name, rng] of this.#streams) streams[name] = rng.save();
    return { root: this.#root.save(), streams };
  }

  /** Streams that go on where `state` was saved. */
  static restore(state: RngStreamsState): RngStreams {
    const restored = new RngStreams(Rng.restore(state.root));
    for (const [name, rng] of Object.entries(state.streams)) restored.#streams.set(name, Rng.restore(rng));
    return restored;
  }
}
