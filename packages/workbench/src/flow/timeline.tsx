import { Panel } from "../ui/panel.tsx";
import { Scroll } from "../ui/scroll.tsx";
import { number } from "../ui/text.ts";
import type { Bar, RunModel } from "./run-model.ts";

const TICKS = 5;
const KINDS: readonly { readonly kind: Bar["kind"]; readonly text: string }[] = [
  { kind: "run", text: "at work" },
  { kind: "wait", text: "waits to try again" },
  { kind: "failed", text: "failed" },
];

/** When each step worked, waited and failed. */
export function Timeline({
  model,
  chosen,
  onChoose,
}: {
  readonly model: RunModel;
  readonly chosen: string | null;
  onChoose(spanId: string): void;
}) {
  const { beginMs, endMs, steps } = model;
  const length = Math.max(1, endMs - beginMs);
  const at = (time: number): number => (100 * (time - beginMs)) / length;
  return (
    <Panel title="Timeline">
      <Scroll label="Timeline">
        <table className="timeline">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col" className="number">
                Time (ms)
              </th>
              <th scope="col" className="number">
                Tokens
              </th>
              <th scope="col" className="number">
                Cost ($)
              </th>
              <th scope="col" className="lane-head">
                <span className="visually-hidden">When, in seconds since the start</span>
                <span className="ticks" aria-hidden="true">
                  {Array.from({ length: TICKS }, (_, tick) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the place of a mark is its name
                    <span key={tick} style={{ left: `${(100 * tick) / (TICKS - 1)}%` }}>
                      {number((length * tick) / (TICKS - 1) / 1000, 2)} s
                    </span>
                  ))}
                </span>
              </th>
            </tr>
          </thead>
          <tbody>
            {steps
              .filter((step) => step.bars.length > 0)
              .map((step) => (
                <tr key={step.spanId} className={step.spanId === chosen ? "chosen" : undefined}>
                  <th scope="row" style={{ paddingLeft: `${0.6 + step.depth * 0.8}rem` }}>
                    <button type="button" className="plain" onClick={() => onChoose(step.spanId)}>
                      {step.id}
                    </button>
                    {step.attempt > 1 ? <span className="badge warn">attempt {step.attempt}</span> : null}
                  </th>
                  <td className="number">
                    {step.durationMs === null ? "–" : Math.round(step.durationMs).toLocaleString("en")}
                  </td>
                  <td className="number">{step.tokens === 0 ? "–" : step.tokens.toLocaleString("en")}</td>
                  <td className="number">{step.costUsd === 0 ? "–" : step.costUsd.toFixed(5)}</td>
                  <td className="lane-cell">
                    <span className="lane">
                      {step.bars.map((bar) => (
                        <span
                          key={bar.from}
                          className={`lane-bar ${bar.kind} ${step.kind === "agent" ? "" : "group"}`}
                          title={`${Math.round(bar.from - beginMs)} to ${bar.to === null ? "now" : Math.round(bar.to - beginMs)} ms`}
                          style={{
                            left: `${at(bar.from)}%`,
                            width: `${Math.max(0.4, at(bar.to ?? endMs) - at(bar.from))}%`,
                          }}
                        />
                      ))}
                    </span>
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </Scroll>
      <p className="legend-line">
        {KINDS.map(({ kind, text }) => (
          <span key={kind} className="plot-key">
            <span className={`swatch lane-bar ${kind}`} /> {text}
          </span>
        ))}
      </p>
    </Panel>
  );
}
