import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import { candidateRows } from "./candidate-features.ts";
import { CANDIDATE_FIELDS, CLIP, CONTEXT_FIELDS, MEDICATION_FIELDS, MOST_ROWS, PATIENT_FIELDS } from "./layout.ts";
import { medicationRows } from "./medication-features.ts";
import { contextFeatures, patientFeatures } from "./patient-features.ts";
import { readObservation } from "./reading.ts";

/** Feature vectors of one observation; rows past the masks are 0. */
export interface Features {
  /** [49] */
  readonly patient: Float32Array;
  /** [48] */
  readonly context: Float32Array;
  /** [24, 46], row-major. */
  readonly medications: Float32Array;
  /** [24], 1 = there is a row. */
  readonly medicationMask: Uint8Array;
  /** [24, 40], row-major. */
  readonly candidates: Float32Array;
  readonly candidateMask: Uint8Array;
  /** [24, 2]: row of the target's medication, row number of the replacement in the knowledge base; -1 none. */
  readonly indices: Int16Array;
}

/**
 * The `polyguard-f1` feature vectors of an observation, from it and the knowledge base alone: fixed order, unknown = 0,
 * clipped to [-3, 3]. Candidates keep the observation's order; rows are sets to a policy. At most 24 rows a block.
 */
export function encodeFeatures(kb: KnowledgeBase, observation: Observation): Features {
  const reading = readObservation(kb, observation);
  const listed = medicationRows(reading).slice(0, MOST_ROWS);
  const offered = candidateRows(reading).slice(0, MOST_ROWS);
  const indices = new Int16Array(MOST_ROWS * 2).fill(-1);
  offered.forEach(({ targetRef, replacement }, row) => {
    indices[2 * row] = targetRef === null ? -1 : listed.findIndex(({ medRef }) => medRef === targetRef);
    indices[2 * row + 1] = replacement;
  });
  return {
    patient: block([patientFeatures(observation)], PATIENT_FIELDS.length, 1),
    context: block([contextFeatures(observation)], CONTEXT_FIELDS.length, 1),
    medications: block(
      listed.map(({ values }) => values),
      MEDICATION_FIELDS.length,
      MOST_ROWS,
    ),
    medicationMask: mask(listed.length),
    candidates: block(
      offered.map(({ values }) => values),
      CANDIDATE_FIELDS.length,
      MOST_ROWS,
    ),
    candidateMask: mask(offered.length),
    indices,
  };
}

function block(rows: readonly (readonly number[])[], width: number, most: number): Float32Array {
  const values = new Float32Array(most * width);
  rows.forEach((row, at) => {
    for (let i = 0; i < width; i++) values[at * width + i] = Math.min(CLIP, Math.max(-CLIP, row[i]!));
  });
  return values;
}

function mask(rows: number): Uint8Array {
  return new Uint8Array(MOST_ROWS).fill(1, 0, rows);
}
