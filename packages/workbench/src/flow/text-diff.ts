/** A piece of text that is in both, only before, or only after. */
export interface DiffPart {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Longest texts compared word by word; beyond it they stand whole. */
const MOST_WORDS = 2_000;

/** Difference of two texts by words: longest common subsequence. Source: Hunt and Szymanski's problem, solved by the plain table. */
export function diffWords(before: string, after: string): readonly DiffPart[] {
  const a = before.match(/\s+|\S+/g) ?? [];
  const b = after.match(/\s+|\S+/g) ?? [];
  if (a.length > MOST_WORDS || b.length > MOST_WORDS)
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const parts: DiffPart[] = [];
  const add = (kind: DiffPart["kind"], text: string): void => {
    const last = parts.at(-1);
    if (last?.kind === kind) parts[parts.length - 1] = { kind, text: last.text + text };
    else parts.push({ kind, text });
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add("same", a[i]!);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      add("removed", a[i]!);
      i++;
    } else {
      add("added", b[j]!);
      j++;
    }
  }
  return parts;
}
