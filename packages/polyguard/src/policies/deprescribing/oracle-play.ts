import { type Info, PraxisError, Rng, SimulatorEnv } from "@praxis/env";
import type { StepAction } from "../../actions/schema.ts";
import { withdrawalOf } from "../../course/withdrawal.ts";
import type { Observation } from "../../observation/schema.ts";
import { latentEpisode } from "../latent-episode.ts";
import type { PlayTools, PolicyMaker, PolyGuardPolicy } from "../own-play.ts";
import { CHART_INSIGHT, type Insight } from "./outlook.ts";

/** Limits of the expected W that are tried: lower ones are felt less and take longer. */
const LIMITS = [0.15, 0.2, 0.25, 0.3, 0.4, 0.5];

/** The truth about the patient's adaptation, read from the environment that is played. */
function latentInsight({ kb, env }: PlayTools, most: number): Insight {
  const medicationOf = (medRef: string) =>
    env === null ? undefined : latentEpisode(env).world.medications.find((each) => each.medRef === medRef);
  return {
    tauDays: (chart, medication) =>
      medicationOf(medication.medRef)?.adaptationTauDays ?? CHART_INSIGHT.tauDays(chart, medication),
    withdrawal: (chart, medication) => {
      const truth = medicationOf(medication.medRef);
      return truth === undefined ? CHART_INSIGHT.withdrawal(chart, medication) : withdrawalOf(kb, truth);
    },
    most,
  };
}

/**
 * The oracle of the sub-environment: plays the episode ahead in the environment itself by the chart and by the truth at several
 * limits, goes back, and follows the way of the highest task score.
 * @param makeRuled the rule-based policy with an insight
 */
export function makeDeprescribingOracle(
  makeRuled: (tools: PlayTools, insight: Insight) => PolyGuardPolicy,
): PolicyMaker {
  return (tools) => {
    const insights = [CHART_INSIGHT, ...LIMITS.map((most) => latentInsight(tools, most))];
    let following: PolyGuardPolicy | null = null;
    return {
      name: "oracle_lookahead",
      reset: () => {
        following = null;
      },
      act: (observation, info) => {
        following ??= bestOf(
          tools,
          insights.map((insight) => makeRuled(tools, insight)),
          observation,
          info,
        );
        return following.act(observation, info);
      },
    };
  };
}

function bestOf(
  { env }: PlayTools,
  policies: readonly PolyGuardPolicy[],
  observation: Observation,
  info: Info,
): PolyGuardPolicy {
  if (!(env instanceof SimulatorEnv))
    throw new PraxisError("NOT_SUPPORTED", "This oracle plays ahead in the environment; it must be in this process.");
  const start = env.snapshot();
  let best = policies[0]!;
  let highest = Number.NEGATIVE_INFINITY;
  for (const policy of policies) {
    const score = playAhead(env, policy, observation, info);
    env.restore(start);
    if (score > highest + 1e-9) {
      best = policy;
      highest = score;
    }
  }
  best.reset(Rng.fromSeed(0));
  return best;
}

function playAhead(
  env: SimulatorEnv<unknown, StepAction, Observation>,
  policy: PolyGuardPolicy,
  observation: Observation,
  info: Info,
): number {
  policy.reset(Rng.fromSeed(0));
  let last = { observation, info };
  for (;;) {
    const action = policy.act(last.observation, last.info);
    if (action instanceof Promise) throw new PraxisError("NOT_SUPPORTED", "A rule-based policy answers at once.");
    const result = env.step(action);
    last = result;
    if (result.terminated || result.truncated)
      return typeof result.info.task_score === "number" ? result.info.task_score : Number.NEGATIVE_INFINITY;
  }
}
