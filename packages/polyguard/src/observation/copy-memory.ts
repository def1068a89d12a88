import type { Memory } from "./types.ts";

/** A memory that its maker may still change. */
export type MutableMemory = { -readonly [K in keyof Memory]: Memory[K] };

/** A copy to be changed by its maker; its parts are shared. Key by key for the reason given with the copies of the world. */
export function copyMemory(memory: Memory): MutableMemory {
  return {
    values: memory.values,
    revealed: memory.revealed,
    evidence: memory.evidence,
    reviewNotes: memory.reviewNotes,
    closedConflicts: memory.closedConflicts,
    samples: memory.samples,
    symptoms: memory.symptoms,
    withdrawalScores: memory.withdrawalScores,
    pillCount: memory.pillCount,
    history: memory.history,
  };
}
