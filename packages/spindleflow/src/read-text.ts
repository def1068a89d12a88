import { TASK_CLASSES, type TaskClass } from "./bank/bank.ts";
import type { BankIndex } from "./bank/bank-index.ts";

/** Words of a text without class words are counted instead. `assumption:` short requests are small ones. */
const ATOMIC_WORDS = 8;
const SIMPLE_WORDS = 15;

/** Class that a text states: the list with most hits as whole words, ties to the heavier class, none: by length. */
export function readClass(index: BankIndex, text: string): TaskClass {
  const lower = ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")} `;
  let best: TaskClass | null = null;
  let most = 0;
  for (const name of TASK_CLASSES) {
    const hits = index.bank.words.classes[name].filter((word) => lower.includes(` ${word.toLowerCase()} `)).length;
    if (hits === 0 || hits < most) continue;
    best = name;
    most = hits;
  }
  if (best !== null) return best;
  const count = lower.trim().split(" ").length;
  if (count <= ATOMIC_WORDS) return "atomic";
  return count <= SIMPLE_WORDS ? "simple" : "moderate";
}
