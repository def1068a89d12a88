import { Rng } from "@praxis/env";
import { OfferList } from "../../actions/offer-list.ts";
import { copyMemory } from "../../observation/copy-memory.ts";
import { COURSE_HOOKS } from "../course-hooks.ts";
import type { SubEnvironment } from "../sub-environment.ts";
import { miningComponents } from "./components.ts";
import { scoreDeclared } from "./declaration.ts";
import { drawInstance, type MiningInstance } from "./instance.ts";
import { populationOf } from "./population.ts";
import { type KnownMining, MINING_RULES } from "./rules.ts";
import { miningScenario } from "./scenario.ts";
import { beginMining, type MiningState, probeAll, probesLeft } from "./state.ts";
import { MINING_TIERS } from "./tiers.ts";

/** Precision and recall of a successful declaration. */
const SUCCESS = { precision: 0.9, recall: 0.3 };

/** BANDIT_MINING: probe drug combinations of a population for hidden dangerous patterns, then declare them. */
export const banditMining: SubEnvironment<MiningInstance, MiningState> = {
  ...COURSE_HOOKS,
  id: "BANDIT_MINING",
  isFixedLength: true,
  maxSteps: MINING_TIERS.hard.probes + 1,
  stepCost: 0,
  // A hard population takes megabytes.
  cacheSize: 16,
  bestJUse: "none",
  draw: ({ kb }, key) => {
    const rng = Rng.fromSeed(key.seed, `${key.task}/${key.difficulty}/${key.split}`);
    const content = drawInstance(kb, key.difficulty, key.split, rng);
    return { content, scenario: miningScenario(kb, key, rng.split("scenery")) };
  },
  begin: (_drawn, _streams, { showsPopulation }) => beginMining(showsPopulation),
  rules: MINING_RULES,
  know: ({ content, special }): KnownMining => ({
    drugIds: content.drugIds,
    probesLeft: probesLeft(content, special),
  }),
  offers: () => {
    const offers = new OfferList();
    offers.openGroup();
    offers.add({ type: "KEEP_REGIMEN" }, "keep");
    offers.add({ type: "FINISH" }, "keep");
    offers.add({ type: "REQUEST_REVIEW", reviewTo: "pharmacist", target: null }, "review");
    return { offers, traps: 0, most: 3 };
  },
  apply: (at, payload) => {
    const effect = COURSE_HOOKS.apply(at, payload);
    if (payload.type !== "PROBE_COMBINATION" && payload.type !== "DECLARE_FINDINGS") return effect;
    const { applied, memory } = effect;
    const special =
      payload.type === "DECLARE_FINDINGS"
        ? { ...at.special, declared: scoreDeclared(at.content, payload.findings) }
        : at.special;
    return {
      applied: { ...applied, outcome: { ...applied.outcome, isNoEffect: false, closesVisit: false, days: 0 } },
      memory,
      special,
    };
  },
  pass: (at, payload, { applied, memory, special }, streams) => {
    const rest = { world: applied.state, segments: [], hasSevereEvent: false };
    if (payload.type !== "PROBE_COMBINATION") return { ...rest, memory, special };
    const sampled = copyMemory(memory);
    // Each batch counts as information won, so that probing again is no idle loop.
    sampled.samples = [...memory.samples, { code: "PROBE", day: at.world.clock.day }];
    const probed = probeAll(at.content, special, payload.combinations, streams.stream("probes"));
    return { ...rest, memory: sampled, special: probed };
  },
  components: ({ content, special }, { payload, confidence }) =>
    miningComponents(content, special, payload, confidence),
  isOver: (_at, payload) => payload?.type === "DECLARE_FINDINGS",
  hasOpenQuestion: ({ special: { declared } }) => declared === null,
  criteria: ({ special: { declared } }) => [
    (declared?.precision ?? 0) >= SUCCESS.precision,
    (declared?.recall ?? 0) >= SUCCESS.recall,
  ],
  trainingReturn: ({ special }, steps, { isSuccess, isFailure }) =>
    (special.declared?.fHalf ?? 0) + meanAdvantage(steps) + (isSuccess ? 0.5 : 0) - (isFailure ? 0.5 : 0),
  taskScore: ({ special: { declared } }) => declared?.fHalf ?? 0,
  observe: ({ content, special, world }) => ({
    bandit: {
      drugs: [...content.drugIds],
      population_size: content.tier.population,
      probes_left: probesLeft(content, special),
      probes: special.probes.map(({ combination, rr }) => ({ combination: [...combination], rr })),
      ...(special.showsPopulation && world.clock.step === 0 ? { population: shownPopulation(content) } : {}),
    },
  }),
};

/** Mean of reward over KEEP's: a sum would pay for probing one known danger again and again. */
function meanAdvantage(steps: readonly { readonly reward: number; readonly keepReward: number }[]): number {
  let sum = 0;
  for (const { reward, keepReward } of steps) sum += reward - keepReward;
  return steps.length === 0 ? 0 : sum / steps.length;
}

function shownPopulation(instance: MiningInstance): string[][] {
  return populationOf(instance).combinations.map((combination) =>
    Array.from(combination, (position) => instance.drugIds[position]!),
  );
}
