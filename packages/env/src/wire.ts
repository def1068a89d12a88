import type { EnvState, Info, ResetRequest, ResetResult, StepResult } from "./env.ts";
import { PraxisError } from "./errors.ts";
import { findNonFinite } from "./json.ts";

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
  if (ArrayBuffer.isView(observation)) return { value: Array.from(observation as unknown as ArrayLike<number>) };
  if (typeof observation === "object" && observation !== null && !Array.isArray(observation))
    return observation as Readonly<Record<string, unknown>>;
  return { value: observation };
}

/**
 * A result in OpenEnv's form: reward and done beside the observation, never inside; `terminated`, `truncated` and `metadata`
 * (the info) inside it. A reset has reward null. Throws NON_FINITE_NUMBER, since JSON would turn NaN into null unseen.
 */
export function encodeResult(result: ResetResult<unknown> | StepResult<unknown>): WireStep {
  const metadata = renamed(result.info, WIRE_NAMES);
  const terminated = isStep(result) && result.terminated;
  const truncated = isStep(result) && result.truncated;
  const reward = isStep(result) ? result.reward : null;
  const observation = { ...observationRecord(result.observation), terminated, truncated, metadata };
  if (reward !== null && !Number.isFinite(reward))
    throw new PraxisError("NON_FINITE_NUMBER", `The environment returned the reward ${reward}.`);
  const path = findNonFinite(observation);
  if (path !== null)
    throw new PraxisError(
      "NON_FINITE_NUMBER",
      `The environment returned a number that is not finite in observation.${path}.`,
    );
  const frame = { observation, reward, done: terminated || truncated };
  return Object.keys(metadata).length === 0 ? frame : { ...frame, metadata };
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

/** A state with `episode_id` and `step_count`, other fields as they are. */
export function encodeState(state: EnvState): Record<string, unknown> {
  return renamed(state, WIRE_NAMES);
}

/** The local form of a state. */
export function decodeState(state: Readonly<Record<string, unknown>>): EnvState {
  return { episodeId: null, stepCount: 0, ...renamed(state, LOCAL_NAMES) };
}

/** Reset keywords of the wire: seed, episode id and the environment's own options. */
export function encodeReset(request: ResetRequest): Record<string, unknown> {
  return {
    ...(request.seed === undefined ? {} : { seed: request.seed }),
    ...(request.episodeId === undefined ? {} : { episode_id: request.episodeId }),
    ...request.options,
  };
}
