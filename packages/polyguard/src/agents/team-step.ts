import { z } from "zod";
import { canonicalPayload } from "../actions/canonical.ts";
import { isInformationAction } from "../actions/types.ts";
import type { Belief } from "../policies/belief/belief.ts";
import type { Chart, ChartOffer } from "../policies/chart.ts";
import type { Decision } from "../policies/decision.ts";
import { offerInWords } from "../policies/explain.ts";
import { askBandit, askCandidates, askDoses, askEvidence } from "./asked-roles.ts";
import { annotateCandidates, kindOf } from "./candidates.ts";
import { criticise, MOST_VETOES } from "./critic.ts";
import { type DoseRow, tabulateDoses } from "./dosing.ts";
import { type EvidenceReport, weighEvidence } from "./evidence.ts";
import { explain } from "./explainer.ts";
import { type GraphReport, readGraph } from "./graph-safety.ts";
import { reconcileList } from "./med-rec.ts";
import type { TeamOptions } from "./options.ts";
import { choosePlan, type Proposal, propose } from "./planner.ts";
import { ask, type Question } from "./question.ts";
import { ROUTES, route } from "./supervisor.ts";
import type { Utterance } from "./transcript.ts";

/** What a step of the team starts from. */
export interface StepRequest {
  readonly chart: Chart;
  readonly options: TeamOptions;
  /** What the rules of the sub-environment say, information included. */
  readonly rules: Decision | null;
  /** What the rules say when they may not ask for information. */
  readonly rulesWithoutAsking: () => Decision | null;
  /** The belief for looking ahead; null = the rules lead. */
  readonly belief: Belief | null;
  /** Expected gain of each offer by the trained bandit. */
  readonly banditScores: (() => ReadonlyMap<ChartOffer, number>) | null;
}

/** What a step of the team came to. */
export interface StepOutcome {
  readonly decision: Decision | null;
  readonly utterances: readonly Utterance[];
}

/** One pass of the team over a chart: reports, route, proposals, criticism, explanation. Roles are asked in this order. */
export function* teamStep(request: StepRequest): Generator<Question, StepOutcome, unknown> {
  const { chart, options } = request;
  const step = chart.observation.step;
  const utterances: Utterance[] = [];
  const say = (role: Utterance["role"], message: string, more: Partial<Utterance> = {}): void => {
    utterances.push({ step, role, message, ...more });
  };
  const without = new Set(options.without);

  const list = reconcileList(chart);
  const issues = yield* ask({
    role: "med_rec",
    task: 'Name what has to be settled on the medication list: {"issues":[{"id":"dc1","text":"..."}]}.',
    schema: z.strictObject({ issues: z.array(z.strictObject({ id: z.string(), text: z.string() })).max(12) }),
    byCode: () => ({ issues: [...list.issues] }),
  });
  say(
    "med_rec",
    issues.issues.length === 0
      ? `${list.items.length} items, nothing to settle.`
      : `${list.items.length} items; to settle: ${issues.issues.map(({ text }) => text.replace(/\.$/u, "")).join("; ")}.`,
    { evidenceIds: issues.issues.map(({ id }) => id) },
  );

  const weighed = without.has("evidence") ? null : weighEvidence(chart, request.rules);
  const evidence = weighed === null ? null : yield* askEvidence(chart, weighed);
  if (evidence !== null) {
    const facts = evidence.facts.map(
      ({ matter, value, probability }) => `${matter} ${value} (p ${probability.toFixed(2)})`,
    );
    const read = facts.length === 0 ? "Nothing read so far" : `Read: ${facts.slice(0, 4).join(", ")}`;
    const next = evidence.ask === null ? "decide on what is known" : offerInWords(evidence.ask.offer);
    say("evidence", `${read}; ${next}.`, { evidenceIds: evidence.injected });
    if (evidence.injected.length > 0)
      say("evidence", "Texts that give orders to their reader are left out.", { evidenceIds: evidence.injected });
  }

  const graph = without.has("graph") ? null : readGraph(chart);
  if (graph !== null) {
    const { keystone } = yield* ask({
      role: "graph_safety",
      task: 'Name the drug that most of the danger hangs on: {"keystone":"m3"} or {"keystone":null}.',
      schema: z.strictObject({ keystone: z.string().nullable() }),
      refuse: ({ keystone: ref }) =>
        ref === null || chart.legality.byRef.has(ref) ? null : `'${ref}' is not on the list`,
      byCode: () => ({ keystone: graph.keystone }),
    });
    say("graph_safety", graphInWords(graph, keystone), {
      evidenceIds: graph.hits.slice(0, 3).map(({ alertId }) => alertId),
    });
  }

  const doses = without.has("dosing") ? null : yield* askDoses(tabulateDoses(chart));
  if (doses !== null) say("dosing", dosesInWords(doses));

  const candidates = annotateCandidates(chart);
  const legal = candidates.filter(({ isLegal }) => isLegal);
  const aside = yield* askCandidates(chart);
  const asideInWords = aside.size === 0 ? "" : ` ${aside.size} ${aside.size === 1 ? "is" : "are"} set aside.`;
  say("candidate", `${legal.length} of ${candidates.length} choices are allowed on what is known.${asideInWords}`);

  let rules = rulesAfter(request, evidence);
  if (without.has("abstention") && rules?.offer.payload.type === "REQUEST_REVIEW") rules = request.rulesWithoutAsking();
  const rulesKind = rules === null ? null : kindOf(rules.offer.payload.type);

  const routing = without.has("supervisor")
    ? null
    : yield* ask({
        role: "supervisor",
        task: `Send this step to one of ${ROUTES.join(", ")}: {"route":"regimen","reason":"..."}.`,
        schema: z.strictObject({ route: z.enum(ROUTES), reason: z.string().max(300) }),
        byCode: () =>
          route({
            subEnvironment: chart.observation.sub_environment,
            graph,
            evidence,
            doses,
            candidates,
            rules: rulesKind,
          }),
      });
  if (routing !== null) say("supervisor", `To ${routing.route}: ${routing.reason}`);

  const ranking = yield* askBandit(request);
  const proposals = rankProposals(request, ranking, rules, (offer) => {
    const kind = kindOf(offer.payload.type);
    if (aside.has(offer.wire.candidate_id)) return false;
    if (without.has("dosing") && kind === "dosing") return false;
    if (without.has("abstention") && kind === "review") return false;
    return options.mode !== "supervisor_routed" || routing === null || kind === routing.route || kind === "wait";
  });
  const chosen = yield* ask({
    role: "planner",
    task: 'Choose one candidate of the list: {"candidate_id":"...","reason":"...","confidence":0.6}.',
    schema: z.strictObject({
      candidate_id: z.string(),
      reason: z.string().max(400),
      confidence: z.number().min(0).max(1),
    }),
    refuse: ({ candidate_id: id }) =>
      chart.offers.some(({ wire }) => wire.candidate_id === id) ? null : `'${id}' is not one of the candidates`,
    byCode: () => ({
      candidate_id: proposals[0]?.offer.wire.candidate_id ?? "",
      reason: proposals[0]?.reason ?? "",
      confidence: proposals[0]?.confidence ?? 0,
    }),
  });
  const first = chart.offers.find(({ wire }) => wire.candidate_id === chosen.candidate_id);
  if (first === undefined) return { decision: null, utterances };
  // A rule may put a query of its own into an offer: the wire form tells which offer it is.
  const same = proposals.find(({ offer }) => offer.wire === first.wire);
  const order: Decision[] = [
    { offer: same?.offer ?? first, reason: chosen.reason, confidence: chosen.confidence },
    ...proposals.filter(({ offer }) => offer.wire !== first.wire),
  ];

  let decision: Decision | null = null;
  const tries = options.mode === "sequential_pipeline" ? 1 : MOST_VETOES + 1;
  for (const proposal of order.slice(0, tries)) {
    say("planner", `${offerInWords(proposal.offer)}. ${proposal.reason}`);
    if (without.has("critic")) {
      decision = proposal;
      break;
    }
    const word = criticise(chart, proposal.offer, proposal.offer.wire === rules?.offer.wire);
    const { veto, reasons } = yield* ask({
      role: "critic",
      task: `The planner proposes candidate ${proposal.offer.wire.candidate_id}. Object only to a danger: {"veto":false,"reasons":[]}.`,
      schema: z.strictObject({ veto: z.boolean(), reasons: z.array(z.string().max(300)).max(6) }),
      byCode: () => ({ veto: word.isVeto, reasons: [...word.reasons] }),
    });
    // What the verifier refuses stays refused, whoever plays the critic.
    const isVeto = veto || !proposal.offer.isLegal;
    say("critic", reasons.length === 0 ? "No objection." : `${reasons.join("; ")}.`, {
      isVeto,
      evidenceIds: word.evidenceIds,
    });
    if (!isVeto) {
      decision = proposal;
      break;
    }
  }
  decision ??= safeDecision(chart);
  if (decision === null) return { decision, utterances };
  const { text } = yield* ask({
    role: "explainer",
    task: `Say in one or two plain sentences why "${offerInWords(decision.offer)}" is done: {"text":"..."}.`,
    schema: z.strictObject({ text: z.string().min(1).max(500) }),
    byCode: () => ({ text: explain(decision) }),
  });
  say("explainer", text);
  return { decision: { ...decision, reason: text }, utterances };
}

/** What to do first: what the evidence role asks for, the rules, or the rules without asking. */
function rulesAfter({ rules, rulesWithoutAsking }: StepRequest, evidence: EvidenceReport | null): Decision | null {
  if (evidence?.ask != null) return evidence.ask;
  const wouldAsk = rules !== null && isInformationAction(rules.offer.payload.type);
  return evidence === null || wouldAsk ? rulesWithoutAsking() : rules;
}

/** Proposals, the best first, each a decision. The rules' own is among them. @param ranking of the bandit; null = not heeded */
function rankProposals(
  { chart, options, belief }: StepRequest,
  ranking: readonly ChartOffer[] | null,
  rules: Decision | null,
  isOpen: (offer: ChartOffer) => boolean,
): readonly Decision[] {
  if (ranking !== null) {
    const ranked = ranking
      .filter((offer) => offer.isLegal && isOpen(offer))
      .map(
        (offer): Decision => ({
          offer,
          reason: "The highest expected gain by experience.",
          confidence: BANDIT_CONFIDENCE,
        }),
      );
    if (options.planning === "bandit") return ranked;
    const [top] = ranked;
    return withRules(planned(top === undefined ? [] : [top.offer]), rules);
  }
  return withRules(planned([]), rules);

  function planned(wanted: readonly ChartOffer[]): readonly Decision[] {
    if (belief === null || rules === null || isInformationAction(rules.offer.payload.type)) return [];
    const ranked = propose(
      chart,
      belief,
      [rules.offer, ...wanted].map(({ payload }) => payload),
    ).filter(({ offer }) => isOpen(offer) || offer.wire === rules.offer.wire);
    const better = options.mode === "lightweight_debate" ? debate(ranked, rules) : choosePlan(ranked, rules);
    if (better === null) return [rules, ...ranked.filter(({ offer }) => offer.wire !== rules.offer.wire).map(inWords)];
    return [inWords(better), ...ranked.filter((each) => each !== better).map(inWords)];
  }
}

const BANDIT_CONFIDENCE = 0.5;
const PLAN_CONFIDENCE = 0.6;

/** Of the planner's two best proposals and what the rules say, the one whose lower bound is highest. */
function debate(ranked: readonly Proposal[], rules: Decision): Proposal | null {
  const own = ranked.find(({ offer }) => canonicalPayload(offer.payload) === canonicalPayload(rules.offer.payload));
  const [one, two] = ranked;
  const winner = one === undefined || two === undefined || one.lowerJ >= two.lowerJ ? one : two;
  if (winner === undefined || winner === own) return null;
  return own === undefined || winner.lowerJ > own.lowerJ
    ? choosePlan([winner, ...ranked.filter((each) => each !== winner)], rules)
    : null;
}

function inWords({ offer, expectedJ, plan }: Proposal): Decision {
  const then = plan.filter(({ type }) => type !== "KEEP_REGIMEN").length;
  const later = then === 0 ? "" : `, ${then} further ${then === 1 ? "step" : "steps"} planned after it`;
  return {
    offer,
    reason: `Over the coming year the best course found begins with it (expected utility ${expectedJ.toFixed(3)}${later}).`,
    confidence: PLAN_CONFIDENCE,
  };
}

function withRules(proposals: readonly Decision[], rules: Decision | null): readonly Decision[] {
  if (rules === null || proposals.some(({ offer }) => offer.wire === rules.offer.wire)) return proposals;
  return proposals.length === 0 ? [rules] : [...proposals, rules];
}

/** When nothing goes through: the list is kept. */
function safeDecision({ offers }: Chart): Decision | null {
  const keep = offers.find(({ payload, isLegal }) => isLegal && payload.type === "KEEP_REGIMEN");
  if (keep === undefined) return null;
  return { offer: keep, reason: "No proposal went through; the list is kept and watched.", confidence: 0.3 };
}

function graphInWords({ hits, cascades }: GraphReport, keystone: string | null): string {
  const open = hits.filter(({ harm }) => harm > 0);
  if (open.length === 0 && cascades.length === 0) return "No interaction is open that needs an answer.";
  const worst = open.slice(0, 2).map(({ text }) => text);
  const chains = cascades.map(({ cause, treatment }) => `${treatment} treats an effect of ${cause}`);
  const key = keystone === null ? "" : `; most of it hangs on ${keystone}`;
  return `${open.length} open: ${[...worst, ...chains].join("; ")}${key}.`;
}

function dosesInWords(doses: readonly DoseRow[]): string {
  const open = doses.filter(({ advice }) => advice !== "keep");
  if (open.length === 0) return "All doses are within their limits.";
  return `${open
    .slice(0, 4)
    .map(
      ({ drugId, medRef, advice, cap }) =>
        `${drugId} (${medRef}): ${advice}${cap === null || advice !== "reduce" ? "" : ` to at most ${cap}`}`,
    )
    .join("; ")}.`;
}
