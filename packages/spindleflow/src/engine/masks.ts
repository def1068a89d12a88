import { META_ACTIONS, type MetaAction, MODES } from "../names.ts";
import { openConflicts, type TaskRun } from "./run.ts";
import { mayConsult } from "./teamwork.ts";
import { generalistSlot, type World } from "./world.ts";

/** Which choices are legal now. Plain data; also travels on the wire. */
export interface Masks {
  /** Per meta-action. */
  readonly meta: readonly boolean[];
  /** Slots that callSpecialist and parallelSpawn may select. */
  readonly slots: readonly boolean[];
  readonly modes: readonly boolean[];
  /** Slots that may lead a delegateSubtask. */
  readonly leads: readonly boolean[];
  /** Per lead, whom it may consult. */
  readonly consult: readonly (readonly boolean[])[];
}

/** What legality depends on beside the work itself. */
export interface LegalityContext {
  /** STOP waits for a first call. */
  readonly stopNeedsCall: boolean;
  /** The guards of spawnSpecialist hold. */
  readonly maySpawn: boolean;
}

/** The stand-in for the oldest failure that still has one: its index in `failures` and the slot; null without. */
export function nextRetry(world: World, run: TaskRun): { readonly failure: number; readonly slot: number } | null {
  for (let i = 0; i < run.failures.length; i++) {
    const failure = run.failures[i]!;
    if (failure.recovery !== "none" || failure.hops >= world.config.maxHops) continue;
    const slot = substituteFor(world, run, failure.slot);
    if (slot !== null) return { failure: i, slot };
  }
  return null;
}

function substituteFor(world: World, run: TaskRun, failed: number): number | null {
  const generalist = generalistSlot(world);
  const ranked = failed === generalist ? [] : world.task.substitutes[failed]!;
  for (const slot of ranked) if (world.members[slot] !== null && run.called[slot] === 0) return slot;
  return failed !== generalist && run.called[generalist] === 0 ? generalist : null;
}

/** True if a slot is filled and was not called in this task. */
export function isAllowed(world: World, run: TaskRun, slot: number): boolean {
  return world.members[slot] !== null && run.called[slot] === 0;
}

const ALL_MODES: readonly boolean[] = MODES.map(() => true);
const NO_MODES: readonly boolean[] = MODES.map(() => false);

/** The masks of a state of the work. */
export function computeMasks(world: World, run: TaskRun, context: LegalityContext): Masks {
  const size = generalistSlot(world);
  const slots = new Array<boolean>(size);
  const leads = new Array<boolean>(size);
  const consult: boolean[][] = new Array(size);
  let anySlot = false;
  let anyLead = false;
  for (let lead = 0; lead < size; lead++) {
    slots[lead] = isAllowed(world, run, lead);
    anySlot ||= slots[lead]!;
    const mayLead = slots[lead]! || run.delivered[lead] === 1;
    const row = new Array<boolean>(size);
    let any = false;
    for (let slot = 0; slot < size; slot++) {
      // The row of somebody who may not lead is false throughout: it is no legal choice.
      row[slot] = mayLead && mayConsult(world, run, lead, slot);
      any ||= row[slot]!;
    }
    consult[lead] = row;
    leads[lead] = mayLead && any;
    anyLead ||= leads[lead]!;
  }
  const legal: Readonly<Record<MetaAction, boolean>> = {
    callSpecialist: anySlot,
    stop: !context.stopNeedsCall || run.callCount > 0,
    callMediator: openConflicts(run) > 0,
    clarifyTask: !run.clarified,
    delegateSubtask: anyLead,
    retryFailed: nextRetry(world, run) !== null,
    parallelSpawn: anySlot,
    spawnSpecialist: context.maySpawn,
  };
  return {
    meta: META_ACTIONS.map((name) => legal[name]),
    slots,
    modes: anySlot ? ALL_MODES : NO_MODES,
    leads,
    consult,
  };
}
