import { paired } from "./pairing.ts";
import type { ResultRow } from "./rows.ts";
import { type Estimate, pairedBootstrap } from "./statistics.ts";

/** Most that a guarded metric may get worse: the upper bound of its interval must stay below. */
export const MOST_WORSENING = 0.02;

/** A metric that an improvement may not pay for. */
export interface GuardedMetric {
  readonly name: string;
  readonly label: string;
  readonly better: "higher" | "lower";
}

/** Whether one policy is an improvement over another. */
export interface Verdict {
  readonly policy: string;
  readonly against: string;
  readonly group: string;
  /** Gain in the score. */
  readonly gain: Estimate;
  /** How much worse each guarded metric became; below 0 = better. */
  readonly worsening: readonly { readonly metric: string; readonly label: string; readonly estimate: Estimate }[];
  readonly isImprovement: boolean;
  /** What speaks against it; empty for an improvement. */
  readonly reasons: readonly string[];
}

/**
 * An improvement needs a gain in the mean score whose interval lies above 0, and of every guarded metric a worsening whose
 * upper bound is below .02, on the units that both played. Null without common units.
 */
export function judgeImprovement(
  { policy, against, group }: Pick<Verdict, "policy" | "against" | "group">,
  rows: { readonly policy: readonly ResultRow[]; readonly against: readonly ResultRow[] },
  { score, guarded }: { readonly score: string; readonly guarded: readonly GuardedMetric[] },
): Verdict | null {
  const [a, b] = paired(rows.policy, rows.against, score);
  if (a.length === 0) return null;
  const gain = pairedBootstrap(a, b);
  const worsening = guarded.flatMap(({ name, label, better }) => {
    const [own, other] = paired(rows.policy, rows.against, name);
    if (own.length === 0) return [];
    const estimate = better === "lower" ? pairedBootstrap(own, other) : pairedBootstrap(other, own);
    return [{ metric: name, label, estimate }];
  });
  const reasons = [
    ...(gain.low > 0 ? [] : ["the score's gain is not shown"]),
    ...worsening
      .filter(({ estimate }) => estimate.high >= MOST_WORSENING)
      .map(({ label, estimate }) => `${label} may be worse by ${estimate.high.toFixed(3)}`),
  ];
  return { policy, against, group, gain, worsening, isImprovement: reasons.length === 0, reasons };
}
