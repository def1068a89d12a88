import { Rng } from "@praxis/env";
import type { CourseContext } from "../../course/context.ts";
import { withDose, withMedication } from "../../course/regimen.ts";
import type { Segment } from "../../course/visit.ts";
import {
  RELAPSE_DAYS,
  relapseRate,
  SETTLED_GAP,
  severeWithdrawalRate,
  supportFactor,
} from "../../course/withdrawal.ts";
import { peakOf, stoppedPath, type WithdrawalDay, withdrawalPath } from "../../course/withdrawal-path.ts";
import { drugAt } from "../../kb/lookup.ts";
import { copyState } from "../../world/copies.ts";
import type { CourseEvent, Medication, StoppedDrug, WorldState } from "../../world/types.ts";

/** A condition that has come back while its drug was reduced. */
interface Relapse {
  readonly condition: string;
  readonly untilDay: number;
  /** Severity it goes back to. */
  readonly severity: number;
}

/** What has happened to the targets so far. Immutable. */
export interface DeprescribingProgress {
  /** Highest W so far by medRef of a dependence drug. */
  readonly peaks: Readonly<Record<string, number>>;
  readonly relapses: readonly Relapse[];
  readonly severeEvents: number;
}

/** Progress at reset. */
export const NO_PROGRESS: DeprescribingProgress = { peaks: {}, relapses: [], severeEvents: 0 };

/** A world with its progress. */
export interface Progressed {
  readonly world: WorldState;
  readonly progress: DeprescribingProgress;
}

/**
 * Takes the days of a step in: peaks of W, relapses and severe withdrawal events. Events are drawn on numbers keyed by
 * scenario, visit, kind and drug, so that every policy and fork meets the same ones. @param before world at the visit's opening
 */
export function progressThrough(
  context: CourseContext,
  before: WorldState,
  passed: { readonly world: WorldState; readonly segments: readonly Segment[] },
  progress: DeprescribingProgress,
): Progressed {
  const { kb, scenario } = context;
  const peaks: Record<string, number> = { ...progress.peaks };
  const events: CourseEvent[] = [];
  const relapsed: { readonly condition: string; readonly day: number }[] = [];
  const reverted: string[] = [];
  const drawn = new Set<string>();
  const { day } = passed.world.clock;
  for (const { state, fromDay, toDay } of passed.segments) {
    const walk = (entry: Medication | StoppedDrug, path: readonly WithdrawalDay[]): void => {
      const { medRef } = entry;
      peaks[medRef] = Math.max(peaks[medRef] ?? 0, peakOf(path));
      const drug = drugAt(kb, entry.drugIndex);
      const support = supportFactor(kb, state, drug);
      const condition = state.conditions.find((each) => each.code === entry.indication && each.severity > 0);
      let relapseSum = 0;
      let severeSum = 0;
      for (const { withdrawal, effect } of path) {
        if (effect < 1 && withdrawal > SETTLED_GAP) relapseSum += relapseRate(withdrawal, support);
        severeSum += support * severeWithdrawalRate(drug, withdrawal, state.conditions);
      }
      // A visit with an admission has two stretches; each kind of event is drawn once a drug.
      if (drawn.has(medRef)) return;
      drawn.add(medRef);
      const uniform = (kind: string): number =>
        Rng.fromSeed(scenario.seed, `${scenario.id}/${before.clock.visit}/${kind}/${medRef}`).uniform();
      if (condition !== undefined && uniform("relapse") < 1 - Math.exp(-relapseSum)) {
        relapsed.push({ condition: condition.code, day });
        events.push({ kind: "relapse", domain: null, day, stoppedDrugIndex: null });
      }
      if (uniform("severe") < 1 - Math.exp(-severeSum)) {
        events.push({ kind: "withdrawal_severe", domain: null, day, stoppedDrugIndex: null });
        reverted.push(medRef);
      }
    };
    for (const medication of state.medications)
      if (isFelt(medication)) walk(medication, withdrawalPath(kb, scenario.patient, medication, { fromDay, toDay }));
    for (const stopped of state.stopped)
      if (stopped.adaptation > 0) walk(stopped, stoppedPath(stopped, { fromDay, toDay }));
  }
  const restored = withRelapses(passed.world, progress.relapses, relapsed);
  return {
    world: withEvents(reverted.reduce(goBack, restored.world), events),
    progress: { peaks, relapses: restored.relapses, severeEvents: progress.severeEvents + reverted.length },
  };
}

/** True for a drug that may be missed: on a plan, or below the dose the body is used to. */
function isFelt({ adaptation, isTaken, taperPlan, dosePerDay, referenceDosePerDay }: Medication): boolean {
  return adaptation > 0 && isTaken && (taperPlan !== null || dosePerDay < referenceDosePerDay);
}

/** Conditions that relapse are at their worst for 28 days; those whose time is over go back to what they were. */
function withRelapses(
  world: WorldState,
  running: readonly Relapse[],
  fresh: readonly { readonly condition: string; readonly day: number }[],
): { readonly world: WorldState; readonly relapses: readonly Relapse[] } {
  if (running.length === 0 && fresh.length === 0) return { world, relapses: running };
  const { day } = world.clock;
  const over = running.filter(({ untilDay }) => untilDay <= day);
  let relapses = running.filter(({ untilDay }) => untilDay > day);
  const severities = new Map(over.map(({ condition, severity }) => [condition, severity]));
  for (const { condition } of fresh) {
    const still = relapses.find((each) => each.condition === condition);
    const now = world.conditions.find(({ code }) => code === condition)!.severity;
    const severity = still?.severity ?? severities.get(condition) ?? now;
    relapses = [...relapses.filter((each) => each !== still), { condition, severity, untilDay: day + RELAPSE_DAYS }];
    severities.set(condition, 1);
  }
  const next = copyState(world);
  next.conditions = world.conditions.map((condition) => {
    const severity = severities.get(condition.code);
    return severity === undefined ? condition : { ...condition, severity };
  });
  return { world: next, relapses };
}

/** assumption: after a severe withdrawal event the ward goes back to the dose before the last reduction, and the plan rests. */
function goBack(world: WorldState, medRef: string): WorldState {
  const medication = world.medications.find((each) => each.medRef === medRef);
  const plan = medication?.taperPlan;
  if (medication === undefined || plan === null || plan === undefined) return world;
  const reverted = withDose(medication, plan.previousDosePerDay, medication.dosesPerDay, world.clock.day);
  reverted.taperPlan = { ...plan, reductions: Math.max(0, plan.reductions - 1), isPaused: true };
  return withMedication(world, reverted);
}

function withEvents(world: WorldState, events: readonly CourseEvent[]): WorldState {
  if (events.length === 0) return world;
  const next = copyState(world);
  next.events = [...world.events, ...events];
  return next;
}
