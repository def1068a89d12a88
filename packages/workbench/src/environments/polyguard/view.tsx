import { ErrorBoundary } from "../../ui/error-boundary.tsx";
import { Panel } from "../../ui/panel.tsx";
import { number } from "../../ui/text.ts";
import type { EnvironmentViewProps } from "../module.ts";
import { BanditPanel, DosingPanel, TaperPanel } from "./course-panels.tsx";
import { InteractionGraph } from "./interaction-graph.tsx";
import { Medications } from "./medications.tsx";
import { asPolyGuard } from "./observation.ts";
import { Patient } from "./patient.tsx";
import { Transcript } from "./transcript.tsx";
import { useLevels } from "./use-levels.ts";

/** A patient with the list of medications, and what the sub-environment adds. */
export function PolyGuardView(props: EnvironmentViewProps) {
  return (
    <ErrorBoundary what="The patient">
      <Drawn {...props} />
    </ErrorBoundary>
  );
}

function Drawn({ branch, step, observation, info, changed, server, beginning }: EnvironmentViewProps) {
  const seen = asPolyGuard(observation);
  const days = useLevels(seen.dosing !== undefined, server, beginning, branch, step);
  const turn = step === 0 ? undefined : branch.turns[step - 1];
  const drugs = seen.medications.map(({ drug_id: id, label }) => id ?? label);
  return (
    <>
      {"success" in info ? <Ending info={info} /> : null}
      {seen.bandit === undefined ? null : <BanditPanel bandit={seen.bandit} />}
      {seen.dosing === undefined ? null : <DosingPanel dosing={seen.dosing} days={days} />}
      <Patient seen={seen} />
      <TaperPanel branch={branch} step={step} />
      {drugs.length === 0 ? null : <Medications seen={seen} changed={changed} />}
      {turn === undefined ? null : <Transcript said={turn.said} by={turn.by} />}
      {drugs.length === 0 ? null : <InteractionGraph drugs={drugs} alerts={seen.safety.alerts} />}
      {seen.evidence.length === 0 ? null : (
        <Panel title="Evidence looked up">
          <ul className="plain-list">
            {seen.evidence.map(({ id, title, year, source_type: kind, snippet }) => (
              <li key={id}>
                <strong>{title}</strong> <span className="quiet">{`${kind}, ${year}, ${id}`}</span>
                <p>{snippet}</p>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function Ending({ info }: { readonly info: EnvironmentViewProps["info"] }) {
  const { success, task_score: score, j, keep_j: keep, training_return: training } = info;
  return (
    <Panel title={success === true ? "Success" : "No success"} className={success === true ? "ending good" : "ending"}>
      <dl className="tiles">
        {typeof score === "number" ? (
          <div className="tile">
            <dt>Task score</dt>
            <dd>
              <strong className="number">{number(score, 3)}</strong> <span className="quiet">of 1</span>
            </dd>
          </div>
        ) : null}
        {typeof j === "number" && typeof keep === "number" ? (
          <div className="tile">
            <dt>Course</dt>
            <dd>
              <strong className="number">{number(j, 3)}</strong>{" "}
              <span className="quiet">unchanged {number(keep, 3)}</span>
            </dd>
          </div>
        ) : null}
        {typeof training === "number" ? (
          <div className="tile">
            <dt>Training return</dt>
            <dd>
              <strong className="number">{number(training, 3)}</strong>
            </dd>
          </div>
        ) : null}
      </dl>
    </Panel>
  );
}
