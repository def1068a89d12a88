import { isObject } from "../../schema/json-schema.ts";
import { Panel } from "../../ui/panel.tsx";
import { Term } from "../../ui/term.tsx";
import { number, words } from "../../ui/text.ts";
import type { EnvironmentViewProps } from "../module.ts";
import { type RewardWeights, waterfallOf } from "./waterfall-bars.ts";

function weightsOf(metadata: EnvironmentViewProps["metadata"]): RewardWeights | null {
  const { reward_weights: weights } = metadata as { reward_weights?: unknown };
  return isObject(weights) && isObject(weights.total) && isObject(weights.channels)
    ? (weights as unknown as RewardWeights)
    : null;
}

/** Thirteen components → four channels → the total, with the gates that capped it. */
export function Waterfall({ branch, step, metadata }: EnvironmentViewProps) {
  const result = step === 0 ? null : branch.resultAt(step);
  const weights = weightsOf(metadata);
  if (result === null || weights === null)
    return (
      <Panel title="Reward">
        <p className="empty">
          {step === 0
            ? "Take a step: its reward appears here, from thirteen components to the total."
            : "This server tells no weights, so that the parts of the reward cannot be drawn."}
        </p>
      </Panel>
    );
  const { info, reward } = result;
  const channels = (isObject(info.channels) ? info.channels : {}) as Readonly<Record<string, number>>;
  const bars = waterfallOf(info.rewardComponents ?? {}, channels, weights);
  const gates = Array.isArray(info.gates) ? info.gates.map(String) : [];
  const keep = typeof info.keep_reward === "number" ? info.keep_reward : null;
  const violations = info.violations ?? [];
  return (
    <Panel title="Reward" aside={<span className="quiet">step {step}</span>}>
      <p className="reward-total">
        <strong className="number">{number(reward, 3)}</strong>
        <span className="quiet">{keep === null ? "" : ` without any change it would be ${number(keep, 3)}`}</span>
      </p>
      {gates.length === 0 ? null : (
        <p className="notice bad small">
          <Term word="gate">Gate</Term>: {gates.map((gate) => words(gate).toLowerCase()).join(", ")}. The total is
          capped.
        </p>
      )}
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
      <div className="waterfall">
        {bars.map((bar, index) => (
          <details key={bar.name} className="fall" open={index === 0}>
            <summary>
              <span className="fall-name">{words(bar.name)}</span>
              <span className="fall-sum number">
                {number(bar.weight)} × {number(bar.value, 3)}
              </span>
              <span className="fall-track" aria-hidden="true">
                <span
                  className={`fall-bar channel-${index + 1}`}
                  style={{ left: `${100 * bar.from}%`, width: `${100 * bar.adds}%` }}
                />
              </span>
            </summary>
            <table className="bars">
              <caption className="visually-hidden">Components of {words(bar.name)}</caption>
              <tbody>
                {bar.parts.map((part) => (
                  <tr key={part.name}>
                    <th scope="row">{words(part.name.replace(/_score$/, ""))}</th>
                    <td className="number">
                      {number(part.weight)} × {number(part.value, 3)}
                    </td>
                    <td className="bar-cell">
                      <span className={`bar-fill channel-${index + 1}`} style={{ width: `${100 * part.value}%` }} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        ))}
        <div className="fall total">
          <span className="fall-name">Total{gates.length > 0 ? ", capped by the gate" : ""}</span>
          <span className="fall-sum number">{number(reward, 3)}</span>
          <span className="fall-track" aria-hidden="true">
            <span className="fall-bar sum" style={{ left: 0, width: `${100 * Math.max(0, reward)}%` }} />
          </span>
        </div>
      </div>
      <p className="hint">
        A <Term word="component">component</Term> counts with its weight in its <Term word="channel">channel</Term>, a
        channel with its weight in the total.
      </p>
    </Panel>
  );
}
