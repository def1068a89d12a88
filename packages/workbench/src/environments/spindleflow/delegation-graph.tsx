import { useId, useMemo } from "react";
import { number } from "../../ui/text.ts";
import { type DelegationLayout, layOut } from "./delegation-layout.ts";
import { partyName, type Seat, type TaskWork } from "./observation.ts";

/** Who called whom in a task: orchestrator at the left, slots in the middle, mediator, requester and generalist at the right. */
export function DelegationGraph({ work, roster }: { readonly work: TaskWork; readonly roster: readonly Seat[] }) {
  const id = useId();
  const layout = useMemo(
    () =>
      layOut(
        roster.filter(({ status }) => status !== "empty").map(({ slot }) => slot),
        work.calls,
        work.last,
      ),
    [roster, work],
  );
  const outcome = (party: number | string): string => {
    const edge = layout.edges.findLast(({ to }) => to === party);
    return edge === undefined ? "" : edge.isOk ? "delivered" : "failed";
  };
  return (
    <svg
      className="delegation"
      style={{ maxWidth: `${layout.width * 1.35}px` }}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      role="img"
      aria-label={describe(layout)}
    >
      <defs>
        {["ok", "failed"].map((kind) => (
          <marker
            key={kind}
            id={`${id}${kind}`}
            viewBox="0 0 8 8"
            refX="6"
            refY="4"
            markerUnits="userSpaceOnUse"
            markerWidth="10"
            markerHeight="10"
            orient="auto-start-reverse"
          >
            <path d="M 0 0 L 8 4 L 0 8 z" className={`arrow ${kind}`} />
          </marker>
        ))}
      </defs>
      {layout.edges.map((edge) => (
        <path
          key={`${edge.from}|${edge.to}`}
          d={edge.path}
          className={`call ${edge.isOk ? "ok" : "failed"}${edge.isNew ? " new" : ""}`}
          markerEnd={`url(#${id}${edge.isOk ? "ok" : "failed"})`}
        />
      ))}
      {layout.nodes.map(({ party, x, y }) => {
        const state = outcome(party);
        const score = layout.edges.findLast(({ to }) => to === party)?.score ?? null;
        return (
          <g key={party} className={`party ${state}`} transform={`translate(${x} ${y})`}>
            <rect x={-52} y={-17} width={104} height={34} rx={8} />
            <text y={state === "" ? 5 : -1}>{partyName(party)}</text>
            {state === "" ? null : (
              <text y={12} className="party-note">
                {state === "failed" ? "⊘ failed" : score === null ? "✓ done" : `✓ scored ${number(score, 2)}`}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function describe({ edges }: DelegationLayout): string {
  if (edges.length === 0) return "Delegation graph: nobody has been called.";
  const said = edges.map(
    ({ from, to, isOk, count }) =>
      `${partyName(from)} called ${partyName(to)}${count > 1 ? ` ${count} times` : ""}, ${isOk ? "delivered" : "failed"}`,
  );
  return `Delegation graph: ${said.join("; ")}`;
}
