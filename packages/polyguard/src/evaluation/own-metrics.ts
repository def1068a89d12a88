import type { EpisodeState } from "../episode.ts";
import { exposureErrors, flagF1 } from "../new-drug/score.ts";
import type { Observation } from "../observation/schema.ts";
import { isToxic } from "../pharmacology/attainment.ts";
import { gradesOf } from "../sub-environments/alternative-suggestion/grades.ts";
import type { Recommendation } from "../sub-environments/alternative-suggestion/index.ts";
import { isReplacement } from "../sub-environments/alternative-suggestion/options.ts";
import { ndcg, regretShare } from "../sub-environments/alternative-suggestion/score.ts";
import { isMining } from "../sub-environments/bandit-mining/state.ts";
import type { DeprescribingProgress } from "../sub-environments/longitudinal-deprescribing/progress.ts";
import { doseOfTarget } from "../sub-environments/longitudinal-deprescribing/score.ts";
import type { NewDrugContent } from "../sub-environments/new-drug-decomposition/draw.ts";
import type { NewDrugProgress } from "../sub-environments/new-drug-decomposition/index.ts";
import { asModel } from "../sub-environments/precision-dosing/content.ts";
import {
  isResolvedTopic,
  type MissingDataContent,
  type MissingDataProgress,
} from "../sub-environments/web-search-missing-data/index.ts";
import { levelPredictionErrors } from "./level-predictions.ts";
import type { EpisodeMetrics } from "./metrics.ts";

/** What an ended episode of a sub-environment is measured by beside the general metrics. @param last observation after the end */
export function ownMetrics(state: EpisodeState, last: Observation): EpisodeMetrics {
  switch (state.sub.id) {
    case "PRECISION_DOSING":
      return dosingMetrics(state, last);
    case "LONGITUDINAL_DEPRESCRIBING":
      return taperMetrics(state, state.special as DeprescribingProgress);
    case "BANDIT_MINING":
      return miningMetrics(state);
    case "ALTERNATIVE_SUGGESTION":
      return alternativeMetrics(state, state.special as Recommendation);
    case "NEW_DRUG_DECOMPOSITION":
      return newDrugMetrics(state.content as NewDrugContent, state.special as NewDrugProgress);
    case "WEB_SEARCH_MISSING_DATA":
      return evidenceMetrics(state, state.content as MissingDataContent, state.special as MissingDataProgress);
    case "DDI":
    case "REGIMEN_RISK":
      return {};
  }
}

/** Measured on drugs dosed by level only: on lists with renal doses there is no level. */
function dosingMetrics(state: EpisodeState, last: Observation): EpisodeMetrics {
  const model = asModel(state);
  if (model === null) return {};
  const { attained, days, wasToxic, levels } = model.special;
  const target = model.content.model.target(model.content.covariates.ageYears);
  const first = levels.find(({ value }) => value >= target.low && value <= target.high);
  const toxic = levels.filter(({ value }) => isToxic(target, value)).length;
  const errors = levelPredictionErrors(state, last);
  return {
    dosing_attainment: days === 0 ? 0 : attained / days,
    dosing_toxic: Number(wasToxic),
    ...(levels.length === 0 ? {} : { dosing_toxic_levels: toxic / levels.length }),
    ...(errors.length === 0 ? {} : { dosing_level_error: errors.reduce((sum, each) => sum + each, 0) / errors.length }),
    ...(first === undefined ? {} : { dosing_days_to_target: first.day }),
  };
}

function taperMetrics({ context, world }: EpisodeState, progress: DeprescribingProgress): EpisodeMetrics {
  const { targets = [] } = context.scenario;
  if (targets.length === 0) return {};
  const reached = targets.filter(
    (target) => doseOfTarget(context, world, target) <= target.floorDosePerDay * (1 + 1e-9),
  );
  return {
    taper_completion: reached.length / targets.length,
    taper_peak_w: Math.max(0, ...targets.map(({ medRef }) => progress.peaks[medRef] ?? 0)),
    taper_severe_events: progress.severeEvents,
    taper_relapses: progress.relapses.length,
  };
}

function miningMetrics(state: EpisodeState): EpisodeMetrics {
  if (!isMining(state)) return {};
  const { declared, probes } = state.special;
  return {
    mining_precision: declared?.precision ?? 0,
    mining_recall: declared?.recall ?? 0,
    mining_probes: probes.length,
  };
}

function alternativeMetrics({ context, content }: EpisodeState, { ranking }: Recommendation): EpisodeMetrics {
  if (!isReplacement(content)) return {};
  const grades = gradesOf(context, content);
  return {
    alternative_regret: regretShare(grades, ranking ?? []),
    alternative_ndcg3: ndcg(grades.worth, ranking ?? []),
  };
}

/** Nothing but an F1 of 0 where no decomposition was handed in: an error of exposure needs one. */
function newDrugMetrics(
  { components, setting, probes }: NewDrugContent,
  { decomposition }: NewDrugProgress,
): EpisodeMetrics {
  if (decomposition === null) return { new_drug_flag_f1: 0 };
  const errors = exposureErrors(components, decomposition, [setting, ...probes]);
  return {
    new_drug_exposure_error: errors.reduce((sum, each) => sum + each, 0) / errors.length,
    new_drug_flag_f1: flagF1(components, decomposition),
  };
}

function evidenceMetrics(
  state: EpisodeState,
  { topics }: MissingDataContent,
  { wastedFetches }: MissingDataProgress,
): EpisodeMetrics {
  const fetches = state.ledger.filter(({ type }) => type === "FETCH_EXTERNAL_EVIDENCE").length;
  return {
    ...(fetches === 0 ? {} : { evidence_hits: Math.max(0, 1 - wastedFetches / fetches) }),
    ...(topics.length === 0
      ? {}
      : { topics_resolved: topics.filter((topic) => isResolvedTopic(state, topic)).length / topics.length }),
  };
}
