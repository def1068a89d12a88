import { ACTION_TYPES } from "../../actions/types.ts";
import { contextFeatures, patientFeatures } from "../../features/patient-features.ts";
import type { Observation } from "../../observation/schema.ts";
import { DIFFICULTIES } from "../../scenario/types.ts";

/** What the reader knows of an episode beside the observation. */
export interface SituationExtras {
  /** Expected exposure of a new drug; 0 without one. */
  readonly exposure: number;
  /** Share of probes left, findings and mean risk of the last probes, of a mining task; zeros elsewhere. */
  readonly mining: readonly [left: number, findings: number, risk: number];
}

const bit = (holds: boolean): number => (holds ? 1 : 0);

/** Patient, context and situation in one vector. Order: PATIENT_FIELDS, CONTEXT_FIELDS, SITUATION_FIELDS. */
export function situationValues(observation: Observation, { exposure, mining }: SituationExtras): number[] {
  const last = observation.history.at(-1);
  const { task, alternative, new_drug: newDrug } = observation;
  return [
    ...patientFeatures(observation),
    ...contextFeatures(observation),
    ...ACTION_TYPES.map((type) => bit(last?.action_type === type)),
    bit(last?.outcome === "done"),
    bit(last?.outcome === "no effect"),
    bit(last?.outcome.startsWith("refused") ?? false),
    ...DIFFICULTIES.map((tier) => bit(observation.difficulty === tier)),
    observation.step / 20,
    ...levelValues(observation),
    (task.targets?.length ?? 0) / 3,
    bit(alternative !== undefined && alternative.recommended !== null),
    bit(newDrug !== undefined && newDrug.plan !== null),
    (newDrug?.facts.length ?? 0) / 6,
    Math.min(3, exposure),
    ...mining,
  ];
}

/** The last two levels of a drug dosed by level, against its target. */
function levelValues({ dosing, course }: Observation): number[] {
  const last = dosing?.levels.at(-1);
  if (dosing === undefined || last === undefined) return [0, 0, 0, 0, 0, 0];
  const { low, high, toxic } = dosing.target;
  const against = (value: number): number => Math.log2(Math.max(1e-3, (2 * value) / (low + high)));
  const before = dosing.levels.at(-2);
  return [
    1,
    against(last.value),
    before === undefined ? 0 : against(before.value),
    bit(last.value >= low && last.value <= high),
    bit(dosing.level_code === "TSH" ? last.value < toxic : last.value > toxic),
    bit(last.day === course.day),
  ];
}
