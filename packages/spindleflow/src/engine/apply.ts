import { assertNever } from "@praxis/env";
import type { Decision } from "../names.ts";
import { call, type Execution, merge } from "./call.ts";
import type { StepLog } from "./log.ts";
import { nextRetry } from "./masks.ts";
import { executeMode, resolveDisputes } from "./modes.ts";
import type { Noise } from "./noise.ts";
import type { TaskRun } from "./run.ts";
import { executeConsultation, executeParts } from "./teamwork.ts";
import type { World } from "./world.ts";

/** What an action is applied to; `run` is changed in place. */
export interface Scene {
  readonly world: World;
  readonly run: TaskRun;
  readonly noise: Noise;
  readonly log: StepLog | null;
}

function beginExecution({ world, run, noise, log }: Scene, decision: Decision, makesCall: boolean): Execution {
  const { timing } = world.config;
  run.elapsedMs += timing.handOverMs;
  if (makesCall) {
    if (world.task.shape === "diagnostic" && run.callSteps > 0) run.elapsedMs += timing.reopenMs;
    run.callSteps++;
  }
  const { timeBudgetMs, contextEntries } = decision.parameters;
  return {
    world,
    run,
    noise,
    log,
    startMs: run.elapsedMs,
    budgetMs: timeBudgetMs ?? Number.POSITIVE_INFINITY,
    contextEntries,
  };
}

/** Runs the stand-in of the oldest failure; true if there was one. Adds to the elapsed time. */
function retryOldest(ex: Execution): boolean {
  const { world, run } = ex;
  const next = nextRetry(world, run);
  if (next === null) return false;
  const failure = run.failures[next.failure]!;
  failure.hops++;
  const outcome = call(ex, {
    slot: next.slot,
    caller: "orchestrator",
    mode: "retry",
    atMs: 0,
    seesContext: true,
    inCrowd: false,
    answers: "failure",
  });
  run.elapsedMs += outcome.durationMs;
  if (outcome.ok) {
    failure.recovery = "recovered";
    merge(ex, outcome);
  }
  return true;
}

/** The seed's automatic recovery: each new failure is retried at once until it is made good or nobody is left. */
function recoverAtOnce(scene: Scene, decision: Decision, failuresBefore: number): void {
  const { run, world } = scene;
  const { contextEntries } = decision.parameters;
  for (let guard = 0; guard < world.members.length && run.failures.length > failuresBefore; guard++) {
    const ex: Execution = { ...scene, startMs: run.elapsedMs, budgetMs: Number.POSITIVE_INFINITY, contextEntries };
    if (!retryOldest(ex)) return;
  }
}

/**
 * Carries out a legal decision; `stop` and `spawnSpecialist` change nothing here. The caller counts the step and pays step
 * rewards. Selected slots must be legal for the meta-action, and a lead comes first.
 */
export function applyDecision(scene: Scene, decision: Decision): void {
  const { world, run, noise, log } = scene;
  const { timing, cost } = world.config;
  const failuresBefore = run.failures.length;
  const startMs = run.elapsedMs;
  const aside = { depth: 1, status: "ok", score: null } as const;
  switch (decision.meta) {
    case "stop":
    case "spawnSpecialist":
      return;
    case "callSpecialist": {
      const ex = beginExecution(scene, decision, true);
      run.elapsedMs += executeMode(ex, decision);
      break;
    }
    case "parallelSpawn": {
      const ex = beginExecution(scene, decision, true);
      run.elapsedMs += executeParts(ex, decision.slots);
      break;
    }
    case "delegateSubtask": {
      const ex = beginExecution(scene, decision, true);
      const [lead, ...consultees] = decision.slots;
      run.elapsedMs += executeConsultation(ex, lead!, consultees.slice(0, world.config.simulation.maxConsultees));
      break;
    }
    case "retryFailed": {
      const ex = beginExecution(scene, decision, true);
      retryOldest(ex);
      return;
    }
    case "callMediator": {
      const ex = beginExecution(scene, decision, false);
      resolveDisputes(ex);
      run.elapsedMs += timing.mediationMs;
      run.costUnits += cost.mediation;
      log?.calls.push({
        caller: "orchestrator",
        callee: "mediator",
        mode: "mediate",
        ...aside,
        startMs,
        endMs: run.elapsedMs,
        reason: "answersConflict",
      });
      return;
    }
    case "clarifyTask":
      run.elapsedMs += timing.clarificationMs;
      run.costUnits += cost.clarification;
      run.clarified = true;
      log?.calls.push({
        caller: "orchestrator",
        callee: "requester",
        mode: "clarify",
        ...aside,
        startMs,
        endMs: run.elapsedMs,
        reason: "none",
      });
      return;
    default:
      assertNever(decision.meta);
  }
  if (world.config.autoFallback) recoverAtOnce({ world, run, noise, log }, decision, failuresBefore);
}

/** Reward of an action itself, beside the task's: clarification, and cost units where they are priced. */
export function stepReward(
  world: World,
  before: { readonly costUnits: number },
  run: TaskRun,
  decision: Decision,
): number {
  const { clarification, costWeight } = world.config.reward;
  const asked = decision.meta === "clarifyTask" ? clarification : 0;
  return 0 - asked - costWeight * (run.costUnits - before.costUnits);
}
