import { ACTION_TYPES } from "../../actions/types.ts";
import type { Features } from "../../features/features.ts";
import { CANDIDATE_FIELDS, MEDICATION_FIELDS, PATIENT_FIELDS } from "../../features/layout.ts";
import { SUB_ENVIRONMENTS } from "../../scenario/types.ts";
import type { FeatureRow } from "../mining/combination-features.ts";

/** Version of the rows; trained weights name it. */
export const ARM_ROWS_VERSION = "polyguard-f1/arms-1";

/** Patient fields that change what an action type is worth. */
const SITUATION = [
  "contraindicated alerts/3",
  "major alerts/5",
  "discrepancies/3",
  "conflicts/2",
  "entropy hint",
  "visits left/10",
  "changes left/8",
  "taper runs",
  "switch open",
].map((name) => PATIENT_FIELDS.indexOf(name));

const TYPES = ACTION_TYPES.length;
const TARGET_AT = 1 + CANDIDATE_FIELDS.length;
const TYPE_AT = TARGET_AT + 1 + MEDICATION_FIELDS.length;
const PLACE_AT = TYPE_AT + TYPES * SITUATION.length;

/** Length of an arm's row. */
export const ARM_ROW_LENGTH = PLACE_AT + TYPES * SUB_ENVIRONMENTS.length;

/**
 * One row per candidate: constant, the candidate's fields, whether it has a target and the target's fields, and its action
 * type crossed with the situation and with the sub-environment, so that a linear model can tell when a kind of action pays.
 */
export function armRows(features: Features): readonly FeatureRow[] {
  const { candidates, candidateMask, medications, indices, patient, context } = features;
  const rows: FeatureRow[] = [];
  for (let arm = 0; arm < candidateMask.length && candidateMask[arm] === 1; arm++) {
    const indexes = [0];
    const values = [1];
    const put = (index: number, value: number): void => {
      if (value === 0) return;
      indexes.push(index);
      values.push(value);
    };
    const at = arm * CANDIDATE_FIELDS.length;
    for (let i = 0; i < CANDIDATE_FIELDS.length; i++) put(1 + i, candidates[at + i]!);
    const target = indices[2 * arm]!;
    if (target >= 0) {
      put(TARGET_AT, 1);
      const row = target * MEDICATION_FIELDS.length;
      for (let i = 0; i < MEDICATION_FIELDS.length; i++) put(TARGET_AT + 1 + i, medications[row + i]!);
    }
    const type = candidates.subarray(at, at + TYPES).indexOf(1);
    if (type >= 0) {
      SITUATION.forEach((field, i) => {
        put(TYPE_AT + type * SITUATION.length + i, patient[field]!);
      });
      const place = context.subarray(0, SUB_ENVIRONMENTS.length).indexOf(1);
      if (place >= 0) put(PLACE_AT + type * SUB_ENVIRONMENTS.length + place, 1);
    }
    rows.push({ indexes, values });
  }
  return rows;
}
