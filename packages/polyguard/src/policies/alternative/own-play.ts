import { Rng } from "@praxis/env";
import { canonicalPayload } from "../../actions/canonical.ts";
import type { StepAction } from "../../actions/schema.ts";
import { findDrug } from "../../kb/lookup.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import { isDangerVisible } from "../../reward/assessment.ts";
import { nextStep, STYLES } from "../../sub-environments/alternative-suggestion/carry-out.ts";
import { gradesOf, isDone } from "../../sub-environments/alternative-suggestion/grades.ts";
import { isReplacement, type Option, optionKey } from "../../sub-environments/alternative-suggestion/options.ts";
import { type Chart, ChartReader } from "../chart.ts";
import type { Decision } from "../decision.ts";
import { actionOf } from "../explain.ts";
import { finishOrWait, hasKeptEnough } from "../finish-rule.ts";
import { orderMissingValues, reconcileItems } from "../information-rules.ts";
import { latentEpisode } from "../latent-episode.ts";
import type { PlayTools, PolicyMaker } from "../own-play.ts";
import { makeRandomLegalPolicy } from "../random-legal.ts";
import { makeRandomAnyPolicy } from "../simple-policies.ts";
import { estimateOption } from "./estimate.ts";

type Block = NonNullable<Observation["alternative"]>;
type PolyGuardPolicy = ReturnType<PolicyMaker>;

/** Ranks the options of a block by what a policy thinks of them. */
export type Ranker = (chart: Chart, block: Block) => readonly string[];

/** Places of a recommendation. */
const PLACES = 3;

/** Plays ALTERNATIVE_SUGGESTION: recommends once by the ranking, then takes the first choice's steps one after the other. */
export function makeReplacementPolicy(name: string, kb: KnowledgeBase, rank: Ranker): PolyGuardPolicy {
  let reader = new ChartReader(kb);
  return {
    name,
    reset: () => {
      reader = new ChartReader(kb);
    },
    act: (observation): StepAction => {
      const chart = reader.read(observation);
      const block = observation.alternative;
      const decision = block === undefined ? null : decideReplacement(chart, block);
      if (block === undefined || decision === null) return { raw: "" };
      reader.choose(chart, decision.offer.payload);
      const action = actionOf(chart, decision);
      if (decision.offer.payload.type !== "RECOMMEND_ALTERNATIVE" || !("action_type" in action)) return action;
      const order = rank(chart, block);
      const ids = order.map((key) => block.options.find(({ option }) => option === key)!.candidate_id);
      return { ...action, ranking: ids.slice(0, PLACES) };
    },
  };
}

/** The next step of a replacement: what must be known first, the recommendation, then the steps of its first choice. */
export function decideReplacement(chart: Chart, block: Block): Decision | null {
  const find = (isIt: (offer: Chart["offers"][number]) => boolean) => chart.offers.find(isIt);
  const recommended = block.recommended ?? [];
  if (recommended.length === 0) {
    const settled = reconcileItems(chart) ?? orderMissingValues(chart);
    if (settled !== null) return settled;
    const offer = find(({ payload }) => payload.type === "RECOMMEND_ALTERNATIVE");
    if (offer === undefined) return null;
    return { offer, reason: `${block.drug_id} must go: ${block.reason}.`, confidence: 0.8 };
  }
  const first = recommended.find((key) => isOnItsWay(chart, block, key)) ?? recommended[0]!;
  const option = readOption(chart.kb, first);
  for (const style of STYLES) {
    const step = nextStep(chart.legality, block.med_ref, option, style);
    if (step === null) continue;
    const canonical = canonicalPayload(step);
    const offer = find(({ payload, isLegal }) => isLegal && canonicalPayload(payload) === canonical);
    if (offer !== undefined)
      return { offer, reason: `${offer.wire.text}: the next step to ${first}.`, confidence: 0.8 };
  }
  if (isDone(chart.legality, block.med_ref, option) && !isDangerVisible(chart.legality)) {
    const finish = find(({ payload }) => payload.type === "FINISH");
    if (finish !== undefined)
      return { offer: finish, reason: `${block.drug_id} is gone and ${first} has taken its place.`, confidence: 0.8 };
  }
  const missing = orderMissingValues(chart);
  if (missing !== null) return missing;
  const asked = askToRelease(chart, block);
  if (asked !== null) return asked;
  // The danger is the drug that must go: other drugs are not changed to keep it.
  if (isDangerVisible(chart.legality) || hasKeptEnough(chart)) return finishOrWait(chart);
  const keep = find(({ payload }) => payload.type === "KEEP_REGIMEN");
  return keep === undefined ? null : { offer: keep, reason: "The change is under way; wait.", confidence: 0.6 };
}

/**
 * True when the change to a recommended option is under way or can begin. What was measured after the recommendation can
 * forbid its first choice: then the next one is carried out.
 */
function isOnItsWay({ kb, legality }: Chart, { med_ref: medRef }: Block, key: string): boolean {
  const old = legality.byRef.get(medRef);
  if (old === undefined || (old.taper !== null && !old.taper.isPaused)) return true;
  const option = readOption(kb, key);
  if (option.kind === "drug" && legality.listed.some(({ drugIndex }) => drugIndex === option.drugIndex)) return true;
  return STYLES.some((style) => nextStep(legality, medRef, option, style) !== null);
}

/** A drug that stays because its end needs a review is taken to the specialist, while reviews are left. */
function askToRelease({ offers, known }: Chart, { med_ref: medRef, drug_id: drugId }: Block): Decision | null {
  const medication = known.medications.find((each) => each.medRef === medRef);
  if (medication === undefined || (medication.taper !== null && !medication.taper.isPaused)) return null;
  if (known.clock.reviewsLeft < 1) return null;
  const offer = offers.find(
    ({ payload, isLegal }) => isLegal && payload.type === "REQUEST_REVIEW" && payload.target === medRef,
  );
  if (offer === undefined) return null;
  return { offer, reason: `${drugId} can't be ended without a review; the specialist is asked.`, confidence: 0.6 };
}

/** The option behind its text in the observation. */
export function readOption(kb: KnowledgeBase, key: string): Option {
  if (key === "CBT_I" || key === "COUNSELLING") return { kind: "order", code: key };
  const drug = findDrug(kb, key);
  return drug === undefined ? { kind: "nothing" } : { kind: "drug", drugIndex: drug.index };
}

/** By benefit and harm as the tables and the record tell them. */
export const rankByEstimate: Ranker = (chart, block) => {
  const target = chart.legality.byRef.get(block.med_ref);
  if (target === undefined) return block.options.map(({ option }) => option);
  return block.options
    .map(({ option }) => ({ option, worth: estimateOption(chart.legality, target, readOption(chart.kb, option)) }))
    .sort((a, b) => b.worth - a.worth || (a.option < b.option ? -1 : 1))
    .map(({ option }) => option);
};

/** By the true grades. */
function rankByGrades({ env }: PlayTools): Ranker {
  return (chart, block) => {
    const { context, content } = latentEpisode(env!);
    if (!isReplacement(content)) return rankByEstimate(chart, block);
    const { worth } = gradesOf(context, content);
    const order = worth.map((_, number) => number).sort((a, b) => worth[b]! - worth[a]!);
    const keys = order.map((number) => optionKey(context.kb, content.options[number]!));
    return keys.filter((key) => block.options.some(({ option }) => option === key));
  };
}

/** A policy that recommends options at random where it happens to recommend. */
function withRandomRanking(policy: PolyGuardPolicy): PolyGuardPolicy {
  let rng = Rng.fromSeed(0);
  return {
    name: policy.name,
    reset: (stream) => {
      rng = stream.split("ranking");
      policy.reset(stream);
    },
    act: (observation, info) => {
      const action = policy.act(observation, info);
      if (action instanceof Promise || !("action_type" in action) || action.action_type !== "RECOMMEND_ALTERNATIVE")
        return action;
      const ids = observation.alternative?.options.map(({ candidate_id: id }) => id) ?? [];
      return ids.length === 0 ? action : { ...action, ranking: rng.shuffled(ids).slice(0, PLACES) };
    },
  };
}

/** Policies that play ALTERNATIVE_SUGGESTION in their own way. */
export const ALTERNATIVE_PLAY: Readonly<Record<string, PolicyMaker>> = {
  rule_based: ({ kb }) => makeReplacementPolicy("rule_based", kb, rankByEstimate),
  oracle_lookahead: (tools) => makeReplacementPolicy("oracle_lookahead", tools.kb, rankByGrades(tools)),
  random_legal: ({ env }) => withRandomRanking(makeRandomLegalPolicy(env!)),
  random_any: ({ kb }) => withRandomRanking(makeRandomAnyPolicy(kb)),
};
