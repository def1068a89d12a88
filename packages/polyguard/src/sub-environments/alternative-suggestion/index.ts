import { Rng } from "@praxis/env";
import { generalOffers, type OfferPlan } from "../../actions/candidates.ts";
import { OfferList } from "../../actions/offer-list.ts";
import type { ActionPayload } from "../../actions/types.ts";
import { drugAt } from "../../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../../kb/types.ts";
import { generateScenario } from "../../scenario/generate.ts";
import { familiesOf } from "../../scenario/hazard-families.ts";
import type { ScenarioKey } from "../../scenario/key.ts";
import { isHeldOutDrug } from "../../scenario/splits.ts";
import { TASK_FAMILIES } from "../../scenario/task-families.ts";
import { TIERS } from "../../scenario/tiers.ts";
import type { Scenario } from "../../scenario/types.ts";
import type { Medication, WorldState } from "../../world/types.ts";
import { applyOnCourse, COURSE_HOOKS } from "../course-hooks.ts";
import type { Decision, Effect, Facing, Finished, SubEnvironment } from "../sub-environment.ts";
import { AT_TARGET, goalDose, nextStep, STYLES } from "./carry-out.ts";
import { gradesOf, keepGradesIn } from "./grades.ts";
import { drawOptions, type Option, optionKey, optionOf, optionPayload, type Replacement } from "./options.ts";
import { alternativeScore, MOST_REGRET, regretShare } from "./score.ts";

/** What the agent has recommended. */
export interface Recommendation {
  /** Numbers of the options, best first; null = nothing yet. The first recommendation stands. */
  readonly ranking: readonly number[] | null;
}

/** Candidates beside the options at a step, so that nothing of the general offers that matters is cut (assumption:). */
const ROOM_BESIDE_OPTIONS = 10;
const MOST_CANDIDATES = 24;

const NAMES: Readonly<Record<string, string>> = {
  H05: "it adds to an anticholinergic burden in dementia",
  H07: "a long-acting sulfonylurea is unsafe with these kidneys or this frailty",
  H13: "it is contraindicated at this kidney function",
  H33: "an antipsychotic is not wanted for behaviour or sleep",
  H35: "its dose does not fit kidneys, weight and age",
  H38: "there is a recorded allergy against it",
  H42: "an enzyme inducer, or an INR that never settles, takes its effect",
  H43: "it does not help",
};

/**
 * ALTERNATIVE_SUGGESTION: one drug must go. The agent ranks up to three of the options offered and carries the first one
 * out over the visits that are left.
 */
export const alternativeSuggestion: SubEnvironment<Replacement, Recommendation> = {
  ...COURSE_HOOKS,
  id: "ALTERNATIVE_SUGGESTION",
  draw: (tools, key) => {
    const { kb } = tools;
    const drawn = generateScenario(tools, key, {
      subEnvironment: "ALTERNATIVE_SUGGESTION",
      goal: "",
      successCriteria: [
        "the first recommendation can be carried out legally",
        "its regret is at most a tenth of the range of the options",
        "the old drug is gone, and the recommended one is there within 20 % of its target dose",
      ],
      families: TASK_FAMILIES.safe_substitution,
      hazards: [1, 1],
      tier: TIERS[key.difficulty],
      stepDays: 14,
      accept: ({ scenario }) => replacementOf(kb, key, scenario) !== null,
    });
    const content = replacementOf(kb, key, drawn)!;
    if (tools.store) keepGradesIn(tools.store, content);
    const { drugId } = drugAt(kb, content.drugIndex);
    const scenario: Scenario = {
      ...drawn,
      goal: `${drugId} (${content.medRef}) must go: ${content.reason}. Recommend up to three alternatives in order, then carry the first one out.`,
      targets: [{ medRef: content.medRef, floorDosePerDay: 0 }],
    };
    return { scenario, content };
  },
  begin: () => ({ ranking: null }),
  offers: offersOf,
  apply: recommendOrApply,
  criteria: (at) => {
    const grades = gradesOf(at.context, at.content);
    const ranking = at.special.ranking ?? [];
    const first = ranking[0];
    return [
      first !== undefined && grades.styles[first] !== null,
      regretShare(grades, ranking) <= MOST_REGRET,
      first !== undefined && isCarriedOut(at, at.content.options[first]!),
    ];
  },
  bestJUse: "none",
  taskScore: (at) => alternativeScore(gradesOf(at.context, at.content), at.special.ranking ?? []),
  observe: (at) => ({
    alternative: {
      med_ref: at.content.medRef,
      drug_id: drugAt(at.context.kb, at.content.drugIndex).drugId,
      reason: at.content.reason,
      options:
        at.special.ranking !== null
          ? []
          : at.offered.flatMap(({ id, payload }) => {
              const number = optionOf(at.content, payload);
              return number < 0
                ? []
                : [{ candidate_id: id, option: optionKey(at.context.kb, at.content.options[number]!) }];
            }),
      recommended: at.special.ranking?.map((number) => optionKey(at.context.kb, at.content.options[number]!)) ?? null,
    },
  }),
};

/** What must go and what may stand in its place, drawn from the scenario's own stream; null when too little may. */
function replacementOf(kb: KnowledgeBase, key: ScenarioKey, scenario: Scenario): Replacement | null {
  const [hazard] = scenario.hazards;
  const drugIndex = hazard?.targetIndexes[0];
  if (hazard === undefined || drugIndex === undefined) return null;
  const target = scenario.initial.medications.find((each) => each.drugIndex === drugIndex)!;
  const allowed = (drug: Drug): boolean => key.split === "test_drug" || !isHeldOutDrug(kb, drug);
  const options = drawOptions(kb, Rng.fromSeed(key.seed, `${scenario.id}/options`), {
    drug: drugAt(kb, drugIndex),
    indication: target.indication,
    difficulty: key.difficulty,
    listed: new Set(scenario.initial.medications.map((each) => each.drugIndex)),
    allowed,
  });
  if (options === null) return null;
  const [family] = familiesOf([hazard.family]);
  return { medRef: target.medRef, drugIndex, reason: NAMES[hazard.family] ?? family!.title, options };
}

/** The general offers; before a recommendation every option and the recommendation itself, after it the steps of the first one. */
function offersOf(at: Facing<Replacement, Recommendation>): OfferPlan {
  const { legality, content, special } = at;
  const general = generalOffers(legality);
  const offers = new OfferList();
  const { medRef, options } = content;
  const target = legality.byRef.get(medRef);
  const { ranking } = special;
  offers.openGroup();
  if (ranking === null && target !== undefined) {
    offers.add({ type: "RECOMMEND_ALTERNATIVE", medRef, ranking: [] }, "target", [medRef]);
    for (const option of options) {
      offers.openGroup();
      offers.add(optionPayload(legality, target, option), "target", [medRef]);
    }
  }
  const chosen = ranking?.[0];
  if (chosen !== undefined)
    for (const style of STYLES) {
      const step = nextStep(legality, medRef, options[chosen]!, style);
      if (step !== null) offers.add(step, "target", [medRef]);
    }
  for (const { payload, source, addresses } of general.offers.ordered()) {
    offers.openGroup();
    offers.add(payload, source, addresses);
  }
  const most = Math.max(general.most, Math.min(MOST_CANDIDATES, options.length + ROOM_BESIDE_OPTIONS));
  return { offers, traps: general.traps, most };
}

/** A recommendation is written down, once; ids that are no option are left out. Everything else is the course's. */
function recommendOrApply(at: Decision<Replacement, Recommendation>, payload: ActionPayload): Effect<Recommendation> {
  const effect = applyOnCourse<Recommendation>(at, payload);
  if (payload.type !== "RECOMMEND_ALTERNATIVE" || at.special.ranking !== null) return effect;
  const numbers = payload.ranking.map((id) => {
    const candidate = at.offered.find((each) => each.id === id);
    return candidate === undefined ? -1 : optionOf(at.content, candidate.payload);
  });
  const ranking = [...new Set(numbers.filter((number) => number >= 0))];
  if (ranking.length === 0) return effect;
  const { applied } = effect;
  return {
    ...effect,
    special: { ranking },
    applied: { ...applied, outcome: { ...applied.outcome, isNoEffect: false } },
  };
}

/** True when the old drug is gone and what was recommended is there, by the truth. */
function isCarriedOut(at: Finished<Replacement, Recommendation>, option: Option): boolean {
  const { context, content, world } = at;
  const isTaken = (drugIndex: number): Medication | undefined =>
    world.medications.find((each) => each.drugIndex === drugIndex && each.isTaken);
  if (isTaken(content.drugIndex) !== undefined) return false;
  switch (option.kind) {
    case "nothing":
      return true;
    case "order":
      return world.orders.some(({ code }) => code === option.code);
    case "drug": {
      const drug = drugAt(context.kb, option.drugIndex);
      const fresh = isTaken(option.drugIndex);
      const goal = goalDose(renalFactsOf(at, world), drug);
      return fresh !== undefined && goal !== null && fresh.dosePerDay >= AT_TARGET * goal;
    }
  }
}

function renalFactsOf({ context }: Finished<Replacement, Recommendation>, { physiology, conditions }: WorldState) {
  const { ageYears, weightKg } = context.scenario.patient;
  return {
    crClMlPerMin: physiology.creatinineClearanceMlPerMin,
    egfrMlPerMin: physiology.egfrMlPerMin,
    serumCreatinineMgPerDl: physiology.serumCreatinineMgPerDl,
    ageYears,
    weightKg,
    hasAtrialFibrillation: conditions.some(({ code, severity }) => code.startsWith("AF_") && severity > 0),
  };
}
