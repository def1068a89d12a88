import { Rng } from "@praxis/env";
import { makeConfig } from "../config.ts";
import { measureSpawnThreshold } from "../shift/spawn.ts";
import type { BankThresholds } from "./bank.ts";
import { type BankIndex, cosine } from "./bank-index.ts";

/**
 * The cosine that best tells pairs that belong together from those that do not: the mean of both rates of right answers is
 * highest when `together` lies above it and `apart` does not. Steps of 0.01.
 */
function bestCut(together: readonly number[], apart: readonly number[]): number {
  const share = (values: readonly number[], above: number) =>
    values.filter((value) => value > above).length / values.length;
  let best = { cut: 0, score: -1 };
  for (let hundredth = 0; hundredth < 100; hundredth++) {
    const cut = hundredth / 100;
    const score = share(together, cut) - share(apart, cut);
    if (score > best.score) best = { cut, score };
  }
  return best.cut;
}

/** Measures a bank's cosines with the embedder that made its vectors, on training texts of the grammar. */
export function measureThresholds(index: BankIndex): BankThresholds {
  const { bank } = index;
  const [claimed, unclaimed]: [number[], number[]] = [[], []];
  bank.specialists.forEach(({ split, handWritten, archetype, claims }, i) => {
    // A generalist's text says too little of each skill to tell what counts as a claim.
    if (split !== "train" || handWritten || archetype === "generalist") return;
    for (const { index: skill } of bank.skills) {
      (claims.includes(skill) ? claimed : unclaimed).push(index.skillCosine(i, skill));
    }
  });
  const [named, unnamed]: [number[], number[]] = [[], []];
  for (const { split, handWritten, row, requirements } of bank.tasks) {
    if (split !== "train" || handWritten) continue;
    for (const { index: skill } of bank.skills) {
      const isNamed = requirements.some((requirement) => requirement.named === skill);
      (isNamed ? named : unnamed).push(cosine(bank.vectors.taskRow(row), bank.vectors.skill(skill)));
    }
  }
  return {
    spawn: measureSpawnThreshold(index, makeConfig(), Rng.fromSeed(0, "spawn-threshold")),
    claim: bestCut(claimed, unclaimed),
    domain: bestCut(named, unnamed),
  };
}
