import type { Rng } from "@praxis/env";

/** `count` different members of a list in random order. */
export function draw<T>(rng: Rng, items: readonly T[], count: number): T[] {
  const rest = [...items];
  const drawn: T[] = [];
  for (let i = 0; i < count && rest.length > 0; i++) {
    const at = rng.integer(0, rest.length - 1);
    drawn.push(rest[at]!);
    rest[at] = rest[rest.length - 1]!;
    rest.pop();
  }
  return drawn;
}

/** "a", "a and b", "a, b and c". */
export function joinList(items: readonly string[]): string {
  if (items.length < 2) return items.join();
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

/** First letter in upper case. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A frame with its slots filled; `{Slot}` with a capital begins a sentence. */
export function fillFrame(frame: string, slots: Readonly<Record<string, string>>): string {
  return frame.replace(/\{(\w)(\w*)\}/g, (_, first: string, rest: string) => {
    const value = slots[first.toLowerCase() + rest]!;
    return first === first.toLowerCase() ? value : capitalised(value);
  });
}
