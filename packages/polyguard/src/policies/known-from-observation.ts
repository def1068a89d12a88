import type { MappedMedication } from "../actions/legality-context.ts";
import { levelCodeOf } from "../course/labs.ts";
import { findPairHits } from "../interactions/pair-hits.ts";
import { findRegimenHits } from "../interactions/regimen-rules.ts";
import { HARM_DOMAINS } from "../kb/domains.ts";
import { readDrugLabel } from "../kb/drug-text.ts";
import { findDrug } from "../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { factsOf } from "../observation/facts.ts";
import type { Observation } from "../observation/schema.ts";
import type { Known, KnownMedication, KnownStopped, KnownTaper, KnownValue } from "../observation/types.ts";
import type { ActiveOrder, Allergy, CourseEvent, LifeExpectancy, Preference } from "../world/types.ts";
import { alertsOf } from "./chart-alerts.ts";
import type { ChartMemory } from "./chart-memory.ts";

/**
 * What an observation says, in the terms of {@link Known}, so that the rules of legality and interaction can be asked.
 * What the wire leaves out is taken from the memory of the policy, or left unknown.
 */
export function knownFromObservation(kb: KnowledgeBase, observation: Observation, memory: ChartMemory): Known {
  const { patient, course, organ, budget } = observation;
  const { day } = course;
  const values = valuesOf(observation);
  const medications = observation.medications.map((row) => medicationOf(kb, observation, memory, values, row));
  const mapped = medications.filter((each): each is MappedMedication => each.drugIndex !== null);
  const conditions = new Set(
    observation.conditions.filter(({ status }) => status !== "history").map(({ code }) => code),
  );
  const base = {
    ageYears: patient.age,
    sex: patient.sex,
    crClMlPerMin: organ.crcl,
    egfrMlPerMin: organ.egfr,
    values,
    conditions,
  };
  const facts = factsOf(base);
  const active = mapped.filter(({ status }) => status !== "held");
  const pairHits = findPairHits(kb, active, facts, { unknownCountsAs: true });
  const orders = course.orders.map(
    ({ code, drug_id: drugId, days_ago: daysAgo }): ActiveOrder => ({
      code,
      drugIndex: drugId === null ? null : (findDrug(kb, drugId)?.index ?? null),
      startDay: daysAgo === null ? BEFORE_EPISODE : day - daysAgo,
      endDay: null,
    }),
  );
  const codes = new Set(orders.map(({ code }) => code));
  const indexOf = (medRef: string | null): number | null =>
    mapped.find((each) => each.medRef === medRef)?.drugIndex ?? null;
  return {
    ...base,
    subEnvironment: observation.sub_environment,
    difficulty: observation.difficulty,
    clock: {
      day,
      step: observation.step,
      visit: 0,
      stepsLeft: budget.steps_left,
      visitsLeft: course.visits_left,
      changesLeft: course.changes_left,
      evidenceLeft: budget.evidence_left,
      reviewsLeft: budget.review_left,
    },
    maxSteps: observation.step + budget.steps_left,
    weightKg: patient.weight_kg,
    heightCm: patient.height_cm,
    isSmoker: patient.smoker,
    frailtyCfs: patient.frailty_cfs,
    lifeExpectancy: patient.life_expectancy as LifeExpectancy | null,
    preferences: patient.preferences as Preference[],
    childPugh: organ.child_pugh,
    allergies: observation.allergies.map(
      ({ id, substance, reaction, verified }): Allergy => ({
        id,
        substance,
        reaction: reaction as Allergy["reaction"],
        severity: "moderate",
        isVerified: verified,
      }),
    ),
    conditionEntries: observation.conditions.map(({ code, status }) => ({ code, status })),
    kidneyAgeDays: organ.scr?.age_days ?? null,
    medications,
    stopped: stoppedOf(kb, observation),
    discrepancies: observation.discrepancies.map((each) => ({
      ...each,
      medRef: refOfDiscrepancy(kb, medications, each),
    })),
    alerts: alertsOf(kb, observation, active, pairHits),
    alertCoverage: observation.safety.alert_coverage,
    pairHits,
    regimenHits: findRegimenHits(
      kb,
      active.map(({ drugIndex, startDay, crossOverFromDrugIndex }) => ({
        drugIndex,
        daysOfUse: startDay === null ? 0 : day - startDay,
        crossOverFromDrugIndex,
      })),
      facts,
      { orders: codes, unknownCountsAs: true },
    ),
    conflicts: observation.conflicts.map(({ id, from, says }) => ({
      id,
      from,
      says,
      medRef:
        medications.find(({ label, drugIndex }) =>
          [label, drugIndex === null ? label : kb.drugs[drugIndex]!.genericName].some((name) => says.includes(name)),
        )?.medRef ?? null,
      isOpen: true,
    })),
    evidence: observation.evidence.map(({ id, title, source_type: sourceType, year, snippet }) => ({
      id,
      title,
      sourceType,
      year,
      snippet,
      drugIndexes: [],
    })),
    reviewNotes: [],
    orders,
    reviews: memory.reviews.map(({ medRef, ...review }) => ({ ...review, drugIndex: indexOf(medRef) })),
    declaredSwitch:
      course.switch === null
        ? null
        : {
            fromDrugIndex: -1,
            toDrugIndex: findDrug(kb, course.switch.to)?.index ?? -1,
            declaredDay: day,
            earliestDay: course.switch.earliest_day,
          },
    changes: [],
    events: course.events.map(
      ({ kind, day: eventDay, stopped }): CourseEvent => ({
        kind: kind.split(":")[0] as CourseEvent["kind"],
        domain: HARM_DOMAINS.find((domain) => domain === kind.split(":")[1]) ?? null,
        day: eventDay,
        stoppedDrugIndex: stopped === null ? null : (findDrug(kb, stopped)?.index ?? null),
      }),
    ),
    symptoms: course.symptoms.map(({ condition, score, suspects }) => ({ condition, score, day, suspects })),
    pillCount: course.pill_count,
    samples: Object.entries(values)
      .filter(([, { measuredDay }]) => measuredDay >= 0)
      .map(([code, { measuredDay }]) => ({ code, day: measuredDay })),
    history: observation.history.map(({ step, action_type: actionType, target, outcome }) => ({
      step,
      day,
      actionType: actionType as Known["history"][number]["actionType"],
      target,
      outcome,
      canonical: null,
      source: null,
      isLegal: !outcome.startsWith("refused"),
    })),
    missingFields: observation.uncertainty.missing_fields,
    entropyHint: observation.uncertainty.entropy_hint,
    burden: {
      drugs: observation.safety.burden.n,
      acb: observation.safety.burden.acb,
      dbi: observation.safety.burden.dbi,
      mrci: observation.safety.burden.mrci,
    },
    r90Estimate: observation.safety.r90_estimate,
    targets: (observation.task.targets ?? []).map(({ med_ref: medRef }) => medRef),
    mustStay: observation.task.must_stay ?? [],
    own: null,
  };
}

/** Start of orders that were placed before the episode. */
const BEFORE_EPISODE = -30;

function valuesOf({ organ, labs, vitals, course }: Observation): Record<string, KnownValue> {
  const values: Record<string, KnownValue> = {};
  const add = (code: string, { value, age_days: ageDays }: Observation["labs"][string]): void => {
    values[code] = { value, measuredDay: course.day - ageDays };
  };
  if (organ.scr !== null) add("CREAT", organ.scr);
  for (const [code, lab] of Object.entries(labs)) add(code, lab);
  for (const [code, lab] of Object.entries(vitals)) add(code, lab);
  return values;
}

function medicationOf(
  kb: KnowledgeBase,
  observation: Observation,
  memory: ChartMemory,
  values: Readonly<Record<string, KnownValue>>,
  row: Observation["medications"][number],
): KnownMedication {
  const { day } = observation.course;
  const drug = drugOfRow(kb, row);
  const code = drug === undefined ? null : levelCodeOfDrug(drug);
  const level = code === null ? undefined : values[code];
  const oldRef = drug === undefined ? undefined : memory.crossOvers.get(drug.index);
  const oldRow = observation.medications.find(({ med_ref: medRef }) => medRef === oldRef);
  const doses = memory.doses.get(row.med_ref) ?? [];
  return {
    medRef: row.med_ref,
    drugIndex: drug?.index ?? null,
    drugId: drug?.drugId ?? row.drug_id,
    label: row.label,
    dosePerDay: row.dose_per_day,
    dosesPerDay: row.freq,
    route: row.route,
    startDay: row.started_days_ago === null ? null : day - row.started_days_ago,
    endDay: null,
    indication: row.indication,
    isPrn: row.prn,
    status: row.status,
    heldUntilDay: row.status === "held" ? day + 1 : null,
    taper: drug === undefined ? null : taperOf(observation, memory, row, drug),
    doseHistory: doses,
    lastDoseChangeDay: doses.length > 1 ? doses[doses.length - 1]!.day : null,
    lastLevel:
      code === null || level === undefined ? null : { code, value: level.value, ageDays: day - level.measuredDay },
    crossOverFromDrugIndex: oldRow === undefined ? null : (drugOfRow(kb, oldRow)?.index ?? null),
  };
}

/** The drug of a row by its code, and of one without a code by its label. */
function drugOfRow(kb: KnowledgeBase, row: Observation["medications"][number]): Drug | undefined {
  if (row.drug_id !== null) return findDrug(kb, row.drug_id);
  const match = readDrugLabel(kb, row.label);
  return match.kind === "drug" ? match.drug : undefined;
}

function levelCodeOfDrug(drug: Drug): string | null {
  return drug.drugId === "levothyroxine" ? "TSH" : levelCodeOf(drug);
}

/** A plan that runs or rests. */
function taperOf(
  observation: Observation,
  memory: ChartMemory,
  row: Observation["medications"][number],
  drug: Drug,
): KnownTaper | null {
  const seen = observation.taper.find(({ plan }) => plan?.med_ref === row.med_ref);
  if (seen === undefined || seen.plan === null) return null;
  const { day } = observation.course;
  const { plan } = seen;
  const doses = memory.doses.get(row.med_ref) ?? [];
  const lastReductionDay = day - seen.days_since_change;
  return {
    medRef: row.med_ref,
    drugIndex: drug.index,
    stepPct: plan.step_pct,
    intervalDays: plan.interval_days,
    reductions: plan.reductions,
    isPaused: plan.paused,
    startDay: lastReductionDay,
    lastReductionDay,
    nextReductionDay: day + plan.next_in_days,
    previousDosePerDay: doses[doses.length - 2]?.dosePerDay ?? row.dose_per_day,
    pctOfStart: seen.pct_of_start,
    daysSinceChange: seen.days_since_change,
    withdrawalScore: seen.withdrawal_score,
  };
}

function stoppedOf(kb: KnowledgeBase, { course, taper }: Observation): KnownStopped[] {
  const stopped: KnownStopped[] = [];
  for (const { drug_id: drugId, days_ago: daysAgo } of course.stopped) {
    const drug = findDrug(kb, drugId);
    if (drug === undefined) continue;
    const seen = taper.find((each) => each.drug_id === drugId);
    stopped.push({
      medRef: drugId,
      drugIndex: drug.index,
      drugId,
      dosePerDay: drug.doseMin,
      dosesPerDay: drug.dosesPerDay,
      indication: null,
      daysOfUse: null,
      daysAgo,
      withdrawalScore: seen?.withdrawal_score ?? null,
    });
  }
  return stopped;
}

/** med_ref that a discrepancy is about: its text begins with the drug, where it tells it. */
function refOfDiscrepancy(
  kb: KnowledgeBase,
  medications: readonly KnownMedication[],
  { text }: Observation["discrepancies"][number],
): string {
  const drug = findDrug(kb, text.split(":")[0] ?? "");
  return medications.find(({ drugIndex }) => drugIndex !== null && drugIndex === drug?.index)?.medRef ?? "";
}
