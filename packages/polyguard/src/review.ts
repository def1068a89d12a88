import type { MaybePromise, Policy, ResetRequest, ResetResult, Rng, StepResult } from "@praxis/env";
import { PraxisError } from "@praxis/env";
import { NOTICE } from "./definition.ts";
import type { RecordReset, RecordStep, Review, ReviewProposal } from "./fhir/review-types.ts";

/** The part of an environment that a review drives: in this process, or a remote one over the wire. */
export interface ReviewedEnv {
  reset(request: ResetRequest): MaybePromise<ResetResult<unknown>>;
  step(action: unknown): MaybePromise<StepResult<unknown>>;
}

/** What is reviewed, and by whom. */
export interface ReviewRequest {
  /** Parsed FHIR R4 Bundle. */
  readonly bundle: unknown;
  /** Day of the review, ISO 8601; default the bundle's timestamp. */
  readonly asOf?: string | undefined;
  readonly policy: Policy;
  readonly rng: Rng;
}

interface Offered {
  readonly candidates: readonly {
    readonly candidate_id: string;
    readonly text: string;
    readonly target?: string;
    readonly replacement?: string;
    readonly dose_per_day?: number;
    readonly freq?: number;
    readonly orders?: readonly string[];
  }[];
  readonly medications: readonly { readonly med_ref: string; readonly drug_id: string | null }[];
  readonly safety: { readonly r90_estimate: number };
  readonly course: { readonly day: number };
}

/** Longest review, in steps; an episode ends by itself well before. */
const MAX_STEPS = 40;

/**
 * Plays the policy on a record from reset to the end of the course and reports what was found, done and scored.
 * Throws what the environment throws for a bundle that can't be used.
 */
export async function reviewRecord(env: ReviewedEnv, request: ReviewRequest): Promise<Review> {
  const { policy, bundle, asOf } = request;
  policy.reset(request.rng);
  const options = { fhir: bundle, ...(asOf === undefined ? {} : { as_of: asOf }) };
  const begun = await env.reset({ seed: 0, options });
  const record = begun.info.record as RecordReset | undefined;
  if (record === undefined)
    throw new PraxisError(
      "NOT_SUPPORTED",
      "The environment did not take the record; it must be PolyGuard with FHIR import.",
    );
  const proposals: ReviewProposal[] = [];
  const sums = new Map<string, number>();
  let last: ResetResult<unknown> | StepResult<unknown> = begun;
  let step: RecordStep = { expected_harm_before: 0, expected_harm_after: 0, findings: record.findings };
  let harmBefore: number | null = null;
  let ended = "step limit of the review";
  while (proposals.length < MAX_STEPS) {
    const observation = last.observation as Offered;
    const action: unknown = await policy.act(last.observation, last.info);
    const result: StepResult<unknown> = await env.step(action);
    step = (result.info.record as RecordStep | undefined) ?? step;
    harmBefore ??= step.expected_harm_before;
    proposals.push(describeStep(observation, action as ActionParts, result, step));
    for (const [name, value] of Object.entries(result.info.rewardComponents ?? {}))
      sums.set(name, (sums.get(name) ?? 0) + value);
    last = result;
    if (result.terminated || result.truncated) {
      ended = result.info.terminationReason ?? "ended";
      break;
    }
  }
  const n = Math.max(1, proposals.length);
  return {
    notice: NOTICE,
    policy: policy.name,
    ...record,
    proposals,
    expected_harm: {
      before: harmBefore ?? 0,
      after: step.expected_harm_after,
      unit: "utility lost a year (drug harm, disease and burden)",
    },
    r90: {
      before: (begun.observation as Offered).safety.r90_estimate,
      after: (last.observation as Offered).safety.r90_estimate,
    },
    score: {
      total: proposals.reduce((sum, proposal) => sum + proposal.reward, 0) / n,
      components: Object.fromEntries([...sums].map(([name, sum]) => [name, sum / n])),
      steps: proposals.length,
      ended,
    },
    open_findings: step.findings.filter((finding) => !finding.managed && finding.severity !== "moderate"),
  };
}

interface ActionParts {
  readonly candidate_id?: string;
  readonly action_type?: string;
  readonly rationale?: string;
}

function describeStep(
  observation: Offered,
  action: ActionParts,
  result: StepResult<unknown>,
  step: RecordStep,
): ReviewProposal {
  const candidate = observation.candidates.find((each) => each.candidate_id === action.candidate_id);
  const violations = result.info.violations ?? [];
  return {
    day: observation.course.day,
    action: action.action_type ?? "unreadable",
    text: candidate?.text ?? action.action_type ?? "",
    why: action.rationale ?? "",
    expected_harm_before: step.expected_harm_before,
    expected_harm_after: step.expected_harm_after,
    drug_id: observation.medications.find((each) => each.med_ref === candidate?.target)?.drug_id ?? null,
    replacement:
      candidate?.replacement ?? (action.action_type?.startsWith("ADD_") ? (candidate?.target ?? null) : null),
    dose_per_day: candidate?.dose_per_day ?? null,
    doses_per_day: candidate?.freq ?? null,
    orders: candidate?.orders ?? [],
    reward: result.reward,
    legal: violations.length === 0,
    outcome:
      violations.length === 0 ? "done" : `refused: ${violations.map((violation) => violation.message).join("; ")}`,
  };
}
