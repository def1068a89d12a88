import type { Rng } from "@praxis/env";
import { withdrawalOf } from "../course/withdrawal.ts";
import { fullEffectDose } from "../engine/benefit.ts";
import { relativeEffect } from "../engine/benefit-table.ts";
import { CONDITION_BURDENS } from "../kb/conditions.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { WorldState } from "../world/types.ts";
import { copyMemory } from "./copy-memory.ts";
import { rounded } from "./measure.ts";
import type { KnownSymptom, Memory } from "./types.ts";

/** Conditions whose response is hidden and shows only in the symptom score. */
export const SYMPTOM_CONDITIONS = [
  "OA_PAIN",
  "PAIN",
  "NEUROPATHIC_PAIN",
  "DEPRESSION",
  "ANXIETY",
  "INSOMNIA",
  "OAB",
] as const;

const SCORE_NOISE = 0.7;
const PILL_COUNT_NOISE = 0.05;
const WITHDRAWAL_NOISE = 0.05;
const SUSPECT_DAYS = 28;

/** True symptom score of a condition, 0-10: 10 sev (1 - rho (1 - prod(1 - e x))). */
export function symptomScore(kb: KnowledgeBase, state: WorldState, condition: string, severity: number): number {
  const burden = CONDITION_BURDENS.get(condition);
  if (burden === undefined) return 10 * severity;
  let uncontrolled = 1;
  for (const medication of state.medications) {
    if (!medication.isTaken) continue;
    const drug = drugAt(kb, medication.drugIndex);
    if (!drug.indications.includes(condition)) continue;
    const response = (state.hidden.responses[`${condition}:${drug.drugId}`] ?? 1) * medication.responseFactor;
    const share = Math.min(1, medication.dosePerDay / fullEffectDose(drug));
    const x = medication.adherence * medication.onsetShare * response * share;
    uncontrolled *= 1 - burden.control * relativeEffect(drug, condition) * x;
  }
  return 10 * severity * (1 - burden.bestReduction * (1 - uncontrolled));
}

/** drug_ids changed in the last 28 days, in order of the changes, each once. */
export function suspects(kb: KnowledgeBase, state: WorldState): readonly string[] {
  const ids = new Set<string>();
  for (const change of state.changes)
    if (change.day > state.clock.day - SUSPECT_DAYS)
      for (const index of change.drugIndexes) ids.add(drugAt(kb, index).drugId);
  return [...ids];
}

/** What the patient reports as a visit opens: symptom scores, pill count, withdrawal scores. */
export function hearPatient(kb: KnowledgeBase, state: WorldState, memory: Memory, rng: Rng): Memory {
  const day = state.clock.day;
  const named = suspects(kb, state);
  const symptoms: KnownSymptom[] = [];
  for (const code of SYMPTOM_CONDITIONS) {
    const condition = state.conditions.find((each) => each.code === code && each.severity > 0);
    if (condition === undefined) continue;
    const score = symptomScore(kb, state, code, condition.severity) + rng.normal(0, SCORE_NOISE);
    symptoms.push({ condition: code, score: rounded(Math.min(10, Math.max(0, score)), 1), day, suspects: named });
  }
  const withdrawalScores: Record<string, number> = {};
  const addScore = (medRef: string, withdrawal: number): void => {
    withdrawalScores[medRef] = rounded(Math.min(1, Math.max(0, withdrawal + rng.normal(0, WITHDRAWAL_NOISE))), 2);
  };
  for (const medication of state.medications)
    if (
      medication.adaptation > 0 &&
      (medication.taperPlan !== null || medication.dosePerDay < medication.referenceDosePerDay)
    )
      addScore(medication.medRef, withdrawalOf(kb, medication));
  for (const stopped of state.stopped) if (stopped.adaptation > 0) addScore(stopped.medRef, stopped.adaptation);
  const pillCount = rounded(Math.min(1, Math.max(0, state.hidden.adherence + rng.normal(0, PILL_COUNT_NOISE))), 2);
  const heard = copyMemory(memory);
  heard.symptoms = symptoms;
  heard.withdrawalScores = withdrawalScores;
  heard.pillCount = pillCount;
  return heard;
}
