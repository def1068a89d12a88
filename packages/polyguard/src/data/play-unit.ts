import { hashJson, PraxisError, Rng, type SyncEnv } from "@praxis/env";
import type { WireAction } from "../actions/schema.ts";
import { type ActionType, isInformationAction } from "../actions/types.ts";
import type { EpisodeState } from "../episode.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import { latentEpisode } from "../policies/latent-episode.ts";
import { isAbstaining } from "../reward/assessment.ts";
import { brokenHoldouts } from "../scenario/holdout-audit.ts";
import { isHeldOutDrug } from "../scenario/splits.ts";
import type { Difficulty, SubEnvironment } from "../scenario/types.ts";
import { MALFORMED_REWARD, type ScoredAction, scoreAction, scoreOffers } from "./score-offers.ts";
import { makeTeacher } from "./teacher.ts";
import type { DataSplit, UnitPlan } from "./unit-plan.ts";

/** Steps taken from one episode. */
const STEPS_PER_EPISODE = 24;
/** Steps taken from the beginning of mining, whose hundreds of probes look alike; the declaration that ends it is taken as well. */
const MINING_STEPS = 3;

/** One decision of an episode with everything that could have been done instead. */
export interface DecisionRecord {
  readonly scenarioId: string;
  readonly split: DataSplit;
  readonly subEnvironment: SubEnvironment;
  readonly difficulty: Difficulty;
  readonly seed: number;
  readonly step: number;
  readonly teacher: UnitPlan["teacher"];
  readonly policy: string;
  readonly observation: Observation;
  /** Of the observation without the ids that name the episode and the step. */
  readonly observationHash: string;
  readonly offers: readonly ScoredAction[];
  /** What the policy did; its reward is that of the step. */
  readonly chosen: ScoredAction;
  /** Best less second best of what could be done: in U, or in reward where U does not tell the choices apart. */
  readonly gap: number;
  readonly needsAbstention: boolean;
  /** Holdouts that scenario, list or choice touch, `held_out_drug:metoprolol` say; none may be trained on. */
  readonly holdouts: readonly string[];
}

/**
 * Plays the episode of a plan on an environment in this process and scores every offer of every step. Same plan, equal records.
 * Throws what environment or policy throw.
 */
export async function playUnit(env: SyncEnv, plan: UnitPlan): Promise<readonly DecisionRecord[]> {
  const policy = makeTeacher(plan.policy, env);
  const seed = seedOf(plan);
  policy.reset(Rng.fromSeed(seed, `data/${plan.scenarioId}/${plan.policy}`));
  const options = { scenario_id: plan.scenarioId, score_task: false };
  let { observation, info } = env.reset({ seed, options }) as {
    observation: Observation;
    info: Record<string, unknown>;
  };
  const { context } = latentEpisode(env);
  const broken = brokenHoldouts(context.kb, context.scenario);
  const isMining = context.scenario.subEnvironment === "BANDIT_MINING";
  const records: DecisionRecord[] = [];
  for (let step = 0; isMining || step < STEPS_PER_EPISODE; step++) {
    const state = latentEpisode(env);
    const action = await policy.act(observation, info);
    if (!("action_type" in action)) break;
    if (isMining && step >= MINING_STEPS && action.action_type !== "DECLARE_FINDINGS") {
      // A hard population takes more than a thousand probes, some ten seconds: there the first ones have to do.
      if (context.scenario.difficulty === "hard") break;
      const passed = env.step(action);
      if (passed.terminated || passed.truncated) break;
      observation = passed.observation as Observation;
      info = passed.info;
      continue;
    }
    const offers = scoreOffers(state, observation);
    const own = scoreAction(state, action, offers.find((each) => isSameOffer(each.action, action))?.text ?? "");
    const result = env.step(action);
    const chosen = { ...own, reward: result.reward };
    records.push({
      scenarioId: plan.scenarioId,
      split: plan.split,
      subEnvironment: context.scenario.subEnvironment,
      difficulty: context.scenario.difficulty,
      seed,
      step,
      teacher: plan.teacher,
      policy: plan.policy,
      observation,
      observationHash: hashObservation(observation),
      offers,
      chosen,
      gap: gapOf(state, offers, chosen),
      needsAbstention: state.assessment.needsAbstention,
      holdouts: [...broken, ...heldOutDrugs(context.kb, observation, action)],
    });
    if (result.terminated || result.truncated) break;
    observation = result.observation as Observation;
    info = result.info;
  }
  return records;
}

function seedOf({ scenarioId }: UnitPlan): number {
  const seed = Number(scenarioId.split("/").at(-1));
  if (!Number.isInteger(seed)) throw new PraxisError("VALIDATION_ERROR", `'${scenarioId}' ends in no seed.`);
  return seed;
}

function isSameOffer(offer: WireAction, action: WireAction): boolean {
  return offer.candidate_id === action.candidate_id;
}

/** Hash of what an observation shows, whatever episode and step show it. */
export function hashObservation(observation: Observation): string {
  const { episode_id: _episode, step_nonce: _nonce, ...shown } = observation;
  return hashJson(shown);
}

/** Sub-environments in which the course's U tells the therapies apart. */
const JUDGED_BY_COURSE: readonly SubEnvironment[] = [
  "DDI",
  "REGIMEN_RISK",
  "LONGITUDINAL_DEPRESCRIBING",
  "WEB_SEARCH_MISSING_DATA",
];

function gapOf({ assessment, context }: EpisodeState, offers: readonly ScoredAction[], chosen: ScoredAction): number {
  const { subEnvironment } = context.scenario;
  const isTherapy = !isInformationAction(chosen.action.action_type);
  // Without a legal change beside KEEP there is no second U.
  if (isTherapy && JUDGED_BY_COURSE.includes(subEnvironment) && Number.isFinite(assessment.second))
    return Math.max(0, assessment.best - assessment.second);
  const legal = offers.filter(({ isLegal, action }) => isLegal && !isSameOffer(action, chosen.action));
  const [best = MALFORMED_REWARD, second = MALFORMED_REWARD] = [
    ...legal.map(({ reward }) => reward),
    chosen.reward,
  ].sort((a, b) => b - a);
  return best - second;
}

function heldOutDrugs(kb: KnowledgeBase, observation: Observation, action: WireAction): readonly string[] {
  const named = [...observation.medications.map(({ drug_id: id }) => id), startedDrug(action)];
  return [...new Set(named)].flatMap((id) => {
    const drug = id === null ? undefined : kb.drugs.find(({ drugId }) => drugId === id);
    return drug !== undefined && isHeldOutDrug(kb, drug) ? [`held_out_drug:${drug.drugId}`] : [];
  });
}

function startedDrug({ action_type: type, target, replacement }: WireAction): string | null {
  return replacement ?? (type === "ADD_DRUG" ? (target ?? null) : null);
}

/** True for a decision that asks, waits or hands on instead of changing the list. */
export function isAbstention(type: ActionType): boolean {
  return isAbstaining(type) && type !== "KEEP_REGIMEN" && type !== "FINISH";
}
