import type { ActionPayload } from "../actions/types.ts";
import type { Evaluation } from "../engine/evaluation-types.ts";
import { BURDEN_WEIGHT } from "../engine/harm.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { WorldState } from "../world/types.ts";
import { conditionsAt } from "./advance.ts";
import { previewAction } from "./apply.ts";
import { carriedOut } from "./carried-out.ts";
import { COURSE_DAYS, type CourseContext } from "./context.ts";
import { FAR, type Horizon, HorizonJudge, NEAR } from "./horizon.ts";
import { manyChangesFactor, startLoss } from "./project.ts";
import { withdrawalLoss } from "./withdrawal.ts";

/** Losses of a course or of a moment; rates a year. */
export interface CourseValue {
  /** R: LamADE, discomfort and severe events of withdrawal included. */
  readonly ade: number;
  /** D: LamDis, relapse included. */
  readonly dis: number;
  /** H = R + D. */
  readonly harm: number;
  /** B, 0-1. */
  readonly burden: number;
  /** U = -H - .05 B. */
  readonly utility: number;
}

/** X(a) = (28 X(day 14) + 337 X(day 180))/365: the two points that stand for the year after an action. */
const NEAR_DAY = 14;
const FAR_DAY = 180;
const NEAR_SHARE = 28 / 365;
const FAR_SHARE = 337 / 365;
/** After this many days everything in the course has settled. */
const SETTLED_DAYS = 400;

/**
 * Judges what actions are worth on the true state: expected losses by the harm engine at two days of the future, running
 * plans, switches and cross-overs carried out. Keeps the values of the state it was begun with; serves one caller at a time.
 */
export class CourseEvaluator {
  readonly #kb: KnowledgeBase;
  /** Prepared for the begun state: most drugs of a candidate are those of that state. */
  readonly #prepared: HorizonJudge;
  /** For other patients, and for patients whom an action changes. */
  readonly #other: HorizonJudge;
  #context: CourseContext | null = null;
  #begun: WorldState | null = null;
  #isPrepared = false;
  #cache = new Map<ActionPayload | null, CourseValue>();

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
    this.#prepared = new HorizonJudge(kb);
    this.#other = new HorizonJudge(kb);
  }

  /** Takes a state; values of the one before are forgotten. The same state again keeps them. */
  begin(context: CourseContext, state: WorldState): void {
    if (this.#begun === state && this.#context === context) return;
    this.#context = context;
    this.#begun = state;
    this.#isPrepared = false;
    this.#cache = new Map();
  }

  /** Course value of an action on the begun state; null = KEEP. Equal payload objects are judged once. */
  value(payload: ActionPayload | null): CourseValue {
    const cached = this.#cache.get(payload);
    if (cached !== undefined) return cached;
    const context = this.#context!;
    const state = this.#begun!;
    if (!this.#isPrepared) this.#prepare(context, state);
    let value: CourseValue;
    if (payload === null) value = this.#courseValue(context, state, 0);
    else {
      const { state: after, usedChange } = previewAction(context, state, payload);
      value = isSameRegimen(state, after) ? this.value(null) : this.#courseValue(context, after, Number(usedChange));
    }
    this.#cache.set(payload, value);
    return value;
  }

  /** Course value of a state that was already changed, nothing else done. */
  valueOfState(context: CourseContext, state: WorldState): CourseValue {
    return this.#courseValue(context, state, 0);
  }

  /** Losses at this moment, withdrawal apart. */
  now(context: CourseContext, state: WorldState): CourseValue {
    return this.atDay(context, state, state.clock.day);
  }

  /** Losses on a day of the state's future when nobody acts (plans run, a declared switch does not), withdrawal apart. */
  atDay(context: CourseContext, state: WorldState, day: number): CourseValue {
    const evaluation = this.evaluationAt(context, state, day);
    return toValue(evaluation.lamAde, evaluation.lamDis + startLoss(this.#kb, state, day), evaluation.burden);
  }

  /** Losses once everything that runs has settled. */
  settled(context: CourseContext, state: WorldState): CourseValue {
    const carried = carriedOut(this.#kb, context.scenario.patient, state);
    return this.atDay(context, carried, state.clock.day + SETTLED_DAYS);
  }

  /** The engine's evaluation on a day of the state's future: lam_h and exposures; overwritten by the next call. */
  evaluationAt(context: CourseContext, state: WorldState, day: number): Evaluation {
    return this.#judge(horizonOf(context, state, day, manyChangesFactor(state, day)), NEAR);
  }

  #prepare(context: CourseContext, state: WorldState): void {
    const carried = carriedOut(this.#kb, context.scenario.patient, state);
    const { day } = state.clock;
    // A candidate that counts as a change meets the adherence of one change more.
    const near = horizonOf(context, carried, day + NEAR_DAY, manyChangesFactor(state, day + NEAR_DAY, 1));
    const far = horizonOf(context, carried, day + FAR_DAY, manyChangesFactor(state, day + FAR_DAY, 0));
    this.#prepared.prepare(near, NEAR);
    // Where a caused condition moves, the far day has a patient of its own.
    if (this.#prepared.isSetFor(far)) this.#prepared.prepare(far, FAR);
    this.#isPrepared = true;
  }

  /** @param more changes of today that the state does not list yet */
  #courseValue(context: CourseContext, state: WorldState, more: number): CourseValue {
    const { patient } = context.scenario;
    const carried = carriedOut(this.#kb, patient, state);
    const { day } = state.clock;
    const nearHorizon = horizonOf(context, carried, day + NEAR_DAY, manyChangesFactor(state, day + NEAR_DAY, more));
    const near = this.#judge(nearHorizon, NEAR);
    let ade = NEAR_SHARE * near.lamAde;
    let dis = NEAR_SHARE * (near.lamDis + startLoss(this.#kb, carried, day + NEAR_DAY));
    let burden = NEAR_SHARE * near.burden;
    const farHorizon = horizonOf(context, carried, day + FAR_DAY, manyChangesFactor(state, day + FAR_DAY, 0));
    const far = this.#judge(farHorizon, FAR);
    ade += FAR_SHARE * far.lamAde;
    dis += FAR_SHARE * far.lamDis;
    burden += FAR_SHARE * far.burden;
    const loss = withdrawalLoss(this.#kb, patient, carried, day + COURSE_DAYS);
    return toValue(ade + loss.ade, dis + loss.dis, burden);
  }

  #judge(horizon: Horizon, which: typeof NEAR | typeof FAR): Evaluation {
    return (this.#prepared.isSetFor(horizon) ? this.#prepared : this.#other).judge(horizon, which);
  }
}

function horizonOf(context: CourseContext, state: WorldState, day: number, factor: number): Horizon {
  return { context, state, day, factor, conditions: conditionsAt(state, day) };
}

function toValue(ade: number, dis: number, burden: number): CourseValue {
  const harm = ade + dis;
  return { ade, dis, harm, burden, utility: -harm - BURDEN_WEIGHT * burden };
}

/** True when an action left everything the engine looks at as it was. */
function isSameRegimen(before: WorldState, after: WorldState): boolean {
  return (
    after.medications === before.medications &&
    after.stopped === before.stopped &&
    after.orders === before.orders &&
    after.declaredSwitch === before.declaredSwitch &&
    after.reviews === before.reviews
  );
}
