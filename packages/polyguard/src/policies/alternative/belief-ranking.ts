import type { KnowledgeBase } from "../../kb/types.ts";
import { gradesOf } from "../../sub-environments/alternative-suggestion/grades.ts";
import { BeliefTracker } from "../belief/belief.ts";
import { type Ranker, rankByEstimate, readOption } from "./own-play.ts";

/** By the course that is expected of each option on what is believed of the patient. */
export function makeBeliefRanker(kb: KnowledgeBase): Ranker {
  return (chart, block) => {
    const target = chart.legality.byRef.get(block.med_ref);
    if (target === undefined) return rankByEstimate(chart, block);
    const { model, state } = new BeliefTracker(kb).see(chart);
    const { worth } = gradesOf(
      { kb, scenario: { ...model.context.scenario, initial: state } },
      {
        medRef: block.med_ref,
        drugIndex: target.drugIndex,
        reason: block.reason,
        options: block.options.map(({ option }) => readOption(kb, option)),
      },
    );
    return block.options
      .map(({ option }, number) => ({ option, worth: worth[number]! }))
      .sort((a, b) => b.worth - a.worth || (a.option < b.option ? -1 : 1))
      .map(({ option }) => option);
  };
}
