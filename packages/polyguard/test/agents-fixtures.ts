import { Rng } from "@praxis/env";
import type { StepAction } from "../src/actions/schema.ts";
import type { Observation } from "../src/observation/schema.ts";
import { type Chart, ChartReader } from "../src/policies/chart.ts";
import { makePlannerCriticPolicy, type PlannerCriticSetup } from "../src/policies/planner-critic.ts";
import type { Difficulty, SubEnvironment } from "../src/scenario/types.ts";
import { kb } from "./policy-fixtures.ts";
import { definitionFor } from "./sub-environment-fixtures.ts";

/** First chart of an episode. */
export function firstChart(
  seed: number,
  difficulty: Difficulty = "medium",
  subEnvironment: SubEnvironment = "DDI",
): Chart {
  return new ChartReader(kb).read(definitionFor(subEnvironment, difficulty).makeEnv({}).reset({ seed }).observation);
}

/** A chart of the same observation with parts replaced. */
export function changedChart(chart: Chart, change: Partial<Observation>): Chart {
  return new ChartReader(kb).read({ ...structuredClone(chart.observation), ...change });
}

/** Plays at most `most` steps; actions in order and what was said at each. */
export async function playTeam(
  subEnvironment: SubEnvironment,
  seed: number,
  { most = 40, ...setup }: Omit<PlannerCriticSetup, "kb"> & { readonly most?: number } = {},
): Promise<{
  readonly actions: StepAction[];
  readonly said: string[];
  readonly isOver: boolean;
  readonly illegal: number;
}> {
  const env = definitionFor(subEnvironment, "easy").makeEnv({});
  const policy = makePlannerCriticPolicy({ kb, ...setup });
  policy.reset(Rng.fromSeed(seed, "policy"));
  let last: ReturnType<typeof env.reset> = env.reset({ seed });
  const actions: StepAction[] = [];
  const said: string[] = [];
  let illegal = 0;
  for (let step = 0; step < most; step++) {
    const action = await policy.act(last.observation, last.info);
    actions.push(action);
    said.push(
      ...policy.transcript().map(({ role, message, isVeto }) => `${role}:${isVeto === true ? " veto" : ""} ${message}`),
    );
    const result = env.step(action);
    last = result;
    illegal += result.info.violations?.length ?? 0;
    if (result.terminated || result.truncated) return { actions, said, isOver: true, illegal };
  }
  return { actions, said, isOver: false, illegal };
}
