import { canonicalJson, type EnvDefinition, PraxisError, Rng } from "@praxis/env";
import { stringify } from "yaml";

/** Seed and episode of the measured run; any would do, a fixed one keeps the folder equal from build to build. */
const PLAN_SEED = 7;
const PLAN_EPISODE = "validation-7";
/** Limits of OpenEnv 0.10.0 for a runtime plan. */
const MAX_ACTIONS = 100;
const MAX_PLAN_BYTES = 65_536;

/** Text of `openenv.yaml`: what launchers, `push` and both generations of `openenv validate` read. */
export function manifestText(definition: EnvDefinition): string {
  const { tasks, tools = [] } = definition;
  const [low, high] = definition.rewardRange;
  return stringify({
    spec_version: 1,
    name: definition.name.replaceAll("-", "_"),
    version: definition.version,
    description: definition.description,
    type: "space",
    runtime: "fastapi",
    app: "server.app:app",
    port: 8000,
    validation: {
      // OpenEnv wants an increasing range, also where every reward is the same number.
      reward: { range: low < high ? [low, high] : [low, low + 1], oracle_tolerance: 0, floor_margin: 0.1 },
      // assumption: one core, 1 GB of memory and 512 MB of /tmp hold any of our servers several times over.
      resources: { cpu: 1, memory_mb: 1024, disk_mb: 512, episode_timeout_s: 300 },
      capabilities: {
        verifier: { kind: "reward_channel" },
        task_api: tasks !== undefined,
        ...(tasks === undefined
          ? {}
          : { declared_task_count: Object.fromEntries(tasks.splits().map(({ name }) => [name, tasks.count(name)])) }),
        ...(tools.length === 0 ? {} : { declared_tools: tools.map((tool) => tool.name) }),
      },
      types: { tags: ["decision-making"] },
      execution: {},
    },
  });
}

/** JSON of `validation/runtime.json`: the actions of one episode, played with the environment's own sample actions. */
export async function runtimePlan(definition: EnvDefinition): Promise<string> {
  const env = definition.makeEnv();
  const rng = Rng.fromSeed(PLAN_SEED, "runtime-plan");
  const actions: unknown[] = [];
  const text = () =>
    `${JSON.stringify(
      { plan_schema_version: "1", reset: { episode_id: PLAN_EPISODE, seed: PLAN_SEED, options: {} }, actions },
      null,
      2,
    )}\n`;
  try {
    let last: Parameters<EnvDefinition["sampleAction"]>[1] = await env.reset({
      seed: PLAN_SEED,
      episodeId: PLAN_EPISODE,
    });
    let ended = false;
    while (!ended && actions.length < MAX_ACTIONS) {
      const action = definition.sampleAction(rng, last);
      if (typeof action !== "object" || action === null || Array.isArray(action))
        throw new PraxisError(
          "INVALID_CONFIG",
          `An action of '${definition.id}' is ${canonicalJson(action)}; OpenEnv actions are JSON objects.`,
        );
      const result = await env.step(action);
      actions.push(action);
      if (text().length > MAX_PLAN_BYTES) {
        actions.pop();
        break;
      }
      ended = result.terminated || result.truncated;
      last = result;
    }
  } finally {
    await env.close();
  }
  if (actions.length === 0)
    throw new PraxisError("INVALID_CONFIG", `'${definition.id}' gave no action small enough for a runtime plan.`);
  return text();
}
