import { Panel } from "../ui/panel.tsx";
import { Term } from "../ui/term.tsx";
import { number, words } from "../ui/text.ts";
import type { Branch } from "./branch.ts";

/** The reward of a step by component, for environments that the page knows nothing more of. */
export function RewardPanel({ branch, step }: { readonly branch: Branch; readonly step: number }) {
  const result = step === 0 ? null : branch.resultAt(step);
  if (result === null)
    return (
      <Panel title="Reward">
        <p className="empty">The reward of each step and its components appear here.</p>
      </Panel>
    );
  const components = Object.entries(result.info.rewardComponents ?? {});
  const scale = Math.max(1e-9, ...components.map(([, value]) => (Number.isFinite(value) ? Math.abs(value) : 0)));
  const violations = result.info.violations ?? [];
  return (
    <Panel title="Reward">
      <p className="reward-total">
        <strong className="number">
          {result.info.infraError === undefined ? number(result.reward) : "not scored"}
        </strong>
        <span className="quiet">
          {" "}
          at step {step}, <Term word="return">return</Term> {number(branch.returns[step - 1] ?? 0)}
        </span>
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
      {components.length === 0 ? (
        <p className="quiet">This environment tells no components.</p>
      ) : (
        <table className="bars">
          <caption className="quiet">
            <Term word="component">Components</Term>, before weighting
          </caption>
          <tbody>
            {components.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{words(name)}</th>
                <td className="number">{number(value)}</td>
                <td className="bar-cell">
                  <span
                    className={value < 0 ? "bar-fill negative" : "bar-fill"}
                    style={{ width: `${Number.isFinite(value) ? (100 * Math.abs(value)) / scale : 0}%` }}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
