import { z } from "zod";
import type { EnvDefinition, ResetRequest, ResetResult, StepResult, Violation } from "./env.ts";
import { type FieldError, PraxisError } from "./errors.ts";
import { hashJson } from "./hash.ts";
import { toPlainJson } from "./json.ts";

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
    // A typed array would become an object in JSON and could not be replayed.
    action: toPlainJson(action),
    observationHash: hashJson(result.observation),
    reward: result.reward,
    rewardComponents: { ...result.info.rewardComponents },
    violations: toPlainJson([...(result.info.violations ?? [])]) as Violation[],
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

/** A trace while its lines are read. */
interface OpenTrace {
  readonly header: TraceHeader;
  readonly steps: TraceStep[];
  end: TraceEnd | null;
}

const refuse = (at: string, why: string, options?: { readonly cause?: unknown; readonly fields?: FieldError[] }) =>
  new PraxisError("INVALID_TRACE", `${at} ${why}`, options);

/** One line as header, step or end. */
function parseLine(line: string, at: string): TraceHeader | TraceStep | TraceEnd {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (cause) {
    throw refuse(at, `is not JSON: ${line.slice(0, 60)}`, { cause });
  }
  const { kind, version } = (parsed ?? {}) as { kind?: unknown; version?: unknown };
  if (kind === "header" && version !== TRACE_VERSION)
    throw refuse(
      at,
      `has trace version ${JSON.stringify(version)}; this reader knows ${TRACE_VERSION}. Record it again.`,
    );
  const schema = kind === "header" ? headerSchema : kind === "step" ? stepSchema : kind === "end" ? endSchema : null;
  if (schema === null) throw refuse(at, `has kind ${JSON.stringify(kind)}; expected header, step or end.`);
  const result = schema.safeParse(parsed);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw refuse(at, `field '${issue.path.join(".")}': ${issue.message}.`, {
    fields: result.error.issues.map((each) => fieldError(each.path, each.message)),
  });
}

/** Adds a step or end to the trace it belongs to, or says why it can't follow what was read before. */
function append(current: OpenTrace | undefined, line: TraceStep | TraceEnd, at: string): void {
  if (current === undefined) throw refuse(at, `(${line.kind}) stands before any header.`);
  if (current.end !== null) throw refuse(at, `(${line.kind}) follows the end of its episode.`);
  if (line.kind === "end") {
    if (line.steps !== current.steps.length)
      throw refuse(at, `ends an episode of ${line.steps} steps, but ${current.steps.length} were read.`);
    current.end = line;
    return;
  }
  if (line.step !== current.steps.length + 1)
    throw refuse(at, `is step ${line.step}; expected ${current.steps.length + 1}.`);
  const last = current.steps.at(-1);
  if (last?.terminated || last?.truncated) throw refuse(at, "is a step after the episode's last.");
  current.steps.push(line);
}

/** Reads one or more episodes. Throws INVALID_TRACE naming line and field; a missing end line (a cut run) is no error. */
export function parseTraces(text: string): Trace[] {
  const traces: OpenTrace[] = [];
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const at = `line ${index + 1}`;
    const parsed = parseLine(line, at);
    if (parsed.kind === "header") traces.push({ header: parsed, steps: [], end: null });
    else append(traces.at(-1), parsed, at);
  });
  if (traces.length === 0) throw new PraxisError("INVALID_TRACE", "The trace is empty.");
  return traces;
}
