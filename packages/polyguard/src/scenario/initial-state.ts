import type { Rng } from "@praxis/env";
import { exposureRatio, levelCodeOf, settledLevel, tshOf, withCreatinine, withDrugEffects } from "../course/labs.ts";
import { adaptationTauDays } from "../course/taper-classes.ts";
import { carryOverAfterUse, onsetAfterUse, timingOf } from "../course/time-constants.ts";
import { DRAWS_PER_VISIT } from "../course/visit.ts";
import { doseGrid } from "../kb/dose-grid.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { SYMPTOM_CONDITIONS } from "../observation/symptoms.ts";
import { copyClock, copyMedication, copyPhysiology, copyState } from "../world/copies.ts";
import type { Medication, Patient, Physiology, TruthGap, WorldState } from "../world/types.ts";
import type { DraftMedication, ScenarioDraft } from "./draft.ts";
import { truncatedNormal } from "./patient.ts";
import type { Scenario, TierSettings } from "./types.ts";

/** Adherence of patients (assumption: spread). */
const ADHERENCE = { mean: 0.9, deviation: 0.08, low: 0.5, high: 1 };
/** Share of drugs that help a patient fully, and what the others do. */
const FULL_RESPONSE_SHARE = 0.65;
const LOW_RESPONSE = 0.35;
const TAU_SPREAD = 0.3;
/** Conditions that are over began this long ago (assumption:). */
const HISTORY_DAY = -1500;

/** Adherence, hidden responses of drugs that are not on the list yet. Drugs on the list help: they were kept. */
function drawHidden(draft: ScenarioDraft, rng: Rng): WorldState["hidden"] {
  const responses: Record<string, number> = {};
  const listed = new Set(draft.medications.map((each) => each.drug.index));
  for (const code of SYMPTOM_CONDITIONS) {
    for (const drug of draft.kb.drugs) {
      if (!drug.indications.includes(code)) continue;
      const isFull = rng.bernoulli(FULL_RESPONSE_SHARE);
      if (!isFull && !listed.has(drug.index) && draft.conditions.has(code))
        responses[`${code}:${drug.drugId}`] = LOW_RESPONSE;
    }
  }
  for (const { drug, indication, isFailing } of draft.medications)
    if (isFailing === true) responses[`${indication}:${drug.drugId}`] = LOW_RESPONSE;
  const adherence = truncatedNormal(rng, ADHERENCE.mean, ADHERENCE.deviation, ADHERENCE.low, ADHERENCE.high);
  return { adherence, responses, pkEffects: {} };
}

function toMedication(entry: DraftMedication, number: number, adherence: number, tauDays: number): Medication {
  const { drug, dosePerDay, daysOfUse } = entry;
  const timing = timingOf(drug);
  const isLong = drug.taperIfDaysGt !== null && daysOfUse > drug.taperIfDaysGt;
  return {
    medRef: `m${number}`,
    drugIndex: drug.index,
    drugId: drug.drugId,
    dosePerDay,
    dosesPerDay: drug.dosesPerDay,
    route: drug.route,
    startDay: -daysOfUse,
    endDay: entry.endDay,
    indication: entry.indication,
    isPrn: false,
    source: entry.source ?? "list",
    isListed: entry.isUnlisted !== true,
    isTaken: true,
    isUnreconciled: false,
    heldUntilDay: null,
    adherence,
    referenceDosePerDay: dosePerDay,
    adaptation: tauDays <= 0 ? 0 : isLong ? 1 : 1 - Math.exp(-daysOfUse / tauDays),
    adaptationTauDays: tauDays,
    taperPlan: null,
    doseHistory: [{ day: -daysOfUse, dosePerDay }],
    lastDoseChangeDay: -daysOfUse,
    exposureReference: null,
    lastInRangeLevelDay: null,
    responseFactor: entry.responseFactor ?? 1,
    crossOverFromDrugIndex: null,
    carryOver: carryOverAfterUse(timing, 0, daysOfUse),
    onsetShare: onsetAfterUse(timing, 0, daysOfUse),
  };
}

/** Physiology without drugs: the drafted values less the effects of the drafted regimen. */
function drugFree(kb: KnowledgeBase, patient: Patient, physiology: Physiology, state: WorldState): Physiology {
  const shifted = withDrugEffects(kb, patient, physiology, state);
  const back = (now: number, then: number): number => 2 * now - then;
  return withCreatinine(
    patient,
    {
      ...physiology,
      potassiumMmolPerL: back(physiology.potassiumMmolPerL, shifted.potassiumMmolPerL),
      sodiumMmolPerL: back(physiology.sodiumMmolPerL, shifted.sodiumMmolPerL),
      qtcMs: back(physiology.qtcMs, shifted.qtcMs),
      heartRatePerMin: back(physiology.heartRatePerMin, shifted.heartRatePerMin),
      systolicBpMmHg: back(physiology.systolicBpMmHg, shifted.systolicBpMmHg),
      systolicDropMmHg: back(physiology.systolicDropMmHg, shifted.systolicDropMmHg),
    },
    physiology.serumCreatinineMgPerDl ** 2 / shifted.serumCreatinineMgPerDl,
  );
}

/** What the initial state is made from. */
export interface InitialRequest {
  readonly skeleton: Omit<Scenario, "initial" | "drugFreePhysiology" | "levelPerExposure" | "mask" | "eventUniforms">;
  readonly draft: ScenarioDraft;
  readonly tier: TierSettings;
  readonly rngs: { readonly regimen: Rng; readonly pk: Rng; readonly events: Rng; readonly mask: Rng };
}

/** The scenario without its mask. Levels and INR start at their drafted place, everything else settled. */
export function makeScenario(request: InitialRequest): Omit<Scenario, "mask"> {
  const { draft, skeleton, tier, rngs } = request;
  const { kb, patient } = draft;
  const hidden = drawHidden(draft, rngs.pk);
  const ordered = rngs.regimen.shuffled(draft.medications);
  const medications = ordered.map((entry, i) => {
    const tau = adaptationTauDays(entry.drug) * Math.exp(rngs.pk.normal(0, TAU_SPREAD * tier.randomEffectScale));
    return toMedication(entry, i + 1, hidden.adherence, tau);
  });
  const state: WorldState = {
    clock: {
      day: 0,
      step: 0,
      visit: 0,
      stepsLeft: tier.steps,
      visitsLeft: tier.visits,
      changesLeft: tier.changes,
      evidenceLeft: tier.evidence,
      reviewsLeft: tier.reviews,
    },
    medications,
    stopped: [],
    conditions: [
      ...draft.conditions.values(),
      ...[...draft.history].map((code) => ({ code, severity: 0, onsetDay: HISTORY_DAY, cascade: null })),
    ],
    physiology: draft.physiology,
    labs: draft.conditions.has("T2DM") ? { A1C: truncatedNormal(rngs.pk, 7.4, 0.6, 6, 10) } : {},
    orders: [...new Set(draft.orders)].map((code) => ({ code, drugIndex: null, startDay: -30, endDay: null })),
    declaredSwitch: null,
    reviews: [],
    truthGaps: [],
    changes: [],
    events: [],
    hazardMultipliers: {},
    hidden,
    nextMedRef: medications.length + 1,
  };
  const scenario = {
    ...skeleton,
    drugFreePhysiology: drugFree(kb, patient, draft.physiology, state),
    eventUniforms: Array.from({ length: (tier.visits + 1) * DRAWS_PER_VISIT }, () => rngs.events.uniform()),
  };
  return { ...scenario, ...withLevels(draft, scenario, state, ordered, rngs.mask, tier) };
}

/** References of level-guided drugs, their levels today, and unreconciled items. */
function withLevels(
  draft: ScenarioDraft,
  scenario: Omit<Scenario, "initial" | "levelPerExposure" | "mask">,
  state: WorldState,
  ordered: readonly DraftMedication[],
  rng: Rng,
  tier: TierSettings,
): Pick<Scenario, "initial" | "levelPerExposure"> {
  const levelPerExposure: Record<string, number> = {};
  const labs: Record<string, number> = { ...state.labs };
  const probe = { kb: draft.kb, scenario: { ...scenario, initial: state, levelPerExposure, mask: NO_MASK } };
  const medications = state.medications.map((medication, i): Medication => {
    const { drug, levelShift } = ordered[i]!;
    if (drug.drugId === "levothyroxine") {
      levelPerExposure[drug.drugId] = 1 / medication.dosePerDay;
      labs.TSH = tshOf(probe, state, medication.dosePerDay);
      return medication;
    }
    if (!drug.isNarrowTi) return medication;
    const exposure = medication.dosePerDay * exposureRatio(probe, state, drug.index);
    const code = levelCodeOf(drug);
    levelPerExposure[drug.drugId] = levelShift / exposure;
    if (code !== null) labs[code] = settledLevel(code, exposure, levelShift / exposure);
    return { ...medication, exposureReference: exposure / levelShift };
  });
  const { gaps, reconciled } = drawGaps(draft, medications, rng, tier);
  const initial = copyState(state);
  initial.medications = reconciled.map(copyMedication);
  initial.physiology = copyPhysiology(state.physiology);
  initial.clock = copyClock(state.clock);
  initial.labs = labs;
  initial.truthGaps = gaps;
  return { levelPerExposure, initial };
}

const NO_MASK: Scenario["mask"] = { values: {}, hidden: new Set(), alertCoverage: 1, conflicts: [] };

/** Marks list entries as unreconciled: another dose in a second source, or reported by the family only. */
function drawGaps(
  draft: ScenarioDraft,
  medications: readonly Medication[],
  rng: Rng,
  tier: TierSettings,
): { readonly gaps: readonly TruthGap[]; readonly reconciled: readonly Medication[] } {
  const count = rng.integer(tier.unreconciled[0], tier.unreconciled[1]);
  const listed = medications.filter((each) => each.isListed);
  const chosen = new Set(rng.shuffled(listed.map((each) => each.medRef)).slice(0, count));
  const gaps: TruthGap[] = [];
  const reconciled = medications.map((medication) => {
    if (!chosen.has(medication.medRef)) return medication;
    const grid = doseGrid(draft.kb.drugs[medication.drugIndex]!, draft.patient).filter(
      (dose) => dose !== medication.dosePerDay,
    );
    const isConflict = rng.bernoulli(0.5) && grid.length > 0;
    gaps.push({
      id: `dc${gaps.length + 1}`,
      kind: isConflict ? "dose_conflict" : "omission",
      medRef: medication.medRef,
      listedDosePerDay: isConflict ? nearestDose(grid, medication.dosePerDay) : null,
      isResolved: false,
    });
    return { ...medication, isUnreconciled: true };
  });
  for (const { medRef, isListed } of medications)
    if (!isListed)
      gaps.push({
        id: `dc${gaps.length + 1}`,
        kind: "otc_unlisted",
        medRef,
        listedDosePerDay: null,
        isResolved: false,
      });
  return { gaps, reconciled };
}

function nearestDose(grid: readonly number[], dose: number): number {
  return grid.reduce((best, each) => (Math.abs(each - dose) < Math.abs(best - dose) ? each : best));
}
