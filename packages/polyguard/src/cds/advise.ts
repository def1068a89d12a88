import { findAllergy } from "../actions/allergies.ts";
import { collectOffers } from "../actions/candidates.ts";
import { type DoseFlag, doseFlags } from "../actions/dose-candidates.ts";
import { effectOf } from "../actions/effect.ts";
import { isLegalPayload } from "../actions/legality.ts";
import { buildLegalityContext, type LegalityContext } from "../actions/legality-context.ts";
import type { LegalityRule, RuleHit } from "../actions/rule.ts";
import { checkAllergy, checkDisease, checkKidney, checkMaximumDose, checkWashout } from "../actions/start-rules.ts";
import type { ActionPayload } from "../actions/types.ts";
import { toWireCandidate } from "../actions/wire-candidate.ts";
import type { CourseContext } from "../course/context.ts";
import type { CourseEvaluator } from "../course/evaluator.ts";
import { importBundle } from "../fhir/import.ts";
import type { ImportedMedication, ImportedRecord } from "../fhir/record.ts";
import { scenarioOfRecord } from "../fhir/scenario.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { KnownBuilder } from "../observation/known.ts";
import { initialMemory } from "../observation/learn.ts";
import type { KnownAlert } from "../observation/types.ts";
import type { CdsRequest } from "./request.ts";

/** What answers are worked out with; one request at a time. */
export interface AdviceTools {
  readonly kb: KnowledgeBase;
  readonly known: KnownBuilder;
  readonly evaluator: CourseEvaluator;
}

/** One way to answer an alert: the action with its sentence. */
export interface Remedy {
  readonly payload: ActionPayload;
  readonly text: string;
  /** U of the course with it, see `CourseValue`. */
  readonly utility: number;
}

/** An alert that nothing manages, with its legal remedies. */
export interface AdvisedAlert {
  readonly alert: KnownAlert;
  readonly remedies: readonly Remedy[];
}

/** A rule that a draft order breaks by itself: allergy, dose limit, kidneys, washout, disease. */
export interface BrokenRule {
  readonly drugIndex: number;
  readonly hit: RuleHit;
}

/** What there is to say about the orders in question. */
export interface Advice {
  readonly record: ImportedRecord;
  readonly context: LegalityContext;
  /** Drugs (row numbers) that the request asks about. */
  readonly asked: ReadonlySet<number>;
  readonly alerts: readonly AdvisedAlert[];
  readonly broken: readonly BrokenRule[];
  /** Odd doses of current medications (patient-view). */
  readonly doses: readonly DoseFlag[];
  /** Orders of one ingredient that is ordered already. */
  readonly doubled: readonly ImportedMedication[];
  /** Medications that were not recognised: nothing was checked for them. */
  readonly unchecked: readonly ImportedMedication[];
}

/** An allergy to a related class: allowed with care. */
const checkRelatedAllergy: LegalityRule = ({ kb, known }, { started }) => {
  const found = started === null ? null : findAllergy(kb, known.allergies, kb.drugs[started.drugIndex]!);
  if (found?.bearing !== "soft") return null;
  return { id: "ALLERGY_CAUTION", text: `allergy to ${found.allergy.substance}, a related class: caution`, facts: [] };
};

/** Rules on a start that hold for one drug alone; pairs and classes come as alerts. */
const DRAFT_RULES: readonly LegalityRule[] = [
  checkAllergy,
  checkRelatedAllergy,
  checkMaximumDose,
  checkKidney,
  checkWashout,
  checkDisease,
];

/** Judges the record of a request as of a day. Throws INVALID_FHIR for a record that can't be used. */
export function advise(tools: AdviceTools, request: CdsRequest, asOf: string): Advice {
  const record = importBundle(tools.kb, request.document, asOf);
  const { context, course } = judged(tools, record);
  const isAsked = (medication: ImportedMedication): boolean =>
    request.asked === null || medication.entries.some((entry) => request.asked!.has(referenceOf(entry)));
  const asked = record.medications.filter(isAsked);
  const drugs = new Set(asked.flatMap(({ drugIndex }) => drugIndex ?? []));
  const alerts = context.known.alerts.filter(
    (alert) => !alert.isManaged && alert.drugIndexes.some((drugIndex) => drugs.has(drugIndex)),
  );
  return {
    record,
    context,
    asked: drugs,
    alerts: withRemedies(tools.evaluator, course, context, alerts),
    broken: request.asked === null ? [] : brokenRules(tools, record, request.drafts, asked),
    doses:
      request.asked === null
        ? doseFlags(context).filter(({ flag }) => flag !== "below_usual_min" && flag !== "level_low")
        : [],
    doubled: asked.filter(({ entries, drugIndex }) => drugIndex !== null && entries.length > 1),
    unchecked: asked.filter(({ drugIndex }) => drugIndex === null),
  };
}

function withRemedies(
  evaluator: CourseEvaluator,
  course: CourseContext,
  context: LegalityContext,
  alerts: readonly KnownAlert[],
): readonly AdvisedAlert[] {
  if (alerts.length === 0) return [];
  const offers = collectOffers(context).ordered();
  evaluator.begin(course, course.scenario.initial);
  return alerts.map((alert): AdvisedAlert => {
    const remedies = offers
      .filter(
        ({ payload, addresses }) =>
          addresses.includes(alert.id) && payload.type !== "REQUEST_REVIEW" && isLegalPayload(context, payload),
      )
      .map(({ payload }): Remedy => {
        const { text } = toWireCandidate(context, "-", payload);
        // References are of this request alone and tell a prescriber nothing.
        return { payload, text: text.replaceAll(/ \(m\d+\)/g, ""), utility: evaluator.value(payload).utility };
      });
    return { alert, remedies };
  });
}

/** Each draft is judged against the list without the drafts. */
function brokenRules(
  tools: AdviceTools,
  record: ImportedRecord,
  drafts: CdsRequest["drafts"],
  asked: readonly ImportedMedication[],
): readonly BrokenRule[] {
  const { kb } = tools;
  const medications = record.medications.filter((each) => !isDraft(each, drafts));
  const { context } = judged(tools, { ...record, medications });
  const broken: BrokenRule[] = [];
  for (const { drugIndex, dosePerDay, dosesPerDay } of asked) {
    if (drugIndex === null) continue;
    const drug = kb.drugs[drugIndex]!;
    const effect = effectOf(context, {
      type: "ADD_DRUG",
      drugIndex,
      dosePerDay: dosePerDay ?? drug.doseMin,
      dosesPerDay: dosesPerDay ?? drug.dosesPerDay,
      crossOverFromMedRef: null,
      orders: [],
    });
    for (const rule of DRAFT_RULES) {
      const hit = rule(context, effect);
      if (hit !== null) broken.push({ drugIndex, hit });
    }
  }
  return broken;
}

/** `MedicationRequest/m1` of the name that the import gave an entry. */
export function referenceOf(entry: string): string {
  return entry.split(" ")[1] ?? entry;
}

/** True when nothing but drafts stands behind a medication. */
function isDraft(medication: ImportedMedication, drafts: CdsRequest["drafts"]): boolean {
  return medication.entries.every((entry) => drafts.has(referenceOf(entry)));
}

function judged(
  { kb, known }: AdviceTools,
  record: ImportedRecord,
): { readonly context: LegalityContext; readonly course: CourseContext } {
  const { scenario } = scenarioOfRecord(kb, record);
  const course: CourseContext = { kb, scenario };
  return {
    course,
    context: buildLegalityContext(kb, known.build(course, scenario.initial, initialMemory(course))),
  };
}
