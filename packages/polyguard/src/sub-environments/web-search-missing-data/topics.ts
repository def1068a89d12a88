import type { Rng } from "@praxis/env";
import { allergyBearing } from "../../actions/allergies.ts";
import { levelCodeOf } from "../../course/labs.ts";
import { drugClaim, pairClaim } from "../../documents/kb-claims.ts";
import { poolEvidence } from "../../documents/read-evidence.ts";
import { claimMatter, type ReadClaim } from "../../documents/types.ts";
import { pairEntries, pairTableOf } from "../../interactions/pair-table.ts";
import { drugAt } from "../../kb/lookup.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Memory } from "../../observation/types.ts";
import type { Difficulty, Mask, Scenario } from "../../scenario/types.ts";
import type { Medication, WorldState } from "../../world/types.ts";

/** Something that a decision of the scenario hangs on and that is hidden at reset. */
export interface Topic {
  /**
   * A value code, `weight`, `indication:m3`, `start:m3`, `allergy:ID`, a discrepancy id, `renal:m3` (its renal dose) or
   * `interactions:m3` (an interaction of it that no alert shows).
   */
  readonly name: string;
  /** A change of one of these drugs while the topic is open assumes it. */
  readonly drugIndexes: readonly number[];
  /** The pair of an `interactions` topic. */
  readonly pair: readonly [number, number] | null;
}

/** Probability from which what was read counts as known. assumption: one label is enough, a blog or a forum is not. */
const BELIEF = 0.8;

/** Topics by tier. */
const TOPIC_COUNTS: Readonly<Record<Difficulty, readonly [low: number, high: number]>> = {
  easy: [1, 1],
  medium: [2, 3],
  hard: [3, 4],
};

/** Chooses 1-4 things to hide, about the drugs of the hazards; one of them can only be found in documents where there is one. */
export function chooseTopics(kb: KnowledgeBase, scenario: Scenario, rng: Rng): readonly Topic[] {
  const possible = possibleTopics(kb, scenario);
  const [low, high] = TOPIC_COUNTS[scenario.difficulty];
  const count = rng.integer(low, high);
  const kinds = rng.shuffled(["interactions:", "renal:"]);
  const ofKind = (kind: string): readonly Topic[] => possible.filter(({ name }) => name.startsWith(kind));
  const first = kinds.flatMap((kind) => rng.shuffled(ofKind(kind))).slice(0, 1);
  const others = rng.shuffled(possible.filter((topic) => !first.includes(topic)));
  return [...first, ...others].slice(0, count);
}

/** What may be hidden: about hazard drugs on the list, and the gaps and allergies that are there. */
function possibleTopics(kb: KnowledgeBase, { hazards, initial, patient, mask }: Scenario): readonly Topic[] {
  const topics = new Map<string, Topic>();
  const add = (name: string, drugIndexes: readonly number[], pair: Topic["pair"] = null): void => {
    const before = topics.get(name);
    topics.set(name, { name, drugIndexes: [...new Set([...(before?.drugIndexes ?? []), ...drugIndexes])], pair });
  };
  const listed = initial.medications.filter((each) => each.isListed && !each.isUnreconciled);
  const rowOf = (drugIndex: number): Medication | undefined => listed.find((each) => each.drugIndex === drugIndex);
  for (const { drugIndexes } of hazards) {
    const rows = drugIndexes.map(rowOf).filter((each) => each !== undefined);
    for (const [i, first] of rows.entries())
      for (const second of rows.slice(i + 1))
        if (pairEntries(pairTableOf(kb), first.drugIndex, second.drugIndex).length > 0)
          add(`interactions:${first.medRef}`, [first.drugIndex, second.drugIndex], [first.drugIndex, second.drugIndex]);
    for (const { medRef, drugIndex } of rows) {
      const drug = drugAt(kb, drugIndex);
      if (drug.renalRule.clauses.length > 0) {
        add(`renal:${medRef}`, [drugIndex]);
        add("CREAT", [drugIndex]);
        add("weight", [drugIndex]);
      }
      const code = levelCodeOf(drug);
      if (drug.isNarrowTi && code !== null && mask.values[code] !== undefined) add(code, [drugIndex]);
      add(`indication:${medRef}`, [drugIndex]);
      add(`start:${medRef}`, [drugIndex]);
    }
  }
  for (const { id, medRef } of initial.truthGaps) {
    const drugIndex = initial.medications.find((each) => each.medRef === medRef)?.drugIndex;
    if (drugIndex !== undefined) add(id, [drugIndex]);
  }
  for (const allergy of patient.allergies) {
    const forbidden = hazards
      .flatMap(({ drugIndexes }) => drugIndexes)
      .filter((index) => allergyBearing(kb, allergy, drugAt(kb, index)) === "hard");
    add(`allergy:${allergy.id}`, forbidden);
  }
  return [...topics.values()];
}

/** The mask that hides the topics as well. */
export function hideTopics(mask: Mask, topics: readonly Topic[]): Mask {
  const hidden = new Set(mask.hidden);
  const values = { ...mask.values };
  for (const { name } of topics) {
    delete values[name];
    hidden.add(name);
  }
  const hiddenPairs = topics.flatMap(({ pair }) => (pair === null ? [] : [pair]));
  return { ...mask, hidden, values, hiddenPairs };
}

/** What resolving a topic is judged on. */
export interface TopicFacts {
  readonly kb: KnowledgeBase;
  readonly scenario: Scenario;
  readonly world: WorldState;
  readonly memory: Memory;
}

/**
 * True once the agent has measured, asked or read what the topic is about; what was read has to be true, and probable by its
 * sources.
 */
export function isResolved({ kb, scenario, world, memory }: TopicFacts, { name, pair }: Topic): boolean {
  if (memory.values[name] !== undefined) return true;
  if (name === "weight" || name.startsWith("allergy:") || name.startsWith("indication:") || name.startsWith("start:"))
    return memory.revealed.has(name);
  const gap = world.truthGaps.find(({ id }) => id === name);
  if (gap !== undefined) return gap.isResolved;
  // A specialist who was asked about one of the two names its hits.
  if (pair !== null)
    return (
      isBelieved(memory, pairClaim(kb, pair[0], pair[1])) ||
      memory.reviewNotes.some(({ drugIndex }) => drugIndex !== null && pair.includes(drugIndex))
    );
  const medRef = name.slice(name.indexOf(":") + 1);
  const row = scenario.initial.medications.find((each) => each.medRef === medRef);
  const claim = name.startsWith("renal:") && row !== undefined ? drugClaim(drugAt(kb, row.drugIndex), "renal") : null;
  return claim !== null && isBelieved(memory, claim);
}

/** True when what was read makes the claim probable. */
function isBelieved({ evidence }: Memory, claim: ReadClaim): boolean {
  const matter = claimMatter(claim);
  return poolEvidence(evidence).some(
    (pooled) => pooled.matter === matter && pooled.value === claim.value && pooled.probability >= BELIEF,
  );
}
