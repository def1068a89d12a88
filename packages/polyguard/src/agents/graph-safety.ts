import { findCascades } from "../interactions/cascades.ts";
import { severityRank } from "../kb/domains.ts";
import { drugAt } from "../kb/lookup.ts";
import type { KnownAlert } from "../observation/types.ts";
import { harmOf, isFalseAlarm } from "../policies/alert-harm.ts";
import type { Chart } from "../policies/chart.ts";
import { alertInWords } from "../policies/explain.ts";

/** A hit of the graph with what it is thought to cost. */
export interface RankedHit {
  readonly alertId: string;
  readonly medRefs: readonly string[];
  readonly severity: KnownAlert["severity"];
  readonly text: string;
  /** Yearly utility; 0 for managed hits and false alarms. */
  readonly harm: number;
  readonly isManaged: boolean;
  readonly isFalseAlarm: boolean;
}

/** The drugs of a list as a graph whose edges are hits. */
export interface GraphReport {
  /** The costliest first. */
  readonly hits: readonly RankedHit[];
  /** Sum of the harm of the edges at each drug, by med_ref. */
  readonly centrality: Readonly<Record<string, number>>;
  /** The drug at which most of the harm hangs; null when no hit costs anything. */
  readonly keystone: string | null;
  /** Drugs whose exposure a hit of the exposure model multiplies. */
  readonly exposures: readonly { readonly medRef: string; readonly ratio: number }[];
  readonly cascades: readonly { readonly cause: string; readonly treatment: string; readonly condition: string }[];
}

/** Builds the graph of a list from its visible hits, regimen rules and exposures. */
export function readGraph(chart: Chart): GraphReport {
  const { kb, known, legality } = chart;
  const hits = known.alerts
    .map((alert): RankedHit => {
      const isFalse = isFalseAlarm(chart, alert);
      return {
        alertId: alert.id,
        medRefs: alert.medRefs,
        severity: alert.severity,
        text: alertInWords(chart, alert),
        harm: alert.isManaged || isFalse ? 0 : harmOf(chart, alert),
        isManaged: alert.isManaged,
        isFalseAlarm: isFalse,
      };
    })
    .sort((a, b) => b.harm - a.harm || severityRank(b.severity) - severityRank(a.severity));
  const centrality: Record<string, number> = {};
  for (const { medRefs, harm } of hits)
    for (const medRef of medRefs) centrality[medRef] = (centrality[medRef] ?? 0) + harm;
  const refOf = (drugIndex: number): string | null =>
    legality.listed.find((each) => each.drugIndex === drugIndex)?.medRef ?? null;
  const exposures = known.pairHits.flatMap(({ objectIndex, aucrApprox }) => {
    const medRef = objectIndex === null ? null : refOf(objectIndex);
    return medRef === null || aucrApprox === null ? [] : [{ medRef, ratio: aucrApprox }];
  });
  return {
    hits,
    centrality,
    keystone: keystoneOf(centrality),
    exposures,
    cascades: findCascades(kb, legality.listed).map(({ rule, causeIndex, treatmentIndex }) => ({
      cause: drugAt(kb, causeIndex).drugId,
      treatment: drugAt(kb, treatmentIndex).drugId,
      condition: rule.condition,
    })),
  };
}

function keystoneOf(centrality: Readonly<Record<string, number>>): string | null {
  let keystone: string | null = null;
  for (const [medRef, weight] of Object.entries(centrality))
    if (weight > (keystone === null ? 0 : centrality[keystone]!)) keystone = medRef;
  return keystone;
}
