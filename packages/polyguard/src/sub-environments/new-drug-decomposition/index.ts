import { Rng } from "@praxis/env";
import { OfferList } from "../../actions/offer-list.ts";
import type { ActionPayload } from "../../actions/types.ts";
import { applyAction } from "../../course/apply.ts";
import { startMedication } from "../../course/regimen.ts";
import { drugAt } from "../../kb/lookup.ts";
import { USUAL_DOSE } from "../../new-drug/drug-row.ts";
import {
  type EvidenceUnit,
  evidenceQuery,
  type NewDrugFact,
  readEvidenceQuery,
  STUDY_NOISE,
  studyDrug,
} from "../../new-drug/evidence-units.ts";
import { doseQuality, PLAN_PERCENTS, planPercent, planQuality, type StartPlan } from "../../new-drug/plan.ts";
import { exposureErrors, flagF1, newDrugScore } from "../../new-drug/score.ts";
import { TIERS } from "../../scenario/tiers.ts";
import { copyClock, copyState } from "../../world/copies.ts";
import type { Medication, WorldState } from "../../world/types.ts";
import { applyOnCourse, COURSE_HOOKS, passOnCourse } from "../course-hooks.ts";
import type { Decision, Effect, Facing, Standing, SubEnvironment } from "../sub-environment.ts";
import type { NewDrugBlock } from "./block-schema.ts";
import { drawNewDrug, type NewDrugContent } from "./draw.ts";
import { factToWire } from "./facts-wire.ts";
import { checkDecomposition, type NewDrugOwn } from "./rules.ts";

/** What was bought, submitted and seen so far. */
export interface NewDrugProgress {
  readonly facts: readonly NewDrugFact[];
  readonly decomposition: Readonly<Record<string, number>> | null;
  readonly plan: StartPlan | null;
  /** Exposure ratios seen at the visits after the start. */
  readonly levels: readonly number[];
  /** Dose after the correction in percent of the usual one; null = not corrected. */
  readonly correctedPercent: number | null;
}

type At = Standing<NewDrugContent, NewDrugProgress>;

/** Visits after the start, and changes that may correct the plan. */
const VISITS_AFTER_START = 2;
const CORRECTIONS = 1;
/** Success: the exposure may be off by this factor. */
const EXPOSURE_FACTOR = 2;
/** c4 and c7 until the drug is judged: of a study that tells something new, and of anything else. assumption: sizes. */
const STUDY_SAFETY = 0.6;
const WAITING_SAFETY = 0.3;

/** NEW_DRUG_DECOMPOSITION: a drug that is in no table, judged from studies, started by plan and corrected by its level. */
export const newDrugDecomposition: SubEnvironment<NewDrugContent, NewDrugProgress> = {
  ...COURSE_HOOKS,
  id: "NEW_DRUG_DECOMPOSITION",
  // Each scenario has two knowledge bases of its own.
  cacheSize: 32,
  rules: [checkDecomposition],
  draw: drawNewDrug,
  begin: () => ({ facts: [], decomposition: null, plan: null, levels: [], correctedPercent: null }),
  know: (at): NewDrugOwn => ({ isDecomposed: at.special.decomposition !== null }),
  offers: (at) => {
    const { traps, maxCandidates } = TIERS[at.context.scenario.difficulty];
    return { offers: offersOf(at), traps, most: maxCandidates };
  },
  apply: (at, payload) => {
    switch (payload.type) {
      case "FETCH_EXTERNAL_EVIDENCE":
        return study(at, payload);
      case "DECOMPOSE_NEW_DRUG":
        return decompose(at, payload);
      default:
        return correct(at, payload);
    }
  },
  pass: (at, payload, effect, streams) => {
    const passed = passOnCourse(at, payload, effect, streams);
    const isVisitOver = passed.world.clock.visit > at.world.clock.visit;
    if (!isVisitOver || newMedicationOf(at, passed.world) === undefined) return passed;
    const number = passed.special.levels.length + 1;
    const noise = Rng.fromSeed(at.content.noiseSeed, `level/${number}`).normal(0, STUDY_NOISE);
    const level = Math.round(at.content.exposure * Math.exp(noise) * 1000) / 1000;
    return { ...passed, special: { ...passed.special, levels: [...passed.special.levels, level] } };
  },
  components: (at, { payload, effect }) => {
    if (payload === null || effect === null) return {};
    const after = { ...at, special: effect.special as NewDrugProgress };
    const { plan, facts } = after.special;
    if (plan === null) {
      const isNews = facts.length > at.special.facts.length;
      return {
        safety_delta_score: isNews ? STUDY_SAFETY : WAITING_SAFETY,
        dosing_quality_score: isNews ? STUDY_SAFETY : WAITING_SAFETY,
      };
    }
    const quality = planQualityOf(after);
    return payload.type === "DECOMPOSE_NEW_DRUG"
      ? { safety_delta_score: scoreOf(after), dosing_quality_score: quality }
      : { dosing_quality_score: quality };
  },
  isOver: (at) => at.special.plan === "none",
  hasOpenQuestion: ({ special: { plan } }) => plan === null,
  criteria: (at) => {
    const { decomposition, plan, correctedPercent } = at.special;
    if (decomposition === null || plan === null) return [false, false, !at.hadIllegalAction];
    const [error] = exposureErrors(at.content.components, decomposition, [at.content.setting]);
    const best = at.content.bestPlan;
    const quality = correctedPercent === null ? planQuality(plan, best) : doseQuality(correctedPercent, best);
    return [error! <= Math.log(EXPOSURE_FACTOR), quality >= 0.5, !at.hadIllegalAction];
  },
  bestJUse: "none",
  taskScore: scoreOf,
  observe: (at) => ({ new_drug: blockOf(at) }),
};

/** Task score so far: 0 until a decomposition is submitted. */
function scoreOf(at: At): number {
  const { decomposition } = at.special;
  if (decomposition === null) return 0;
  const { components, setting, probes } = at.content;
  const errors = exposureErrors(components, decomposition, [setting, ...probes]);
  return newDrugScore(errors, flagF1(components, decomposition), planQualityOf(at));
}

/** Quality of the plan; where it was corrected, the mean of first and last. */
function planQualityOf({ content, special }: At): number {
  const { plan, correctedPercent } = special;
  if (plan === null) return 0;
  const first = planQuality(plan, content.bestPlan);
  return correctedPercent === null ? first : (first + doseQuality(correctedPercent, content.bestPlan)) / 2;
}

function newMedicationOf({ content }: Pick<At, "content">, world: WorldState): Medication | undefined {
  return world.medications.find(({ drugIndex }) => drugIndex === content.drugIndex);
}

/** KEEP, FINISH and a review; studies until the drug is judged; its doses and its stop once it runs. */
function offersOf(at: Facing<NewDrugContent, NewDrugProgress>): OfferList {
  const offers = new OfferList();
  offers.openGroup();
  offers.add({ type: "KEEP_REGIMEN" }, "keep");
  offers.add({ type: "FINISH" }, "keep");
  offers.add({ type: "REQUEST_REVIEW", reviewTo: "pharmacist", target: null }, "review");
  const { known, special } = at;
  for (const code of ["CREAT", "WEIGHT"]) {
    if (code === "CREAT" ? known.values.CREAT !== undefined : known.weightKg !== null) continue;
    offers.openGroup();
    offers.add({ type: "ORDER_MONITORING", medRef: null, orders: [code] }, "missing", [code]);
  }
  if (special.decomposition === null && known.clock.evidenceLeft > 0)
    for (const unit of unitsFor(at)) {
      offers.openGroup();
      offers.add({ type: "FETCH_EXTERNAL_EVIDENCE", query: evidenceQuery(unit) }, "target");
    }
  const medication = newMedicationOf(at, at.world);
  if (medication === undefined || known.clock.changesLeft <= 0) return offers;
  const { medRef } = medication;
  offers.openGroup();
  offers.add({ type: "STOP_DRUG", medRef, switchToDrugIndex: null, orders: [] }, "target");
  for (const percent of PLAN_PERCENTS.slice(1)) {
    const dosePerDay = (percent * USUAL_DOSE) / 100;
    if (dosePerDay === medication.dosePerDay) continue;
    offers.openGroup();
    offers.add({ type: "ADJUST_DOSE", medRef, dosePerDay, dosesPerDay: 1, orders: [] }, "target");
  }
  return offers;
}

/** Perpetrators of offered interaction studies beside those of the list: usual index inhibitors. Source: FDA 2020 index drugs. */
const INDEX_INHIBITORS = ["itraconazole", "paroxetine", "fluconazole", "fluvoxamine"];

/** Studies not done yet: an interaction study with each acting drug of the list and each index inhibitor. */
function unitsFor(at: Facing<NewDrugContent, NewDrugProgress>): readonly EvidenceUnit[] {
  const { kb } = at.context;
  const listed = at.legality.listed.map(({ drugIndex }) => drugAt(kb, drugIndex));
  const acting = listed.filter(({ inhibits, induces }) => inhibits.length + induces.length > 0);
  const index = INDEX_INHIBITORS.flatMap((id) => kb.drugs.find(({ drugId }) => drugId === id) ?? []);
  const units: EvidenceUnit[] = [
    { kind: "phenotyping" },
    { kind: "renal" },
    { kind: "class" },
    { kind: "transporter" },
    { kind: "qt" },
    ...[...new Set([...acting, ...index])].map((perpetrator) => ({ kind: "ddi" as const, perpetrator })),
  ];
  const queries = new Set(at.special.facts.map(factQuery));
  return units.filter((unit) => !queries.has(evidenceQuery(unit)));
}

function factQuery(fact: NewDrugFact): string {
  return fact.kind === "ddi" ? `ddi:${fact.perpetrator}` : fact.kind;
}

/** Buys a study. A query that names none, or one that was done, tells nothing and costs nothing. */
function study(
  at: Decision<NewDrugContent, NewDrugProgress>,
  payload: Extract<ActionPayload, { type: "FETCH_EXTERNAL_EVIDENCE" }>,
): Effect<NewDrugProgress> {
  const { content, special, world, context } = at;
  const unit = readEvidenceQuery(context.kb, payload.query);
  const isDone = unit !== null && special.facts.some((fact) => factQuery(fact) === evidenceQuery(unit));
  const applied = applyAction(context, world, payload);
  if (unit === null || isDone || world.clock.evidenceLeft <= 0)
    return {
      applied: { state: world, outcome: { ...applied.outcome, isNoEffect: true } },
      memory: at.memory,
      special,
    };
  const fact = studyDrug(content, unit);
  return { applied, memory: at.memory, special: { ...special, facts: [...special.facts, fact] } };
}

/** Takes the decomposition down and starts the drug by its plan; two visits follow. */
function decompose(
  at: Decision<NewDrugContent, NewDrugProgress>,
  payload: Extract<ActionPayload, { type: "DECOMPOSE_NEW_DRUG" }>,
): Effect<NewDrugProgress> {
  const { context, content, special, world, memory } = at;
  const applied = applyAction(context, world, payload);
  const judged = { ...special, decomposition: payload.decomposition, plan: payload.plan };
  const outcome = { ...applied.outcome, isNoEffect: false };
  const percent = planPercent(payload.plan);
  if (percent === 0) return { applied: { state: world, outcome }, memory, special: judged };
  const started = startMedication(world, drugAt(context.kb, content.drugIndex), {
    dosePerDay: (percent * USUAL_DOSE) / 100,
    dosesPerDay: 1,
    indication: content.identity.indication,
    crossOverFromDrugIndex: null,
    adaptation: null,
    endDay: null,
  });
  const next = copyState(started);
  const clock = copyClock(started.clock);
  clock.visitsLeft = VISITS_AFTER_START;
  clock.changesLeft = CORRECTIONS;
  next.clock = clock;
  return { applied: { state: next, outcome }, memory, special: judged };
}

/** A change of the new drug's dose, or its stop, corrects the plan. */
function correct(at: Decision<NewDrugContent, NewDrugProgress>, payload: ActionPayload): Effect<NewDrugProgress> {
  const effect = applyOnCourse(at, payload);
  const before = newMedicationOf(at, at.world);
  if (before === undefined) return effect;
  const dose = newMedicationOf(at, effect.applied.state)?.dosePerDay ?? 0;
  if (dose === before.dosePerDay) return effect;
  return { ...effect, special: { ...at.special, correctedPercent: (100 * dose) / USUAL_DOSE } };
}

function blockOf({ content, special }: At): NewDrugBlock {
  const { name, drugId, classText, indication } = content.identity;
  return {
    name,
    drug_id: drugId,
    class_text: classText,
    indication,
    usual_dose_mg: USUAL_DOSE,
    facts: [
      ...special.facts.map(factToWire),
      ...special.levels.map((ratio, i) => ({ kind: "level" as const, value: { visit: i + 1, exposure_ratio: ratio } })),
    ],
    plan: special.plan,
  };
}
