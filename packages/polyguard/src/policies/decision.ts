import type { Chart, ChartOffer } from "./chart.ts";

/** What a rule has chosen, and why in plain words. */
export interface Decision {
  readonly offer: ChartOffer;
  /** One or two sentences a pharmacist would accept; numbers and names are those of the observation. */
  readonly reason: string;
  /** Stated confidence that the choice is close to the best, 0-1. */
  readonly confidence: number;
}

/** One rule of the policy: a decision, or null when it has nothing to say. */
export type PolicyRule = (chart: Chart) => Decision | null;
