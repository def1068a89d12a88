import { Rng } from "@praxis/env";
import type { Bank } from "./bank.ts";

const DRAWS = 2000;
const COMPANY = 40;
const QUANTILE = 0.1;

/**
 * The cosine below which nobody in a company fits a task: the 10 % quantile of the best cosine between a training task and a
 * company of 40 training specialists, over 2,000 draws, with the bank's embedder.
 */
export function computeSpawnThreshold({
  tasks,
  specialists,
  vectors,
}: Pick<Bank, "tasks" | "specialists" | "vectors">): number {
  const rng = Rng.fromSeed(0, "spawn threshold");
  const rows = tasks.filter(({ split, handWritten }) => split === "train" && !handWritten).map(({ row }) => row);
  const people = specialists
    .filter(({ split, handWritten }) => split === "train" && !handWritten)
    .map(({ row }) => row);
  const best = Array.from({ length: DRAWS }, () => {
    const task = vectors.taskRow(rng.choice(rows));
    let nearest = -1;
    for (const row of rng.shuffled(people).slice(0, COMPANY)) {
      const person = vectors.specialistRow(row);
      let dot = 0;
      for (let i = 0; i < task.length; i++) dot += task[i]! * person[i]!;
      nearest = Math.max(nearest, dot);
    }
    return nearest;
  }).sort((a, b) => a - b);
  return best[Math.floor(QUANTILE * DRAWS)]!;
}
