import type { Rng } from "@praxis/env";
import { isLegalPayload } from "../../actions/legality.ts";
import type { StepAction } from "../../actions/schema.ts";
import { flagsOf, NEW_DRUG_ENZYMES } from "../../new-drug/components.ts";
import { USUAL_DOSE } from "../../new-drug/drug-row.ts";
import type { NewDrugFact } from "../../new-drug/evidence-units.ts";
import type { Observation } from "../../observation/schema.ts";
import type { NewDrugBlock } from "../../sub-environments/new-drug-decomposition/block-schema.ts";
import type { NewDrugContent } from "../../sub-environments/new-drug-decomposition/draw.ts";
import { factFromWire } from "../../sub-environments/new-drug-decomposition/facts-wire.ts";
import { type Chart, type ChartOffer, ChartReader } from "../chart.ts";
import { actionOf } from "../explain.ts";
import { latentEpisode } from "../latent-episode.ts";
import type { PlayTools, PolicyMaker, PolyGuardPolicy } from "../own-play.ts";
import { estimateCorrection, estimateNewDrug } from "./estimate.ts";
import { guessedJudgement, judgementOf } from "./judgement.ts";
import { nextStudy } from "./next-study.ts";
import { isKnownContraindicated, knownSetting } from "./patient.ts";

const SURE = 0.9;
const ESTIMATED = 0.6;
/** Gain in expected quality below which a plan is left as it is. */
const LEAST_GAIN = 0.05;

function choose(chart: Chart, offer: ChartOffer | undefined, reason: string, confidence: number): StepAction {
  return offer === undefined ? { raw: "" } : actionOf(chart, { offer, reason, confidence });
}

function offerOf(chart: Chart, type: ChartOffer["payload"]["type"]): ChartOffer | undefined {
  return chart.offers.find(({ payload }) => payload.type === type);
}

/** Buys studies, submits the estimate, and corrects the start once by the level that was seen. */
function makeEstimatingPolicy({ kb }: PlayTools): PolyGuardPolicy {
  const reader = new ChartReader(kb);
  return {
    name: "rule_based",
    reset: () => {},
    act: (observation) => {
      const chart = reader.read(observation);
      const block = observation.new_drug;
      return block === undefined ? { raw: "" } : actOnEstimate(chart, block);
    },
  };
}

/** The next step of a new drug's judgement: studies, the estimate, then watching and correcting it. */
export function actOnEstimate(chart: Chart, block: NewDrugBlock): StepAction {
  const facts = block.facts.map(factFromWire).filter((fact) => fact !== null);
  return block.plan === null ? study(chart, block, facts) : watch(chart, block, facts);
}

function study(chart: Chart, block: NewDrugBlock, facts: readonly NewDrugFact[]): StepAction {
  const { observation, kb } = chart;
  for (const code of ["CREAT", "WEIGHT"]) {
    const order = chart.offers.find(
      ({ payload }) => payload.type === "ORDER_MONITORING" && payload.orders.includes(code),
    );
    if (order !== undefined && observation.organ.crcl === null && !wasOrdered(observation, code))
      return choose(chart, order, `The kidney function is not known; ${code} is ordered.`, ESTIMATED);
  }
  const setting = knownSetting(kb, observation);
  const query = observation.budget.evidence_left > 0 ? nextStudy(facts, setting) : null;
  const fetch = offerOf(chart, "FETCH_EXTERNAL_EVIDENCE");
  if (query !== null && fetch !== undefined && observation.budget.steps_left > 1) {
    const offer = { ...fetch, payload: { type: "FETCH_EXTERNAL_EVIDENCE" as const, query } };
    return choose(chart, offer, `The ${query} study is bought before ${block.name} is judged.`, ESTIMATED);
  }
  const isContraindicated = isKnownContraindicated(chart, block, facts);
  const { decomposition, plan, exposure, planQuality } = estimateNewDrug(kb, facts, setting, isContraindicated);
  const reason = isContraindicated
    ? `${block.name} is contraindicated with a drug of the list and is not started.`
    : `An exposure of ${exposure.toFixed(1)} times the usual one is expected here; plan ${plan}.`;
  const confidence = Math.min(SURE, Math.max(0.1, planQuality));
  return judgementOf(observation, { decomposition, plan }, { reason, confidence });
}

function wasOrdered({ history }: Observation, code: string): boolean {
  // Targets of orders for the patient are null; two orders at most are ever placed before the judgement.
  const orders = history.filter(({ action_type: type }) => type === "ORDER_MONITORING").length;
  return orders > (code === "CREAT" ? 0 : 1);
}

function watch(chart: Chart, block: NewDrugBlock, facts: readonly NewDrugFact[]): StepAction {
  const { observation, kb } = chart;
  const keep = offerOf(chart, "KEEP_REGIMEN");
  const levels = block.facts.flatMap(({ kind, value }) =>
    kind === "level" && typeof value.exposure_ratio === "number" ? [value.exposure_ratio] : [],
  );
  const row = observation.medications.find(({ label }) => label === block.name);
  if (levels.length > 0 && row !== undefined && observation.course.changes_left > 0) {
    const { percent, gain } = estimateCorrection(kb, facts, knownSetting(kb, observation), {
      levels,
      percent: (100 * row.dose_per_day) / USUAL_DOSE,
      isContraindicated: isKnownContraindicated(chart, block, facts),
    });
    const wire = observation.candidates.find(({ action_type: type, target, dose_per_day: dose }) =>
      percent === 0
        ? type === "STOP_DRUG" && target === row.med_ref
        : type === "ADJUST_DOSE" && target === row.med_ref && dose === (percent * USUAL_DOSE) / 100,
    );
    if (gain > LEAST_GAIN && wire !== undefined) {
      const { text: _text, orders, ...fields } = wire;
      return {
        schema_version: "1.0",
        step_nonce: observation.step_nonce,
        ...fields,
        ...(orders === undefined ? {} : { orders: [...orders] }),
        rationale: `The level of ${block.name} shows an exposure of ${levels[0]}; the dose follows.`,
        evidence_ids: [row.med_ref],
        confidence: ESTIMATED,
      };
    }
  }
  return choose(chart, keep, `${block.name} runs as planned and is watched.`, ESTIMATED);
}

/** Knows the hidden components: submits them with the right plan at once, then waits. */
function makeKnowingPolicy(name: string): PolicyMaker {
  return ({ env, kb }) => {
    const reader = new ChartReader(kb);
    return {
      name,
      reset: () => {},
      act: (observation) => {
        const chart = reader.read(observation);
        const content = env === null ? null : contentOf(latentEpisode(env).content);
        if (content === null || observation.new_drug?.plan !== null)
          return choose(chart, offerOf(chart, "KEEP_REGIMEN"), "The right plan runs.", SURE);
        const { components, bestPlan } = content;
        const fm = Object.fromEntries(NEW_DRUG_ENZYMES.map((enzyme) => [`fm_${enzyme}`, components.fm[enzyme]]));
        const exact = { ...fm, fe: components.fe, pgp: components.pgp, ...flagsOf(components) };
        const stated = { reason: "The components are known.", confidence: SURE };
        return judgementOf(observation, { decomposition: exact, plan: bestPlan }, stated);
      },
    };
  };
}

function contentOf(content: unknown): NewDrugContent | null {
  return typeof content === "object" && content !== null && "components" in content
    ? (content as NewDrugContent)
    : null;
}

/** Any offer or, equally likely with each of them, a judgement drawn at random. */
function makeGuessingPolicy(name: string, isLegalOnly: boolean): PolicyMaker {
  return ({ kb, env }) => {
    const reader = new ChartReader(kb);
    let rng: Rng | null = null;
    return {
      name,
      reset: (episodeRng) => {
        rng = episodeRng;
      },
      act: (observation) => {
        if (rng === null) throw new Error("reset the policy before it acts");
        const chart = reader.read(observation);
        const legal = env === null || !isLegalOnly ? null : legalIds(env);
        const offers = chart.offers.filter(({ wire }) => legal?.has(wire.candidate_id) ?? true);
        const isOpen = observation.new_drug?.plan === null;
        const pick = rng.integer(0, offers.length - (isOpen ? 0 : 1));
        const offer = offers[pick];
        if (offer !== undefined) return actionOf(chart, { offer, reason: "", confidence: 0.5 });
        return guessedJudgement(rng, observation);
      },
    };
  };
}

function legalIds(env: NonNullable<PlayTools["env"]>): ReadonlySet<string> {
  const { offered, legality } = latentEpisode(env);
  return new Set(offered.filter(({ payload }) => isLegalPayload(legality, payload)).map(({ id }) => id));
}

const KNOWING = ["oracle_greedy", "oracle_settled", "oracle_year", "oracle_lookahead", "open_loop", "closed_loop"];

/** How the named policies play NEW_DRUG_DECOMPOSITION; every oracle knows the components. */
export const NEW_DRUG_PLAY: Readonly<Record<string, PolicyMaker>> = {
  rule_based: makeEstimatingPolicy,
  random_legal: makeGuessingPolicy("random_legal", true),
  random_any: makeGuessingPolicy("random_any", false),
  ...Object.fromEntries(KNOWING.map((name) => [name, makeKnowingPolicy(name)])),
};
