import { assertNever } from "@praxis/env";
import type { Decision, Mode } from "../names.ts";
import { call, deepen, type Execution, merge, type Outcome } from "./call.ts";
import { measure, measuredScore, mergeInto, singleQuality } from "./quality.ts";
import { DISPUTE, type TaskRun } from "./run.ts";
import type { World } from "./world.ts";

/** Time that the selected work took, ms. */
type Elapsed = number;

function sequential(ex: Execution, slots: readonly number[]): Elapsed {
  let at = 0;
  for (const slot of slots) {
    if (at >= ex.budgetMs) break;
    const outcome = call(ex, {
      slot,
      caller: "orchestrator",
      mode: "sequential",
      atMs: at,
      seesContext: true,
      inCrowd: false,
    });
    at += outcome.durationMs;
    if (outcome.ok) merge(ex, outcome);
  }
  return at;
}

/** Everybody at once on the whole task, without sight of each other's work. Nothing is merged. */
function together(ex: Execution, slots: readonly number[], mode: Mode): Outcome[] {
  const inCrowd = slots.length > 1;
  return slots.map((slot) => call(ex, { slot, caller: "orchestrator", mode, atMs: 0, seesContext: false, inCrowd }));
}

function longest(outcomes: readonly Outcome[]): number {
  let max = 0;
  for (const { durationMs } of outcomes) if (durationMs > max) max = durationMs;
  return max;
}

function mergeInSlotOrder(ex: Execution, outcomes: readonly Outcome[]): number {
  let successes = 0;
  for (const outcome of outcomes.slice().sort((a, b) => a.slot - b.slot)) {
    if (!outcome.ok) continue;
    merge(ex, outcome);
    successes++;
  }
  return successes;
}

function parallel(ex: Execution, slots: readonly number[]): Elapsed {
  const outcomes = together(ex, slots, "parallel");
  mergeInSlotOrder(ex, outcomes);
  return longest(outcomes);
}

/** Settles each open dispute with the configured chance; changes the output if any was settled. */
export function resolveDisputes(ex: Execution): void {
  const { run, world, noise } = ex;
  let settled = 0;
  for (let need = 0; need < run.dispute.length; need++)
    if (
      run.dispute[need] === DISPUTE.open &&
      noise.resolve(run.hearings, need) < world.config.simulation.resolveChance
    ) {
      run.dispute[need] = DISPUTE.resolved;
      settled++;
    }
  run.hearings++;
  if (settled > 0) run.version++;
}

/** Joins the parts of the team's output: settles disputes, polishes or, on separable tasks, loses detail. */
function synthesise(ex: Execution): void {
  const { run, world } = ex;
  const { synthesisFloor, synthesisJoin, synthesisSeparable, synthesisElse } = world.config.simulation;
  resolveDisputes(ex);
  for (let j = 0; j < run.q.length; j++) {
    const q = run.q[j]!;
    if (q <= synthesisFloor) continue;
    switch (world.task.shape) {
      case "join":
        run.q[j] = q + synthesisJoin * (1 - q);
        break;
      case "separable":
        run.q[j] = q - synthesisSeparable;
        break;
      default:
        run.q[j] = q + synthesisElse * (1 - q);
    }
  }
  run.synthesised = true;
  run.version++;
}

function fanOutReduce(ex: Execution, slots: readonly number[]): Elapsed {
  const outcomes = together(ex, slots, "fanOutReduce");
  const successes = mergeInSlotOrder(ex, outcomes);
  if (successes < 2) return longest(outcomes);
  synthesise(ex);
  ex.run.costUnits += ex.world.config.cost.synthesis;
  return longest(outcomes) + ex.world.config.timing.synthesisMs;
}

function iterative(ex: Execution, slots: readonly number[], rounds: number, threshold: number): Elapsed {
  const { run, world, noise } = ex;
  const slot = slots[0]!;
  const outcome = call(ex, {
    slot,
    caller: "orchestrator",
    mode: "iterative",
    atMs: 0,
    seesContext: false,
    inCrowd: false,
  });
  if (!outcome.ok) return outcome.durationMs;
  const before = run.q.slice();
  const isFirst = run.outputs === 0;
  merge(ex, outcome);
  const member = world.members[slot]!;
  const passMs = world.config.timing.passShare * outcome.durationMs;
  let at = outcome.durationMs;
  let a: readonly number[] = outcome.a;
  for (let pass = 2; pass <= rounds && at + passMs <= ex.budgetMs; pass++) {
    if (measure(world, run, noise) >= threshold) break;
    a = deepen(world, member, a, null);
    run.q = before.slice();
    mergeInto(world, run.q, a, isFirst);
    run.own[slot] = a;
    run.version++;
    run.costUnits += world.config.timing.passShare * member.cost;
    at += passMs;
  }
  return at;
}

function conditional(ex: Execution, slots: readonly number[], threshold: number): Elapsed {
  const { run, world, noise } = ex;
  let at = 0;
  for (const slot of slots) {
    if (at >= ex.budgetMs) break;
    const outcome = call(ex, {
      slot,
      caller: "orchestrator",
      mode: "conditional",
      atMs: at,
      seesContext: true,
      inCrowd: false,
    });
    at += outcome.durationMs + world.config.timing.conditionalMs;
    if (outcome.ok) merge(ex, outcome);
    if (run.outputs > 0 && measure(world, run, noise) >= threshold) break;
  }
  return at;
}

/** Two workers take the slots nearest to the task first; whoever comes second or later sees what is there. */
function priorityQueue(ex: Execution, slots: readonly number[], threshold: number): Elapsed {
  const { run, world, noise } = ex;
  const similarity = similarityNow(world, run);
  const queue = slots.slice().sort((a, b) => similarity[b]! - similarity[a]! || a - b);
  const workers = [0, 0];
  let started = 0;
  for (const slot of queue) {
    const worker = workers[0]! <= workers[1]! ? 0 : 1;
    const at = workers[worker]!;
    if (at >= ex.budgetMs) break;
    if (run.outputs > 0 && measure(world, run, noise) >= threshold) break;
    const outcome = call(ex, {
      slot,
      caller: "orchestrator",
      mode: "priorityQueue",
      atMs: at,
      seesContext: true,
      inCrowd: queue.length > 1,
    });
    workers[worker] = at + outcome.durationMs + world.config.timing.queueMs;
    started++;
    if (outcome.ok) merge(ex, outcome);
  }
  return started === 0 ? 0 : Math.max(workers[0]!, workers[1]!);
}

/** Cosine of each slot with the task text as it now stands. */
export function similarityNow(world: World, run: TaskRun): readonly number[] {
  return run.clarified ? world.task.clarifiedSimilarity : world.task.similarity;
}

/** All at once; only the output that measures best is adopted. */
function broadcast(ex: Execution, slots: readonly number[]): Elapsed {
  const { run, world, noise } = ex;
  const failuresBefore = run.failures.length;
  const outcomes = together(ex, slots, "broadcast");
  let best: Outcome | null = null;
  let bestScore = -1;
  for (const outcome of outcomes) {
    if (!outcome.ok) continue;
    const score = measuredScore(
      world,
      singleQuality(world, outcome.a),
      noise.judgeSingle(outcome.slot, outcome.callIndex),
    );
    if (score <= bestScore) continue;
    best = outcome;
    bestScore = score;
  }
  if (best !== null) {
    merge(ex, best);
    for (const failure of run.failures.slice(failuresBefore)) failure.recovery = "silent";
    for (const { slot, ok } of outcomes) if (ok && slot !== best.slot) run.own[slot] = null;
  }
  const { broadcastCapMs, broadcastMs } = world.config.timing;
  return Math.min(longest(outcomes), broadcastCapMs) + broadcastMs;
}

/** Executes the selection of callSpecialist in a mode; returns the time it took, ms, beside the hand-over. */
export function executeMode(ex: Execution, decision: Decision): Elapsed {
  const { slots, mode } = decision;
  const { rounds, threshold } = decision.parameters;
  switch (mode) {
    case "sequential":
      return sequential(ex, slots);
    case "parallel":
      return parallel(ex, slots);
    case "fanOutReduce":
      return fanOutReduce(ex, slots);
    case "iterative":
      return iterative(ex, slots, rounds, threshold);
    case "conditional":
      return conditional(ex, slots, threshold);
    case "priorityQueue":
      return priorityQueue(ex, slots, threshold);
    case "broadcast":
      return broadcast(ex, slots);
    default:
      return assertNever(mode);
  }
}
