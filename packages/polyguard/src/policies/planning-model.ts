import { collectOffers } from "../actions/candidates.ts";
import { canonicalPayload } from "../actions/canonical.ts";
import { isLegalPayload } from "../actions/legality.ts";
import { buildLegalityContext, type LegalityContext } from "../actions/legality-context.ts";
import type { OfferList } from "../actions/offer-list.ts";
import { addition, findStarts, substitution } from "../actions/replacements.ts";
import { activeIndicationsOf, needsTaper } from "../actions/target-rules.ts";
import type { ActionPayload } from "../actions/types.ts";
import { advance } from "../course/advance.ts";
import { type ActionOutcome, applyAction } from "../course/apply.ts";
import type { CourseContext } from "../course/context.ts";
import { CourseEvaluator } from "../course/evaluator.ts";
import { remainingLoss, segmentLoss } from "../course/j.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { KnownBuilder } from "../observation/known.ts";
import { trueValue, withReference } from "../observation/measure.ts";
import { flagOf, MEASUREMENTS, measurementsOfOrder } from "../observation/measurements.ts";
import type { KnownValue, Memory } from "../observation/types.ts";
import type { Scenario } from "../scenario/types.ts";
import type { WorldState } from "../world/types.ts";

/** A payload that may be carried out now, with its text for comparing. */
export interface LegalOffer {
  readonly payload: ActionPayload;
  readonly canonical: string;
}

/** The state after a step of the expected course, and what the days cost. */
export interface ExpectedStep {
  readonly state: WorldState;
  /** Share of -J that the days of the step take. */
  readonly loss: number;
}

/**
 * A scenario as the oracles see it: the latent state, everything on the record revealed and measured without noise, and a
 * course without events. What may be done follows from the same offers and the same verifier as in the environment,
 * without traps, without the limit of a step's list, and with more replacements to choose from. One model serves one caller at a time.
 */
export class PlanningModel {
  readonly context: CourseContext;
  readonly evaluator: CourseEvaluator;
  readonly #revealed: CourseContext;
  /** Made when first needed: it costs more than judging a list of actions, which has no use for it. */
  #builder: KnownBuilder | null = null;
  readonly #offers = new WeakMap<WorldState, readonly LegalOffer[]>();

  constructor(kb: KnowledgeBase, scenario: Scenario, evaluator = new CourseEvaluator(kb)) {
    this.context = { kb, scenario };
    this.evaluator = evaluator;
    this.#revealed = { kb, scenario: { ...scenario, mask: NOTHING_HIDDEN, decoys: [] } };
  }

  /** Legality context of a state, everything revealed. */
  legality(state: WorldState): LegalityContext {
    const { kb } = this.context;
    this.#builder ??= new KnownBuilder(kb);
    return buildLegalityContext(kb, this.#builder.build(this.#revealed, state, revealedMemory(state)));
  }

  /** Legal therapy actions and orders of monitoring in a state; KEEP, FINISH, reviews and look-ups left out. */
  offers(state: WorldState): readonly LegalOffer[] {
    let offers = this.#offers.get(state);
    if (offers === undefined) {
      const legality = this.legality(state);
      const list = collectOffers(legality);
      offerMoreReplacements(legality, list);
      offers = list
        .ordered()
        .filter(({ payload }) => isPlannable(payload) && isLegalPayload(legality, payload))
        .map(({ payload }) => ({ payload, canonical: canonicalPayload(payload) }));
      this.#offers.set(state, offers);
    }
    return offers;
  }

  /** The state after an action, no time passed. A level that an order finds in its target becomes its drug's reference. */
  apply(state: WorldState, payload: ActionPayload): { readonly state: WorldState; readonly outcome: ActionOutcome } {
    const applied = applyAction(this.context, state, payload);
    if (payload.type !== "ORDER_MONITORING") return applied;
    return { ...applied, state: this.#withReferences(applied.state, payload.orders) };
  }

  /** Share of -J of the rest of the course when nothing more is done. */
  remainingLoss(state: WorldState): number {
    return remainingLoss(this.context, this.evaluator, state);
  }

  /** Lets the days of a step pass after its action: one for information, a visit otherwise. No events. */
  pass(state: WorldState, outcome: ActionOutcome): ExpectedStep {
    const { clock } = state;
    const toDay = clock.day + outcome.days;
    const loss = segmentLoss(this.context, this.evaluator, { state, fromDay: clock.day, toDay });
    const later = advance(this.context, state, outcome.days);
    return { state: outcome.closesVisit ? closeStep(this.drawOrders(later), true) : closeStep(later, false), loss };
  }

  /** The state after the standing orders were drawn as a visit opens. */
  drawOrders(state: WorldState): WorldState {
    return this.#withReferences(
      state,
      state.orders.filter(({ endDay }) => endDay === null).map(({ code }) => code),
    );
  }

  #withReferences(state: WorldState, orders: readonly string[]): WorldState {
    let next = state;
    for (const order of orders)
      for (const measurement of measurementsOfOrder(order)) {
        const value = trueValue(state, measurement.code);
        if (value !== null && flagOf(measurement, value) === "N")
          next = withReference(this.context, next, measurement.code);
      }
    return next;
  }
}

/** The state with the clock of the next step; `isVisit` when a visit was closed by it. */
export function closeStep(state: WorldState, isVisit: boolean): WorldState {
  const { clock } = state;
  return {
    ...state,
    clock: {
      ...clock,
      step: clock.step + 1,
      stepsLeft: Math.max(0, clock.stepsLeft - 1),
      visit: clock.visit + Number(isVisit),
      visitsLeft: Math.max(0, clock.visitsLeft - Number(isVisit)),
    },
  };
}

/** The state with every item of the list reconciled: unlisted drugs listed, drugs that are not taken gone. */
export function reconcileAll(state: WorldState): WorldState {
  return {
    ...state,
    medications: state.medications
      .filter(({ isTaken }) => isTaken)
      .map((each) =>
        each.isListed && !each.isUnreconciled ? each : { ...each, isListed: true, isUnreconciled: false },
      ),
    truthGaps: state.truthGaps.map((gap) => (gap.isResolved ? gap : { ...gap, isResolved: true })),
  };
}

/** Replacements looked at for one drug; a step's list holds the first only, and which is first hangs on what is hidden. */
const REPLACEMENTS = 3;

/** Offers further replacements of the drugs in a major or contraindicated hit. */
function offerMoreReplacements(legality: LegalityContext, offers: OfferList): void {
  const { pairHits, regimenHits } = legality.known;
  const drugs = new Set<number>();
  for (const { aIndex, bIndex, severity } of pairHits) if (severity !== "moderate") drugs.add(aIndex).add(bIndex);
  for (const { drugIndexes, severity } of regimenHits)
    if (severity !== "moderate") for (const drugIndex of drugIndexes) drugs.add(drugIndex);
  for (const medication of legality.listed) {
    if (!drugs.has(medication.drugIndex)) continue;
    const conditions = activeIndicationsOf(legality, legality.kb.drugs[medication.drugIndex]!);
    const swaps = findStarts(legality, conditions, {
      makePayload: (other) => substitution(legality, medication, other),
      limit: REPLACEMENTS,
      leaving: medication,
    });
    const crossOvers = !needsTaper(legality, medication)
      ? []
      : findStarts(legality, conditions, {
          makePayload: (other) => addition(legality, other, medication),
          limit: REPLACEMENTS,
          leaving: null,
        });
    offers.openGroup();
    for (const { payload } of [...swaps, ...crossOvers]) offers.add(payload, "hit");
  }
}

const NOTHING_HIDDEN: Scenario["mask"] = { values: {}, hidden: new Set(), alertCoverage: 1, conflicts: [] };

/** Every value that can be measured, true and of today. */
function revealedMemory(state: WorldState): Memory {
  const values: Record<string, KnownValue> = {};
  for (const { code } of MEASUREMENTS) {
    const value = trueValue(state, code);
    if (value !== null) values[code] = { value, measuredDay: state.clock.day };
  }
  return {
    values,
    revealed: NOTHING,
    evidence: [],
    reviewNotes: [],
    closedConflicts: NOTHING,
    samples: [],
    symptoms: [],
    withdrawalScores: {},
    pillCount: null,
    history: [],
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Actions that change therapy, and orders, which manage a hit; what only informs an agent is of no use to an oracle. */
function isPlannable({ type }: ActionPayload): boolean {
  switch (type) {
    case "KEEP_REGIMEN":
    case "FINISH":
    case "REQUEST_REVIEW":
    case "FETCH_EXTERNAL_EVIDENCE":
    case "RECONCILE_ITEM":
    case "RECOMMEND_ALTERNATIVE":
    case "DECOMPOSE_NEW_DRUG":
    case "PROBE_COMBINATION":
    case "DECLARE_FINDINGS":
      return false;
    default:
      return true;
  }
}
