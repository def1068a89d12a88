import { contextFromWorld, type Evaluation } from "../engine/evaluation-types.ts";
import { HarmEngine } from "../engine/harm.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { WorldState } from "../world/types.ts";
import type { CourseContext } from "./context.ts";
import { RegimenProjector } from "./project.ts";

type Conditions = WorldState["conditions"];
type Orders = WorldState["orders"];

/** Which of the prepared days of a state's future: number of the engine's base. */
export const NEAR = 0;
/** See {@link NEAR}. */
export const FAR = 1;

/** One state on one day of its future, as it is judged. */
export interface Horizon {
  readonly context: CourseContext;
  readonly state: WorldState;
  readonly day: number;
  /** Conditions of that day. */
  readonly conditions: Conditions;
  /** On adherence, see `manyChangesFactor`. */
  readonly factor: number;
}

/**
 * A harm engine with the items it judges. It is set for a patient only when the patient differs from the last one; a state
 * can be prepared at two days, as most drugs of the states made from it are its own.
 */
export class HorizonJudge {
  readonly #engine: HarmEngine;
  readonly #projectors: readonly [near: RegimenProjector, far: RegimenProjector];
  /** What the engine's patient was set for. */
  #set: { readonly context: CourseContext; readonly state: WorldState; readonly conditions: Conditions } | null = null;
  #orders: Orders | null = null;
  /** Orders that the state was prepared with and their codes: the engine knows its own by identity. */
  #baseOrders: Orders | null = null;
  #baseCodes: ReadonlySet<string> = new Set();

  constructor(kb: KnowledgeBase) {
    this.#engine = new HarmEngine(kb);
    this.#projectors = [new RegimenProjector(kb), new RegimenProjector(kb)];
  }

  /** Prepares a state at its near or far day; both are to be of one patient. */
  prepare(horizon: Horizon, which: typeof NEAR | typeof FAR): void {
    const { context, state, day, factor } = horizon;
    this.#setPatient(horizon);
    if (this.#baseOrders !== state.orders) {
      this.#baseOrders = state.orders;
      this.#baseCodes = activeCodes(state);
      this.#engine.setOrders(this.#baseCodes);
    }
    const items = this.#projectors[which].keep(context.scenario.patient, state, day, factor);
    this.#engine.setBase(items, which);
  }

  /** True for the patient of the last call: judging another one throws the preparation away. */
  isSetFor({ context, state, conditions }: Horizon): boolean {
    const last = this.#set;
    return (
      last !== null &&
      last.context === context &&
      last.state.physiology === state.physiology &&
      last.state.hazardMultipliers === state.hazardMultipliers &&
      last.state.hidden === state.hidden &&
      isEqual(last.conditions, conditions)
    );
  }

  /** Losses of a state on a day of its future; overwritten by the next call. */
  judge(horizon: Horizon, which: typeof NEAR | typeof FAR): Evaluation {
    this.#setPatient(horizon);
    const { context, state, day, factor } = horizon;
    return this.#engine.evaluate(this.#projectors[which].project(context.scenario.patient, state, day, factor), which);
  }

  #setPatient(horizon: Horizon): void {
    const { context, state, conditions } = horizon;
    const isSet = this.isSetFor(horizon);
    if (!isSet) {
      this.#engine.setContext(contextFromWorld(context.scenario.patient, state, conditions));
      this.#set = { context, state, conditions };
      this.#baseOrders = null;
    } else if (this.#orders !== state.orders)
      this.#engine.setOrders(state.orders === this.#baseOrders ? this.#baseCodes : activeCodes(state));
    this.#orders = state.orders;
  }
}

function activeCodes({ orders, clock }: WorldState): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const order of orders) if (order.endDay === null || order.endDay >= clock.day) codes.add(order.code);
  return codes;
}

function isEqual(a: Conditions, b: Conditions): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i]!.code !== b[i]!.code || a[i]!.severity !== b[i]!.severity) return false;
  return true;
}
