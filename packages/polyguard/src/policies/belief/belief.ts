import type { ActionPayload } from "../../actions/types.ts";
import { CourseEvaluator } from "../../course/evaluator.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Scenario } from "../../scenario/types.ts";
import type { Medication, WorldState } from "../../world/types.ts";
import type { Chart } from "../chart.ts";
import { PlanningModel } from "../planning-model.ts";
import { typicalState } from "../typical-patient.ts";
import { beliefScenario } from "./belief-scenario.ts";

/** A patient as believed, and the course model over it. */
export interface Belief {
  readonly model: PlanningModel;
  readonly state: WorldState;
}

/**
 * What is believed of the patient from one step to the next: made from the first chart, moved on by the expected course of
 * each action, and set right by what each later chart shows. Mutable; one per episode.
 */
export class BeliefTracker {
  readonly #kb: KnowledgeBase;
  readonly #evaluator: CourseEvaluator;
  #scenario: Scenario | null = null;
  #last: { readonly belief: Belief; readonly payload: ActionPayload } | null = null;

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
    this.#evaluator = new CourseEvaluator(kb);
  }

  /** The belief at a chart. */
  see(chart: Chart): Belief {
    const seen = beliefScenario(chart);
    const scenario = this.#withEarlierLevels(seen);
    this.#scenario = scenario;
    const expected = this.#expected(chart);
    const state = expected === null ? scenario.initial : setRight(scenario.initial, expected);
    return {
      model: new PlanningModel(this.#kb, scenario, this.#evaluator),
      state: typicalState(this.#kb, state),
    };
  }

  /** Takes note of the action that was chosen on a belief. */
  choose(belief: Belief, payload: ActionPayload): void {
    this.#last = { belief, payload };
  }

  /** The state that the last action was expected to lead to; null at the first step. */
  #expected({ known }: Chart): WorldState | null {
    const last = this.#last;
    if (last === null) return null;
    const { model, state } = last.belief;
    const wasDone = known.history.at(-1)?.outcome === "done";
    if (!wasDone) return { ...state, clock: known.clock };
    const { state: after, outcome } = model.apply(state, last.payload);
    return model.pass(after, outcome).state;
  }

  /** How a level follows a dose is kept from the first time a drug was seen. */
  #withEarlierLevels(scenario: Scenario): Scenario {
    const earlier = this.#scenario?.levelPerExposure ?? {};
    return { ...scenario, levelPerExposure: { ...scenario.levelPerExposure, ...earlier } };
  }
}

/** What a chart shows, with what only the course so far can tell. */
function setRight(shown: WorldState, expected: WorldState): WorldState {
  const medications = shown.medications.map((row): Medication => {
    const before = expected.medications.find(({ drugIndex }) => drugIndex === row.drugIndex);
    if (before === undefined) return row;
    return {
      ...before,
      medRef: row.medRef,
      dosePerDay: row.dosePerDay,
      dosesPerDay: row.dosesPerDay,
      indication: row.indication,
    };
  });
  const listed = new Set(medications.map(({ drugIndex }) => drugIndex));
  return {
    ...shown,
    medications,
    stopped: expected.stopped.filter(({ drugIndex }) => !listed.has(drugIndex)),
    labs: { ...shown.labs, ...expected.labs },
    declaredSwitch: expected.declaredSwitch,
    changes: expected.changes,
    hazardMultipliers: expected.hazardMultipliers,
  };
}
