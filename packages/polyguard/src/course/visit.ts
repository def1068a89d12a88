import { HAZARDS } from "../engine/hazard-table.ts";
import { HARM_DOMAINS, type HarmDomain } from "../kb/domains.ts";
import { drugAt } from "../kb/lookup.ts";
import { copyClock, copyState } from "../world/copies.ts";
import type { CourseEvent, Medication, WorldState } from "../world/types.ts";
import { advance } from "./advance.ts";
import type { CourseContext } from "./context.ts";
import type { CourseEvaluator } from "./evaluator.ts";
import { stopMedication } from "./regimen.ts";

/** A stretch of the course under one state: what J is summed over. */
export interface Segment {
  /** State at the beginning of the stretch, after the action. */
  readonly state: WorldState;
  readonly fromDay: number;
  readonly toDay: number;
}

/** A visit that was closed. */
export interface ClosedVisit {
  readonly state: WorldState;
  readonly events: readonly CourseEvent[];
  /** A severe event ends the episode. */
  readonly hasSevereEvent: boolean;
  readonly segments: readonly Segment[];
}

/** Share of the events of a domain that bring the patient to hospital; 1 where not named (assumption:). */
const ADMISSION_SHARE: Readonly<Partial<Record<HarmDomain, number>>> = {
  FALL_SEDATION: 0.1,
  HYPOK: 0.2,
  HYPOTENSION: 0,
  OTHER: 0,
};
const ADMISSION_DAYS = 14;
/** Domains whose admissions end the episode with probability .3 (assumption:). */
const SEVERE_DOMAINS: readonly HarmDomain[] = ["QT", "RESP_DEPR", "SEROTONIN", "SEIZURE", "HTN_CRISIS"];
const SEVERE_SHARE = 0.3;
/** An event makes the next one more likely, up to a limit (assumption:). */
const MULTIPLIER = 1.5;
const MULTIPLIER_LIMIT = 4;
const FALL_MULTIPLIER = 1.3;
const FALL_MULTIPLIER_LIMIT = 3;
/** Risk condition that an admission writes into the record. */
const HISTORY_FLAG: Readonly<Partial<Record<HarmDomain, string>>> = {
  BLEED: "BLEED_HX",
  GI_BLEED: "GI_ULCER",
  FALL_SEDATION: "FALLS",
  SEIZURE: "SEIZURE",
  HYPONA: "HYPONA_HX",
  ANTICHOL: "DELIRIUM_HX",
};

/** Uniform numbers a visit needs: one per domain and one for the severity of the event. */
export const DRAWS_PER_VISIT = HARM_DOMAINS.length + 1;

/** First domain of the table order whose event number falls below its probability, or null. */
function drawAdmission(context: CourseContext, state: WorldState, lam: ArrayLike<number>, days: number): number | null {
  const { eventUniforms } = context.scenario;
  const offset = state.clock.visit * DRAWS_PER_VISIT;
  for (let domain = 0; domain < HARM_DOMAINS.length; domain++) {
    const share = ADMISSION_SHARE[HARM_DOMAINS[domain]!] ?? 1;
    const p = 1 - Math.exp((-lam[domain]! * share * days) / 365);
    if (eventUniforms[offset + domain]! < p) return domain;
  }
  return null;
}

/** The active drug with most points in a domain, or null. Ties: the first of the list. */
function mostToBlame(context: CourseContext, state: WorldState, domain: HarmDomain): Medication | null {
  let worst: Medication | null = null;
  let most = 0;
  for (const medication of state.medications) {
    if (!medication.isTaken) continue;
    const drug = drugAt(context.kb, medication.drugIndex);
    const points = domain === "NTI_TOX" ? Number(drug.isNarrowTi) : HAZARDS[domain].points(drug);
    if (points > most) {
      worst = medication;
      most = points;
    }
  }
  return worst;
}

/**
 * Closes a visit: draws events on the rates in the middle of the interval, lets the interval pass, and after an admission
 * another 14 days with the ward's change. The uniform numbers depend on scenario, visit and domain only, so every policy
 * and fork meets the same ones.
 */
export function closeVisit(context: CourseContext, evaluator: CourseEvaluator, state: WorldState): ClosedVisit {
  const days = context.scenario.stepDays;
  const today = state.clock.day;
  const first: Segment = { state, fromDay: today, toDay: today + days };
  const { lamByDomain } = evaluator.evaluationAt(context, state, today + days / 2);
  const hit = drawAdmission(context, state, lamByDomain, days);
  const later = countVisit(advance(context, state, days));
  if (hit === null) return { state: later, events: [], hasSevereEvent: false, segments: [first] };
  const domain = HARM_DOMAINS[hit]!;
  const u = context.scenario.eventUniforms[state.clock.visit * DRAWS_PER_VISIT + HARM_DOMAINS.length]!;
  const hasSevereEvent = SEVERE_DOMAINS.includes(domain) && u < SEVERE_SHARE;
  const { admitted, event } = admit(context, later, domain, hasSevereEvent);
  const discharged = advance(context, admitted, ADMISSION_DAYS);
  return {
    state: discharged,
    events: [event],
    hasSevereEvent,
    segments: [first, { state: admitted, fromDay: later.clock.day, toDay: discharged.clock.day }],
  };
}

function countVisit(state: WorldState): WorldState {
  const next = copyState(state);
  const clock = copyClock(state.clock);
  clock.visit++;
  clock.visitsLeft = Math.max(0, clock.visitsLeft - 1);
  next.clock = clock;
  return next;
}

function admit(
  context: CourseContext,
  state: WorldState,
  domain: HarmDomain,
  isSevere: boolean,
): { readonly admitted: WorldState; readonly event: CourseEvent } {
  const isFall = domain === "FALL_SEDATION";
  const blamed = isFall ? null : mostToBlame(context, state, domain);
  const day = state.clock.day;
  const before = blamed === null ? state : stopMedication(state, blamed, { day, reason: "admission", wasAbrupt: true });
  const event: CourseEvent = {
    kind: isSevere ? "severe" : "admission",
    domain,
    day,
    stoppedDrugIndex: blamed?.drugIndex ?? null,
  };
  const multiplier = before.hazardMultipliers[domain] ?? 1;
  const limit = isFall ? FALL_MULTIPLIER_LIMIT : MULTIPLIER_LIMIT;
  const flag = HISTORY_FLAG[domain];
  const needsFlag = flag !== undefined && !before.conditions.some((each) => each.code === flag && each.severity > 0);
  const admitted = copyState(before);
  const clock = copyClock(before.clock);
  clock.changesLeft = Math.max(0, clock.changesLeft - 1);
  admitted.clock = clock;
  admitted.events = [...before.events, event];
  admitted.hazardMultipliers = {
    ...before.hazardMultipliers,
    [domain]: Math.min(limit, multiplier * (isFall ? FALL_MULTIPLIER : MULTIPLIER)),
  };
  if (needsFlag)
    admitted.conditions = [...before.conditions, { code: flag, severity: 1, onsetDay: day, cascade: null }];
  return { admitted, event };
}
