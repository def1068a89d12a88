import { contextFromWorld, type Evaluation, type EvaluationItem } from "../engine/evaluation-types.ts";
import { HarmEngine } from "../engine/harm.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { WorldState } from "../world/types.ts";
import { conditionsAt } from "./advance.ts";
import type { CourseContext } from "./context.ts";
import type { RegimenProjector } from "./project.ts";

type Conditions = WorldState["conditions"];

/** A harm engine that is set for a patient only when the patient differs from the last one. */
export class HorizonJudge {
  readonly #engine: HarmEngine;
  /** What the engine's patient context was set for. */
  #set: { readonly context: CourseContext; readonly state: WorldState; readonly conditions: Conditions } | null = null;
  #orders: WorldState["orders"] | null = null;

  constructor(kb: KnowledgeBase) {
    this.#engine = new HarmEngine(kb);
  }

  /** Losses of a state on a day of its future; overwritten by the next call. @param factor on adherence */
  judge(
    context: CourseContext,
    state: WorldState,
    day: number,
    factor: number,
    projector: RegimenProjector,
  ): Evaluation {
    this.#setPatient(context, state, day);
    return this.#engine.evaluate(projector.project(context.scenario.patient, state, day, factor));
  }

  /** Prepares items that most of the next regimens share. */
  setBase(context: CourseContext, state: WorldState, day: number, items: readonly EvaluationItem[]): void {
    this.#setPatient(context, state, day);
    this.#engine.setBase(items);
  }

  #setPatient(context: CourseContext, state: WorldState, day: number): void {
    const conditions = conditionsAt(state, day);
    const last = this.#set;
    const isSet =
      last !== null &&
      last.context === context &&
      last.state.physiology === state.physiology &&
      last.state.hazardMultipliers === state.hazardMultipliers &&
      last.state.hidden === state.hidden &&
      isEqual(last.conditions, conditions);
    if (!isSet) {
      this.#engine.setContext(contextFromWorld(context.scenario.patient, { ...state, conditions }));
      this.#set = { context, state, conditions };
    } else if (this.#orders !== state.orders) this.#engine.setOrders(activeOrders(state));
    this.#orders = state.orders;
  }
}

function activeOrders(state: WorldState): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const order of state.orders) if (order.endDay === null || order.endDay >= state.clock.day) codes.add(order.code);
  return codes;
}

function isEqual(a: Conditions, b: Conditions): boolean {
  if (a === b) return true;
  return a.length === b.length && a.every((each, i) => each.code === b[i]!.code && each.severity === b[i]!.severity);
}
