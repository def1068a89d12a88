import { contextFromWorld, type Evaluation } from "../engine/evaluation-types.ts";
import { HarmEngine } from "../engine/harm.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { WorldState } from "../world/types.ts";
import type { CourseContext } from "./context.ts";
import { RegimenProjector } from "./project.ts";

type Conditions = WorldState["conditions"];
type Orders = WorldState["orders"];

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

/** Active codes of orders; those asked for last are kept, as several judges ask for the same ones. */
export class OrderCodes {
  #orders: Orders | null = null;
  #codes: ReadonlySet<string> = new Set();

  /** Codes of the state's active orders. */
  of({ orders, clock }: WorldState): ReadonlySet<string> {
    if (orders === this.#orders) return this.#codes;
    const codes = new Set<string>();
    for (const order of orders) if (order.endDay === null || order.endDay >= clock.day) codes.add(order.code);
    this.#orders = orders;
    this.#codes = codes;
    return codes;
  }
}

/** A harm engine with the items it judges. It is set for a patient only when the patient differs from the last one. */
export class HorizonJudge {
  readonly #engine: HarmEngine;
  readonly #projector: RegimenProjector;
  readonly #orderCodes: OrderCodes;
  /** What the engine's patient was set for. */
  #set: { readonly context: CourseContext; readonly state: WorldState; readonly conditions: Conditions } | null = null;
  #orders: Orders | null = null;
  #codes: ReadonlySet<string> = new Set();
  /** Orders of the base and their codes: the engine knows its own by identity. */
  #baseOrders: Orders | null = null;
  #baseCodes: ReadonlySet<string> = new Set();

  constructor(kb: KnowledgeBase, orderCodes: OrderCodes) {
    this.#engine = new HarmEngine(kb);
    this.#projector = new RegimenProjector(kb);
    this.#orderCodes = orderCodes;
  }

  /** Prepares a state whose drugs most of the next ones share. */
  prepare(horizon: Horizon): void {
    const { context, state, day, factor } = horizon;
    this.#baseOrders = null;
    this.#setPatient(horizon);
    this.#engine.setBase(this.#projector.keep(context.scenario.patient, state, day, factor));
    this.#baseOrders = this.#orders;
    this.#baseCodes = this.#codes;
  }

  /** True for the patient that was prepared: judging another one would throw the preparation away. */
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
  judge(horizon: Horizon): Evaluation {
    this.#setPatient(horizon);
    const { context, state, day, factor } = horizon;
    return this.#engine.evaluate(this.#projector.project(context.scenario.patient, state, day, factor));
  }

  #setPatient(horizon: Horizon): void {
    const { context, state, conditions } = horizon;
    const isSet = this.isSetFor(horizon);
    if (!isSet) {
      this.#engine.setContext(contextFromWorld(context.scenario.patient, state, conditions));
      this.#set = { context, state, conditions };
    }
    if (isSet && this.#orders === state.orders) return;
    this.#codes = state.orders === this.#baseOrders ? this.#baseCodes : this.#orderCodes.of(state);
    this.#orders = state.orders;
    this.#engine.setOrders(this.#codes);
  }
}

function isEqual(a: Conditions, b: Conditions): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i]!.code !== b[i]!.code || a[i]!.severity !== b[i]!.severity) return false;
  return true;
}
