import { canonicalPayload } from "../actions/canonical.ts";
import type { ActionPayload } from "../actions/types.ts";
import { adaptationTauDays } from "../course/taper-classes.ts";
import { timingOf } from "../course/time-constants.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { SYMPTOM_CONDITIONS } from "../observation/symptoms.ts";
import type { Scenario } from "../scenario/types.ts";
import type { Medication, WorldState } from "../world/types.ts";
import { DEFAULT_SEARCH, type SearchOptions, searchPlan } from "./beam-search.ts";
import type { OraclePlanner } from "./oracle-planners.ts";
import { KEEP } from "./plan-node.ts";
import { PlanningModel } from "./planning-model.ts";

/** Means of the hidden parameters: adherence, and response of a drug never taken (.65 full, else .35). */
const MEAN_ADHERENCE = 0.9;
const MEAN_RESPONSE = 0.65 + 0.35 * 0.35;
/** The commonest genotypes. */
const TYPICAL_GENOTYPE = { cyp2d6: "NM", cyp2c19: "NM", cyp2c9: "*1/*1", vkorc1: "GA" } as const;

/** A scenario for a patient of whom nothing hidden is known. */
function typicalScenario(scenario: Scenario): Scenario {
  return { ...scenario, patient: { ...scenario.patient, genotype: TYPICAL_GENOTYPE } };
}

/** A state with its hidden parameters at their means; responses of drugs that have shown theirs are left as they are. */
export function typicalState(kb: KnowledgeBase, state: WorldState): WorldState {
  const shown = new Set(
    state.medications.filter((each) => hasShownResponse(kb, state, each)).map(({ drugId }) => drugId),
  );
  const responses: Record<string, number> = {};
  for (const code of SYMPTOM_CONDITIONS) {
    for (const drug of kb.drugs) {
      if (!drug.indications.includes(code)) continue;
      const key = `${code}:${drug.drugId}`;
      const truth = state.hidden.responses[key] ?? 1;
      const isListed = state.medications.some(({ drugIndex }) => drugIndex === drug.index);
      const response = shown.has(drug.drugId) ? truth : isListed ? 1 : MEAN_RESPONSE;
      if (response !== 1) responses[key] = response;
    }
  }
  return {
    ...state,
    hidden: { ...state.hidden, adherence: MEAN_ADHERENCE, responses },
    medications: state.medications.map((medication) => ({
      ...medication,
      adherence: MEAN_ADHERENCE,
      adaptationTauDays: medication.adaptationTauDays <= 0 ? 0 : adaptationTauDays(drugAt(kb, medication.drugIndex)),
    })),
  };
}

/** True once a drug started in the episode has been taken for its onset, so that the symptom score speaks of it. */
function hasShownResponse(kb: KnowledgeBase, state: WorldState, { startDay, drugIndex }: Medication): boolean {
  return startDay >= 0 && state.clock.day - startDay >= timingOf(drugAt(kb, drugIndex)).onset;
}

/** Plans once for the typical patient and carries the plan out, whatever is seen. */
export function makeOpenLoopPlanner(): OraclePlanner {
  return makeTypicalPlanner(() => "");
}

/** Plans for the typical patient, and again when a response shows or something happens. */
export function makeClosedLoopPlanner(): OraclePlanner {
  return makeTypicalPlanner((kb, state) => {
    const shown = state.medications.filter((each) => hasShownResponse(kb, state, each)).map(({ drugId }) => drugId);
    return `${shown.join(",")}|${state.events.length}`;
  });
}

/** Plans for the typical patient at every step anew, on a record that hides nothing: the most a legal agent could do. */
export function makeKnownPlanner(search: SearchOptions = DEFAULT_SEARCH): OraclePlanner {
  return makeTypicalPlanner((_kb, state) => `${state.clock.step}`, search);
}

/** @param newsOf text that changes when there is reason to plan again */
function makeTypicalPlanner(
  newsOf: (kb: KnowledgeBase, state: WorldState) => string,
  search: SearchOptions = DEFAULT_SEARCH,
): OraclePlanner {
  let news: string | null = null;
  let plan: readonly ActionPayload[] = [];
  let typical: PlanningModel | null = null;
  /** State for which the head of the plan was last asked for. */
  let asked: WorldState | null = null;
  return {
    plan: (model, state, offered) => {
      const { kb, scenario } = model.context;
      typical ??= new PlanningModel(kb, typicalScenario(scenario));
      const seen = newsOf(kb, state);
      if (asked !== null && isDone(asked, state, plan[0] ?? KEEP)) plan = plan.slice(1);
      if (offered !== null || news !== seen) plan = searchPlan(typical, typicalState(kb, state), search, offered).plan;
      news = seen;
      asked = state;
      const next = plan[0] ?? KEEP;
      return isOpenTo(model, state, next, offered) ? next : KEEP;
    },
  };
}

/** True when a planned action had its step since: a day for an order, else a closed visit. Other steps put it off. */
function isDone(asked: WorldState, state: WorldState, { type }: ActionPayload): boolean {
  if (type === "ORDER_MONITORING") return state.clock.day > asked.clock.day;
  return state.clock.visitsLeft < asked.clock.visitsLeft;
}

/** Blind plans may ask for what events have made impossible; then the visit passes. */
function isOpenTo(
  model: PlanningModel,
  state: WorldState,
  payload: ActionPayload,
  offered: readonly ActionPayload[] | null,
): boolean {
  if (payload.type === "KEEP_REGIMEN" || offered !== null) return true;
  const canonical = canonicalPayload(payload);
  return model.offers(state).some((each) => each.canonical === canonical);
}
