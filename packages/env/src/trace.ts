import { z } from "zod";
import type { EnvDefinition, Policy, ResetRequest, ResetResult, StepResult, SyncEnv } from "./env.ts";
import { type FieldError, PraxisError } from "./errors.ts";
import { hashJson } from "./hash.ts";
import type { Rng } from "./rng.ts";

/** Version of the trace format; a reader refuses others by name. */
export const TRACE_VERSION = 1;

const headerSchema = z.strictObject({
  kind: z.literal("header"),
  format: z.literal("praxis-trace"),
  version: z.literal(TRACE_VERSION),
  env: z.string(),
  envVersion: z.string(),
  episodeId: z.string(),
  seed: z.int().min(0),
  options: z.record(z.string(), z.unknown()),
  policy: z.string(),
  /** Hash of the reset's observation. */
  observationHash: z.string(),
});
const stepSchema = z.strictObject({
  kind: z.literal("step"),
  step: z.int().min(1),
  action: z.unknown(),
  observationHash: z.string(),
  reward: z.number(),
  rewardComponents: z.record(z.string(), z.number()),
  violations: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
  terminated: z.boolean(),
  truncated: z.boolean(),
  terminationReason: z.string().optional(),
  infraError: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  /** Milliseconds in the environment; the one field that two equal runs may differ in. */
  ms: z.number().optional(),
});
const endSchema = z.strictObject({ kind: z.literal("end"), steps: z.int().min(0), return: z.number() });

/** First line of an episode's trace. */
export type TraceHeader = z.infer<typeof headerSchema>;
/** One step of a trace. */
export type TraceStep = z.infer<typeof stepSchema>;
/** Last line of an episode's trace; missing when the run was cut. */
export type TraceEnd = z.infer<typeof endSchema>;
/** One episode as recorded. */
export interface Trace {
  readonly header: TraceHeader;
  readonly steps: readonly TraceStep[];
  readonly end: TraceEnd | null;
}

/** Header line of an episode that `reset` began. */
export function traceHeader(
  definition: Pick<EnvDefinition, "id" | "version">,
  request: ResetRequest,
  result: ResetResult<unknown>,
  context: { readonly policy: string; readonly episodeId: string },
): TraceHeader {
  const seed = request.seed ?? result.info.seed;
  if (typeof seed !== "number")
    throw new PraxisError("INVALID_TRACE", "A trace needs the seed of its episode; the environment told none.");
  return {
    kind: "header",
    format: "praxis-trace",
    version: TRACE_VERSION,
    env: definition.id,
    envVersion: definition.version,
    episodeId: context.episodeId,
    seed,
    options: { ...request.options },
    policy: context.policy,
    observationHash: hashJson(result.observation),
  };
}

/** Step line. @param step number of the step, from 1 @param ms time in the environment, left out if not measured */
export function traceStep(step: number, action: unknown, result: StepResult<unknown>, ms?: number): TraceStep {
  const { terminationReason, infraError } = result.info;
  return {
    kind: "step",
    step,
    action,
    observationHash: hashJson(result.observation),
    reward: result.reward,
    rewardComponents: { ...result.info.rewardComponents },
    violations: [...(result.info.violations ?? [])],
    terminated: result.terminated,
    truncated: result.truncated,
    ...(terminationReason === undefined ? {} : { terminationReason }),
    ...(infraError === undefined ? {} : { infraError }),
    ...(ms === undefined ? {} : { ms }),
  };
}

/** JSON lines of a trace, newline at the end. */
export function formatTrace(trace: Trace): string {
  return [trace.header, ...trace.steps, ...(trace.end === null ? [] : [trace.end])]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

const fieldError = (loc: readonly PropertyKey[], msg: string): FieldError => ({
  type: "value_error",
  loc: loc.map((part) => (typeof part === "symbol" ? String(part) : part)),
  msg,
});

/** Reads one or more episodes. Throws INVALID_TRACE naming line and field; a missing end line (a cut run) is no error. */
export function parseTraces(text: string): Trace[] {
  const traces: { header: TraceHeader; steps: TraceStep[]; end: TraceEnd | null }[] = [];
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const at = `line ${index + 1}`;
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch (cause) {
      throw new PraxisError("INVALID_TRACE", `${at} is not JSON: ${line.slice(0, 60)}`, { cause });
    }
    const kind = (parsed as { kind?: unknown } | null)?.kind;
    const schema = kind === "header" ? headerSchema : kind === "step" ? stepSchema : kind === "end" ? endSchema : null;
    if (schema === null)
      throw new PraxisError("INVALID_TRACE", `${at} has kind ${JSON.stringify(kind)}; expected header, step or end.`);
    const result = schema.safeParse(parsed);
    if (!result.success) {
      const issue = result.error.issues[0]!;
      throw new PraxisError("INVALID_TRACE", `${at}, field '${issue.path.join(".")}': ${issue.message}.`, {
        fields: result.error.issues.map((each) => fieldError(each.path, each.message)),
      });
    }
    const current = traces.at(-1);
    if (result.data.kind === "header") traces.push({ header: result.data, steps: [], end: null });
    else if (current === undefined)
      throw new PraxisError("INVALID_TRACE", `${at} is a ${result.data.kind} before any header.`);
    else if (result.data.kind === "end") current.end = result.data;
    else if (result.data.step !== current.steps.length + 1)
      throw new PraxisError(
        "INVALID_TRACE",
        `${at} is step ${result.data.step}; expected ${current.steps.length + 1}.`,
      );
    else current.steps.push(result.data);
  });
  if (traces.length === 0) throw new PraxisError("INVALID_TRACE", "The trace is empty.");
  return traces;
}

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
    readonly onStep?: (step: TraceStep, result: StepResult<unknown>) => void;
  },
): Promise<Trace> {
  policy.reset(options.rng);
  let last: ResetResult<unknown> | StepResult<unknown> = env.reset(request);
  const header = traceHeader(definition, request, last, {
    policy: policy.name,
    episodeId: env.state().episodeId ?? "",
  });
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

/** Re-executes a trace in a fresh environment and returns the first difference, or null when all is equal (timing aside). */
export function replayTrace(definition: EnvDefinition, env: SyncEnv, trace: Trace): TraceDifference | null {
  const { header } = trace;
  if (header.env !== definition.id) return { step: 0, field: "env", recorded: header.env, replayed: definition.id };
  const begun = env.reset({ seed: header.seed, episodeId: header.episodeId, options: header.options });
  const hash = hashJson(begun.observation);
  if (hash !== header.observationHash)
    return { step: 0, field: "observationHash", recorded: header.observationHash, replayed: hash };
  for (const recorded of trace.steps) {
    const result = env.step(recorded.action);
    const replayed = traceStep(recorded.step, recorded.action, result);
    for (const field of [
      "observationHash",
      "reward",
      "rewardComponents",
      "violations",
      "terminated",
      "truncated",
      "terminationReason",
    ] as const) {
      if (hashJson(recorded[field] ?? null) !== hashJson(replayed[field] ?? null))
        return { step: recorded.step, field, recorded: recorded[field], replayed: replayed[field] };
    }
  }
  return null;
}
