import { effectOf } from "../actions/effect.ts";
import type { MappedMedication } from "../actions/legality-context.ts";
import { ACTION_TYPES, type ActionPayload, isInformationAction, usesChange } from "../actions/types.ts";
import { washoutDays } from "../course/washout.ts";
import { findPairHits } from "../interactions/pair-hits.ts";
import { targetDose } from "../kb/dose-grid.ts";
import { drugAt, findDrug } from "../kb/lookup.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import type { Drug } from "../kb/types.ts";
import { knownFacts } from "../observation/facts.ts";
import type { Observation } from "../observation/schema.ts";
import { readCandidate } from "../policies/read-candidate.ts";
import type { Reading } from "./reading.ts";

type Wire = Observation["candidates"][number];

/** One row of the candidate block. */
export interface CandidateRow {
  readonly values: readonly number[];
  /** med_ref of the target; null = none on the list. */
  readonly targetRef: string | null;
  /** Row number of the drug that would come in the knowledge base, -1 none. */
  readonly replacement: number;
}

/** assumption: days of a visit interval, which the observation does not tell. */
const VISIT_DAYS = 14;
/** log2 of a dose that falls to nothing. */
const TO_NOTHING = -3;

const bit = (holds: boolean): number => (holds ? 1 : 0);

/** Rows of the candidate block in offered order. Fields: CANDIDATE_FIELDS. */
export function candidateRows(reading: Reading): readonly CandidateRow[] {
  return reading.observation.candidates.map((wire) => candidateRow(reading, wire));
}

/** The row of one candidate. Fields: CANDIDATE_FIELDS. */
export function candidateRow(reading: Reading, wire: Wire): CandidateRow {
  const { kb, legality, known } = reading;
  const oneHot = ACTION_TYPES.map((type) => bit(wire.action_type === type));
  const payload = readCandidate(kb, wire);
  if (payload === null) return { values: [...oneHot, ...NO_DETAILS], targetRef: null, replacement: -1 };
  const { target, started, adjustedTo, leaves } = effectOf(legality, payload);
  const incoming = started === null ? null : drugAt(kb, started.drugIndex);
  const isGone = leaves !== null;
  const hits = hitChange(reading, isGone ? target : null, incoming, started?.dosePerDay ?? 0);
  const outgoing = isGone && target !== null ? drugAt(kb, target.drugIndex) : null;
  const isRemoved = leaves === "stop" || leaves === "substitute";
  const newDose = started?.dosePerDay ?? adjustedTo ?? (isGone ? 0 : (target?.dosePerDay ?? null));
  const dosed = incoming ?? (target === null ? null : drugAt(kb, target.drugIndex));
  const pace = "taper" in payload ? payload.taper : null;
  return {
    values: [
      ...oneHot,
      doseRatio(payload, target, adjustedTo),
      bit(usesChange(payload.type)),
      daysOf(payload) / VISIT_DAYS,
      ...hits,
      bit(incoming !== null) - bit(isRemoved),
      ((incoming?.acb ?? 0) - (outgoing?.acb ?? 0)) / 9,
      ((started?.dosesPerDay ?? 0) - (isGone ? (target?.dosesPerDay ?? 0) : 0)) / 4,
      leavesOrTapers(payload) && target !== null ? untreatedShare(reading, target, incoming) : 0,
      bit(incoming !== null && treatsUntreated(reading, incoming)),
      dosed === null || newDose === null ? 0 : newDose / targetDose(dosed),
      bit(dosed !== null && newDose !== null && newDose > 0 && violatesRenalRule(reading, dosed, newDose)),
      incoming === null ? 0 : washoutLeft(reading, incoming) / 35,
      pace === null ? 0 : pace.stepPct / 100,
      pace === null ? 0 : pace.intervalDays / 28,
    ],
    targetRef: target?.medRef ?? refOf(known.medications, wire.target),
    replacement: incoming?.index ?? -1,
  };
}

/** Zeros in place of what a candidate with an unknown drug would say. */
const NO_DETAILS: readonly number[] = new Array<number>(19).fill(0);

function refOf(medications: readonly { readonly medRef: string }[], target: string | undefined): string | null {
  return medications.some(({ medRef }) => medRef === target) ? (target ?? null) : null;
}

function leavesOrTapers({ type }: ActionPayload): boolean {
  return type === "STOP_DRUG" || type === "SUBSTITUTE_DRUG" || type === "HOLD_DOSE" || type === "START_TAPER";
}

function doseRatio(payload: ActionPayload, target: MappedMedication | null, adjustedTo: number | null): number {
  switch (payload.type) {
    case "STOP_DRUG":
    case "HOLD_DOSE":
      return TO_NOTHING;
    case "START_TAPER":
      return Math.max(TO_NOTHING, Math.log2(Math.max(1e-9, 1 - payload.taper.stepPct / 100)));
    case "ADJUST_DOSE":
      return target === null || target.dosePerDay <= 0 ? 0 : Math.log2((adjustedTo ?? 0) / target.dosePerDay);
    default:
      return 0;
  }
}

function daysOf({ type }: ActionPayload): number {
  return type === "FINISH" ? 0 : isInformationAction(type) ? 1 : VISIT_DAYS;
}

/** Pair hits by the knowledge base on known facts that go with the drug that leaves, and that come with the one that starts. */
function hitChange(
  { kb, known, legality }: Reading,
  leaving: MappedMedication | null,
  incoming: Drug | null,
  dosePerDay: number,
): number[] {
  const removed = [0, 0, 0];
  const added = [0, 0, 0];
  if (leaving !== null)
    for (const { aIndex, bIndex, entry } of known.pairHits)
      if (aIndex === leaving.drugIndex || bIndex === leaving.drugIndex) removed[entry.severityRank]!++;
  if (incoming !== null) {
    const others = legality.listed.filter(({ medRef, status }) => medRef !== leaving?.medRef && status !== "held");
    const facts = knownFacts(known);
    for (const other of others) {
      const pair = [{ drugIndex: incoming.index, dosePerDay }, other];
      if (other.drugIndex === incoming.index) continue;
      for (const { entry } of findPairHits(kb, pair, facts, { unknownCountsAs: true })) added[entry.severityRank]!++;
    }
  }
  const scaled = ([moderate, major, contraindicated]: number[]): number[] => [
    contraindicated! / 2,
    major! / 3,
    moderate! / 5,
  ];
  return [...scaled(removed), ...scaled(added)];
}

/** Share of the active conditions that the leaving drug treats for which no other drug is left. */
function untreatedShare({ legality, kb }: Reading, leaving: MappedMedication, incoming: Drug | null): number {
  const treated = drugAt(kb, leaving.drugIndex).indications.filter((code) => legality.indications.has(code));
  if (treated.length === 0) return 0;
  const others = legality.listed.filter(({ medRef }) => medRef !== leaving.medRef);
  const left = treated.filter(
    (code) =>
      !(incoming?.indications.includes(code) ?? false) &&
      !others.some(({ drugIndex }) => drugAt(kb, drugIndex).indications.includes(code)),
  );
  return left.length / treated.length;
}

/** True when the drug treats an active condition that no listed drug treats. */
function treatsUntreated({ legality, kb }: Reading, drug: Drug): boolean {
  return drug.indications.some(
    (code) =>
      legality.indications.has(code) &&
      !legality.listed.some(({ drugIndex }) => drugAt(kb, drugIndex).indications.includes(code)),
  );
}

function violatesRenalRule({ legality }: Reading, drug: Drug, dosePerDay: number): boolean {
  const { doseCap, isStartForbidden } = judgeRenalRule(drug, legality.renal);
  return isStartForbidden || (doseCap !== null && dosePerDay > doseCap * (1 + 1e-9));
}

/** Days until the drug may start after what was stopped or declared. */
function washoutLeft({ kb, observation: { course } }: Reading, drug: Drug): number {
  let left = course.switch?.to === drug.drugId ? course.switch.earliest_day - course.day : 0;
  for (const { drug_id: drugId, days_ago: daysAgo } of course.stopped) {
    const from = findDrug(kb, drugId);
    if (from !== undefined) left = Math.max(left, washoutDays(from, drug) - daysAgo);
  }
  return Math.max(0, left);
}
