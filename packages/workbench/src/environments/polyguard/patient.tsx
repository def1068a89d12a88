import type { ReactNode } from "react";
import { Panel } from "../../ui/panel.tsx";
import { Term } from "../../ui/term.tsx";
import { count, number } from "../../ui/text.ts";
import { conditionName, labName, span, unitName } from "./names.ts";
import type { Measured, PolyGuardObservation } from "./observation.ts";

/** The patient at a glance: person, organs, conditions, and values with unit and age. */
export function Patient({ seen }: { readonly seen: PolyGuardObservation }) {
  const { patient, organ, course, task } = seen;
  const facts = [
    patient.weight_kg === null ? null : `${patient.weight_kg} kg`,
    patient.height_cm === null ? null : `${patient.height_cm} cm`,
    patient.smoker === null ? null : patient.smoker ? "smokes" : "does not smoke",
    ...patient.preferences.map((preference) => preference.replaceAll("_", " ")),
  ].filter((fact) => fact !== null);
  return (
    <Panel
      title={`${patient.age} years, ${patient.sex === "F" ? "woman" : "man"}`}
      aside={
        <span className="quiet">
          Day {course.day}, {count(course.visits_left, "visit")} and {count(course.changes_left, "change")} left
        </span>
      }
    >
      <p className="goal">{task.goal}</p>
      <p className="quiet">{facts.join(" · ")}</p>
      <dl className="tiles">
        <Tile
          label={<Term word="frailty">Frailty</Term>}
          value={patient.frailty_cfs}
          unit="of 9"
          isBad={(patient.frailty_cfs ?? 0) >= 5}
        />
        <Tile label={<Term word="crcl">CrCl</Term>} value={organ.crcl} unit="mL/min" isBad={(organ.crcl ?? 100) < 60} />
        <Tile
          label={<Term word="egfr">eGFR</Term>}
          value={organ.egfr}
          unit="mL/min/1.73 m²"
          isBad={(organ.egfr ?? 100) < 60}
        />
        {organ.child_pugh === null ? null : (
          <Tile
            label={<Term word="childPugh">Child–Pugh</Term>}
            value={organ.child_pugh}
            unit=""
            isBad={organ.child_pugh !== "A"}
          />
        )}
        <Tile
          label={<Term word="r90">90-day risk</Term>}
          value={number(100 * seen.safety.r90_estimate, 3)}
          unit="%"
          isBad={false}
        />
        <Tile
          label={<Term word="acb">ACB</Term>}
          value={seen.safety.burden.acb}
          unit="points"
          isBad={seen.safety.burden.acb >= 3}
        />
        <Tile
          label={<Term word="dbi">DBI</Term>}
          value={seen.safety.burden.dbi}
          unit=""
          isBad={seen.safety.burden.dbi >= 1}
        />
        <Tile label={<Term word="mrci">MRCI</Term>} value={seen.safety.burden.mrci} unit="points" isBad={false} />
      </dl>
      <h3>Conditions</h3>
      <ul className="chips">
        {seen.conditions.map(({ code, icd10, status }) => (
          <li key={code} className={`chip static ${status}`} title={icd10 === "" ? undefined : `ICD-10 ${icd10}`}>
            {conditionName(code)}
            {status === "active" ? "" : `, ${status}`}
          </li>
        ))}
        {seen.allergies.map(({ id, substance, reaction, verified }) => (
          <li key={id} className="chip static allergy">
            <span aria-hidden="true">⚠ </span>
            Allergy: {substance}
            {reaction === null ? "" : `, ${reaction}`}
            {verified ? "" : " (unverified)"}
          </li>
        ))}
      </ul>
      <div className="value-columns">
        <Values title="Laboratory" values={{ ...(organ.scr === null ? {} : { CREAT: organ.scr }), ...seen.labs }} />
        <Values title="Vital signs" values={seen.vitals} />
        <Symptoms seen={seen} />
      </div>
      {seen.uncertainty.missing_fields.length === 0 ? null : (
        <p className="quiet">
          Not known:{" "}
          {seen.uncertainty.missing_fields
            .map((field) => (field.includes(":") ? field.replace(":", " of ") : labName(field)))
            .join(", ")}
          .
        </p>
      )}
    </Panel>
  );
}

function Tile({
  label,
  value,
  unit,
  isBad,
}: {
  readonly label: ReactNode;
  readonly value: number | string | null;
  readonly unit: string;
  readonly isBad: boolean;
}) {
  return (
    <div className={isBad && value !== null ? "tile bad" : "tile"}>
      <dt>{label}</dt>
      <dd>
        {value === null ? (
          <span className="none">not known</span>
        ) : (
          <>
            <strong className="number">{value}</strong> <span className="quiet">{unit}</span>
          </>
        )}
      </dd>
    </div>
  );
}

/** A value older than this is old for a decision on a dose. */
const OLD_DAYS = 90;

function Values({ title, values }: { readonly title: string; readonly values: Readonly<Record<string, Measured>> }) {
  const entries = Object.entries(values);
  return (
    <div>
      <h3>{title}</h3>
      {entries.length === 0 ? (
        <p className="none">none on record</p>
      ) : (
        <table className="values">
          <caption className="visually-hidden">{title}, with unit and age</caption>
          <tbody>
            {entries.map(([code, { value, unit, age_days: age, flag }]) => (
              <tr key={code} className={flag === "N" ? undefined : "flagged"}>
                <th scope="row">{labName(code)}</th>
                <td className="number">
                  {flag === "N" ? null : (
                    <span className="flag">
                      <span aria-hidden="true">{flag === "H" ? "↑ " : "↓ "}</span>
                      <span className="visually-hidden">{flag === "H" ? "high " : "low "}</span>
                    </span>
                  )}
                  {number(value)} <span className="quiet">{unitName(unit)}</span>
                </td>
                <td className={age > OLD_DAYS ? "age old" : "age"}>{span(age)} ago</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Symptoms({ seen }: { readonly seen: PolyGuardObservation }) {
  const { symptoms, events } = seen.course;
  return (
    <div>
      <h3>Complaints</h3>
      {symptoms.length === 0 && events.length === 0 ? <p className="none">none told</p> : null}
      <table className="values">
        <caption className="visually-hidden">Complaints by condition, 0 (none) to 10</caption>
        <tbody>
          {symptoms.map(({ condition, score }) => (
            <tr key={condition}>
              <th scope="row">{conditionName(condition)}</th>
              <td className="number">
                {number(score)} <span className="quiet">of 10</span>
              </td>
              <td className="meter-cell">
                <span className="meter">
                  <span style={{ width: `${Math.min(100, score * 10)}%` }} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {events.length === 0 ? null : (
        <ul className="plain-list">
          {events.map(({ kind, day, stopped }) => (
            <li key={`${kind}${day}`}>
              Day {day}: {kind.replaceAll("_", " ")}
              {stopped === null ? "" : `, ${drugWord(stopped)} stopped`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const drugWord = (id: string): string => id.replaceAll("_", " ");
