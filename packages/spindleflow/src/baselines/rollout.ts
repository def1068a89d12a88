import type { Rng } from "@praxis/env";
import { applyDecision, stepReward } from "../engine/apply.ts";
import { isAllowed } from "../engine/masks.ts";
import { HashNoise } from "../engine/noise.ts";
import { measure } from "../engine/quality.ts";
import { expectedReward } from "../engine/reward.ts";
import { cloneRun, type TaskRun } from "../engine/run.ts";
import { mayConsult } from "../engine/teamwork.ts";
import { generalistSlot, type World } from "../engine/world.ts";
import { type Decision, decide, type Mode } from "../names.ts";
import { callValue, truthStep } from "./truth-step.ts";

/** How hard a planner thinks. */
export interface Effort {
  readonly firstRollouts: number;
  readonly finalists: number;
  readonly finalRollouts: number;
  /** Gain that another choice than the base's must promise. */
  readonly margin: number;
}

/** Effort of the reference. Source: the smallest at which it bounded every script. */
export const REFERENCE_EFFORT: Effort = { firstRollouts: 3, finalists: 8, finalRollouts: 24, margin: 0.004 };

/** Threshold given to modes that stop early. `assumption:` about what a good team reaches. */
const GOOD_ENOUGH = 0.75;

const SET_MODES: readonly Mode[] = [
  "sequential",
  "parallel",
  "fanOutReduce",
  "conditional",
  "priorityQueue",
  "broadcast",
];

function withThreshold(decision: Decision): Decision {
  if (decision.mode !== "conditional" && decision.mode !== "priorityQueue") return decision;
  return { ...decision, parameters: { ...decision.parameters, threshold: GOOD_ENOUGH } };
}

/** Slots in the order in which each adds most to what those before it cover. */
function byCoverage(world: World, run: TaskRun, free: readonly number[]): number[] {
  const { skills, weights } = world.task;
  const covered = run.q.slice();
  const rest = free.slice();
  const order: number[] = [];
  const gain = (slot: number): number =>
    skills.reduce(
      (sum, skill, need) =>
        sum + weights[need]! * Math.max(0, world.members[slot]!.competence[skill]! - covered[need]!),
      0,
    );
  while (rest.length > 0) {
    let best = 0;
    for (let i = 1; i < rest.length; i++) if (gain(rest[i]!) > gain(rest[best]!)) best = i;
    const [slot] = rest.splice(best, 1);
    order.push(slot!);
    skills.forEach((skill, need) => {
      covered[need] = Math.max(covered[need]!, world.members[slot!]!.competence[skill]!);
    });
  }
  return order;
}

/** The most competent for each need, each once. */
function bestPerNeed(world: World, free: readonly number[]): number[] {
  const chosen = new Set<number>();
  for (const skill of world.task.skills) {
    let best = -1;
    for (const slot of free)
      if (best < 0 || world.members[slot]!.competence[skill]! > world.members[best]!.competence[skill]!) best = slot;
    if (best >= 0) chosen.add(best);
  }
  return [...chosen];
}

/** Choices worth trying: prefixes of two orders in every mode, each single in iterative, splits, leads with consultees. */
function candidateDecisions(world: World, run: TaskRun): Decision[] {
  const size = generalistSlot(world);
  const slots = Array.from({ length: size }, (_, slot) => slot);
  const free = slots.filter((slot) => isAllowed(world, run, slot));
  const value = new Map(free.map((slot) => [slot, callValue(world, run, slot, "sequential")]));
  const skill = (slot: number): number =>
    world.task.skills.reduce(
      (sum, each, need) => sum + world.task.weights[need]! * world.members[slot]!.competence[each]!,
      0,
    );
  const orders = [free.slice().sort((a, b) => value.get(b)! - value.get(a)! || a - b), byCoverage(world, run, free)];
  const sets = new Map<string, number[]>();
  for (const order of orders)
    for (let n = 1; n <= order.length; n++) sets.set(order.slice(0, n).join(), order.slice(0, n));
  const decisions: Decision[] = [decide("stop")];
  for (const set of sets.values()) {
    for (const mode of set.length === 1 ? (["sequential"] as const) : SET_MODES)
      decisions.push(withThreshold(decide("callSpecialist", set, mode)));
    if (set.length > 1 && set.length <= world.task.skills.length) decisions.push(decide("parallelSpawn", set));
  }
  const perNeed = bestPerNeed(world, free);
  if (perNeed.length > 1) decisions.push(decide("parallelSpawn", perNeed));
  for (const slot of free) decisions.push(decide("callSpecialist", [slot], "iterative"));
  const leads = slots.filter((slot) => isAllowed(world, run, slot) || run.delivered[slot] === 1);
  const bySkill = slots.filter((slot) => world.members[slot] !== null).sort((a, b) => skill(b) - skill(a) || a - b);
  for (const lead of leads) {
    const consultees = bySkill.filter((slot) => slot !== lead && mayConsult(world, run, lead, slot));
    for (let n = 1; n <= Math.min(consultees.length, 2); n++)
      decisions.push(decide("delegateSubtask", [lead, ...consultees.slice(0, n)]));
  }
  return decisions;
}

/** R from here when `first` is done and the base policy goes on to the end. */
function rollout(world: World, start: TaskRun, first: Decision, noise: HashNoise): number {
  const run = cloneRun(start);
  const maxSteps = world.config.maxStepsPerTask;
  let total = 0;
  for (let decision = first; ; decision = truthStep(world, run)) {
    if (decision.meta === "stop") return total + expectedReward(world, run, true);
    const costUnits = run.costUnits;
    run.steps++;
    applyDecision({ world, run, noise, log: null }, decision);
    if (run.outputs > 0) measure(world, run, noise);
    total += stepReward(world, { costUnits }, run, decision);
    if (run.steps >= maxSteps) return total + expectedReward(world, run, false);
  }
}

/** Bonus of a decision beside its rollouts, for planners that want to learn. */
export type DecisionBonus = (decision: Decision) => number;

/**
 * One step of policy improvement over {@link truthStep} on the given world: the choice whose rollouts end best. All choices
 * meet the same simulations, so that their difference is not drowned in luck.
 */
export function planByRollout(
  world: World,
  run: TaskRun,
  rng: Rng,
  effort: Effort,
  bonus: DecisionBonus = () => 0,
): Decision {
  const noise = new HashNoise();
  const seed = rng.uint32();
  const mean = (decision: Decision, n: number): number => {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      noise.begin(seed + i);
      sum += rollout(world, run, decision, noise);
    }
    return sum / n + bonus(decision);
  };
  const base = truthStep(world, run);
  const ranked = candidateDecisions(world, run)
    .map((decision) => ({ decision, value: mean(decision, effort.firstRollouts) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, effort.finalists);
  const baseValue = mean(base, effort.finalRollouts);
  let best = base;
  let bestValue = baseValue + effort.margin;
  for (const { decision } of ranked) {
    const value = mean(decision, effort.finalRollouts);
    if (value <= bestValue) continue;
    best = decision;
    bestValue = value;
  }
  return best;
}
