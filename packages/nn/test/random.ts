import type { RandomSource } from "../src/index.ts";

/** A small seeded source (mulberry32, Box and Muller), so that tests need no other package. */
export function seeded(seed: number): RandomSource {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}

/** Normal values. */
export function randomValues(seed: number, length: number, scale = 1): Float32Array {
  const rng = seeded(seed);
  return Float32Array.from({ length }, () => rng.normal() * scale);
}

/** 0 and 1, 1 with the given chance. */
export function randomMask(seed: number, length: number, chance = 0.7): Float32Array {
  const rng = seeded(seed);
  return Float32Array.from({ length }, () => (rng.uniform() < chance ? 1 : 0));
}
