import { pairEntries, pairTableOf } from "../../interactions/pair-table.ts";
import { getDrug } from "../../kb/lookup.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import type { Difficulty } from "../../scenario/types.ts";
import { MINING_TIERS } from "../../sub-environments/bandit-mining/tiers.ts";
import type { MiningProblem } from "./miner.ts";

/** The task as a miner sees it. @param population combinations by position, null when they were not shown */
export function miningProblem(
  kb: KnowledgeBase,
  task: {
    readonly drugIds: readonly string[];
    readonly difficulty: Difficulty;
    readonly population: readonly Uint8Array[] | null;
  },
): MiningProblem {
  const drugs = task.drugIds.map((id) => getDrug(kb, id));
  const table = pairTableOf(kb);
  const n = drugs.length;
  const pairRanks = new Uint8Array(n * n);
  for (let a = 0; a < n; a++)
    for (let b = 0; b < n; b++) {
      if (a === b) continue;
      for (const entry of pairEntries(table, drugs[a]!.index, drugs[b]!.index))
        pairRanks[a * n + b] = Math.max(pairRanks[a * n + b]!, entry.severityRank + 1);
    }
  const { patterns, noise, probes } = MINING_TIERS[task.difficulty];
  return {
    drugs: n,
    pairRanks,
    anticholinergic: drugs.map((drug) => drug.acb),
    patterns,
    noise,
    probes,
    population: task.population,
  };
}

/** The task of a first observation. */
export function problemOfObservation(
  kb: KnowledgeBase,
  { difficulty }: Pick<Observation, "difficulty">,
  bandit: NonNullable<Observation["bandit"]>,
): MiningProblem {
  const positions = new Map(bandit.drugs.map((id, position) => [id, position]));
  const population =
    bandit.population?.map((combination) => Uint8Array.from(combination, (id) => positions.get(id)!)) ?? null;
  return miningProblem(kb, { drugIds: bandit.drugs, difficulty, population });
}
