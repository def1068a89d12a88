import type { Said } from "../../play/branch.ts";
import { Panel } from "../../ui/panel.tsx";
import { Term } from "../../ui/term.tsx";
import { count } from "../../ui/text.ts";

const TITLES: Readonly<Record<string, string>> = {
  med_rec: "Medication list",
  evidence: "Evidence",
  graph_safety: "Interactions",
  dosing: "Doses",
  candidate: "Choices",
  supervisor: "Supervisor",
  bandit: "Bandit",
  planner: "Planner",
  critic: "Critic",
  explainer: "Decision",
};

/** What the roles of the team said before the step, with vetoes and what they rest on. */
export function Transcript({ said, by }: { readonly said: readonly Said[]; readonly by: string }) {
  if (said.length === 0) return null;
  const vetoes = said.filter(({ isVeto }) => isVeto === true).length;
  return (
    <Panel
      title="What the agents said"
      aside={
        <span className="quiet">
          {by}
          {vetoes === 0 ? "" : `, ${count(vetoes, "veto", "vetoes")}`}
        </span>
      }
    >
      <ol className="transcript">
        {said.map(({ role, message, isVeto, evidenceIds = [] }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a role may speak more than once
          <li key={index} className={isVeto === true ? "said veto" : "said"}>
            <span className="said-role">{TITLES[role] ?? role}</span>
            <div>
              <p>
                {isVeto === true ? (
                  <strong className="veto-mark">
                    <span aria-hidden="true">⊘ </span>Veto:{" "}
                  </strong>
                ) : null}
                {message}
              </p>
              {evidenceIds.length === 0 ? null : (
                <p className="quiet cited">
                  <Term word="evidence">Rests on</Term> {evidenceIds.join(", ")}
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
