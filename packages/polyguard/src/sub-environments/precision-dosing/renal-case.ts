import { Rng } from "@praxis/env";
import type { KnowledgeBase } from "../../kb/types.ts";
import { dosingQuality } from "../../reward/dosing-quality.ts";
import { generateScenario } from "../../scenario/generate.ts";
import type { ScenarioKey } from "../../scenario/key.ts";
import { TIERS } from "../../scenario/tiers.ts";
import type { Difficulty, Scenario } from "../../scenario/types.ts";
import type { Medication, WorldState } from "../../world/types.ts";
import type { Drawn, DrawTools } from "../sub-environment.ts";
import type { RenalContent } from "./content.ts";

/** Doses that are wrong, by tier. Easy has the dosing models only. */
const HAZARDS: Readonly<Record<Difficulty, readonly [number, number]>> = { easy: [1, 1], medium: [2, 2], hard: [2, 3] };
const FAMILIES = ["H08", "H14", "H18", "H35"];
const STEP_DAYS = 14;
/** Days since the creatinine that the record holds, and how much better the kidneys were then. assumption: */
const CREATININE_AGE_DAYS = [100, 400] as const;
const CREATININE_THEN = [0.7, 1] as const;

/** A list with doses that the kidneys, the range or the schedule forbid, and an old creatinine. */
export function drawRenalCase(tools: DrawTools, key: ScenarioKey): Drawn<RenalContent> {
  const { kb } = tools;
  const tier = TIERS[key.difficulty];
  const scenario = generateScenario(tools, key, {
    subEnvironment: "PRECISION_DOSING",
    goal: "Bring every dose inside its range and the renal rule.",
    successCriteria: [
      "every dose is inside its range and the renal rule, and no therapy is lost",
      "no illegal action",
      "no severe event",
    ],
    families: FAMILIES,
    hazards: HAZARDS[key.difficulty],
    tier: { ...tier, visits: tier.steps, changes: tier.steps, severalVisitsShare: 0 },
    stepDays: STEP_DAYS,
    accept: ({ scenario: drafted }) => isMendable(kb, drafted),
  });
  return {
    scenario: withOldCreatinine(scenario, Rng.fromSeed(key.seed, `${scenario.id}/creatinine`)),
    content: { kind: "renal" },
  };
}

function withOldCreatinine(scenario: Scenario, rng: Rng): Scenario {
  const [low, high] = CREATININE_THEN;
  const then = scenario.initial.physiology.serumCreatinineMgPerDl * (low + (high - low) * rng.uniform());
  const measuredDay = -rng.integer(CREATININE_AGE_DAYS[0], CREATININE_AGE_DAYS[1]);
  const { mask } = scenario;
  return {
    ...scenario,
    mask: {
      ...mask,
      values: { ...mask.values, CREAT: { value: Math.round(then * 100) / 100, measuredDay } },
      hidden: new Set([...mask.hidden].filter((field) => field !== "weight" && field !== "height")),
    },
  };
}

/** True when each hazard shows as a wrong dose, and none of them is on a drug that would have to be tapered for weeks. */
function isMendable(kb: KnowledgeBase, scenario: Scenario): boolean {
  const { initial, hazards } = scenario;
  const wrong = initial.medications.filter((each) => wrongness(kb, scenario, initial, each) > 0);
  const isTapered = ({ drugIndex }: Medication): boolean => {
    const { taperIfDaysGt, taperClass } = kb.drugs[drugIndex]!;
    return taperIfDaysGt !== null && taperClass !== "PPI";
  };
  return wrong.length >= hazards.length && !wrong.some(isTapered);
}

/** 1 less the quality of a dose on the true kidneys; 0 for a drug that is not taken. */
function wrongness(kb: KnowledgeBase, { patient }: Scenario, world: WorldState, medication: Medication): number {
  return medication.isTaken ? 1 - dosingQuality(kb, patient, { ...world, medications: [medication] }, null) : 0;
}

/**
 * How wrong the list is: a dose out of range counts 1 (.5 near it), a drug of the first list that is gone counts 1 unless
 * its course was over or another one treats its indication.
 */
export function wrongDoses(kb: KnowledgeBase, scenario: Scenario, world: WorldState): number {
  const now = world.medications.reduce((sum, medication) => sum + wrongness(kb, scenario, world, medication), 0);
  const lost = scenario.initial.medications.filter(
    (before) =>
      before.isTaken &&
      before.indication !== null &&
      before.endDay === null &&
      !world.medications.some(
        (each) =>
          each.isTaken &&
          (each.medRef === before.medRef || kb.drugs[each.drugIndex]!.indications.includes(before.indication!)),
      ),
  );
  return now + lost.length;
}

/** Share of the wrong doses of the first list that are right now, 0-1. */
export function shareMended(kb: KnowledgeBase, scenario: Scenario, world: WorldState): number {
  const before = wrongDoses(kb, scenario, scenario.initial);
  if (before <= 0) return 1;
  return Math.max(0, 1 - wrongDoses(kb, scenario, world) / before);
}
