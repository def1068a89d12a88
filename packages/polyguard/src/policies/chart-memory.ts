import { canonicalPayload } from "../actions/canonical.ts";
import type { ActionPayload, Reviewer } from "../actions/types.ts";
import type { Observation } from "../observation/schema.ts";
import type { DosePoint, Review } from "../world/types.ts";

/** A review counts for this many steps after it. */
const REVIEW_VALID_STEPS = 2;

/** What a policy remembers of its own episode because observations do not repeat it. Mutable; one per episode. */
export class ChartMemory {
  readonly reviews: (Omit<Review, "drugIndex"> & { readonly medRef: string | null })[] = [];
  /** Doses seen by med_ref, ascending in day. */
  readonly doses = new Map<string, DosePoint[]>();
  /** med_ref of the old drug by row number of the new one, for cross-overs. */
  readonly crossOvers = new Map<number, string>();
  /** Canonical texts of its actions so far, and `look up DRUG` for each word of a query. */
  readonly asked = new Set<string>();
  /** Canonical texts of actions that the environment refused. */
  readonly refused = new Set<string>();
  #pending: { readonly step: number; readonly payload: ActionPayload } | null = null;

  /** Another memory of the same. */
  copy(): ChartMemory {
    const copy = new ChartMemory();
    copy.reviews.push(...this.reviews);
    for (const [medRef, points] of this.doses) copy.doses.set(medRef, [...points]);
    for (const [drugIndex, medRef] of this.crossOvers) copy.crossOvers.set(drugIndex, medRef);
    for (const text of this.asked) copy.asked.add(text);
    for (const text of this.refused) copy.refused.add(text);
    copy.#pending = this.#pending;
    return copy;
  }

  /** Takes a new observation in: whether the last choice was done, and the doses of today. */
  see(observation: Observation): void {
    const { day } = observation.course;
    const pending = this.#pending;
    this.#pending = null;
    const outcome = observation.history.find(({ step }) => step === pending?.step)?.outcome;
    if (pending !== null && outcome?.startsWith("refused") === true)
      this.refused.add(canonicalPayload(pending.payload));
    if (pending !== null && outcome === "done") this.#remember(observation, pending.payload);
    for (const { med_ref: medRef, dose_per_day: dosePerDay } of observation.medications) {
      const points = this.doses.get(medRef) ?? [];
      if (points[points.length - 1]?.dosePerDay !== dosePerDay) points.push({ day, dosePerDay });
      this.doses.set(medRef, points);
    }
  }

  /** Notes the action chosen at a step. */
  choose(step: number, payload: ActionPayload): void {
    this.#pending = { step, payload };
    this.asked.add(canonicalPayload(payload));
    if (payload.type === "FETCH_EXTERNAL_EVIDENCE")
      for (const word of payload.query.split(" ")) this.asked.add(`look up ${word}`);
  }

  #remember(observation: Observation, payload: ActionPayload): void {
    const { day } = observation.course;
    if (payload.type === "ADD_DRUG" && payload.crossOverFromMedRef !== null)
      this.crossOvers.set(payload.drugIndex, payload.crossOverFromMedRef);
    if (payload.type === "REQUEST_REVIEW")
      this.reviews.push({
        reviewTo: payload.reviewTo satisfies Reviewer,
        medRef: payload.target,
        day,
        validUntilStep: observation.step - 1 + REVIEW_VALID_STEPS,
      });
  }
}
