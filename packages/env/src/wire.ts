import type { EnvState, Info, ResetRequest, ResetResult, StepResult } from "./env.ts";
import { checkFinite, toPlainJson } from "./json.ts";

/** Keys of `info` and of `state` with a fixed meaning, and their names on the wire. Other keys travel as they are. */
const WIRE_NAMES = {
  rewardComponents: "reward_components",
  actionMask: "action_mask",
  terminationReason: "termination_reason",
  infraError: "infra_error",
  episodeId: "episode_id",
  stepCount: "step_count",
} as const;
const LOCAL_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(WIRE_NAMES).map(([local, wire]) => [wire, local]),
);

function renamed(
  record: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value !== undefined) result[Object.hasOwn(names, key) ? names[key]! : key] = value;
  }
  return result;
}

/** `data` of an `observation` frame. `metadata` at the top is left out when empty, as OpenEnv 0.10.0 clients want it. */
export interface WireStep {
  readonly observation: Readonly<Record<string, unknown>>;
  readonly reward: number | null;
  readonly done: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const isStep = (result: ResetResult<unknown> | StepResult<unknown>): result is StepResult<unknown> =>
  "reward" in result;

/** An observation as a JSON object: records travel as they are, anything else as `{ value }`; typed arrays become arrays. */
function observationRecord(observation: unknown): Readonly<Record<string, unknown>> {
  const plain = toPlainJson(observation);
  if (typeof plain === "object" && plain !== null && !Array.isArray(plain))
    return plain as Readonly<Record<string, unknown>>;
  return { value: plain };
}

/**
 * A result in OpenEnv's form: reward and done beside the observation, never inside; `terminated`, `truncated` and `metadata`
 * (the info) inside it. A reset has reward null. Throws NON_FINITE_NUMBER, since JSON would turn NaN into null unseen.
 */
export function encodeResult(result: ResetResult<unknown> | StepResult<unknown>): WireStep {
  const metadata = renamed(toPlainJson(result.info) as Info, WIRE_NAMES);
  const terminated = isStep(result) && result.terminated;
  const truncated = isStep(result) && result.truncated;
  const reward = isStep(result) ? result.reward : null;
  // Key by key: V8 turns a spread followed by more members into a slow dictionary, which costs a step microseconds.
  const observation: Record<string, unknown> = {};
  const given = observationRecord(result.observation);
  for (const key of Object.keys(given)) observation[key] = given[key];
  observation.terminated = terminated;
  observation.truncated = truncated;
  observation.metadata = metadata;
  if (reward !== null) checkFinite(reward, "reward");
  checkFinite(observation, "observation");
  const done = terminated || truncated;
  return Object.keys(metadata).length === 0 ? { observation, reward, done } : { observation, reward, done, metadata };
}

/** The local form of a step frame of any OpenEnv server; without `terminated` and `truncated`, `done` counts as terminated. */
export function decodeResult(
  frame: WireStep,
): StepResult<Readonly<Record<string, unknown>>> & { readonly done: boolean } {
  const { terminated, truncated, metadata, ...observation } = frame.observation;
  const info = renamed((frame.metadata ?? metadata ?? {}) as Record<string, unknown>, LOCAL_NAMES) as Info;
  const known = typeof terminated === "boolean" && typeof truncated === "boolean";
  return {
    observation,
    reward: frame.reward ?? 0,
    terminated: known ? (terminated as boolean) : frame.done,
    truncated: known ? (truncated as boolean) : false,
    done: frame.done,
    info,
  };
}

/** A state with `episode_id` and `step_count`, other fields as they are. Throws NON_FINITE_NUMBER like {@link encodeResult}. */
export function encodeState(state: EnvState): Record<string, unknown> {
  checkFinite(state, "state");
  return renamed(toPlainJson(state) as EnvState, WIRE_NAMES);
}

/** The local form of a state. */
export function decodeState(state: Readonly<Record<string, unknown>>): EnvState {
  return { episodeId: null, stepCount: 0, ...renamed(state, LOCAL_NAMES) };
}

/** Reset keywords of the wire: seed, episode id and the environment's own options, which can't replace the first two. */
export function encodeReset(request: ResetRequest): Record<string, unknown> {
  const { seed: _seed, episode_id: _episodeId, ...options } = request.options ?? {};
  return {
    ...(request.seed === undefined ? {} : { seed: request.seed }),
    ...(request.episodeId === undefined ? {} : { episode_id: request.episodeId }),
    ...options,
  };
}
