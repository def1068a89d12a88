import { levelCodeOf } from "../course/labs.ts";
import { carryOverAfterStop, carryOverAfterUse, timingOf } from "../course/time-constants.ts";
import { RISK_COLUMNS } from "../kb/domains.ts";
import { targetDose } from "../kb/dose-grid.ts";
import { findDrug } from "../kb/lookup.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import type { Drug, EnzymeEffect } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import type { Reading } from "./reading.ts";

type ListRow = Observation["medications"][number];

/** Days for which a stopped drug keeps its row. */
const STOPPED_SHOWN_DAYS = 60;
const STATUSES = ["active", "tapering", "held", "unreconciled", "stopped"] as const;
const SEVERITIES_DOWN = ["contraindicated", "major", "moderate"] as const;
const QT_WEIGHT = { KR: 1, PR: 0.6, CR: 0.4, none: 0 } as const;
const STRENGTH = { weak: 1, moderate: 2, strong: 3 } as const;
/** Number of fields from the knowledge base: 8 facts, the risk columns, QT, inhibition and induction. */
export const TABLE_FIELDS = 8 + RISK_COLUMNS.length + 3;

const bit = (holds: boolean): number => (holds ? 1 : 0);

/** One row of the medication block. */
export interface MedicationRow {
  /** null for a drug that was stopped. */
  readonly medRef: string | null;
  readonly values: readonly number[];
}

/** Rows of the medication block: the list in its order, then drugs stopped in the last 60 days. Fields: MEDICATION_FIELDS. */
export function medicationRows(reading: Reading): readonly MedicationRow[] {
  const { observation } = reading;
  return [
    ...observation.medications.map((row) => ({ medRef: row.med_ref, values: listedValues(reading, row) })),
    ...observation.course.stopped
      .filter(({ days_ago: daysAgo }) => daysAgo <= STOPPED_SHOWN_DAYS)
      .map((stopped) => ({ medRef: null, values: stoppedValues(reading, stopped) })),
  ];
}

function listedValues(reading: Reading, row: ListRow): number[] {
  const { kb, observation, legality } = reading;
  const drug = row.drug_id === null ? undefined : findDrug(kb, row.drug_id);
  const days = row.started_days_ago;
  const cap = drug === undefined ? null : judgeRenalRule(drug, legality.renal).doseCap;
  const taper = observation.taper.find(({ plan }) => plan?.med_ref === row.med_ref);
  const isActive = row.status === "active" || row.status === "tapering";
  return [
    drug === undefined ? 0 : row.dose_per_day / targetDose(drug),
    // A cap of 0 says that any dose is too much.
    cap === null ? 0 : cap === 0 ? (row.dose_per_day > 0 ? Number.POSITIVE_INFINITY : 0) : row.dose_per_day / cap,
    row.freq / 4,
    days === null ? 0 : Math.log(1 + Math.max(0, days)) / 8,
    bit(row.prn),
    ...STATUSES.map((status) => bit(row.status === status)),
    bit(row.indication !== null),
    worstSymptom(observation, drug),
    ...tableValues(drug),
    ...hitValues(observation, row.drug_id),
    taper === undefined ? 1 : taper.pct_of_start / 100,
    taper?.withdrawal_score ?? 0,
    taper === undefined ? 0 : taper.days_since_change / 28,
    drug === undefined || !isActive ? 0 : days === null ? 1 : carryOverAfterUse(timingOf(drug), 0, Math.max(0, days)),
    ...levelValues(observation, drug),
  ];
}

function stoppedValues(reading: Reading, stopped: Observation["course"]["stopped"][number]): number[] {
  const { kb, observation } = reading;
  const drug = findDrug(kb, stopped.drug_id);
  const taper = observation.taper.find(({ plan, drug_id: drugId }) => plan === null && drugId === stopped.drug_id);
  return [
    ...[0, 0, 0, 0, 0],
    ...STATUSES.map((status) => bit(status === "stopped")),
    0,
    worstSymptom(observation, drug),
    ...tableValues(drug),
    ...hitValues(observation, null),
    0,
    taper?.withdrawal_score ?? 0,
    stopped.days_ago / 28,
    drug === undefined ? 0 : carryOverAfterStop(timingOf(drug), 1, stopped.days_ago),
    ...levelValues(observation, drug),
  ];
}

/** Highest symptom score of a condition that the drug treats, or where it is named as a suspect; / 10. */
function worstSymptom({ course }: Observation, drug: Drug | undefined): number {
  if (drug === undefined) return 0;
  let worst = 0;
  for (const { condition, score, suspects } of course.symptoms)
    if (drug.indications.includes(condition) || suspects.includes(drug.drugId)) worst = Math.max(worst, score);
  return worst / 10;
}

const cache = new WeakMap<Drug, readonly number[]>();
const NO_TABLE: readonly number[] = new Array<number>(TABLE_FIELDS).fill(0);

/** What the knowledge base says of a drug; zeros for an unknown one. */
export function tableValues(drug: Drug | undefined): readonly number[] {
  if (drug === undefined) return NO_TABLE;
  let values = cache.get(drug);
  if (values === undefined) {
    values = [
      bit(drug.isNarrowTi),
      drug.feRenal ?? 0,
      drug.halfLifeH === null ? 0 : Math.log(drug.halfLifeH) / 5,
      Math.log(timingOf(drug).onset) / 5,
      drug.stopHarm / 3,
      bit(drug.taperClass !== "NONE"),
      bit(drug.beers.some(({ kind }) => kind === "AVOID")),
      drug.acb / 3,
      ...RISK_COLUMNS.map((column) => drug.risk[column] / 2),
      drug.qtRisk === null ? 0 : QT_WEIGHT[drug.qtRisk],
      strongest(drug.inhibits) / 3,
      strongest(drug.induces) / 3,
    ];
    cache.set(drug, values);
  }
  return values;
}

function strongest(effects: readonly EnzymeEffect[]): number {
  return Math.max(0, ...effects.map(({ strength }) => STRENGTH[strength]));
}

/** Shown alerts that name the drug, by severity. */
function hitValues({ safety }: Observation, drugId: string | null): number[] {
  return SEVERITIES_DOWN.map((severity) =>
    drugId === null
      ? 0
      : safety.alerts.filter((alert) => alert.severity === severity && alert.drugs.includes(drugId)).length / 3,
  );
}

/** Where the last level lies against its range: -1 below, 0 inside, 1 above; and whether there is one. */
function levelValues({ labs }: Observation, drug: Drug | undefined): number[] {
  const code = drug === undefined ? null : levelCodeOf(drug);
  const level = code === null ? undefined : labs[code];
  if (level === undefined) return [0, 0];
  return [level.flag === "H" ? 1 : level.flag === "L" ? -1 : 0, 1];
}
