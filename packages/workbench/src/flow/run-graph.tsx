import { Scroll } from "../ui/scroll.tsx";
import { number } from "../ui/text.ts";
import type { RunStep, StepState } from "./run-model.ts";

const ROW = 46;
const INDENT = 28;
const BOX_WIDTH = 250;
const BOX_HEIGHT = 34;

const MARKS: Readonly<Record<StepState, string>> = {
  running: "▸",
  completed: "✓",
  failed: "✗",
  skipped: "–",
  retrying: "↻",
  stopped: "■",
  waiting: "?",
};

/** Steps as a tree in the order they began, each with its state; a click shows what it wrote. */
export function RunGraph({
  steps,
  chosen,
  onChoose,
}: {
  readonly steps: readonly RunStep[];
  readonly chosen: string | null;
  onChoose(spanId: string): void;
}) {
  const ordered = inTreeOrder(steps);
  const rowOf = new Map(ordered.map(({ spanId }, row) => [spanId, row]));
  const depth = Math.max(0, ...ordered.map((step) => step.depth));
  const width = depth * INDENT + BOX_WIDTH + 8;
  const height = ordered.length * ROW;
  if (ordered.length === 0) return <p className="empty">No step has begun.</p>;
  return (
    <Scroll label="Graph of steps" className="graph-scroll">
      <div className="run-graph" style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {ordered.map((step, row) => {
            const parentRow = step.parent === null ? undefined : rowOf.get(step.parent);
            if (parentRow === undefined) return null;
            const x = (step.depth - 1) * INDENT + 12;
            const y = row * ROW + BOX_HEIGHT / 2;
            return (
              <path
                key={step.spanId}
                className={`run-edge ${step.state}`}
                d={`M ${x} ${parentRow * ROW + BOX_HEIGHT} V ${y - 8} q 0 8 8 8 H ${step.depth * INDENT}`}
              />
            );
          })}
        </svg>
        {ordered.map((step, row) => (
          <button
            key={step.spanId}
            type="button"
            className={`run-node ${step.state} ${step.kind === "agent" ? "agent" : "group"}`}
            aria-pressed={step.spanId === chosen}
            style={{ left: step.depth * INDENT, top: row * ROW, width: BOX_WIDTH, height: BOX_HEIGHT }}
            onClick={() => onChoose(step.spanId)}
          >
            <span aria-hidden="true" className="run-mark">
              {MARKS[step.state]}
            </span>
            <span className="run-name">{step.id}</span>
            <span className="quiet">
              {step.state === "completed" ? <span className="visually-hidden">completed, </span> : step.state}
              {step.durationMs === null ? "" : ` ${number(step.durationMs / 1000, 2)} s`}
            </span>
          </button>
        ))}
      </div>
    </Scroll>
  );
}

/** Parents before their children, children in the order they began. */
function inTreeOrder(steps: readonly RunStep[]): readonly RunStep[] {
  const ids = new Set(steps.map(({ spanId }) => spanId));
  const ordered: RunStep[] = [];
  const visit = (parent: string | null): void => {
    for (const step of steps)
      if (parent === null ? step.parent === null || !ids.has(step.parent) : step.parent === parent) {
        ordered.push(step);
        visit(step.spanId);
      }
  };
  visit(null);
  return ordered;
}
