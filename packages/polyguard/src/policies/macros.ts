import type { ActionPayload } from "../actions/types.ts";
import { CASCADES } from "../interactions/cascades.ts";
import { isOneOf } from "../interactions/member-table.ts";
import { isTitrated } from "../kb/dose-grid.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug } from "../kb/types.ts";
import type { WorldState } from "../world/types.ts";
import { follow, judge, judgeKeep, type PlanNode } from "./plan-node.ts";
import type { PlanningModel } from "./planning-model.ts";

/** Visits that a sequence goes on for after its first action, waiting included. */
const FOLLOW_UPS = 3;

/** What later steps of a sequence may be about. */
interface Focus {
  readonly drugs: ReadonlySet<number>;
  /** Conditions that the drug which leaves was for. */
  readonly conditions: ReadonlySet<string>;
}

/**
 * True for actions that pay only with a later step: a stop that leaves a condition open or declares a switch, a slow start,
 * the end of a cascade's cause, and the end of a drug that moves the exposure of a level-guided one.
 */
export function isMacroStart(model: PlanningModel, state: WorldState, payload: ActionPayload): boolean {
  const { kb } = model.context;
  switch (payload.type) {
    case "ADD_DRUG":
      return payload.crossOverFromMedRef !== null || isTitrated(drugAt(kb, payload.drugIndex));
    case "STOP_DRUG":
    case "SUBSTITUTE_DRUG":
    case "START_TAPER":
      return leavingDrug(model, state, payload) !== null;
    default:
      return false;
  }
}

/**
 * Nodes of the visits after a first action when only steps that belong to it follow: raises of what was started, the old
 * drug of a cross-over, the other side of a switch, the second drug of a cascade, doses of level-guided drugs, and a new
 * drug for what lost its treatment. The best of them by J is taken at each visit; where none helps yet, the visit is waited.
 */
export function followUps(
  model: PlanningModel,
  before: WorldState,
  first: ActionPayload,
  node: PlanNode,
): readonly PlanNode[] {
  const focus = focusOf(model, before, first);
  const nodes: PlanNode[] = [];
  let current = node;
  for (let i = 0; i < FOLLOW_UPS && current.state.clock.visitsLeft > 0; i++) {
    let choice = judgeKeep(model, current);
    for (const { payload } of model.offers(current.state)) {
      if (payload.type === "ORDER_MONITORING" || !isAbout(model, current.state, payload, focus)) continue;
      const judged = judge(model, current, payload);
      if (judged !== null && judged.value > choice.value) choice = judged;
    }
    current = follow(model, current, choice);
    nodes.push(current);
  }
  return nodes;
}

function leavingDrug(model: PlanningModel, state: WorldState, payload: ActionPayload): Drug | null {
  if (!("medRef" in payload) || payload.medRef === null) return null;
  const medication = state.medications.find(({ medRef }) => medRef === payload.medRef);
  return medication === undefined ? null : drugAt(model.context.kb, medication.drugIndex);
}

function focusOf(model: PlanningModel, state: WorldState, payload: ActionPayload): Focus {
  const { kb } = model.context;
  const drugs = new Set<number>();
  const conditions = new Set<string>();
  const listed = state.medications.map(({ drugIndex }) => drugAt(kb, drugIndex));
  if (payload.type === "ADD_DRUG" || payload.type === "SUBSTITUTE_DRUG") drugs.add(payload.drugIndex);
  if (payload.type === "ADD_DRUG" && payload.crossOverFromMedRef !== null) {
    const old = state.medications.find(({ medRef }) => medRef === payload.crossOverFromMedRef);
    if (old !== undefined) drugs.add(old.drugIndex);
  }
  if (payload.type === "STOP_DRUG" && payload.switchToDrugIndex !== null) drugs.add(payload.switchToDrugIndex);
  const leaving = payload.type === "ADD_DRUG" ? null : leavingDrug(model, state, payload);
  if (leaving !== null) {
    for (const code of leaving.indications) conditions.add(code);
    for (const rule of CASCADES)
      if (isOneOf(leaving, rule.causes))
        for (const drug of listed) if (isOneOf(drug, rule.treatments)) drugs.add(drug.index);
    // Doses of level-guided drugs follow whatever moves their exposure.
    for (const drug of listed) if (drug.isNarrowTi && drug !== leaving) drugs.add(drug.index);
  }
  return { drugs, conditions };
}

function isAbout(model: PlanningModel, state: WorldState, payload: ActionPayload, focus: Focus): boolean {
  const { kb } = model.context;
  if ("drugIndex" in payload) {
    if (focus.drugs.has(payload.drugIndex)) return true;
    if (drugAt(kb, payload.drugIndex).indications.some((code) => focus.conditions.has(code))) return true;
  }
  if (!("medRef" in payload)) return false;
  const medication = state.medications.find(({ medRef }) => medRef === payload.medRef);
  return medication !== undefined && focus.drugs.has(medication.drugIndex);
}
