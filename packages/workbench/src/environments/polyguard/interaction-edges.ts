import { severityRank } from "./names.ts";
import type { Alert } from "./observation.ts";

/** A pair of drugs with all that is said about it. */
export interface Edge {
  readonly a: string;
  readonly b: string;
  readonly severity: string;
  readonly domains: readonly string[];
  readonly isManaged: boolean;
}

/** Pairs of the alerts; an alert on three drugs is three pairs. The worst severity of a pair stands for it. */
export function edgesOf(alerts: readonly Alert[]): readonly Edge[] {
  const pairs = new Map<string, Edge>();
  for (const { drugs, severity, domain, managed } of alerts)
    for (const [i, first] of drugs.entries())
      for (const second of drugs.slice(i + 1)) {
        const [a, b] = first < second ? [first, second] : [second, first];
        const known = pairs.get(`${a}|${b}`);
        pairs.set(`${a}|${b}`, {
          a: a!,
          b: b!,
          severity:
            known === undefined || severityRank(severity) < severityRank(known.severity) ? severity : known.severity,
          domains: [...new Set([...(known?.domains ?? []), domain])],
          isManaged: managed && (known?.isManaged ?? true),
        });
      }
  return [...pairs.values()].sort((x, y) => severityRank(y.severity) - severityRank(x.severity));
}

/** Drugs in an order in which linked ones stand side by side, those without a link last. */
export function orderByLinks(drugs: readonly string[], edges: readonly Edge[]): readonly string[] {
  const left = new Set(drugs);
  for (const edge of edges) for (const drug of [edge.a, edge.b]) left.add(drug);
  const ordered: string[] = [];
  const visit = (drug: string): void => {
    if (!left.delete(drug)) return;
    ordered.push(drug);
    for (const edge of edges) {
      if (edge.a === drug) visit(edge.b);
      else if (edge.b === drug) visit(edge.a);
    }
  };
  for (const edge of [...edges].reverse()) visit(edge.a);
  return [...ordered, ...left];
}
