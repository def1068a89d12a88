import { HELD_OUT_FAMILIES, isHeldOutCombination } from "./splits.ts";

/** Larger sets are too many to list; one in seven drawn at random is held out. */
const MOST_LISTED = 3;

const kept = new Map<string, readonly (readonly string[])[]>();

/**
 * Sets of `size` families (2 or 3) that never occur outside test_combo, of those names, families that are held out as a
 * whole left aside; each in order of the names. null for another size.
 */
export function heldOutCombinations(names: readonly string[], size: number): readonly (readonly string[])[] | null {
  if (size < 2 || size > MOST_LISTED) return null;
  const key = `${size}:${names.join("+")}`;
  let sets = kept.get(key);
  if (sets === undefined) {
    const free = names.filter((name) => !HELD_OUT_FAMILIES.includes(name));
    sets = choose(free, size).filter(isHeldOutCombination);
    kept.set(key, sets);
  }
  return sets;
}

function choose(names: readonly string[], size: number): readonly (readonly string[])[] {
  if (size === 0) return [[]];
  return names.flatMap((name, i) => choose(names.slice(i + 1), size - 1).map((rest) => [name, ...rest]));
}
