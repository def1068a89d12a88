import type { EnvDefinition, Policy, ResetRequest, ResetResult, StepResult, SyncEnv } from "./env.ts";
import { toPraxisError } from "./errors.ts";
import { hashJson } from "./hash.ts";
import type { Rng } from "./rng.ts";
import { type Trace, type TraceStep, traceHeader, traceStep } from "./trace.ts";

/** Plays one episode with a policy and records it. `now` (milliseconds) fills the timing, left out without it. */
export async function recordEpisode(
  definition: EnvDefinition,
  env: SyncEnv,
  policy: Policy,
  request: ResetRequest & { readonly seed: number },
  options: {
    readonly rng: Rng;
    readonly now?: () => number;
    readonly maxSteps?: number;
    readonly onReset?: (result: ResetResult<unknown>) => void;
    readonly onStep?: (step: TraceStep, result: StepResult<unknown>) => void;
  },
): Promise<Trace> {
  policy.reset(options.rng);
  let last: ResetResult<unknown> | StepResult<unknown> = env.reset(request);
  const header = traceHeader(definition, request, last, {
    policy: policy.name,
    episodeId: env.state().episodeId ?? "",
  });
  options.onReset?.(last);
  const steps: TraceStep[] = [];
  const limit = options.maxSteps ?? definition.maxEpisodeSteps ?? Number.POSITIVE_INFINITY;
  while (steps.length < limit) {
    const action = await policy.act(last.observation, last.info);
    const begun = options.now?.();
    const result: StepResult<unknown> = env.step(action);
    const ms = begun === undefined ? undefined : options.now!() - begun;
    const step = traceStep(steps.length + 1, action, result, ms);
    steps.push(step);
    options.onStep?.(step, result);
    last = result;
    if (result.terminated || result.truncated) break;
  }
  return {
    header,
    steps,
    end: { kind: "end", steps: steps.length, return: steps.reduce((sum, step) => sum + step.reward, 0) },
  };
}

/** Where a replay first departs from its trace. */
export interface TraceDifference {
  /** 0 is the reset. */
  readonly step: number;
  readonly field: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

const REPLAYED_FIELDS = [
  "observationHash",
  "reward",
  "rewardComponents",
  "violations",
  "terminated",
  "truncated",
  "terminationReason",
] as const satisfies readonly (keyof TraceStep)[];

/**
 * Re-executes a trace in a fresh environment and returns the first difference, or null when all is equal (timing aside). An
 * error that the environment throws is a difference in the field `error`.
 */
export function replayTrace(definition: EnvDefinition, env: SyncEnv, trace: Trace): TraceDifference | null {
  const { header } = trace;
  if (header.env !== definition.id) return { step: 0, field: "env", recorded: header.env, replayed: definition.id };
  let at = 0;
  try {
    const begun = env.reset({ seed: header.seed, episodeId: header.episodeId, options: header.options });
    const hash = hashJson(begun.observation);
    if (hash !== header.observationHash)
      return { step: 0, field: "observationHash", recorded: header.observationHash, replayed: hash };
    for (const recorded of trace.steps) {
      at = recorded.step;
      const replayed = traceStep(at, recorded.action, env.step(recorded.action));
      for (const field of REPLAYED_FIELDS)
        if (hashJson(recorded[field] ?? null) !== hashJson(replayed[field] ?? null))
          return { step: at, field, recorded: recorded[field], replayed: replayed[field] };
    }
  } catch (error) {
    return { step: at, field: "error", recorded: null, replayed: toPraxisError(error).message };
  }
  return null;
}
