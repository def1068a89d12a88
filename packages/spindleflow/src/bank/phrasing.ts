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

/** Sentences with slots, cut once: text, slot, text, slot … */
export type Frame = readonly string[];

/** Cuts a frame at its slots. */
export function cutFrame(frame: string): Frame {
  return frame.split(/\{(\w+)\}/);
}

/** A frame with its slots filled; `{Slot}` with a capital begins a sentence. */
export function fillFrame(frame: Frame, slots: Readonly<Record<string, string>>): string {
  let text = frame[0]!;
  for (let i = 1; i < frame.length; i += 2) {
    const slot = frame[i]!;
    text += (slots[slot] ?? capitalised(slots[slot.toLowerCase()]!)) + frame[i + 1]!;
  }
  return text;
}
