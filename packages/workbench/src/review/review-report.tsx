import type { ReactNode } from "react";
import { InteractionGraph } from "../environments/polyguard/interaction-graph.tsx";
import { conditionName, severityRank } from "../environments/polyguard/names.ts";
import { Severity } from "../environments/polyguard/severity.tsx";
import { Panel } from "../ui/panel.tsx";
import { Scroll } from "../ui/scroll.tsx";
import { Term } from "../ui/term.tsx";
import { count, number, words } from "../ui/text.ts";
import type { Review } from "./review-data.ts";

/** What a review says: read, not read, found, proposed, and how it was scored. */
export function ReviewReport({ review }: { readonly review: Review }) {
  const { patient, medications, findings, unused, warnings, assumptions, proposals, r90, expected_harm: harm } = review;
  const sorted = [...findings].sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
  const unread = medications.filter(({ checked }) => !checked);
  const alerts = findings.map((finding, index) => ({
    id: String(index),
    drugs: finding.drug_ids,
    severity: finding.severity,
    domain: finding.domain,
    source: finding.source,
    managed: finding.managed,
  }));
  return (
    <div className="report">
      <Panel
        title={`${patient.name ?? patient.id}, ${patient.age} years, ${patient.sex === "F" || patient.sex === "female" ? "woman" : "man"}`}
        aside={<span className="quiet">as of {review.as_of}</span>}
      >
        <dl className="tiles">
          <BeforeAfter
            label={<Term word="r90">90-day risk</Term>}
            before={`${number(100 * r90.before, 3)} %`}
            after={`${number(100 * r90.after, 3)} %`}
            isBetter={r90.after < r90.before}
          />
          <BeforeAfter
            label={<Term word="harm">Expected loss</Term>}
            before={number(harm.before, 3)}
            after={number(harm.after, 3)}
            isBetter={harm.after < harm.before}
            note="utility a year"
          />
          <BeforeAfter
            label="Open findings"
            before={String(findings.filter((each) => each.severity !== "moderate" && each.severity !== "minor").length)}
            after={String(review.open_findings.length)}
            isBetter={review.open_findings.length < findings.length}
            note="major or worse"
          />
          <div className="tile">
            <dt>
              <Term word="crcl">CrCl</Term>
            </dt>
            <dd>
              {patient.crcl_ml_min === null ? (
                <span className="none">not known</span>
              ) : (
                <>
                  <strong className="number">{number(patient.crcl_ml_min, 3)}</strong>{" "}
                  <span className="quiet">mL/min</span>
                </>
              )}
            </dd>
          </div>
        </dl>
      </Panel>
      <Panel title="Findings" aside={<span className="quiet">{count(findings.length, "finding")}</span>}>
        {sorted.length === 0 ? (
          <p className="all-clear">
            <span aria-hidden="true">✓ </span>Nothing dangerous is known about this list.
          </p>
        ) : (
          <ul className="findings">
            {sorted.map((finding, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule may hit more than once
              <li key={index} className={`finding ${finding.severity}`}>
                <Severity severity={finding.severity} />
                <div>
                  <p>
                    <strong>{finding.drugs}</strong>: {finding.effect}
                    {finding.managed ? " (managed)" : ""}
                  </p>
                  <p className="quiet">{finding.mechanism}</p>
                  {finding.management === "" ? null : (
                    <p>
                      <span className="quiet">What would manage it:</span> {finding.management}
                    </p>
                  )}
                  <p className="quiet source">{finding.source}</p>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <InteractionGraph drugs={[...new Set(findings.flatMap((finding) => finding.drug_ids))]} alerts={alerts} />
      <Panel
        title="Proposed actions"
        aside={
          <span className="quiet">
            {count(proposals.length, "step")} by {review.policy}
          </span>
        }
      >
        <ol className="proposals">
          {proposals.map((proposal, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step's place is its name
            <li key={index} className="proposal">
              <span className="proposal-day">Day {proposal.day}</span>
              <div>
                <p>
                  <strong>{proposal.text}</strong>
                  {proposal.legal ? "" : <span className="badge bad">{proposal.outcome}</span>}
                </p>
                <p className="quiet">{proposal.why}</p>
                <Change before={proposal.expected_harm_before} after={proposal.expected_harm_after} />
              </div>
            </li>
          ))}
        </ol>
      </Panel>
      <Panel
        title="What was read"
        aside={
          <span className="quiet">
            {count(medications.length, "medication")}
            {unread.length === 0 ? "" : `, ${unread.length} not recognised`}
          </span>
        }
      >
        <ul className="plain-list read">
          {medications.map(({ label, dose, indication, checked, notes }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a drug may be listed twice
            <li key={index} className={checked ? undefined : "unread"}>
              <strong>{label}</strong> {dose}
              {indication === null ? "" : <span className="quiet"> for {conditionName(indication)}</span>}
              {checked ? null : <span className="badge warn">not recognised, nothing was checked for it</span>}
              {notes.map((note) => (
                <p key={note} className="quiet">
                  {note}
                </p>
              ))}
            </li>
          ))}
        </ul>
        {assumptions.length === 0 ? null : (
          <>
            <h3>Assumed</h3>
            <ul className="plain-list">
              {assumptions.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </>
        )}
      </Panel>
      <Panel
        title="What was not used, and why"
        aside={<span className="quiet">{unused.length + warnings.length}</span>}
      >
        {unused.length + warnings.length === 0 ? (
          <p className="all-clear">
            <span aria-hidden="true">✓ </span>Every entry of the bundle was used.
          </p>
        ) : (
          <Scroll label="What was not used">
            <table>
              <thead>
                <tr>
                  <th scope="col">Entry</th>
                  <th scope="col">Value</th>
                  <th scope="col">Reason</th>
                </tr>
              </thead>
              <tbody>
                {[
                  ...unused,
                  ...warnings.map(({ entry, path, message }) => ({ entry, path, value: "", reason: message })),
                ].map(({ entry, path, value, reason }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: an entry may be named twice
                  <tr key={index}>
                    <td>
                      {entry} <span className="quiet">{path}</span>
                    </td>
                    <td>{value}</td>
                    <td>{reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        )}
      </Panel>
      <details className="panel fold">
        <summary>
          <h2>Score {number(review.score.total, 3)}</h2>
          <span className="quiet">
            mean of {count(review.score.steps, "step")}, by component; ended: {review.score.ended.replaceAll("_", " ")}
          </span>
        </summary>
        <table className="bars">
          <tbody>
            {Object.entries(review.score.components).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{words(name.replace(/_score$/, ""))}</th>
                <td className="number">{number(value, 3)}</td>
                <td className="bar-cell">
                  <span className="bar-fill" style={{ width: `${100 * Math.max(0, Math.min(1, value))}%` }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      <p className="quiet">{review.notice}</p>
    </div>
  );
}

function BeforeAfter({
  label,
  before,
  after,
  isBetter,
  note,
}: {
  readonly label: ReactNode;
  readonly before: string;
  readonly after: string;
  readonly isBetter: boolean;
  readonly note?: string;
}) {
  return (
    <div className={isBetter ? "tile good" : "tile"}>
      <dt>{label}</dt>
      <dd>
        <span className="number">{before}</span>
        <span aria-hidden="true"> → </span>
        <span className="visually-hidden"> before, after </span>
        <strong className="number">{after}</strong>
        {note === undefined ? null : <span className="quiet"> {note}</span>}
      </dd>
    </div>
  );
}

/** Below this a change is none. */
const NO_CHANGE = 5e-4;

function Change({ before, after }: { readonly before: number; readonly after: number }) {
  const difference = after - before;
  return (
    <p className={difference < -NO_CHANGE ? "change better" : difference > NO_CHANGE ? "change worse" : "change"}>
      Expected harm <span className="number">{number(before, 3)}</span> →{" "}
      <span className="number">{number(after, 3)}</span>
      {difference < -NO_CHANGE ? " ↓ less" : difference > NO_CHANGE ? " ↑ more" : ", as before"}
    </p>
  );
}
