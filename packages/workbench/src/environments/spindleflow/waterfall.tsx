import type { WireObject } from "../../play/branch.ts";
import { Panel } from "../../ui/panel.tsx";
import { Term } from "../../ui/term.tsx";
import { number, signed, words } from "../../ui/text.ts";
import type { EnvironmentViewProps } from "../module.ts";
import { taskEndOf } from "./observation.ts";
import { rewardBars } from "./reward-bars.ts";

/** The terms of a task's reward as a waterfall; between ends of tasks what the step itself cost. */
export function SpindleFlowReward({ branch, step }: EnvironmentViewProps) {
  const result = step === 0 ? null : branch.resultAt(step);
  const at = latestEnd(branch, step);
  const end = at === 0 ? null : taskEndOf((branch.resultAt(at)?.info ?? {}) as WireObject);
  if (result === null)
    return (
      <Panel title="Reward">
        <p className="empty">A task pays at its end. Its terms appear here, from the first to the total.</p>
      </Panel>
    );
  const violations = result.info.violations ?? [];
  return (
    <Panel title="Reward" aside={<span className="quiet">step {step}</span>}>
      <p className="reward-total">
        <strong className="number">{number(result.reward, 3)}</strong>
        <span className="quiet">{at === step ? "" : " in this step; a task pays at its end"}</span>
      </p>
      {violations.length === 0 ? null : (
        <ul className="violations">
          {violations.map(({ kind, message }) => (
            <li key={`${kind}${message}`}>
              <span aria-hidden="true">⊘ </span>
              {message} <span className="quiet">({kind})</span>
            </li>
          ))}
        </ul>
      )}
      {end === null ? null : <Terms end={end} isNow={at === step} />}
      <p className="hint">
        Each <Term word="component">term</Term> begins where the one before ended. Quality counts against a generalist
        alone.
      </p>
    </Panel>
  );
}

/** Step up to `step` at which a task ended last; 0 = none. */
function latestEnd(branch: EnvironmentViewProps["branch"], step: number): number {
  for (let at = step; at > 0; at--) if (taskEndOf((branch.resultAt(at)?.info ?? {}) as WireObject) !== null) return at;
  return 0;
}

function Terms({ end, isNow }: { readonly end: NonNullable<ReturnType<typeof taskEndOf>>; readonly isNow: boolean }) {
  const { bars, low, high, sum } = rewardBars(end);
  const span = Math.max(high - low, 1e-9);
  const at = (value: number): string => `${(100 * (value - low)) / span}%`;
  const wide = (a: number, b: number): string => `${Math.max(0.6, (100 * Math.abs(b - a)) / span)}%`;
  return (
    <>
      <h3>
        Task {end.index + 1}
        {isNow ? "" : ", the last that ended"}
      </h3>
      {end.noOutput ? <p className="quiet">Nobody delivered: the reward is a fixed value, not the sum.</p> : null}
      <div className="waterfall">
        {bars.map(({ name, value, from, to }) => (
          <div key={name} className={value === 0 ? "fall term-row zero" : "fall term-row"}>
            <span className="fall-name">{words(name)}</span>
            <span className="fall-sum number">{signed(value, 3)}</span>
            {value === 0 ? null : (
              <span className="fall-track" aria-hidden="true">
                <span
                  className={`fall-bar ${value > 0 ? "gains" : "losses"}`}
                  style={{ left: at(Math.min(from, to)), width: wide(from, to) }}
                />
                <span className="fall-zero" style={{ left: at(0) }} />
              </span>
            )}
          </div>
        ))}
        <div className="fall total">
          <span className="fall-name">
            Total{end.noOutput || Math.abs(sum - end.reward) < 1e-9 ? "" : ", after clipping"}
          </span>
          <span className="fall-sum number">{number(end.reward, 3)}</span>
          <span className="fall-track" aria-hidden="true">
            <span className="fall-bar sum" style={{ left: at(Math.min(0, end.reward)), width: wide(0, end.reward) }} />
            <span className="fall-zero" style={{ left: at(0) }} />
          </span>
        </div>
      </div>
    </>
  );
}
