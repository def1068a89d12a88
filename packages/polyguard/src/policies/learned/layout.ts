import { ACTION_TYPES } from "../../actions/types.ts";
import {
  CANDIDATE_FIELDS,
  CONTEXT_FIELDS,
  FEATURES_VERSION,
  MEDICATION_FIELDS,
  PATIENT_FIELDS,
} from "../../features/layout.ts";
import { TABLE_FIELDS } from "../../features/medication-features.ts";
import { SUB_ENVIRONMENTS } from "../../scenario/types.ts";

/** Version of the scenes; a change of any field or of what is offered is a new one. */
export const SCENES_VERSION = `${FEATURES_VERSION}/scenes-2`;

/** What an agent works out of a candidate by itself, beside its row of `polyguard-f1`; 0 where it does not apply. */
export const AGENT_FIELDS = [
  ...["advised", "advised by the rules", "confidence of the advice", "done before", "free payload"],
  ...[
    "worth of the option",
    "worth below the best option",
    "first by the expected course",
    "place by the expected course",
  ],
  "dose by the estimate",
  ...["judged by the course", "20 × gain by the course", "20 × gain below the best course"],
  ...["expected quality of the plan", "quality below the best plan"],
  ...["study: phenotyping", "study: class", "study: renal", "study: transporter", "study: qt", "study: ddi"],
  ...["log2 of the level it leads to over mid-target", "leads into the target", "leads above the toxic bound"],
  ...["target of the task", "must stay", "dose over the task's floor"],
  ...["answers an open contraindicated alert", "answers an open major alert", "answers a symptom/10"],
  ...["answers a discrepancy", "answers a conflict", "orders/3", "declares a switch"],
  ...["findings declared/10"],
] as const;

/** Name of one of {@link AGENT_FIELDS}. */
export type AgentField = (typeof AGENT_FIELDS)[number];

/** What the reader adds to patient and context. */
const SITUATION_FIELDS = [
  ...ACTION_TYPES.map((type) => `last: ${type}` as const),
  ...["last done", "last without effect", "last refused"],
  ...["easy", "medium", "hard", "step/20"],
  ...[
    "level known",
    "log2 level over mid-target",
    "log2 level before it",
    "level in target",
    "level toxic",
    "level fresh",
  ],
  ...["targets/3", "replacement recommended", "new drug judged", "studies/6", "exposure of the new drug"],
  ...["probes left", "findings/10", "last probes' mean risk"],
] as const;

/** What the reader adds to a medication row. */
const ITEM_EXTRAS = ["target of the task", "must stay", "dosed by level", "in an open alert"] as const;

/** Kinds of edge between medications: pair hits of the knowledge base by severity, and alerts shown and not managed. */
export const EDGE_KINDS = ["contraindicated", "major", "moderate", "open alert"] as const;

/** Widths of a scene's blocks. */
export const SCENE_SHAPE = {
  context: PATIENT_FIELDS.length + CONTEXT_FIELDS.length + SITUATION_FIELDS.length,
  items: MEDICATION_FIELDS.length + ITEM_EXTRAS.length,
  relations: EDGE_KINDS.length,
  // The row of f1, what the agent adds, and the tables' row of the drug that would come.
  candidates: CANDIDATE_FIELDS.length + AGENT_FIELDS.length + TABLE_FIELDS,
  groups: SUB_ENVIRONMENTS.length,
} as const;
