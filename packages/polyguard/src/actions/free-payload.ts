import type { WireAction } from "./schema.ts";
import type { ActionPayload, ActionType } from "./types.ts";

/** Literal candidate ids of the families whose payload is free, and their action type. */
export const FREE_FAMILIES: Readonly<Record<string, ActionType>> = {
  c_probe: "PROBE_COMBINATION",
  c_declare: "DECLARE_FINDINGS",
  c_decompose: "DECOMPOSE_NEW_DRUG",
};

/** Payload of a free family from the action's own fields; null when its field is missing. */
export function freePayload(action: WireAction): ActionPayload | null {
  switch (action.action_type) {
    case "PROBE_COMBINATION":
      return action.combinations === undefined
        ? null
        : { type: "PROBE_COMBINATION", combinations: action.combinations.map((drugs) => [...drugs].sort()) };
    case "DECLARE_FINDINGS":
      return action.findings === undefined ? null : { type: "DECLARE_FINDINGS", findings: action.findings };
    case "DECOMPOSE_NEW_DRUG":
      return action.decomposition === undefined || action.plan === undefined
        ? null
        : { type: "DECOMPOSE_NEW_DRUG", decomposition: action.decomposition, plan: action.plan };
    default:
      return null;
  }
}
