import { effectOf } from "../../actions/effect.ts";
import type { Decision } from "../sub-environment.ts";
import { isResolved, type Topic } from "./topics.ts";

/** Belief that a hazard nobody has looked up is there. assumption: even odds, as for the pooling of claims. */
const UNREAD_BELIEF = 0.5;

/**
 * Value of reading about a topic: what deciding afterwards is worth over deciding now, E[max U | after] - max E[U | before],
 * at least 0. The best change of the topic's drugs gains what it really gains if the hazard is there, and costs the therapy
 * it takes away if it is not. A topic that is resolved is worth nothing.
 */
export function readingValue(at: Decision, topic: Topic): number {
  if (isResolved({ kb: at.context.kb, scenario: at.context.scenario, world: at.world, memory: at.memory }, topic))
    return 0;
  const { keep, candidates } = at.assessment;
  let value = 0;
  for (const { candidate, isLegal, value: after } of candidates) {
    if (!isLegal) continue;
    const { target, started } = effectOf(at.legality, candidate.payload);
    const touched = [target?.drugIndex, started?.drugIndex];
    if (!topic.drugIndexes.some((index) => touched.includes(index))) continue;
    const gain = Math.max(0, after.utility - keep.utility);
    const cost = Math.max(0, after.dis - keep.dis);
    const before = Math.max(0, UNREAD_BELIEF * gain - (1 - UNREAD_BELIEF) * cost);
    value = Math.max(value, UNREAD_BELIEF * gain - before);
  }
  return value;
}
