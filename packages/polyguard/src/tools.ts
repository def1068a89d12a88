import { didYouMean, type EnvTool, PraxisError, type StepResult, type ToolContext } from "@praxis/env";
import { z } from "zod";
import { type StepAction, stepActionSchema } from "./actions/schema.ts";
import { ACTION_TYPES } from "./actions/types.ts";
import { exposureModelOf } from "./course/labs.ts";
import type { PolyGuardEnv } from "./env.ts";
import type { EpisodeState } from "./episode.ts";
import { findPairHits } from "./interactions/pair-hits.ts";
import { doseGrid } from "./kb/dose-grid.ts";
import { findDrug } from "./kb/lookup.ts";
import { judgeRenalRule } from "./kb/renal-dose.ts";
import type { Drug, KnowledgeBase } from "./kb/types.ts";
import { knownFacts } from "./observation/facts.ts";
import type { Observation } from "./observation/schema.ts";
import { scenarioId } from "./scenario/key.ts";
import { TASKS, tasksOf } from "./scenario/source.ts";
import { SPLIT_SEEDS } from "./scenario/splits.ts";
import { DIFFICULTIES, SPLITS } from "./scenario/types.ts";

/** Tasks that list_tasks names at most. */
const LISTED_TASKS = 100;

/** The episode of a tool call; only its public part may leave a tool. */
function episodeOf(env: PolyGuardEnv): EpisodeState {
  const state = env.latentState();
  if (state === null) throw new PraxisError("RESET_NEEDED", "No episode has begun. Call reset first.");
  return state;
}

function drugOf(kb: KnowledgeBase, name: string): Drug {
  const drug = findDrug(kb, name);
  if (drug !== undefined) return drug;
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown drug '${name}'.${didYouMean(name, [...kb.drugIndexById.keys(), ...kb.drugIndexByName.keys()])} Use a drug_id, a generic name or an RxCUI.`,
  );
}

function observationOf(context: ToolContext): Observation {
  return context.last.observation as Observation;
}

/** Adds the types of one tool; its arguments are those of its own schema. */
function tool<Arguments>(definition: EnvTool<PolyGuardEnv, Arguments>): EnvTool<PolyGuardEnv> {
  const { name, description, readOnly } = definition;
  return {
    name,
    description,
    readOnly,
    input: definition.input as z.ZodType<Record<string, unknown>>,
    examples: (definition.examples ?? []) as readonly Record<string, unknown>[],
    call: (env, args, context) => definition.call(env, args as Arguments, context),
  };
}

const getObservation = tool({
  name: "get_observation",
  description: "The whole observation of the current step. Changes and costs nothing.",
  input: z.strictObject({}),
  readOnly: true,
  examples: [{}],
  call: (_env, _args, context) => observationOf(context),
});

const listCandidates = tool({
  name: "list_candidates",
  description: "The offered actions of the current step, all or of one action type. Changes and costs nothing.",
  input: z.strictObject({ action_type: z.enum(ACTION_TYPES).optional() }),
  readOnly: true,
  call: (_env, args, context) => {
    const { candidates, step_nonce } = observationOf(context);
    return {
      step_nonce,
      candidates: candidates.filter((each) => args.action_type === undefined || each.action_type === args.action_type),
    };
  },
});

const takeAction = tool({
  name: "take_action",
  description: "Carries out one step with a typed action, or with raw text, and returns its result.",
  input: z.strictObject({ action: stepActionSchema }),
  readOnly: false,
  call: async (_env, args, context) => answerOf(await context.step(args.action)),
});

const searchEvidence = tool({
  name: "search_evidence",
  description: "Searches the label snippets of the listed and offered drugs: a step that costs one unit of evidence.",
  input: z.strictObject({ query: z.string().min(1).max(300) }),
  readOnly: false,
  call: async (_env, { query }, context) => {
    const { candidates, step_nonce } = observationOf(context);
    const offered = candidates.find((each) => each.action_type === "FETCH_EXTERNAL_EVIDENCE");
    if (offered === undefined)
      throw new PraxisError("NOT_SUPPORTED", "No search is offered in this step. Use list_candidates to see what is.");
    const action: StepAction = {
      schema_version: "1.0",
      step_nonce,
      candidate_id: offered.candidate_id,
      action_type: "FETCH_EXTERNAL_EVIDENCE",
      query,
      rationale: "",
      evidence_ids: [],
      confidence: 0.5,
    };
    return answerOf(await context.step(action));
  },
});

function answerOf(result: StepResult<unknown>): Record<string, unknown> {
  const { observation, reward, terminated, truncated, info } = result;
  return { observation, reward, terminated, truncated, done: terminated || truncated, metadata: info };
}

const lookupDrug = tool({
  name: "lookup_drug",
  description: "The knowledge base row of a drug by drug_id, generic name or RxCUI. Changes and costs nothing.",
  input: z.strictObject({ name: z.string().min(1).max(100) }),
  readOnly: true,
  examples: [{ name: "warfarin" }],
  call: (env, { name }) => {
    const drug = drugOf(episodeOf(env).context.kb, name);
    return {
      drug_id: drug.drugId,
      generic_name: drug.genericName,
      drug_class: drug.drugClass,
      groups: drug.groups,
      route: drug.route,
      form: drug.form,
      dose_min: drug.doseMin,
      dose_max: drug.doseMax,
      unit: drug.doseUnit,
      max_daily: drug.maxDaily,
      max_daily_age65: drug.maxDailyAge65,
      strengths: drug.strengths,
      narrow_ti: drug.isNarrowTi,
      taper_class: drug.taperClass,
      taper_if_days_gt: drug.taperIfDaysGt,
      stop_harm: drug.stopHarm,
      acb: drug.acb,
      monitoring: drug.monitoring,
      indications: drug.indications,
      beers: drug.beers,
      source: drug.source,
      notes: drug.notes,
    };
  },
});

const checkInteractions = tool({
  name: "check_interactions",
  description:
    "Pair hits of a list of drugs, conditions judged on known facts (unknown counts as true). Changes and costs nothing.",
  input: z.strictObject({ drugs: z.array(z.string().min(1).max(100)).min(2).max(30) }),
  readOnly: true,
  examples: [{ drugs: ["warfarin", "ibuprofen"] }],
  call: (env, { drugs }) => {
    const { context, known } = episodeOf(env);
    const { kb } = context;
    const rows = drugs.map((name) => drugOf(kb, name));
    const doseOf = (drug: Drug): number =>
      known.medications.find((each) => each.drugIndex === drug.index)?.dosePerDay ?? drug.doseMax;
    const hits = findPairHits(
      kb,
      rows.map((drug) => ({ drugIndex: drug.index, dosePerDay: doseOf(drug) })),
      knownFacts(known),
      { unknownCountsAs: true },
    );
    return {
      hits: hits.map((hit) => ({
        rule_id: hit.ruleId,
        drugs: [kb.drugs[hit.aIndex]!.drugId, kb.drugs[hit.bIndex]!.drugId],
        severity: hit.severity,
        domain: hit.domain,
        object: hit.objectIndex === null ? null : kb.drugs[hit.objectIndex]!.drugId,
        aucr_approx: hit.aucrApprox,
        management: hit.managementCodes,
        text: hit.rule?.management ?? "exposure model: adjust or monitor",
        source: hit.rule?.source ?? "exposure model",
        derived: hit.isDerived,
      })),
    };
  },
});

const doseCheck = tool({
  name: "dose_check",
  description: "Whether a dose is inside range, limit and renal rule as known. Changes and costs nothing.",
  input: z.strictObject({ drug: z.string().min(1).max(100), dose_per_day: z.number().min(0).max(1e6) }),
  readOnly: true,
  examples: [{ drug: "lisinopril", dose_per_day: 20 }],
  call: (env, { drug: name, dose_per_day }) => {
    const { context, known } = episodeOf(env);
    const drug = drugOf(context.kb, name);
    const verdict = judgeRenalRule(drug, {
      crClMlPerMin: known.crClMlPerMin,
      egfrMlPerMin: known.egfrMlPerMin,
      ageYears: known.ageYears,
      weightKg: known.weightKg,
      serumCreatinineMgPerDl: known.values.CREAT?.value ?? null,
      hasAtrialFibrillation: known.conditions.has("AF_STROKE"),
    });
    const listed = known.medications.find((each) => each.drugIndex === drug.index);
    return {
      drug_id: drug.drugId,
      unit: drug.doseUnit,
      dose_min: drug.doseMin,
      dose_max: drug.doseMax,
      cap: verdict.doseCap,
      renal_clause_holds: verdict.clause !== null,
      start_forbidden: verdict.isStartForbidden,
      in_range: dose_per_day >= drug.doseMin && dose_per_day <= (verdict.doseCap ?? drug.doseMax),
      crcl_known: known.crClMlPerMin !== null,
      grid: doseGrid(drug, { weightKg: known.weightKg ?? 70 }),
      level: listed?.lastLevel ?? null,
    };
  },
});

const exposure = tool({
  name: "exposure",
  description:
    "Exposure ratio of a drug beside others by the static model, typical metabolism. Changes and costs nothing.",
  input: z.strictObject({
    victim: z.string().min(1).max(100),
    perpetrators: z.array(z.string().min(1).max(100)).max(30),
    crcl: z.number().gt(0).max(300).optional(),
  }),
  readOnly: true,
  examples: [{ victim: "simvastatin", perpetrators: ["diltiazem_er"] }],
  call: (env, { victim, perpetrators, crcl }) => {
    const { kb } = episodeOf(env).context;
    const model = exposureModelOf(kb);
    const drug = drugOf(kb, victim);
    model.setPatient(crcl === undefined ? {} : { crClMlPerMin: crcl });
    model.clearPerpetrators();
    const others = perpetrators.map((name) => drugOf(kb, name));
    for (const other of others) model.addPerpetrator(other.index, 1);
    return {
      victim: drug.drugId,
      perpetrators: others.map((other) => other.drugId),
      aucr: model.aucr(drug.index),
      activation_ratio: drug.prodrug === null ? null : model.activationRatio(drug.index),
      paths: drug.substrates,
      fe_renal: drug.feRenal,
      fm_confidence: drug.fmConfidence,
    };
  },
});

const listTasks = tool({
  name: "list_tasks",
  description: "Ids of the first tasks of a split, and how many there are. Changes and costs nothing.",
  input: z.strictObject({
    split: z.enum(SPLITS),
    task: z.enum(TASKS).optional(),
    difficulty: z.enum(DIFFICULTIES).optional(),
  }),
  readOnly: true,
  examples: [{ split: "val", difficulty: "easy" }],
  call: (_env, { split, task, difficulty }) => {
    const [first, last] = SPLIT_SEEDS[split];
    const tasks = tasksOf(split).filter((name) => task === undefined || name === task);
    const tiers = DIFFICULTIES.filter((tier) => difficulty === undefined || tier === difficulty);
    const ids: string[] = [];
    for (const name of tasks)
      for (const tier of tiers)
        for (let seed = first; seed <= last && ids.length < LISTED_TASKS; seed++)
          ids.push(scenarioId({ task: name, difficulty: tier, split, seed }));
    return { split, count: tasks.length * tiers.length * (last - first + 1), ids };
  },
});

const getHistory = tool({
  name: "get_history",
  description: "All past steps of the episode with their outcome. Changes and costs nothing.",
  input: z.strictObject({}),
  readOnly: true,
  examples: [{}],
  call: (_env, _args, context) => ({ history: observationOf(context).history }),
});

const explainReward = tool({
  name: "explain_reward",
  description: "Components, channels, gates and flags of a past step's reward. Changes and costs nothing.",
  input: z.strictObject({ step: z.int().min(0).max(100) }),
  readOnly: true,
  call: (env, { step }) => {
    const record = episodeOf(env).records.find((each) => each.step === step);
    if (record === undefined)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `Step ${step} has not been taken. See get_history for the steps so far.`,
      );
    const { reward, components, channels, gates, flags } = record;
    return { step, reward, components, channels, gates, flags };
  },
});

/** Tools of the agent. None reaches reset, step or state, and none tells latent values. */
export const POLYGUARD_TOOLS: readonly EnvTool<PolyGuardEnv>[] = [
  getObservation,
  listCandidates,
  takeAction,
  lookupDrug,
  checkInteractions,
  doseCheck,
  exposure,
  searchEvidence,
  listTasks,
  getHistory,
  explainReward,
];
