import { type EnvDefinition, type EnvState, type EpisodeStart, Rng, type RngStreams, SimulatorEnv } from "@praxis/env";
import type { StepAction } from "../src/actions/schema.ts";
import { CourseEvaluator } from "../src/course/evaluator.ts";
import { definePolyGuard } from "../src/definition.ts";
import { type PolyGuardEnv, type PolyGuardParts, PolyGuardSimulator } from "../src/env.ts";
import type { EpisodeState } from "../src/episode.ts";
import { loadBundledKnowledgeBase } from "../src/kb/node.ts";
import type { Observation } from "../src/observation/schema.ts";
import { makePolyguardPolicy } from "../src/policies/index.ts";
import type { ResetOptions } from "../src/reset-options.ts";
import { DEFAULT_WEIGHTS } from "../src/reward/settings.ts";
import { compileWeights } from "../src/reward/total.ts";
import { ScenarioSource } from "../src/scenario/source.ts";
import type { Difficulty, SubEnvironment } from "../src/scenario/types.ts";

const kb = loadBundledKnowledgeBase();
const parts: PolyGuardParts = {
  kb,
  evaluator: new CourseEvaluator(kb),
  source: new ScenarioSource(kb, new CourseEvaluator(kb)),
  weights: compileWeights(DEFAULT_WEIGHTS),
  bestJ: () => null,
};
const definition = definePolyGuard(kb);

/** Options that choose an episode by themselves. */
const CHOOSING = ["scenario_id", "split", "index", "fhir", "sub_environment"];

/** PolyGuard whose resets are of one sub-environment unless they choose otherwise. */
class SubEnvironmentSimulator extends PolyGuardSimulator {
  readonly #defaults: ResetOptions;

  constructor(defaults: ResetOptions) {
    super(parts);
    this.#defaults = defaults;
  }

  override begin(start: EpisodeStart<ResetOptions>, streams: RngStreams): ReturnType<PolyGuardSimulator["begin"]> {
    const chooses = CHOOSING.some((name) => name in start.options);
    return super.begin(chooses ? start : { ...start, options: { ...this.#defaults, ...start.options } }, streams);
  }
}

/** The definition of PolyGuard for one sub-environment and tier, for the checks of the environment contract. */
export function definitionFor(
  subEnvironment: SubEnvironment,
  difficulty: Difficulty,
): EnvDefinition<StepAction, Observation, EnvState, PolyGuardEnv> {
  const defaults = { sub_environment: subEnvironment, difficulty };
  return {
    ...definition,
    maxEpisodeSteps: 2000,
    makeEnv: ({ seed } = {}) =>
      new SimulatorEnv<EpisodeState, StepAction, Observation, ResetOptions>(
        definition.id,
        new SubEnvironmentSimulator(defaults),
        seed ?? 0,
      ),
  };
}

/** Last info of one episode that a policy plays, with its observations. */
export function playEpisode(
  policyName: string,
  seed: number,
  options: Readonly<Record<string, unknown>>,
): { readonly info: Readonly<Record<string, unknown>>; readonly observations: readonly Observation[] } {
  const env = definition.makeEnv({});
  const policy = makePolyguardPolicy(policyName, env);
  policy.reset(Rng.fromSeed(seed, "policy"));
  const first = env.reset({ seed, options });
  const observations = [first.observation];
  let info = first.info;
  for (;;) {
    const result = env.step(policy.act(observations.at(-1)!, info) as StepAction);
    observations.push(result.observation);
    info = result.info;
    if (result.terminated || result.truncated) return { info, observations };
  }
}
