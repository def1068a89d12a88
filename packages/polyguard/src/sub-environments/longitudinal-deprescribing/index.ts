import { Rng } from "@praxis/env";
import { drugAt } from "../../kb/lookup.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import { generateScenario } from "../../scenario/generate.ts";
import { TASK_FAMILIES } from "../../scenario/task-families.ts";
import { TIERS } from "../../scenario/tiers.ts";
import type { Difficulty, Scenario, TierSettings } from "../../scenario/types.ts";
import { COURSE_HOOKS, passOnCourse } from "../course-hooks.ts";
import type { Finished, SubEnvironment } from "../sub-environment.ts";
import { deprescribingOffers } from "./offers.ts";
import { type DeprescribingProgress, NO_PROGRESS, progressThrough } from "./progress.ts";
import { runOn } from "./run-on.ts";
import { deprescribingScore, doseOfTarget } from "./score.ts";
import { areTargetsWorthwhile, mustStayOf, SAFE_PEAK, targetsOf } from "./targets.ts";

/** Hazards with targets by tier; a cascade has two targets. */
const HAZARDS: Readonly<Record<Difficulty, readonly [low: number, high: number]>> = {
  easy: [1, 1],
  medium: [1, 2],
  hard: [2, 3],
};
const MOST_TARGETS = 3;
/** Most drugs that the task names as those that must stay. */
const MUST_STAY: Readonly<Record<Difficulty, number>> = { easy: 1, medium: 1, hard: 2 };
/** Rise of the settled disease loss that success allows. */
const THERAPY_LOSS = 0.02;

/** Share of the hazards that need several visits: here it is what the task is about. assumption: a few are left for variety. */
const TAPER_SHARE = 0.85;

/** Only steps are budgeted: visits and changes never run out before them. */
function tierOf(difficulty: Difficulty): TierSettings {
  const tier = TIERS[difficulty];
  return { ...tier, visits: tier.steps, changes: tier.steps, severalVisitsShare: TAPER_SHARE };
}

function withTargets(kb: KnowledgeBase, scenario: Scenario): Scenario {
  const targets = targetsOf(kb, scenario);
  const most = Rng.fromSeed(scenario.seed, `${scenario.id}/must-stay`).integer(0, MUST_STAY[scenario.difficulty]);
  const mustStay = mustStayOf(kb, scenario, most);
  const nameOf = (medRef: string): string =>
    drugAt(kb, scenario.initial.medications.find((each) => each.medRef === medRef)!.drugIndex).genericName;
  const down = targets.map(({ medRef, floorDosePerDay }) =>
    floorDosePerDay > 0 ? `${nameOf(medRef)} to half its dose or less` : `${nameOf(medRef)} to nothing`,
  );
  const stay = mustStay.length === 0 ? "" : ` ${mustStay.map(nameOf).join(" and ")} must stay.`;
  return { ...scenario, targets, mustStay, goal: `Bring down ${down.join(", ")}, without withdrawal.${stay}` };
}

/** Which of the criteria hold: floors, peak W, severe events, drugs that must stay, disease. */
function judge(at: Finished<null, DeprescribingProgress>): readonly boolean[] {
  const { context, evaluator } = at;
  const { world, progress } = at.hasSevereEvent ? { world: at.world, progress: at.special } : runOn(at);
  const { targets = [], mustStay = [], initial } = context.scenario;
  const before = evaluator.settled(context, initial).dis;
  const after = evaluator.settled(context, world).dis;
  return [
    targets.every((target) => doseOfTarget(context, world, target) <= target.floorDosePerDay * (1 + 1e-9)),
    targets.every(({ medRef }) => (progress.peaks[medRef] ?? 0) <= SAFE_PEAK),
    progress.severeEvents === 0 && !at.hasSevereEvent,
    mustStay.every((medRef) => world.medications.some((each) => each.medRef === medRef && each.isTaken)),
    after - before <= THERAPY_LOSS,
  ];
}

/**
 * LONGITUDINAL_DEPRESCRIBING: named targets are brought to their floors over the steps of an episode, at a pace that the hidden
 * adaptation of the patient allows.
 */
export const longitudinalDeprescribing: SubEnvironment<null, DeprescribingProgress> = {
  ...COURSE_HOOKS,
  id: "LONGITUDINAL_DEPRESCRIBING",
  isFixedLength: true,
  stepCost: 0,
  draw: (tools, key) => ({
    content: null,
    scenario: withTargets(
      tools.kb,
      generateScenario(tools, key, {
        subEnvironment: "LONGITUDINAL_DEPRESCRIBING",
        goal: "",
        successCriteria: [
          "every target is at its floor or below",
          `no withdrawal above ${SAFE_PEAK} of the full effect`,
          "no severe event",
          "the drugs that must stay are there",
          `settled disease loss rises by at most ${THERAPY_LOSS}`,
        ],
        families: TASK_FAMILIES.taper_sequence,
        hazards: HAZARDS[key.difficulty],
        tier: tierOf(key.difficulty),
        stepDays: 14,
        accept: (context, engine) => areTargetsWorthwhile(context, engine, MOST_TARGETS),
      }),
    ),
  }),
  begin: () => NO_PROGRESS,
  offers: (at) => deprescribingOffers(at.legality),
  pass: (at, payload, effect, streams) => {
    const passed = passOnCourse(at, payload, effect, streams);
    const { world, progress } = progressThrough(at.context, at.world, passed, effect.special);
    return { ...passed, world, special: progress };
  },
  criteria: judge,
  bestJUse: "none",
  taskScore: (at) => {
    const { world, progress } = at.hasSevereEvent ? { world: at.world, progress: at.special } : runOn(at);
    return deprescribingScore(at.context, world, progress);
  },
};
