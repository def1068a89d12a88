import { wordsOf } from "./bm25.ts";

/** Most characters of a snippet. */
export const SNIPPET_LENGTH = 160;

/**
 * Up to 160 characters of a text: the run of whole sentences that holds the most different query words, the earliest of
 * equals; a longer sentence is cut.
 */
export function snippetOf(text: string, query: string): string {
  const wanted = new Set(wordsOf(query));
  const sentences = text.split(/(?<=[.!?]) /);
  let best = "";
  let bestCount = -1;
  for (let first = 0; first < sentences.length; first++) {
    let run = sentences[first]!.slice(0, SNIPPET_LENGTH);
    for (let next = first + 1; next < sentences.length; next++) {
      const longer = `${run} ${sentences[next]}`;
      if (longer.length > SNIPPET_LENGTH) break;
      run = longer;
    }
    const count = new Set(wordsOf(run).filter((word) => wanted.has(word))).size;
    if (count > bestCount) {
      best = run;
      bestCount = count;
    }
  }
  return best;
}
