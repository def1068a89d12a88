import type { ActionPayload } from "../actions/types.ts";
import { firstDose } from "../course/carried-out.ts";
import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator } from "../course/evaluator.ts";
import { stopMedication } from "../course/regimen.ts";
import { recommendedTaper } from "../course/taper-classes.ts";
import { trueFacts } from "../interactions/facts.ts";
import { findOmissions } from "../interactions/omissions.ts";
import { targetDose, usualDoseMax } from "../kb/dose-grid.ts";
import { drugAt } from "../kb/lookup.ts";
import type { Drug } from "../kb/types.ts";
import type { Medication, WorldState } from "../world/types.ts";
import type { MissingTherapy } from "./hazard-family.ts";

/** Cheap bounds of what can be gained in a scenario, in course utility over KEEP. */
export interface GainBounds {
  /** Gain of the best single action that the bound looks at. */
  readonly best: number;
  /** Gain of the best single action on a drug that belongs to no hazard. */
  readonly elsewhere: number;
  /** Gain of stopping everything. */
  readonly stopAll: number;
  /** Gain of the best single action on a drug, by row number. */
  readonly byDrug: ReadonlyMap<number, number>;
}

/** Replacements tried for one drug. */
const REPLACEMENTS = 5;

/**
 * Judges stops, tapers, halvings and replacements of every drug, and stopping everything.
 * @param focus drugs of the hazards
 * @param enoughElsewhere once a drug outside them gains more than this, nothing further is judged
 */
export function gainBounds(
  context: CourseContext,
  evaluator: CourseEvaluator,
  focus: ReadonlySet<number>,
  isAllowed: (drug: Drug) => boolean,
  enoughElsewhere = Number.POSITIVE_INFINITY,
): GainBounds {
  const state = context.scenario.initial;
  evaluator.begin(context, state);
  const keep = evaluator.value(null).utility;
  let best = Number.NEGATIVE_INFINITY;
  let elsewhere = Number.NEGATIVE_INFINITY;
  const byDrug = new Map<number, number>();
  for (const medication of state.medications) {
    let gain = Number.NEGATIVE_INFINITY;
    for (const payload of alternatives(context, state, medication, isAllowed))
      gain = Math.max(gain, evaluator.value(payload).utility - keep);
    best = Math.max(best, gain);
    byDrug.set(medication.drugIndex, gain);
    if (!focus.has(medication.drugIndex)) elsewhere = Math.max(elsewhere, gain);
    if (elsewhere > enoughElsewhere) return { best, elsewhere, stopAll: Number.NEGATIVE_INFINITY, byDrug };
  }
  const stopped = state.medications.reduce(
    (rest, medication) => stopMedication(rest, medication, { day: 0, reason: "agent", wasAbrupt: true }),
    state,
  );
  return { best, elsewhere, stopAll: evaluator.valueOfState(context, stopped).utility - keep, byDrug };
}

/** Gain of ordering everything that the drugs of the list ask to be watched, over KEEP. */
export function watchGain(context: CourseContext, evaluator: CourseEvaluator): number {
  const { kb, scenario } = context;
  const orders = scenario.initial.medications.flatMap((each) => drugAt(kb, each.drugIndex).monitoring);
  evaluator.begin(context, scenario.initial);
  const watched = evaluator.value({ type: "ORDER_MONITORING", medRef: null, orders: [...new Set(orders)] });
  return watched.utility - evaluator.value(null).utility;
}

/** Therapies that are indicated and missing from the list as it is taken. */
export function missingTherapies({ kb, scenario }: CourseContext): readonly MissingTherapy[] {
  const { initial, patient } = scenario;
  const regimen = initial.medications.map(({ drugIndex, dosePerDay, startDay, isPrn }) => ({
    drugIndex,
    dosePerDay,
    daysOfUse: -startDay,
    isPrn,
  }));
  const orders = new Set(initial.orders.map(({ code }) => code));
  return findOmissions(kb, regimen, trueFacts(patient, initial), { lifeExpectancy: patient.lifeExpectancy, orders });
}

/** Gain of the best start of a missing therapy, over KEEP; the same few drugs as replacements are tried. */
export function startGain(
  context: CourseContext,
  evaluator: CourseEvaluator,
  { condition, options }: MissingTherapy,
  isAllowed: (drug: Drug) => boolean,
): number {
  const { kb, scenario } = context;
  evaluator.begin(context, scenario.initial);
  const keep = evaluator.value(null).utility;
  let best = Number.NEGATIVE_INFINITY;
  let tried = 0;
  for (const drug of kb.drugs) {
    const isOption =
      options === null || options.some((option) => option === drug.drugId || drug.groups.includes(option));
    if (!isOption || !drug.indications.includes(condition) || tried === REPLACEMENTS || !isAllowed(drug)) continue;
    tried++;
    const payload: ActionPayload = {
      type: "ADD_DRUG",
      drugIndex: drug.index,
      // The bound asks what the therapy is worth once it is raised, not what its first weeks cost.
      dosePerDay: targetDose(drug),
      dosesPerDay: drug.dosesPerDay,
      crossOverFromMedRef: null,
      orders: [],
    };
    best = Math.max(best, evaluator.value(payload).utility - keep);
  }
  return best;
}

function alternatives(
  context: CourseContext,
  state: WorldState,
  medication: Medication,
  isAllowed: (drug: Drug) => boolean,
): readonly ActionPayload[] {
  const { kb } = context;
  const drug = drugAt(kb, medication.drugIndex);
  const { medRef, dosesPerDay } = medication;
  const payloads: ActionPayload[] = [
    { type: "STOP_DRUG", medRef, switchToDrugIndex: null, orders: [] },
    { type: "ADJUST_DOSE", medRef, dosePerDay: medication.dosePerDay / 2, dosesPerDay, orders: [] },
    { type: "SEPARATE_TIMING", medRef },
  ];
  const usual = targetDose(drug);
  if (medication.dosePerDay > usualDoseMax(drug))
    payloads.push({ type: "ADJUST_DOSE", medRef, dosePerDay: usual, dosesPerDay, orders: [] });
  const taper = recommendedTaper(drug, {
    startDosePerDay: medication.dosePerDay,
    dosePerDay: medication.dosePerDay,
    daysOfUse: -medication.startDay,
  });
  if (taper !== null) payloads.push({ type: "START_TAPER", medRef, taper, orders: [] });
  let tried = 0;
  for (const other of kb.drugs) {
    const treats = medication.indication !== null && other.indications.includes(medication.indication);
    if (!treats || other.index === drug.index || tried === REPLACEMENTS || !isAllowed(other)) continue;
    if (state.medications.some((each) => each.drugIndex === other.index)) continue;
    tried++;
    payloads.push({
      type: "SUBSTITUTE_DRUG",
      medRef,
      drugIndex: other.index,
      dosePerDay: firstDose(other),
      dosesPerDay: other.dosesPerDay,
      orders: [],
    });
  }
  return payloads;
}
