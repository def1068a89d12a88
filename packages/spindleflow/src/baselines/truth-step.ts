import { deepen, effectiveCompetence } from "../engine/call.ts";
import { isAllowed, nextRetry } from "../engine/masks.ts";
import { baseQuality, mergeInto } from "../engine/quality.ts";
import { latencyPenalty } from "../engine/reward.ts";
import { DISPUTE, openConflicts, type TaskRun } from "../engine/run.ts";
import { generalistSlot, type Member, type World } from "../engine/world.ts";
import { DEFAULT_PARAMETERS, type Decision, decide } from "../names.ts";

const STOP = decide("stop");

/** Expected contribution per need, and for diagnoses the chance of a hit. */
function expectedContribution(world: World, run: TaskRun, member: Member, hasContext: boolean): number[] {
  const { simulation } = world.config;
  const { shape, skills } = world.task;
  const a = skills.map((_, need) => effectiveCompetence(world, member, need));
  if (shape === "chain") {
    if (hasContext) return a.map((x) => (x > simulation.chainFloor ? x + simulation.chainGain * (1 - x) : x));
    if (run.outputs > 0) return a.map((x) => x * simulation.chainBlindFactor);
  }
  if (shape === "separable" && hasContext) return a.map((x) => x * simulation.distractionFactor);
  return a;
}

/** Expected coverage after an output is merged. */
function expectedCoverage(world: World, run: TaskRun, a: readonly number[]): number[] {
  const { simulation } = world.config;
  const merged = (value: readonly number[]): number[] => {
    const q = run.q.slice();
    mergeInto(world, q, value, run.outputs === 0);
    return q;
  };
  if (world.task.shape !== "diagnostic") return merged(a);
  const hit = merged(a.map(() => simulation.diagnosticHit));
  const miss = merged(a.map(() => simulation.diagnosticMiss));
  return a.map((p, need) => p * hit[need]! + (1 - p) * miss[need]!);
}

/** Expected gain in R of one more call, net of what it costs; compared with stopping now. */
export function callValue(world: World, run: TaskRun, slot: number, mode: "sequential" | "iterative"): number {
  const member = world.members[slot]!;
  const { reward, timing, simulation } = world.config;
  const { weights, shape, slaMs, expected } = world.task;
  let a = expectedContribution(world, run, member, mode === "sequential" && run.outputs > 0);
  let passes = 0;
  if (mode === "iterative") for (; passes < DEFAULT_PARAMETERS.rounds - 1; passes++) a = deepen(world, member, a, null);
  const q = expectedCoverage(world, run, a);
  const join =
    shape === "join" && !run.synthesised ? (run.consulted ? simulation.consultedJoinFactor : simulation.joinFactor) : 1;
  let gain = 0;
  for (let need = 0; need < weights.length; need++) {
    gain += join * weights[need]! * (q[need]! - run.q[need]!);
    const stance = run.stance[need]!;
    if (stance < 0 || run.dispute[need] !== DISPUTE.none || a[need]! <= simulation.conflictFloor) continue;
    const differs =
      member.school[world.task.skills[need]!] === stance ? 1 - simulation.schoolKept : simulation.schoolKept;
    // A dispute is usually settled: it then costs a mediation's time instead of its penalty.
    gain -= differs * (0.15 * simulation.conflictWeight * weights[need]! + 0.03);
  }
  const failureCost = member.timeoutShare * reward.timeoutBase + (1 - member.timeoutShare) * reward.errorBase;
  const reopen = shape === "diagnostic" && run.callSteps > 0 ? timing.reopenMs : 0;
  const took = member.latencyMs * (1 + timing.passShare * passes) + timing.handOverMs + reopen;
  const late =
    latencyPenalty(world.config, run.elapsedMs + took, slaMs) - latencyPenalty(world.config, run.elapsedMs, slaMs);
  const crowd = run.invoked + 1 > expected ? reward.efficiencyWeight : 0;
  const nothingYet =
    run.outputs > 0 ? 0 : 0 - baseQuality(world) - (run.callCount === 0 ? reward.noCall : reward.allFailed);
  const cost = reward.costWeight * member.cost * (1 + timing.passShare * passes);
  return (1 - member.failure) * (gain + nothingYet) - member.failure * failureCost - late - crowd - cost;
}

/** The call of highest marginal value by the given world, mediation and retry at once, stop when nothing pays. */
export function truthStep(world: World, run: TaskRun, mayStop = true): Decision {
  if (openConflicts(run) > 0) return decide("callMediator");
  if (nextRetry(world, run) !== null) return decide("retryFailed");
  let best = STOP;
  let bestValue = mayStop || run.callCount > 0 ? 0 : Number.NEGATIVE_INFINITY;
  const size = generalistSlot(world);
  for (let slot = 0; slot < size; slot++) {
    if (!isAllowed(world, run, slot)) continue;
    for (const mode of ["sequential", "iterative"] as const) {
      const value = callValue(world, run, slot, mode);
      if (value <= bestValue) continue;
      bestValue = value;
      best = decide("callSpecialist", [slot], mode);
    }
  }
  return best;
}
