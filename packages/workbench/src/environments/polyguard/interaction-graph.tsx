import { useMemo, useState } from "react";
import { Panel } from "../../ui/panel.tsx";
import { Term } from "../../ui/term.tsx";
import { count } from "../../ui/text.ts";
import { type Edge, edgesOf, orderByLinks } from "./interaction-edges.ts";
import { domainName, drugName, severityRank } from "./names.ts";
import type { Alert } from "./observation.ts";
import { Severity } from "./severity.tsx";

const WIDTH = 640;
const HEIGHT = 420;

/** Drugs on a ring, their interactions as lines by mechanism and severity. The same is in the list of alerts, in words. */
export function InteractionGraph({
  drugs,
  alerts,
}: {
  readonly drugs: readonly string[];
  readonly alerts: readonly Alert[];
}) {
  const edges = useMemo(() => edgesOf(alerts), [alerts]);
  const [domain, setDomain] = useState<string | null>(null);
  const domains = [...new Set(edges.flatMap((edge) => edge.domains))].sort();
  const shown = edges.filter((edge) => domain === null || edge.domains.includes(domain));
  // Linked drugs side by side keep lines short; those without any stand together at the end.
  const ordered = useMemo(() => orderByLinks(drugs, edges), [drugs, edges]);
  const place = (drug: string): { x: number; y: number; angle: number } => {
    const angle = (2 * Math.PI * ordered.indexOf(drug)) / Math.max(1, ordered.length) - Math.PI / 2;
    return { x: WIDTH / 2 + Math.cos(angle) * 150, y: HEIGHT / 2 + Math.sin(angle) * 150, angle };
  };
  return (
    <Panel
      title={<Term word="interaction">Interactions</Term>}
      aside={<span className="quiet">{count(edges.length, "pair")}</span>}
    >
      {edges.length === 0 ? (
        <p className="empty">No interaction is known on this list.</p>
      ) : (
        <>
          <fieldset className="row chips bare">
            <legend className="visually-hidden">Show one mechanism</legend>
            <button type="button" className="chip" aria-pressed={domain === null} onClick={() => setDomain(null)}>
              All
            </button>
            {domains.map((each) => (
              <button
                key={each}
                type="button"
                className="chip"
                aria-pressed={each === domain}
                onClick={() => setDomain(each === domain ? null : each)}
              >
                {domainName(each)}
              </button>
            ))}
          </fieldset>
          <svg className="graph" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={describe(shown)}>
            {shown.map((edge) => {
              const [from, to] = [place(edge.a), place(edge.b)];
              // Bent towards the middle, so that lines of neighbours do not hide behind drugs.
              const mx = (from.x + to.x) / 2 + (WIDTH / 2 - (from.x + to.x) / 2) * 0.35;
              const my = (from.y + to.y) / 2 + (HEIGHT / 2 - (from.y + to.y) / 2) * 0.35;
              return (
                <path
                  key={`${edge.a}|${edge.b}`}
                  d={`M ${from.x} ${from.y} Q ${mx} ${my} ${to.x} ${to.y}`}
                  className={`edge ${edge.severity}${edge.isManaged ? " managed" : ""}`}
                >
                  <title>{`${drugName(edge.a)} and ${drugName(edge.b)}: ${edge.severity}, ${edge.domains.map(domainName).join(", ")}`}</title>
                </path>
              );
            })}
            {ordered.map((drug) => {
              const { x, y, angle } = place(drug);
              const isLinked = shown.some((edge) => edge.a === drug || edge.b === drug);
              const side = Math.cos(angle);
              const anchor = Math.abs(side) < 0.25 ? "middle" : side > 0 ? "start" : "end";
              const dx = anchor === "middle" ? 0 : side > 0 ? 13 : -13;
              const dy = anchor === "middle" ? (Math.sin(angle) > 0 ? 24 : -14) : 5;
              return (
                <g key={drug} className={isLinked ? "node linked" : "node"}>
                  <circle cx={x} cy={y} r={isLinked ? 8 : 5} />
                  <text x={x + dx} y={y + dy} textAnchor={anchor}>
                    {short(drugName(drug))}
                  </text>
                </g>
              );
            })}
          </svg>
          <ul className="legend">
            {[...new Set(edges.map((edge) => edge.severity))]
              .sort((a, b) => severityRank(a) - severityRank(b))
              .map((severity) => (
                <li key={severity}>
                  <svg width="34" height="10" aria-hidden="true">
                    <line x1="2" y1="5" x2="32" y2="5" className={`edge ${severity}`} />
                  </svg>
                  <Severity severity={severity} />
                </li>
              ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

const short = (name: string): string => (name.length > 18 ? `${name.slice(0, 17)}…` : name);

function describe(edges: readonly Edge[]): string {
  const pairs = [...edges].reverse().map((edge) => `${drugName(edge.a)} and ${drugName(edge.b)}, ${edge.severity}`);
  return `Graph of ${edges.length} interactions: ${pairs.join("; ")}`;
}
