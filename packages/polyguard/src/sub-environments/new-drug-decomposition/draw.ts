import { Rng } from "@praxis/env";
import type { CourseContext } from "../../course/context.ts";
import { trueFacts } from "../../interactions/facts.ts";
import { findPairHits } from "../../interactions/pair-hits.ts";
import { drugAt } from "../../kb/lookup.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import { withDrug } from "../../kb/with-drug.ts";
import { drawComponents, type NewDrugComponents } from "../../new-drug/components.ts";
import { componentRow, knownRow, type NewDrugIdentity, USUAL_DOSE } from "../../new-drug/drug-row.ts";
import { type ExposureSetting, exposureRatio } from "../../new-drug/exposure.ts";
import { drawIdentity, drawResembled } from "../../new-drug/identity.ts";
import { bestPlan, type StartPlan } from "../../new-drug/plan.ts";
import { generateScenario } from "../../scenario/generate.ts";
import type { ScenarioKey } from "../../scenario/key.ts";
import { TASK_FAMILIES } from "../../scenario/task-families.ts";
import { TIERS } from "../../scenario/tiers.ts";
import type { Scenario } from "../../scenario/types.ts";
import type { Genotype, WorldState } from "../../world/types.ts";
import type { Drawn, DrawTools } from "../sub-environment.ts";

/** What is hidden about the new drug and what is right for this patient. */
export interface NewDrugContent {
  readonly identity: NewDrugIdentity;
  /** Row number in the knowledge bases of the scenario. */
  readonly drugIndex: number;
  readonly components: NewDrugComponents;
  /** Class token of the drug that it resembles, and its drug_id. */
  readonly resembles: string;
  readonly resembledDrugId: string;
  /** This patient with the drugs of the list. */
  readonly setting: ExposureSetting;
  /** Two other patients that the decomposition has to hold for. */
  readonly probes: readonly ExposureSetting[];
  /** Exposure ratio in this patient. */
  readonly exposure: number;
  readonly bestPlan: StartPlan;
  readonly noiseSeed: number;
}

/** Share of the scenarios whose patient needs another dose than the usual one. assumption: else most would need none. */
const SPECIAL_SHARE = 0.7;
/** Drugs drawn to find one that fits. */
const DRAWS = 60;
const NOISE_SEEDS = 2 ** 31;

/** The scenario of a key: a patient without injected hazards, a drug that nobody knows, and what is right. */
export function drawNewDrug(tools: DrawTools, key: ScenarioKey): Drawn<NewDrugContent> {
  const { kb } = tools;
  const scenario = generateScenario(tools, key, {
    subEnvironment: "NEW_DRUG_DECOMPOSITION",
    goal: "Judge a drug that is in no table for this patient: how it is cleared, what it may do, how to start it.",
    successCriteria: [
      "the exposure that the decomposition implies for this patient is right within a factor of 2",
      "the plan is within one grid step of the right one",
      "no illegal action",
    ],
    families: TASK_FAMILIES.new_drug,
    hazards: [0, 0],
    tier: TIERS[key.difficulty],
    stepDays: 14,
    accept: ({ kb: table, scenario: { initial } }: CourseContext) =>
      drawResembled(table, initial, Rng.fromSeed(0)) !== null,
  });
  const rng = Rng.fromSeed(key.seed, `${scenario.id}/new drug`);
  const resembled = drawResembled(kb, scenario.initial, rng.split("class"))!;
  const identity = drawIdentity(rng.split("identity"), resembled.indication);
  const setting = settingOf(kb, scenario, scenario.initial);
  const components = drawFitting(rng.split("components"), (draw) => drawComponents(draw, resembled.drug), setting);
  const exposure = exposureRatio(components, setting);
  const truth = withDrug(
    kb,
    componentRow(identity, { ...components, resembles: resembled.drug, sufficientDose: USUAL_DOSE / exposure }),
  );
  const drugIndex = kb.drugs.length;
  const probeRng = rng.split("probes");
  return {
    scenario: withResponse(scenario, `${identity.indication}:${identity.drugId}`, components.efficacy),
    content: {
      identity,
      drugIndex,
      components,
      resembles: resembled.drug.groups[0]!,
      resembledDrugId: resembled.drug.drugId,
      setting,
      probes: [drawProbe(kb, probeRng), drawProbe(kb, probeRng)],
      exposure,
      bestPlan: bestPlan({
        exposure,
        isNarrowTi: components.isNarrowTi,
        qt: components.qt,
        isContraindicated: isContraindicated(truth, drugIndex, scenario),
      }),
      noiseSeed: rng.split("noise").integer(0, NOISE_SEEDS - 1),
    },
    kb: { truth, known: withDrug(kb, knownRow(identity)) },
  };
}

/** This patient as the exposure model sees it, with all drugs that are really taken. */
function settingOf(kb: KnowledgeBase, { patient }: Scenario, world: WorldState): ExposureSetting {
  return {
    patient: {
      crClMlPerMin: world.physiology.creatinineClearanceMlPerMin,
      genotype: patient.genotype,
      isSmoker: patient.isSmoker,
    },
    perpetrators: world.medications.filter(({ isTaken }) => isTaken).map(({ drugIndex }) => drugAt(kb, drugIndex)),
  };
}

/** A drug drawn from the prior; in most scenarios one whose usual dose is not right for the patient. */
function drawFitting(rng: Rng, draw: (rng: Rng) => NewDrugComponents, setting: ExposureSetting): NewDrugComponents {
  const isSpecial = rng.bernoulli(SPECIAL_SHARE);
  let components = draw(rng);
  for (let i = 0; i < DRAWS && isSpecial; i++) {
    // 1/E is nearer to 75 % than to 100 % from 8/7 on.
    if (exposureRatio(components, setting) >= 8 / 7) break;
    components = draw(rng);
  }
  return components;
}

/** Contraindicated with a drug of the list. */
function isContraindicated(kb: KnowledgeBase, drugIndex: number, { patient, initial }: Scenario): boolean {
  const listed = initial.medications.filter(({ isTaken }) => isTaken);
  const drugs = [...listed, { drugIndex, dosePerDay: USUAL_DOSE }];
  const hits = findPairHits(kb, drugs, trueFacts(patient, initial), { unknownCountsAs: true });
  return hits.some(
    (hit) =>
      hit.severity === "contraindicated" && !hit.isDerived && (hit.aIndex === drugIndex || hit.bIndex === drugIndex),
  );
}

/** Most drugs of a probe patient that act on enzymes. */
const PROBE_PERPETRATORS = 2;
/** Creatinine clearances of probe patients, mL/min. assumption: range of older adults. */
const PROBE_CRCL = [20, 100] as const;

function drawProbe(kb: KnowledgeBase, rng: Rng): ExposureSetting {
  const acting = kb.drugs.filter(({ inhibits, induces }) => inhibits.length + induces.length > 0);
  const crClMlPerMin = PROBE_CRCL[0] + Math.round(rng.uniform() * (PROBE_CRCL[1] - PROBE_CRCL[0]));
  const genotype: Genotype = {
    cyp2d6: rng.choice(["PM", "IM", "NM"] as const),
    cyp2c19: rng.choice(["IM", "NM"] as const),
    cyp2c9: "*1/*1",
    vkorc1: "GA",
  };
  const count = rng.integer(1, PROBE_PERPETRATORS);
  return { patient: { crClMlPerMin, genotype }, perpetrators: rng.shuffled(acting).slice(0, count) };
}

function withResponse(scenario: Scenario, name: string, response: number): Scenario {
  const { initial } = scenario;
  const responses = { ...initial.hidden.responses, [name]: response };
  return { ...scenario, initial: { ...initial, hidden: { ...initial.hidden, responses } } };
}
