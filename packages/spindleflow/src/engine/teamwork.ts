import { call, deepen, type Execution, merge } from "./call.ts";
import { canDelegate, nodeOfSlot } from "./graph.ts";
import { measuredScore, singleQuality } from "./quality.ts";
import type { World } from "./world.ts";

/**
 * Shares the needs of a task out among slots: pairs by descending cosine while both are free, then leftover needs to the
 * nearest slot and leftover slots to their nearest need. Every slot gets at least one need.
 */
function assignNeeds(world: World, slots: readonly number[]): number[][] {
  const { affinity, skills } = world.task;
  const parts: number[][] = slots.map(() => []);
  const taken = new Array<boolean>(skills.length).fill(false);
  const nearness = (i: number, need: number): number => affinity[slots[i]!]![need]!;
  for (let round = Math.min(slots.length, skills.length); round > 0; round--) {
    let bestSlot = -1;
    let bestNeed = -1;
    for (let i = 0; i < slots.length; i++) {
      if (parts[i]!.length > 0) continue;
      for (let need = 0; need < skills.length; need++) {
        if (taken[need] === true) continue;
        if (bestSlot < 0 || nearness(i, need) > nearness(bestSlot, bestNeed)) {
          bestSlot = i;
          bestNeed = need;
        }
      }
    }
    parts[bestSlot]!.push(bestNeed);
    taken[bestNeed] = true;
  }
  for (let need = 0; need < skills.length; need++) {
    if (taken[need] === true) continue;
    let best = 0;
    for (let i = 1; i < slots.length; i++) if (nearness(i, need) > nearness(best, need)) best = i;
    parts[best]!.push(need);
  }
  for (let i = 0; i < slots.length; i++) {
    if (parts[i]!.length > 0) continue;
    let best = 0;
    for (let need = 1; need < skills.length; need++) if (nearness(i, need) > nearness(i, best)) best = need;
    parts[i]!.push(best);
  }
  return parts;
}

/** Each selected slot does its own part of the task, all at once; returns the time it took, ms. */
export function executeParts(ex: Execution, slots: readonly number[]): number {
  const { world } = ex;
  const { splitMs } = world.config.timing;
  const { partTimeBase } = world.config.simulation;
  const parts = assignNeeds(world, slots);
  const outcomes = slots.map((slot, i) => {
    let weight = 0;
    for (const need of parts[i]!) weight += world.task.weights[need]!;
    return call(ex, {
      slot,
      caller: "orchestrator",
      mode: "part",
      atMs: 0,
      seesContext: false,
      inCrowd: slots.length > 1,
      part: parts[i]!,
      share: partTimeBase + (1 - partTimeBase) * weight,
      isPart: true,
    });
  });
  let longest = 0;
  outcomes.forEach((outcome, i) => {
    longest = Math.max(longest, outcome.durationMs);
    if (outcome.ok) merge(ex, outcome, parts[i]!);
  });
  return splitMs + longest;
}

/** Somebody who has delivered works its output over on its part; returns the time it took, ms. */
function deepenOwn(ex: Execution, lead: number, slot: number, part: readonly number[], atMs: number): number {
  const { world, run, noise } = ex;
  const { timing } = world.config;
  const member = world.members[slot]!;
  const callIndex = run.calls[slot]!;
  const share = timing.deepenShare;
  noise.openCall(slot, callIndex);
  const duration = share * Math.max(timing.minLatencyMs, member.latencyMs + timing.latencyNoiseMs * noise.normal());
  run.calls[slot] = callIndex + 1;
  run.callCount++;
  run.reasoned++;
  run.costUnits += share * member.cost;
  run.edges[nodeOfSlot(lead)] = run.edges[nodeOfSlot(lead)]! | (1 << nodeOfSlot(slot));
  const base = { caller: lead, callee: slot, mode: "deepen", depth: 2, reason: "consultation" } as const;
  const startMs = ex.startMs + atMs;
  if (atMs + duration > ex.budgetMs) {
    // The old output stands; the consultation came too late and counts as a timeout.
    run.failures.push({ slot, kind: "timeout", recovery: "silent", hops: 0 });
    ex.log?.calls.push({ ...base, status: "timeout", startMs, endMs: ex.startMs + ex.budgetMs, score: null });
    return ex.budgetMs - atMs;
  }
  // Of a broadcast's losers the output is gone: they start from nothing.
  const before = run.own[slot] ?? new Array<number>(world.task.skills.length).fill(0);
  const after = deepen(world, member, before, part);
  for (const need of part) if (after[need]! > run.q[need]!) run.q[need] = after[need]!;
  run.own[slot] = after;
  run.version++;
  ex.log?.calls.push({
    ...base,
    status: "ok",
    startMs,
    endMs: startMs + duration,
    score: measuredScore(world, singleQuality(world, after), noise.judgeSingle(slot, callIndex)),
  });
  return duration;
}

/**
 * The lead works on the whole task, or takes the floor again if it has delivered, then consults the others at once, each on
 * the needs it is nearest to. Returns the time it took, ms.
 */
export function executeConsultation(ex: Execution, lead: number, consultees: readonly number[]): number {
  const { world, run } = ex;
  const { timing } = world.config;
  let at: number;
  if (run.called[lead] === 0) {
    const outcome = call(ex, {
      slot: lead,
      caller: "orchestrator",
      mode: "sequential",
      atMs: 0,
      seesContext: false,
      inCrowd: false,
    });
    at = outcome.durationMs;
    if (!outcome.ok) return at;
    merge(ex, outcome);
  } else {
    at = Math.min(ex.budgetMs, timing.passShare * world.members[lead]!.latencyMs);
    run.costUnits += timing.passShare * world.members[lead]!.cost;
    run.edges[0] = run.edges[0]! | (1 << nodeOfSlot(lead));
    ex.log?.calls.push({
      caller: "orchestrator",
      callee: lead,
      mode: "floor",
      depth: 1,
      status: "ok",
      startMs: ex.startMs,
      endMs: ex.startMs + at,
      score: null,
      reason: "consultation",
    });
  }
  if (at >= ex.budgetMs) return at;
  const parts = assignNeeds(world, consultees);
  let longest = 0;
  let heard = 0;
  consultees.forEach((slot, i) => {
    const part = parts[i]!;
    if (run.called[slot] === 1) {
      longest = Math.max(longest, deepenOwn(ex, lead, slot, part, at));
      heard++;
      return;
    }
    const outcome = call(ex, {
      slot,
      caller: lead,
      mode: "consult",
      atMs: at,
      seesContext: true,
      inCrowd: false,
      part,
      followsHypothesis: true,
      answers: "consultation",
    });
    longest = Math.max(longest, outcome.durationMs);
    if (!outcome.ok) return;
    // Held against the whole task: a lead who brings in somebody for next to nothing has made the work longer.
    merge(ex, outcome);
    heard++;
  });
  if (heard > 0 && world.task.shape === "join" && !run.consulted && !run.synthesised) run.version++;
  if (heard > 0) run.consulted = true;
  // Without this time consultation would beat every other way on chains, and the modes made for them would die.
  const integration = heard > 0 ? timing.integrationShare * world.members[lead]!.latencyMs : 0;
  return at + longest + integration;
}

/** Slots that a lead may consult: filled, not failed, and no cycle or depth in the way. */
export function mayConsult(
  world: World,
  run: { readonly edges: readonly number[]; readonly called: readonly number[]; readonly delivered: readonly number[] },
  lead: number,
  slot: number,
): boolean {
  if (world.members[slot] === null) return false;
  if (run.called[slot] === 1 && run.delivered[slot] === 0) return false;
  return canDelegate(run.edges, nodeOfSlot(lead), nodeOfSlot(slot), { maxDepth: world.config.maxDelegationDepth });
}
