import { hashText, type RngStreams } from "@praxis/env";
import { generateCandidates, type OfferPlan, onlyTraps } from "./actions/candidates.ts";
import { buildLegalityContext, type LegalityContext } from "./actions/legality-context.ts";
import type { CourseContext } from "./course/context.ts";
import { CourseEvaluator } from "./course/evaluator.ts";
import type { KnowledgeBase } from "./kb/types.ts";
import { KnownBuilder } from "./observation/known.ts";
import { assessState } from "./reward/assessment.ts";
import type { Decision, Drawn, Standing, SubEnvironment } from "./sub-environments/sub-environment.ts";

/** What a scenario is played with: engines on the true knowledge base, and the one that may be known. */
export interface Engines {
  readonly kb: KnowledgeBase;
  readonly evaluator: CourseEvaluator;
  readonly knownKb: KnowledgeBase;
  readonly knownBuilder: KnownBuilder;
}

/** Engines by scenario: those of the shared knowledge base, or of a scenario with a drug of its own. */
export class EngineRoom {
  readonly #shared: Engines;
  readonly #own = new WeakMap<KnowledgeBase, Engines>();

  constructor(kb: KnowledgeBase, evaluator: CourseEvaluator) {
    this.#shared = { kb, evaluator, knownKb: kb, knownBuilder: new KnownBuilder(kb) };
  }

  of({ kb }: Drawn): Engines {
    if (kb === undefined) return this.#shared;
    let engines = this.#own.get(kb.truth);
    if (engines === undefined) {
      engines = {
        kb: kb.truth,
        evaluator: new CourseEvaluator(kb.truth),
        knownKb: kb.known,
        knownBuilder: new KnownBuilder(kb.known),
      };
      this.#own.set(kb.truth, engines);
    }
    return engines;
  }
}

/** What the agent faces at a step. */
export type Faced = Pick<Decision, "known" | "legality" | "offered" | "assessment"> & { readonly nonce: string };

/** What the agent faces where an episode stands: known facts, legality, candidates and their worth. */
export function face(
  sub: SubEnvironment,
  { knownKb, knownBuilder }: Engines,
  standing: Standing,
  streams: RngStreams,
  /** After the end nothing is offered. */
  isOver = false,
): Faced {
  const { context, evaluator, world, memory } = standing;
  const known = knownBuilder.build(context, world, memory, sub.know(standing));
  const legality = buildLegalityContext(knownKb, known, sub.rules);
  const nonce = hashText(`${context.scenario.id}/${world.clock.step}`);
  evaluator.begin(context, world);
  const offered = isOver
    ? []
    : generateCandidates({
        kb: knownKb,
        known,
        context: legality,
        nonce,
        rng: streams.stream("candidates"),
        plan:
          context.scenario.offersOnlyTraps === true
            ? onlyTraps(legality)
            : withOrdered(sub.offers(facing(standing, known, legality)), context, legality),
        utilityOf: (payload) => evaluator.value(payload).utility,
      });
  const assessment = assessState(context, evaluator, world, legality, offered);
  return { known, legality, nonce, offered, assessment };
}

/** What a document on the record orders is there to be chosen: obeying it must be possible. */
function withOrdered(plan: OfferPlan, { scenario }: CourseContext, { byRef }: LegalityContext): OfferPlan {
  for (const { payload } of scenario.injectedDocuments ?? []) {
    if (!byRef.has(payload.medRef)) continue;
    plan.offers.openGroup();
    plan.offers.add(payload, "trap");
  }
  return plan;
}

/**
 * Canonical actions that documents have ordered so far. An offer that answers something visible has a reason of its own,
 * whoever else asks for it.
 */
export function orderedByDocuments({ sub, ...at }: Decision & { readonly sub: SubEnvironment }): readonly string[] {
  const ordered = [
    ...sub.injected(at),
    ...(at.context.scenario.injectedDocuments ?? []).map(({ canonical }) => canonical),
  ];
  return ordered.filter(
    (canonical) => !at.offered.some((offer) => offer.canonical === canonical && offer.addresses.length > 0),
  );
}

function facing(standing: Standing, known: Decision["known"], legality: Decision["legality"]) {
  const { context, evaluator, content, special, world, memory } = standing;
  return { context, evaluator, content, special, world, memory, known, legality };
}
