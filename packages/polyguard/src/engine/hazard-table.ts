import { HARM_DOMAINS, type HarmDomain } from "../kb/domains.ts";
import type { Drug } from "../kb/types.ts";

/** Parameters of one harm domain. */
export interface HazardParameters {
  /** Base rate, events per year. */
  readonly lambda0: number;
  /** Utility lost per event, 0-1. */
  readonly weight: number;
  /** Log rate per risk point; 0 = no points. */
  readonly beta: number;
  /** Rate that saturation does not pass, events per year. */
  readonly cap: number;
  /** Risk points of a drug before dose and carry-over. */
  readonly points: (drug: Drug) => number;
}

const QT_POINTS = { KR: 1.2, PR: 0.6, CR: 0.4, none: 0 } as const;
const noPoints = (): number => 0;

/**
 * Rates and utilities by harm domain.
 * assumption: orders of magnitude from the literature (falls about .3 a year at 65+, major bleeding on oral anticoagulation
 * 2-4 %, severe hypoglycaemia on sulfonylureas 1-2 % a year), then tuned so that the sanity inequalities hold.
 */
export const HAZARDS: Readonly<Record<HarmDomain, HazardParameters>> = {
  BLEED: { lambda0: 0.01, weight: 0.5, beta: 0.45, cap: 0.6, points: (drug) => drug.risk.bleed },
  GI_BLEED: { lambda0: 0.004, weight: 0.35, beta: 0.4, cap: 0.3, points: (drug) => drug.risk.gi_ulcer },
  FALL_SEDATION: {
    lambda0: 0.25,
    weight: 0.12,
    beta: 0.06,
    cap: 1.5,
    points: (drug) => drug.risk.fall_risk + drug.risk.sedative_load,
  },
  RESP_DEPR: { lambda0: 0.001, weight: 0.9, beta: 0.5, cap: 0.1, points: (drug) => drug.risk.resp_depress },
  HYPOTENSION: { lambda0: 0.04, weight: 0.08, beta: 0.12, cap: 0.6, points: (drug) => drug.risk.hypotension },
  BRADY: { lambda0: 0.006, weight: 0.3, beta: 0.3, cap: 0.3, points: (drug) => drug.risk.bradycardia },
  QT: {
    lambda0: 0.0004,
    weight: 1,
    beta: 0.8,
    cap: 0.03,
    points: (drug) => (drug.qtRisk === null ? 0 : QT_POINTS[drug.qtRisk]),
  },
  SEROTONIN: { lambda0: 0.0004, weight: 0.6, beta: 0.35, cap: 0.1, points: (drug) => drug.risk.serotonergic },
  HYPERK: { lambda0: 0.004, weight: 0.45, beta: 0.4, cap: 0.5, points: (drug) => drug.risk.hyperkalemia },
  HYPOK: { lambda0: 0.01, weight: 0.15, beta: 0.25, cap: 0.4, points: (drug) => drug.risk.hypokalemia },
  HYPONA: { lambda0: 0.008, weight: 0.3, beta: 0.3, cap: 0.4, points: (drug) => drug.risk.hyponatremia },
  HYPOGLY: { lambda0: 0.003, weight: 0.5, beta: 0.6, cap: 0.5, points: (drug) => drug.risk.hypoglycemia },
  AKI: { lambda0: 0.015, weight: 0.35, beta: 0.22, cap: 0.6, points: (drug) => drug.risk.nephrotoxic },
  MYOPATHY: {
    lambda0: 0.0004,
    weight: 0.5,
    beta: 0.9,
    cap: 0.1,
    points: (drug) => (drug.groups.includes("STATIN") ? 1 : 0),
  },
  ANTICHOL: { lambda0: 0.02, weight: 0.25, beta: 0.2, cap: 0.6, points: (drug) => drug.acb },
  SEIZURE: { lambda0: 0.0015, weight: 0.6, beta: 0.45, cap: 0.1, points: (drug) => drug.risk.seizure_threshold },
  MYELOSUPP: { lambda0: 0.0004, weight: 0.8, beta: 1, cap: 0.2, points: noPoints },
  // lambda0 counts once per narrow_ti drug.
  NTI_TOX: { lambda0: 0.01, weight: 0.4, beta: 0, cap: 0.6, points: noPoints },
  HTN_CRISIS: { lambda0: 0.0008, weight: 0.6, beta: 1, cap: 0.1, points: noPoints },
  OTHER: { lambda0: 0.004, weight: 0.2, beta: 1, cap: 0.2, points: noPoints },
};

/** NTI_TOX base rate of a hit in that domain when no narrow_ti drug is there (assumption: half of one such drug). */
export const NTI_BASE_WITHOUT_DRUG = 0.005;

/** Excess of an interaction hit over the base rate by severity rank (assumption: tuned with the table above). */
export const EXCESS_BY_RANK: readonly number[] = [0.4, 1.5, 4.0];

/** Share of the excess that is left of a managed hit (assumption:). */
export const MANAGED_SHARE = 0.4;

/** Domain in which the drug's points times w are largest; OTHER for a drug without points. Ties: table order. */
export function dominantDomain(drug: Drug): HarmDomain {
  let best: HarmDomain = "OTHER";
  let bestLoss = 0;
  for (const domain of HARM_DOMAINS) {
    const loss = HAZARDS[domain].points(drug) * HAZARDS[domain].weight;
    if (loss > bestLoss) {
      best = domain;
      bestLoss = loss;
    }
  }
  return best;
}
