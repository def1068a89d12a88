export { type StepAction, stepActionSchema, type WireAction } from "./actions/schema.ts";
export { ACTION_TYPES, type ActionPayload, type ActionType, type OfferedCandidate } from "./actions/types.ts";
export { makeChatModel } from "./agents/chat-model.ts";
export {
  ABLATIONS,
  type Ablation,
  PLANNINGS,
  type Planning,
  TEAM_MODES,
  type TeamMode,
  type TeamOptions,
} from "./agents/options.ts";
export { MODEL_ROLES, type ModelRole, type RoleModel } from "./agents/role-model.ts";
export { renderTranscript, type Utterance } from "./agents/transcript.ts";
export { type BundledOptions, checkpointsFolder, loadBundledBrandNames, loadPolyGuard } from "./bundled.ts";
export { type CandidateValue, candidateValues } from "./candidate-values.ts";
export type { CardFeedback } from "./cds/feedback.ts";
export type { CourseContext } from "./course/context.ts";
export { CourseEvaluator, type CourseValue } from "./course/evaluator.ts";
export {
  actionFor,
  definePolyGuard,
  NOTICE,
  POLYGUARD_VERSION,
  type PolyGuardDefinition,
  type PolyGuardOptions,
} from "./definition.ts";
export { POLYGUARD_ID, type PolyGuardEnv, type PolyGuardParts, PolyGuardSimulator } from "./env.ts";
export type { EpisodeState, StepRecord } from "./episode.ts";
export { ATTACKERS, makeAttacker, makeHonestPolicy } from "./evaluation/attackers.ts";
export { type AucrPair, aucrPairs, guestLimits, judgeAucr } from "./evaluation/aucr-accuracy.ts";
export { codeVersion } from "./evaluation/code-version.ts";
export { EVALUATION_COURSES, type EvaluationCourse } from "./evaluation/episode-courses.ts";
export { type EvaluationRow, evaluateEpisode } from "./evaluation/evaluate-episode.ts";
export { EVALUATION_METRICS, type EvaluationMetric } from "./evaluation/metrics.ts";
export { perturb } from "./evaluation/perturbations.ts";
export { judgeReward, type RewardChoice } from "./evaluation/reward-regret.ts";
export { evaluationScenarios } from "./evaluation/scenarios.ts";
export { SUBGROUPS } from "./evaluation/subgroups.ts";
export { TEAM_VARIANTS, teamVariant, variantIsIdle } from "./evaluation/team-variants.ts";
export { encodeFeatures, type Features } from "./features/features.ts";
export {
  CANDIDATE_FIELDS,
  CONTEXT_FIELDS,
  FEATURES_VERSION,
  MEDICATION_FIELDS,
  PATIENT_FIELDS,
} from "./features/layout.ts";
export { type ExportBundle, exportReview } from "./fhir/export.ts";
export { parseFhirJson } from "./fhir/json-text.ts";
export type { RecordReset, RecordStep, Review, ReviewFinding, ReviewProposal } from "./fhir/review-types.ts";
export { type AuditProblem, auditKnowledge, type DerivedPair, type KnowledgeAudit } from "./interactions/audit.ts";
export { loadBundledKnowledgeBase } from "./kb/node.ts";
export type { Drug, KnowledgeBase } from "./kb/types.ts";
export { type LevelDay, levelOutlook } from "./level-outlook.ts";
export { type Observation, observationSchema } from "./observation/schema.ts";
export type { Known } from "./observation/types.ts";
export { BEST_J_VERSION, type BestJStore, makeBestJ } from "./policies/best-j.ts";
export { ARM_ROW_LENGTH, ARM_ROWS_VERSION } from "./policies/contextual-bandit/arm-rows.ts";
export {
  type ArmLearner,
  makeLinearThompson,
  makeLinUcb,
  makeNeuralThompson,
} from "./policies/contextual-bandit/learner.ts";
export { makeArmPolicy } from "./policies/contextual-bandit/policy.ts";
export { type TrainedEpisode, trainArms } from "./policies/contextual-bandit/train.ts";
export {
  makeObservationPolicy,
  makePolyguardPolicy,
  OBSERVATION_POLICY_NAMES,
  ORACLE_POLICY_NAMES,
  POLYGUARD_POLICIES,
} from "./policies/index.ts";
export { type Exploration, LinearMiner } from "./policies/mining/linear-miner.ts";
export type { Miner, MiningProblem } from "./policies/mining/miner.ts";
export { type MakeMiner, makeMiningPolicy } from "./policies/mining/mining-policy.ts";
export { type MakeRiskNetwork, NeuralMiner, type RiskNetwork } from "./policies/mining/neural-miner.ts";
export { PairsMiner } from "./policies/mining/pairs-miner.ts";
export { miningProblem } from "./policies/mining/problem.ts";
export { type MiningPoint, runMiner } from "./policies/mining/run-miner.ts";
export { StructuredMiner } from "./policies/mining/structured-miner.ts";
export { hasTranscript, makePlannerCriticPolicy, type PlannerCriticSetup } from "./policies/planner-critic.ts";
export { type PolyguardRenderer, renderPolyguard } from "./render.ts";
export { type ReviewedEnv, type ReviewRequest, reviewRecord } from "./review.ts";
export { renderReviewHtml } from "./review-html.ts";
export { renderReviewText } from "./review-text.ts";
export { CHANNELS, DEFAULT_WEIGHTS, type RewardWeights } from "./reward/settings.ts";
export { generateScenario } from "./scenario/generate.ts";
export { familiesOf } from "./scenario/hazard-families.ts";
export { brokenHoldouts } from "./scenario/holdout-audit.ts";
export { CATALOGUE, type ScenarioKey, scenarioId } from "./scenario/key.ts";
export { packContent, packScenario } from "./scenario/pack-codec.ts";
export { type PackEntry, parsePack, scenarioDigest } from "./scenario/packs.ts";
export { checkPerturbation, PERTURBATIONS, type Perturbation, perturbationIsIdle } from "./scenario/perturbations.ts";
export type { KeptValue, ScenarioStore } from "./scenario/store.ts";
export { TIERS } from "./scenario/tiers.ts";
export {
  DIFFICULTIES,
  type Difficulty,
  type Scenario,
  SPLITS,
  type Split,
  SUB_ENVIRONMENTS,
  type SubEnvironment,
} from "./scenario/types.ts";
export { type EpisodeScore, type ScoredEpisodeRequest, scoreEpisode } from "./score-episode.ts";
export { type FindingsScore, scoreFindings } from "./sub-environments/bandit-mining/findings.ts";
export { drawInstance, type MiningInstance } from "./sub-environments/bandit-mining/instance.ts";
export { type Population, populationOf } from "./sub-environments/bandit-mining/population.ts";
export { SUB_ENVIRONMENT_TABLE } from "./sub-environments/index.ts";
export { type TimeKeeping, withTimeouts } from "./timeouts.ts";
