/** Optimal string alignment distance (Damerau and Levenshtein): insert, delete, replace, swap of neighbours cost 1. */
export function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  let before = new Array<number>(width).fill(0);
  let previous = Array.from({ length: width }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = new Array<number>(width).fill(0);
    current[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1);
      current[j] = best;
    }
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}

/** The closest of `known` within 2 edits or a third of the word, else undefined; the first wins a tie. Case is ignored. */
export function nearestName(word: string, known: Iterable<string>): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of known) {
    if (Math.abs(name.length - word.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    // Replacing every letter is no likeness: "no" is not a slip of "id".
    if (distance < bestDistance && distance < Math.max(word.length, name.length)) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}
