import type { Observation } from "../observation/schema.ts";
import type { AnnotatedCandidate, CandidateKind } from "./candidates.ts";
import type { DoseRow } from "./dosing.ts";
import type { EvidenceReport } from "./evidence.ts";
import type { GraphReport } from "./graph-safety.ts";

/** Where the supervisor sends a step. */
export const ROUTES = ["regimen", "dosing", "taper", "evidence", "review", "bandit"] as const;

/** One of {@link ROUTES}. */
export type Route = (typeof ROUTES)[number];

/** A route with its reason. */
export interface Routing {
  readonly route: Route;
  readonly reason: string;
}

/** What the supervisor looks at; null = that role is switched off. */
export interface SupervisorRequest {
  readonly subEnvironment: Observation["sub_environment"];
  readonly graph: GraphReport | null;
  readonly evidence: EvidenceReport | null;
  readonly doses: readonly DoseRow[] | null;
  readonly candidates: readonly AnnotatedCandidate[];
  /** What the rules would do now; null = nothing. */
  readonly rules: CandidateKind | null;
}

/** Sends a step to the part of the team that it is for. */
export function route(request: SupervisorRequest): Routing {
  const { subEnvironment, graph, evidence, doses, rules } = request;
  if (subEnvironment === "BANDIT_MINING")
    return { route: "bandit", reason: "Combinations of a population are to be probed." };
  if (evidence?.ask != null)
    return { route: "evidence", reason: "A decision of this step hangs on something that can be asked." };
  if (subEnvironment === "PRECISION_DOSING" || subEnvironment === "NEW_DRUG_DECOMPOSITION")
    return { route: "dosing", reason: "One dose is to be found." };
  if (rules === "taper") return { route: "taper", reason: "A drug has to come down step by step." };
  const dangerous = graph?.hits.find(({ harm, severity }) => harm > 0 && severity !== "moderate");
  if (dangerous !== undefined) return { route: "regimen", reason: `${dangerous.text} is open.` };
  const dose = doses?.find(({ advice }) => advice === "reduce" || advice === "hold" || advice === "stop");
  if (dose !== undefined || rules === "dosing")
    return {
      route: "dosing",
      reason:
        dose === undefined
          ? "A dose is to be raised or lowered."
          : `${dose.drugId} (${dose.medRef}): ${dose.advice} the dose.`,
    };
  if (rules === "review") return { route: "review", reason: "A specialist has to be asked." };
  return { route: "regimen", reason: "No danger is open; the rest of the list is looked at." };
}
