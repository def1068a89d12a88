import { depthOf, nodeOfSlot } from "./graph.ts";
import type { CallRecord, Party, StepLog } from "./log.ts";
import type { Noise } from "./noise.ts";
import { measuredScore, mergeInto, singleQuality, weightedSum } from "./quality.ts";
import { DISPUTE, type TaskRun } from "./run.ts";
import { generalistSlot, type Member, type World } from "./world.ts";

const clip01 = (x: number): number => (x < 0 ? 0 : Math.min(x, 1));

/** What is being executed. */
export interface Execution {
  readonly world: World;
  readonly run: TaskRun;
  readonly noise: Noise;
  readonly log: StepLog | null;
  /** Elapsed time before the step's calls. */
  readonly startMs: number;
  /** Time that the step's calls may take, ms. */
  readonly budgetMs: number;
  readonly contextEntries: number;
}

/** How one call is made. */
export interface CallRequest {
  readonly slot: number;
  readonly caller: Party;
  readonly mode: CallRecord["mode"];
  /** Begin, ms after the step's calls began. */
  readonly atMs: number;
  /** Whether earlier outputs may be read. */
  readonly seesContext: boolean;
  /** Whether others work on the case at the same time. */
  readonly inCrowd: boolean;
  /** Needs worked on; null: the whole task. */
  readonly part?: readonly number[] | null;
  /** Share of latency and cost. */
  readonly share?: number;
  /** The part is easier, and raises no conflicts. */
  readonly isPart?: boolean;
  /** Follows somebody's diagnosis. */
  readonly followsHypothesis?: boolean;
  readonly answers?: "failure" | "consultation";
}

/** What came of a call. */
export interface Outcome {
  readonly slot: number;
  readonly ok: boolean;
  readonly durationMs: number;
  readonly a: number[];
  /** Schools taken per need, for conflicts; null when the work raises none. */
  readonly schools: readonly number[] | null;
  readonly callIndex: number;
}

/** Difficulty-adjusted competence of a member on each needed skill. */
export function effectiveCompetence(world: World, member: Member, need: number, easier = 0): number {
  const { difficultySlope } = world.config.simulation;
  const difficulty = Math.max(0, world.task.difficulty - easier);
  return (
    member.competence[world.task.skills[need]!]! * (1 - difficultySlope * Math.max(0, difficulty - member.headroom))
  );
}

/** Gain of one further pass by the task's shape. */
function passGain(world: World): number {
  const { refine, open, diagnostic, other } = world.config.simulation.iterationGain;
  switch (world.task.shape) {
    case "refine":
      return refine;
    case "open":
      return open;
    case "diagnostic":
      return diagnostic;
    default:
      return other;
  }
}

/** `a` after one more pass on the given needs: closer to what the member can reach at best. */
export function deepen(world: World, member: Member, a: readonly number[], part: readonly number[] | null): number[] {
  const { ceilingFactor, ceilingOffset, ceiling } = world.config.simulation;
  const gain = passGain(world);
  return a.map((value, need) => {
    if (part !== null && !part.includes(need)) return value;
    const reach = Math.min(ceilingFactor * effectiveCompetence(world, member, need) + ceilingOffset, ceiling);
    return value + gain * Math.max(0, reach - value);
  });
}

/** Contribution of a member to each needed skill, and the schools it takes. Draws in a fixed order. */
function contribute(ex: Execution, member: Member, request: CallRequest, hasContext: boolean): number[] {
  const { world, run, noise } = ex;
  const { simulation } = world.config;
  const { skills, shape } = world.task;
  const a = new Array<number>(skills.length);
  const easier = request.isPart === true ? simulation.partDifficulty : 0;
  for (let j = 0; j < skills.length; j++)
    a[j] = clip01(effectiveCompetence(world, member, j, easier) + simulation.contributionNoise * noise.normal());
  switch (shape) {
    case "chain":
      if (hasContext) {
        for (let j = 0; j < a.length; j++)
          if (a[j]! > simulation.chainFloor) a[j] = a[j]! + simulation.chainGain * (1 - a[j]!);
      } else if (run.outputs > 0) for (let j = 0; j < a.length; j++) a[j] = a[j]! * simulation.chainBlindFactor;
      break;
    case "separable":
      if (hasContext) for (let j = 0; j < a.length; j++) a[j] = a[j]! * simulation.distractionFactor;
      break;
    case "open": {
      const style = simulation.styleNoise * noise.normal();
      for (let j = 0; j < a.length; j++) a[j] = clip01(a[j]! + style);
      break;
    }
    case "diagnostic": {
      const factor = request.inCrowd ? simulation.crowdFactor : 1;
      for (let j = 0; j < a.length; j++)
        a[j] = noise.uniform() < a[j]! * factor ? simulation.diagnosticHit : simulation.diagnosticMiss;
      if (request.followsHypothesis === true)
        for (let j = 0; j < a.length; j++) a[j] = a[j]! * simulation.hypothesisFactor;
      break;
    }
    default:
      break;
  }
  const part = request.part ?? null;
  if (part !== null) for (let j = 0; j < a.length; j++) if (!part.includes(j)) a[j] = 0;
  return a;
}

function partyOf(world: World, slot: number): Party {
  return slot === generalistSlot(world) ? "generalist" : slot;
}

/** Marks a call in the books: called, invoked, cost, edge. */
function book(ex: Execution, request: CallRequest, share: number): void {
  const { world, run } = ex;
  const member = world.members[request.slot]!;
  if (run.called[request.slot] === 0) {
    run.called[request.slot] = 1;
    run.invoked++;
  }
  run.calls[request.slot] = run.calls[request.slot]! + 1;
  run.costUnits += member.cost * share;
  const caller = typeof request.caller === "number" ? nodeOfSlot(request.caller) : 0;
  run.edges[caller] = run.edges[caller]! | (1 << nodeOfSlot(request.slot));
}

/** True if the call answers something on record or claims a named need that nobody successful has claimed. */
function reasonOf(ex: Execution, request: CallRequest): CallRecord["reason"] {
  if (request.answers === "failure") return "answersFailure";
  if (request.answers === "consultation") return "consultation";
  const { run, world } = ex;
  let named = 0;
  for (const requirement of world.task.requirements) {
    const skill = run.clarified ? requirement.skill : requirement.named;
    if (skill !== null) named |= 1 << skill;
  }
  const claims = world.members[request.slot]!.claimBits & named;
  return (claims & ~run.claimedBits) !== 0 ? "claims" : "none";
}

/** Writes the record of a call if anybody wants it. */
function record(
  ex: Execution,
  request: CallRequest,
  status: CallRecord["status"],
  durationMs: number,
  score: number | null,
  reason: CallRecord["reason"],
): void {
  if (ex.log === null) return;
  const startMs = ex.startMs + request.atMs;
  ex.log.calls.push({
    caller: request.caller,
    callee: partyOf(ex.world, request.slot),
    mode: request.mode,
    depth: depthOf(ex.run.edges, nodeOfSlot(request.slot)),
    status,
    startMs,
    endMs: startMs + durationMs,
    score,
    reason,
  });
}

/**
 * One call: latency, failure, contribution. Books it and, when it fails, enters the failure; an output is not merged yet, as
 * modes differ in that. A call that would end after the step's budget becomes a timeout at the budget.
 */
export function call(ex: Execution, request: CallRequest): Outcome {
  const { world, run, noise } = ex;
  const { timing } = world.config;
  const member = world.members[request.slot]!;
  const callIndex = run.calls[request.slot]!;
  const share = request.share ?? 1;
  noise.openCall(request.slot, callIndex);
  const reason = reasonOf(ex, request);
  run.callCount++;
  if (reason !== "none") run.reasoned++;
  const left = ex.budgetMs - request.atMs;
  let duration = share * Math.max(timing.minLatencyMs, member.latencyMs + timing.latencyNoiseMs * noise.normal());
  let status: CallRecord["status"] = "ok";
  if (noise.failure() < member.failure) {
    if (noise.failure() < member.timeoutShare) {
      status = "timeout";
      duration = timing.timeoutMs;
    } else {
      status = "error";
      duration /= 2;
    }
  }
  if (duration > left) {
    status = "timeout";
    duration = left;
  }
  book(ex, request, share);
  if (status !== "ok") {
    run.failures.push({ slot: request.slot, kind: status, recovery: "none", hops: 0 });
    record(ex, request, status, duration, null, reason);
    return { slot: request.slot, ok: false, durationMs: duration, a: [], schools: null, callIndex };
  }
  const hasContext = request.seesContext && ex.contextEntries >= 1 && run.outputs > 0;
  const a = contribute(ex, member, request, hasContext);
  let schools: number[] | null = null;
  if (request.isPart !== true) {
    schools = new Array<number>(a.length);
    for (let j = 0; j < a.length; j++) {
      const school = member.school[world.task.skills[j]!]!;
      schools[j] = noise.school() < world.config.simulation.schoolKept ? school : 1 - school;
    }
  }
  run.delivered[request.slot] = 1;
  run.own[request.slot] = a;
  run.claimedBits |= member.claimBits;
  if (ex.log !== null)
    record(
      ex,
      request,
      "ok",
      duration,
      measuredScore(world, singleQuality(world, a), noise.judgeSingle(request.slot, callIndex)),
      reason,
    );
  return { slot: request.slot, ok: true, durationMs: duration, a, schools, callIndex };
}

/** Merges an output into the team's: coverage, disputes, uselessness. */
export function merge(ex: Execution, outcome: Outcome, part: readonly number[] | null = null): void {
  const { world, run } = ex;
  const { simulation } = world.config;
  const { weights } = world.task;
  if (outcome.schools !== null)
    for (let j = 0; j < weights.length; j++) {
      if (outcome.a[j]! <= simulation.conflictFloor) continue;
      const school = outcome.schools[j]!;
      if (run.stance[j] === -1) run.stance[j] = school;
      else if (run.stance[j] !== school && run.dispute[j] === DISPUTE.none) run.dispute[j] = DISPUTE.open;
    }
  mergeInto(world, run.q, outcome.a, run.outputs === 0);
  let worth = weightedSum(weights, outcome.a);
  if (part !== null) {
    let weight = 0;
    for (const need of part) weight += weights[need]!;
    worth /= weight;
  }
  if (worth < simulation.uselessFloor) run.useless++;
  run.outputs++;
  run.version++;
}
