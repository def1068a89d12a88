import { Panel } from "../../ui/panel.tsx";
import { count, number } from "../../ui/text.ts";
import { conditionName, domainName, drugName, frequencyName, severityRank, span } from "./names.ts";
import type { Alert, Medication, PolyGuardObservation } from "./observation.ts";
import { Severity } from "./severity.tsx";

/** Alerts of these severities interrupt; the others are folded, as too many alerts are read by nobody. */
const INTERRUPTING = 1;

/** What a change of the list is: that another day has passed is none. */
const CLINICAL = ["dose_per_day", "freq", "status", "drug_id", "route", "indication"];
const isNew = (changed: ReadonlySet<string>, index: number): boolean =>
  changed.has(`/medications/${index}`) && !changed.has(`/medications/${index}/started_days_ago`);

/** The list with its alerts: those that matter open, the rest folded. */
export function Medications({
  seen,
  changed,
}: {
  readonly seen: PolyGuardObservation;
  readonly changed: ReadonlySet<string>;
}) {
  const { medications } = seen;
  const alerts = [...seen.safety.alerts].sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
  const loud = alerts.filter((alert) => severityRank(alert.severity) <= INTERRUPTING && !alert.managed);
  const quiet = alerts.filter((alert) => !loud.includes(alert));
  return (
    <Panel title="Medications" aside={<span className="quiet">{count(medications.length, "drug")}</span>}>
      {loud.length === 0 ? (
        <p className="all-clear">
          <span aria-hidden="true">✓ </span>No open alert that has to interrupt.
        </p>
      ) : (
        <ul className="alerts">
          {loud.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      {quiet.length === 0 ? null : (
        <details className="quiet-alerts">
          <summary>
            {count(quiet.length, "further alert")} <span className="quiet">moderate, minor or managed</span>
          </summary>
          <ul className="alerts">
            {quiet.map((alert) => (
              <AlertRow key={alert.id} alert={alert} />
            ))}
          </ul>
        </details>
      )}
      <ul className="medications">
        {medications.map((medication, index) => (
          <MedicationRow
            key={medication.med_ref}
            medication={medication}
            alerts={alerts}
            flags={seen.dosing_flags.filter(({ drug_id: id }) => id === medication.drug_id).map(({ flag }) => flag)}
            isChanged={CLINICAL.some((field) => changed.has(`/medications/${index}/${field}`)) || isNew(changed, index)}
          />
        ))}
      </ul>
      {[
        ...seen.discrepancies.map(({ id, text }) => ({ id, text })),
        ...seen.conflicts.map(({ id, says }) => ({ id, text: says })),
      ].length === 0 ? null : (
        <>
          <h3>To be cleared up</h3>
          <ul className="plain-list">
            {seen.discrepancies.map(({ id, text }) => (
              <li key={id}>{text}</li>
            ))}
            {seen.conflicts.map(({ id, says }) => (
              <li key={id}>{says}</li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function AlertRow({ alert }: { readonly alert: Alert }) {
  return (
    <li className={`alert ${alert.severity}`}>
      <Severity severity={alert.severity} />
      <span>
        <strong>{alert.drugs.map(drugName).join(" + ")}</strong>: {domainName(alert.domain)}
        {alert.managed ? ", managed" : ""}
        <span className="quiet source"> {alert.source}</span>
      </span>
    </li>
  );
}

function MedicationRow({
  medication,
  alerts,
  flags,
  isChanged,
}: {
  readonly medication: Medication;
  readonly alerts: readonly Alert[];
  readonly flags: readonly string[];
  readonly isChanged: boolean;
}) {
  const {
    label,
    dose_per_day: dose,
    unit,
    freq,
    route,
    indication,
    status,
    started_days_ago: age,
    prn,
    med_ref: ref,
  } = medication;
  const worst = alerts.find(
    (alert) => !alert.managed && medication.drug_id !== null && alert.drugs.includes(medication.drug_id),
  );
  return (
    <li className={isChanged ? "medication changed" : "medication"}>
      <div className="medication-name">
        <strong>{label}</strong> <span className="quiet">{ref}</span>
        {isChanged ? <span className="badge plain">changed</span> : null}
        {status === "active" ? null : <span className="badge plain">{status}</span>}
        {flags.map((flag) => (
          <span key={flag} className="badge warn">
            {flag.replaceAll("_", " ")}
          </span>
        ))}
      </div>
      <div className="medication-dose">
        <span className="number">
          {number(dose)} {unit.replace("/d", "/day").replace("/wk", "/week")}
        </span>
        <span className="quiet">
          {frequencyName(freq)}
          {prn ? " as needed" : ""}, {route}
        </span>
      </div>
      <div className="medication-why quiet">
        {indication === null ? "indication not known" : conditionName(indication)}
        {age === null ? "" : `, for ${span(age)}`}
      </div>
      <div className="medication-alert">{worst === undefined ? null : <Severity severity={worst.severity} />}</div>
    </li>
  );
}
